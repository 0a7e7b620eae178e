"""Mirrors: the same documents in two templates, cleaned each by itself and compared (Foschini 2007, 6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import Levenshtein

from detemplate.algorithms.lcs import common
from detemplate.expressions.collections import count_collections, idiom_limit, without_idioms
from detemplate.expressions.match import Matcher
from detemplate.expressions.remove import Locality, clean_text
from detemplate.expressions.tokens import Tokenizer
from lab.expressions.injection import make_blocks
from lab.expressions.runs import DEFAULT, SCORED, Setting, fill, mine
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.expressions.files import Expression
    from lab.expressions.injection import Document
    from lab.expressions.sources import Sources

NOTHING: Final = "nothing removed"
SANDWICH: Final = "`sandwich` on lines"
EXPRESSIONS: Final = "expressions"
SECOND: Final = "expressions, second level"
MERGED: Final = "expressions, second level, merge_gap=50"
PLAIN: Final = "expressions without mutable patterns, second level"
METHODS: Final = (NOTHING, SANDWICH, PLAIN, EXPRESSIONS, SECOND, MERGED)
_MERGE_50: Final = Locality(50, DEFAULT.min_sliver)

_Mirrors = tuple[tuple[str, str], list[str], list[tuple["Document", ...]]]
"""The sites of two templates, the clean texts, and the documents in each template."""


@dataclass(frozen=True, slots=True)
class MirrorPair:
    """Results of one method on one pair of mirrors: means over documents."""

    sites: tuple[str, str]
    seed: int
    setting: Setting
    method: str
    distance: float  # edit distance between the mirrors' words, over those of the longer
    to_clean: float  # the same distance between a mirror and the clean text
    equal: float  # share of the documents whose words are the same in both mirrors


def word_distance(first: str, second: str) -> float:
    """Compute the edit distance between the words of two texts, over the number of words of the longer."""
    numbers: dict[str, int] = {}
    sequences = [[numbers.setdefault(word, len(numbers)) for word in words(text)] for text in (first, second)]
    return float(Levenshtein.normalized_distance(*sequences))


def compare_mirrors(sources: Sources, setting: Setting, seed: int) -> list[MirrorPair]:
    """Put the same documents into random pairs of templates, clean each mirror alone, compare the pairs."""
    rng = np.random.default_rng([seed, 99])
    templates = [t for t in sources.templates if sources.languages.get(t.site, "en") == setting.language]
    order = rng.permutation(len(templates)).tolist()
    pool = sources.documents.get(setting.language, [])
    made: list[_Mirrors] = []
    for a, b in zip(order[::2], order[1::2], strict=False):
        pair = (templates[a], templates[b])
        names = (pair[0].site, pair[1].site)
        texts = [text for site, text in pool if site not in names]
        if len(texts) < setting.documents:
            continue
        chosen = [texts[n] for n in rng.permutation(len(texts))[: setting.documents].tolist()]
        mirrors = [
            fill(chosen, make_blocks(template.lines, setting.slots, mirror_rng), mirror_rng)
            for template, mirror_rng in zip(pair, rng.spawn(2), strict=True)
        ]
        made.append((names, chosen, mirrors))
    plain, mined = (
        [[mine(mirror, tokenizer)[0] for mirror in mirrors] for _, _, mirrors in made]
        for tokenizer in (Tokenizer(mutables=()), Tokenizer())
    )
    outputs = {
        NOTHING: [[[document.text for document in m[:SCORED]] for m in mirrors] for _, _, mirrors in made],
        SANDWICH: [[_sandwich(m) for m in mirrors] for _, _, mirrors in made],
        PLAIN: _cleaned(made, plain, 2, DEFAULT),
        EXPRESSIONS: _cleaned(made, mined, 1, DEFAULT),
        SECOND: _cleaned(made, mined, 2, DEFAULT),
        MERGED: _cleaned(made, mined, 2, _MERGE_50),
    }
    return [
        MirrorPair(names, seed, setting, method, *_distances(outputs[method][number], clean))
        for number, (names, clean, _) in enumerate(made)
        for method in METHODS
    ]


def _distances(outputs: Sequence[Sequence[str]], clean: Sequence[str]) -> tuple[float, float, float]:
    """Compute the attributes ``distance``, ``to_clean`` and ``equal`` of a pair of mirrors."""
    both = list(zip(*outputs, strict=True))
    distances = [word_distance(first, second) for first, second in both]
    to_clean = [
        (word_distance(first, text) + word_distance(second, text)) / 2
        for (first, second), text in zip(both, clean[:SCORED], strict=False)
    ]
    equal = [distance == 0 for distance in distances]
    return float(np.mean(distances)), float(np.mean(to_clean)), float(np.mean(equal))


def _cleaned(
    made: Sequence[_Mirrors],
    mined: Sequence[Sequence[tuple[Expression, ...]]],
    level: int,
    locality: Locality,
) -> list[list[list[str]]]:
    """Clean the first documents of each mirror with the expressions mined from all of its documents."""
    flat = [expressions for pair in mined for expressions in pair]
    limit = idiom_limit(None, len(flat)) if level == 2 else None
    counts = count_collections(flat)
    cleaned = []
    for (_, _, mirrors), pair in zip(made, mined, strict=True):
        outputs = []
        for mirror, expressions in zip(mirrors, pair, strict=True):
            matcher = Matcher(without_idioms(expressions, counts, limit))
            outputs.append([clean_text(d.text, matcher, locality).text for d in mirror[:SCORED]])
        cleaned.append(outputs)
    return cleaned


def _sandwich(mirror: Sequence[Document]) -> list[str]:
    """Remove the lines that a document shares, in order, with the one before it (Rowlands et al. 2009)."""
    lines = [[line for line in document.text.split("\n") if line.strip()] for document in mirror]
    numbers: dict[str, int] = {}
    keys = [
        np.array([numbers.setdefault(line.strip(), len(numbers)) for line in its], np.uint64) for its in lines
    ]
    return [
        "\n".join(
            line for line, shared in zip(lines[n], common(keys[n], keys[n - 1]), strict=True) if not shared
        )
        for n in range(min(SCORED, len(mirror)))
    ]
