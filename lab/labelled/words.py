"""Words, as the scores of extracted texts count them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

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


def contains_words(haystack: list[str], needle: list[str]) -> bool:
    """Tell whether `needle` is a run of consecutive words of `haystack`; an empty one always is.

    >>> contains_words(words("Price: $11,995 now"), words("$11,995"))
    True
    """
    if not needle:
        return True
    # A space is never part of a word: padded strings compare whole words.
    return f" {' '.join(needle)} " in f" {' '.join(haystack)} "
