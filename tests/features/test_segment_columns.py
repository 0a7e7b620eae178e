"""The names of segment features: one each, and documented."""

import re
from itertools import product
from pathlib import Path

from detemplate.features.segment_columns import FEATURE_GROUPS, LEVELS, NAMES, TARGETS

DOCUMENT = Path(__file__).parents[2] / "docs" / "segment-features.md"
REPEATED = {"path": "cohort", "slot": "cohort"}
REPEATED |= {f"group{level}": "group" for level in range(LEVELS)}
REPEATED |= {f"target{number}": "target" for number in range(TARGETS)}


def documented():
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


def test_the_documentation_has_exactly_the_names():
    names = documented()
    assert len(names) == len(set(names))
    assert set(names) == set(NAMES)


def test_the_names_are_plain():
    assert len(NAMES) == len(set(NAMES)) == len(FEATURE_GROUPS) == 288
    assert all(re.fullmatch("[a-z0-9]+(_[a-z0-9]+)*", name) for name in NAMES)


def test_feature_groups():
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
