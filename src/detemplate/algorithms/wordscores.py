"""Words of texts, and how much of them two texts share: multisets of words."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final, NamedTuple

_SINGLE: Final = (
    # ideographs, with marks and numerals, extensions, compatibility ideographs, the whole planes 2 and 3
    r"\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
    # kana, with phonetic extensions, halfwidth letters and marks, supplements
    r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
    r"\U0001aff0-\U0001affe\U0001b000-\U0001b16f"
    # hangul syllables; single jamo form words of several letters
    r"\uac00-\ud7a3"
)
"""Characters that are one word each, as ranges of a regular expression's character class."""
_WORD: Final = re.compile(rf"(?=\w)[{_SINGLE}]|[^\W{_SINGLE}]+")
"""A word. The look-ahead excludes code points that are not assigned yet."""
_PLAIN_WORD: Final = re.compile(r"\w+")
_MAYBE_SINGLE: Final = re.compile(r"[^\x00-\u3004]")
"""A character that may be in :data:`_SINGLE`; all of those are above U+3004."""


def words(text: str) -> list[str]:
    r"""Split a text into its words, in order: runs of word characters (``\w``) of the lower-cased text.

    CJK ideographs, kana and hangul syllables are one word each: these scripts have no spaces between words.

    >>> words("Naïve user_id, 3.5 GB 東京tower 한글")
    ['naïve', 'user_id', '3', '5', 'gb', '東', '京', 'tower', '한', '글']
    """
    lowered = text.lower()
    # The large character class is several times slower, and most texts do not need it.
    if lowered.isascii() or not _MAYBE_SINGLE.search(lowered):
        return _PLAIN_WORD.findall(lowered)
    return _WORD.findall(lowered)


recent_words: Final = lru_cache(8)(words)
"""As :func:`words`: several scores split the same text. The list is not to be changed."""


def count_words(text: str) -> Counter[str]:
    """Count the words of a text: the multiset that scores compare."""
    return Counter(recent_words(text))


_RECENT: Final = 8
"""Golds and scores that are kept: all methods score a page in turn, and most return the same text."""
gold_words: Final = lru_cache(_RECENT)(count_words)
"""As :func:`count_words`, for golds. The counts are not to be changed."""


class TextScores(NamedTuple):
    """How near an output is to a gold, in words."""

    precision: float
    """Share of the output's words that are content."""
    recall: float
    """Share of the content's words that are kept."""
    f1: float
    """Harmonic mean of both."""


def f1_score(hits: int, missing: int, wrong: int) -> float:
    """Compute ``2 hits / (2 hits + missing + wrong)`` from counts of words; 1 where all counts are 0."""
    total = 2 * hits + missing + wrong
    return 2 * hits / total if total else 1.0


@lru_cache(_RECENT)
def text_scores(output: str, gold: str, neutral: str = "") -> TextScores:
    """Score an output against the main content of its page, both as multisets of words.

    A word that occurs twice in the gold and three times in the output makes two hits and one wrong word.
    Surplus words of the `neutral` text (readers' comments) are not wrong.

    >>> text_scores("a b b c", gold="a b d")
    TextScores(precision=0.5, recall=0.6666666666666666, f1=0.5714285714285714)
    """
    actual, expected = count_words(output), gold_words(gold)
    hits = (actual & expected).total()
    wrong = ((actual - expected) - gold_words(neutral)).total() if neutral else actual.total() - hits
    missing = expected.total() - hits
    if not expected:
        score = 0.0 if wrong else 1.0
        return TextScores(score, score, score)
    precision = hits / (hits + wrong) if hits + wrong else 0.0
    return TextScores(precision, hits / expected.total(), f1_score(hits, missing, wrong))
