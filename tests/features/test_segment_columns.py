"""The names of segment features: one each, documented, and the kernel's columns."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import detemplate
from detemplate.features import segment_marks, vocabulary
from detemplate.features.segment_columns import AROUND, FEATURE_GROUPS, LEVELS, NAMES, TARGETS
from detemplate.features.segment_marks import AROUND_BITS, MARKS
from detemplate.page.tags import IDS, NUMBER
from tests.oracles import hiding, segmentnear, segmentnodes, segments, startwords
from tests.support.pxd import constants as read_constants

FOLDER = Path(detemplate.__file__).parent / "features"
DOCUMENT = Path(__file__).parents[2] / "docs" / "segment-features.md"
CONSTANTS = read_constants("features/_segment_columns.pxd")
REPEATED = {"path": "cohort", "slot": "cohort"}
REPEATED |= {f"group{level}": "group" for level in range(LEVELS)}
REPEATED |= {f"target{number}": "target" for number in range(TARGETS)}


def documented() -> list[str]:
    """The names in the documentation's table, with every value of what stands in braces."""
    text = DOCUMENT.read_text()
    values = {
        name: re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", listed))
        for name, listed in re.findall(r"^- `\{(\w+)\}`: ((?:.|\n  )*)", text, re.MULTILINE)
    }
    names = []
    for pattern in re.findall(r"^\| `([^`]+)` \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE):
        braces = re.findall(r"\{(\w+)\}", pattern)
        chosen = product(*(values[name] for name in braces))
        names += [pattern.format(**dict(zip(braces, some, strict=True))) for some in chosen]
    return names


def start_of(part: str) -> int:
    """The column in which a part that repeats begins."""
    if part in ("path", "slot"):
        return CONSTANTS[part.upper()]
    kind = REPEATED[part]
    return (
        CONSTANTS[{"group": "GROUPS", "target": "TARGET"}[kind]]
        + int(part[-1]) * CONSTANTS[f"{kind.upper()}_WIDTH"]
    )


def test_the_documentation_has_exactly_the_names() -> None:
    names = documented()
    assert len(names) == len(set(names))
    assert set(names) == set(NAMES)


def test_the_names_are_plain() -> None:
    assert len(NAMES) == len(set(NAMES)) == len(FEATURE_GROUPS) == 288
    assert all(re.fullmatch("[a-z0-9]+(_[a-z0-9]+)*", name) for name in NAMES)


def test_feature_groups() -> None:
    """Explanations quote them: each has its features, and those of the rest are about the text itself."""
    group = dict(zip(NAMES, FEATURE_GROUPS, strict=True))
    assert [name for name in NAMES if group[name] == "its text"] == [
        "chars", "words", "digit_share", "capital_share", "sentence_marks", "chars_per_word",
    ]  # fmt: skip
    assert {group[name] for name in ("position", "chars_to_end", "rank", "byte_position")} == {"its place"}
    assert group["h1_count"] == group["page_chars"] == "the page as a whole"
    assert group["in_hidden"] == group["hidden_steps"] == "the elements around it"
    assert group["link_run"] == group["short_run"] == "the blocks near it"
    assert group["h1_steps"] == group["heading_tag"] == "the headings near it"
    assert len(set(FEATURE_GROUPS)) == 10


def test_the_kernel_has_the_same_columns() -> None:
    named = {name for name in CONSTANTS if not name.endswith("WIDTH")} - {
        "LEVELS",
        "TARGETS",
        "GROUPS",
        "TARGET",
        "PATH",
        "SLOT",
    }
    for number, name in enumerate(NAMES):
        part, _, inner = name.partition("_")
        column = name.upper()
        if column in CONSTANTS:
            assert CONSTANTS[column] == number, name
        else:
            column = f"{REPEATED[part]}_{inner}".upper()
            assert start_of(part) + CONSTANTS[column] == number, name
        named.discard(column)
    assert not named, "columns that are no features"
    assert (CONSTANTS["WIDTH"], CONSTANTS["LEVELS"], CONSTANTS["TARGETS"]) == (len(NAMES), LEVELS, TARGETS)
    for part, after in (("BLOCK", "HEADING_TAG"), ("PAGE", "VOCABULARY_SUM"), ("VOCABULARY", "WIDTH")):
        first = {"BLOCK": "BLOCK_CHARS", "PAGE": "PAGE_CHARS", "VOCABULARY": "VOCABULARY_SUM"}[part]
        assert CONSTANTS[f"{part}_WIDTH"] == CONSTANTS[after] - CONSTANTS[first]
    assert CONSTANTS["AROUND_WIDTH"] == len(AROUND)


def test_the_kernel_has_the_same_constants() -> None:
    constants = read_constants("features/_segment_constants.pxd", CONSTANTS)
    for name in ("LINK", "PROSE", "ITEM", "MEDIA", "INPUT", "HEADING", "GROUP", "AROUND_BITS"):
        assert constants[name] == getattr(segment_marks, name), name
    for name in ("a", "p", "main", "article", "form"):
        assert (
            constants[f"AROUND_{name.upper()}"] == AROUND.index(name) + 1 == MARKS[IDS[name]] >> AROUND_BITS
        )
    assert constants["AROUND_END"] == len(AROUND) + 1
    assert constants["LONG_CHARS"] == segmentnodes.LONG
    assert (constants["HIDDEN"], constants["ARIA_HIDDEN"]) == (hiding.HIDDEN, hiding.ARIA_HIDDEN)
    assert constants["SHORT_WORDS"] == segmentnear.SHORT_WORDS
    assert constants["SCORED_CHARS"] == segmentnear.SCORED
    assert constants["OUTERMOST"] == startwords.OUTERMOST
    assert constants["MOST_CLASSES"] == startwords.MOST_CLASSES
    assert constants["MOST_WORDS"] == vocabulary.MOST_WORDS
    assert constants["LONGEST"] == vocabulary.LONGEST
    # A value is hashed, and so are its runs of letters and their parts: at most three in seven bytes.
    most = 1 + (vocabulary.LONGEST + 1) * 3 // 7
    assert constants["HASHES_A_VALUE"] > most
    assert constants["HASHES"] >= 6 * vocabulary.MOST_WORDS * most + constants["HASHES_A_VALUE"]
    assert max(IDS.values()) <= NUMBER


def test_the_kernel_has_the_same_hashes() -> None:
    source = (FOLDER / "_segment.py").read_text()
    for name, value in (
        ("BASIS", vocabulary.BASIS),
        ("PRIME", vocabulary.PRIME),
        ("MIX", vocabulary.MIX),
        ("SIBLING", segments.SIBLING),
        ("NO_SLOT", segments.NO_SLOT),
    ):
        found = re.search(rf"^{name} = cython.declare\(cython.ulonglong, (\w+)\)$", source, re.MULTILINE)
        assert found
        assert int(found[1], 0) == int(value), name
