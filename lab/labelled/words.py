"""Words, as the scores of extracted texts count them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_SINGLE: Final = "".join(
    f"{chr(first)}-{chr(last)}"
    for first, last in (
        # ideographs
        (0x3005, 0x3007),  # iteration mark, closing mark, zero: used in place of ideographs
        (0x3021, 0x3029),  # Suzhou numerals
        (0x3038, 0x303B),
        (0x3400, 0x4DBF),  # extension A
        (0x4E00, 0x9FFF),
        (0xF900, 0xFAFF),  # compatibility ideographs
        (0x20000, 0x3FFFD),  # planes 2 and 3: extension B and later, the whole planes are reserved for them
        # kana
        (0x3041, 0x3096),
        (0x309D, 0x309F),
        (0x30A1, 0x30FA),
        (0x30FC, 0x30FF),
        (0x31F0, 0x31FF),  # phonetic extensions
        (0xFF66, 0xFF9F),  # halfwidth, with the prolonged-sound and voicing marks
        (0x1AFF0, 0x1AFFE),  # extended B
        (0x1B000, 0x1B16F),  # supplement, extended A, small
        # hangul syllables; single jamo form words of several letters
        (0xAC00, 0xD7A3),
    )
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

    >>> words("Naïve user_id, 3.5 GB")
    ['naïve', 'user_id', '3', '5', 'gb']
    >>> words("東京tower 한글")
    ['東', '京', 'tower', '한', '글']
    """
    lowered = text.lower()
    # The large character class is several times slower, and most texts do not need it.
    if lowered.isascii() or not _MAYBE_SINGLE.search(lowered):
        return _PLAIN_WORD.findall(lowered)
    return _WORD.findall(lowered)


def count_words(text: str) -> Counter[str]:
    """Count the words of a text: the multiset that scores compare."""
    return Counter(words(text))


def contains_words(haystack: list[str], needle: list[str]) -> bool:
    """Tell whether `needle` is a run of consecutive words of `haystack`; an empty one always is.

    >>> contains_words(words("Price: $11,995 now"), words("$11,995"))
    True
    """
    if not needle:
        return True
    # A space is never part of a word: padded strings compare whole words.
    return f" {' '.join(needle)} " in f" {' '.join(haystack)} "
