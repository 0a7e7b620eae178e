"""Mirrors: the same documents in two templates, each mirror cleaned by itself, then compared.

Foschini 2007, section 6.1: "a good template removal system applied on both the site and the mirrored one
should extract the informative content … The edit distance between the two site, once both cleaned, should
be very low".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash
from rapidfuzz.distance import Levenshtein

from detemplate.algorithms.lcs import common
from detemplate.experiments.expressions.injection import make_blocks
from detemplate.experiments.expressions.runs import DEFAULT, SCORED, Setting, fill, mine
from detemplate.expressions.collections import count_collections, idiom_limit, without_idioms
from detemplate.expressions.match import Matcher
from detemplate.expressions.remove import Locality, clean_text
from detemplate.expressions.tokens import Tokenizer
from detemplate.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.experiments.expressions.injection import Document
    from detemplate.experiments.expressions.sources import Sources
    from detemplate.expressions.files import Expression

NOTHING: Final = "nothing removed"
SANDWICH: Final = "`sandwich` on lines"
EXPRESSIONS: Final = "expressions"
SECOND: Final = "expressions, second level"
MERGED: Final = "expressions, second level, merge_gap=50"
PLAIN: Final = "expressions without mutable patterns, second level"
METHODS: Final = (NOTHING, SANDWICH, PLAIN, EXPRESSIONS, SECOND, MERGED)
_GAP: Final = Locality(50, DEFAULT.min_sliver)


_Mirrors = tuple[tuple[str, str], list[str], list[tuple["Document", ...]]]
"""The sites of two templates, the clean texts, the texts in both templates."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One method on one pair of mirrors; means over the documents.

    Attributes
    ----------
    sites
        Whose templates the mirrors have.
    seed, setting, method
        What was compared.
    distance
        Edit distance between the two mirrors' words, over the number of words of the longer.
    to_clean
        The same between a mirror and the clean text.
    equal
        Share of the documents whose words are the same in both mirrors.
    """

    sites: tuple[str, str]
    seed: int
    setting: Setting
    method: str
    distance: float
    to_clean: float
    equal: float


def word_distance(first: str, second: str) -> float:
    """Give the edit distance between the words of two texts, over the number of words of the longer.

    Inserting, leaving out and exchanging a word cost 1 each; 0 where neither has words.
    """
    numbers: dict[str, int] = {}
    sequences = [[numbers.setdefault(word, len(numbers)) for word in words(text)] for text in (first, second)]
    return float(Levenshtein.normalized_distance(*sequences))


def compare_mirrors(sources: Sources, setting: Setting, seed: int) -> list[Pair]:
    """Put the same documents into pairs of templates, clean the mirrors and compare them.

    Parameters
    ----------
    sources
        Templates and documents. Templates of the setting's language are paired at random, each with
        one other.
    setting
        How mirrors are made. Both mirrors have the same blocks' shares only by chance, as two
        publishers would.
    seed
        Of all that is drawn.

    Returns
    -------
    list of Pair
        A row a pair and method; each mirror is mined by itself. The second level is over all mirrors;
        where there are not enough for one, it drops nothing.
    """
    rng = np.random.default_rng([seed, 99])
    templates = [t for t in sources.templates if sources.languages.get(t.site, "en") == setting.language]
    order = rng.permutation(len(templates)).tolist()
    pairs = [(templates[a], templates[b]) for a, b in zip(order[::2], order[1::2], strict=False)]
    pool = sources.documents.get(setting.language, [])
    told: list[_Mirrors] = []
    for pair in pairs:
        names = (pair[0].site, pair[1].site)
        texts = [text for site, text in pool if site not in names]
        if len(texts) < setting.documents:
            continue
        chosen = [texts[n] for n in rng.permutation(len(texts))[: setting.documents].tolist()]
        mirrors = [
            fill(chosen, make_blocks(template.lines, setting.slots, own), own)
            for template, own in zip(pair, rng.spawn(2), strict=True)
        ]
        told.append((names, chosen, mirrors))
    plain, mined = (
        [[mine(mirror, tokenizer)[0] for mirror in mirrors] for _, _, mirrors in told]
        for tokenizer in (Tokenizer(mutables=()), Tokenizer())
    )
    cleaners = {
        SANDWICH: [[_sandwich(m) for m in mirrors] for _, _, mirrors in told],
        PLAIN: _cleaned(told, plain, 2, DEFAULT),
        EXPRESSIONS: _cleaned(told, mined, 1, DEFAULT),
        SECOND: _cleaned(told, mined, 2, DEFAULT),
        MERGED: _cleaned(told, mined, 2, _GAP),
    }
    rows = []
    for number, (names, clean, mirrors) in enumerate(told):
        for method in METHODS:
            outputs = (
                [[document.text for document in mirror[:SCORED]] for mirror in mirrors]
                if method == NOTHING
                else cleaners[method][number]
            )
            rows.append(Pair(names, seed, setting, method, *_compare(outputs, clean)))
    return rows


def _compare(outputs: Sequence[Sequence[str]], clean: Sequence[str]) -> tuple[float, float, float]:
    both = list(zip(*outputs, strict=True))
    apart = [word_distance(first, second) for first, second in both]
    off = [
        (word_distance(first, text) + word_distance(second, text)) / 2
        for (first, second), text in zip(both, clean[:SCORED], strict=False)
    ]
    return float(np.mean(apart)), float(np.mean(off)), float(np.mean([each == 0 for each in apart]))


def _cleaned(
    told: Sequence[_Mirrors],
    mined: Sequence[Sequence[tuple[Expression, ...]]],
    level: int,
    locality: Locality,
) -> list[list[list[str]]]:
    """Clean each mirror's first documents with the expressions mined from all of its documents."""
    flat = [expressions for pair in mined for expressions in pair]
    limit = idiom_limit(None, len(flat)) if level == 2 else None
    counts = count_collections(flat)
    found = []
    for (_, _, mirrors), pair in zip(told, mined, strict=True):
        outputs = []
        for mirror, expressions in zip(mirrors, pair, strict=True):
            matcher = Matcher(without_idioms(expressions, counts, limit))
            outputs.append([clean_text(d.text, matcher, locality).text for d in mirror[:SCORED]])
        found.append(outputs)
    return found


def _sandwich(mirror: Sequence[Document]) -> list[str]:
    """Remove the lines that a document shares, in order, with the one before it (Rowlands et al. 2009)."""
    lines = [[line for line in document.text.split("\n") if line.strip()] for document in mirror]
    hashes = [
        np.array(
            [xxhash.xxh3_64_intdigest(line.strip().encode("utf-8", "surrogatepass")) for line in own],
            np.uint64,
        )
        for own in lines
    ]
    return [
        "\n".join(
            line
            for line, shared in zip(lines[n], common(hashes[n], hashes[n - 1]), strict=True)
            if not shared
        )
        for n in range(min(SCORED, len(mirror)))
    ]
