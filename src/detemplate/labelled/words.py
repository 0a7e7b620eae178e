"""What a word is when texts are compared."""

from __future__ import annotations

import re
from collections import Counter

_SINGLE = "".join(
    f"{chr(first)}-{chr(last)}"
    for first, last in (
        # ideographs
        (0x3005, 0x3007),  # iteration mark, closing mark, zero: they stand for ideographs
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
        # hangul syllables; single jamo are letters and run together like letters
        (0xAC00, 0xD7A3),
    )
)
# The look-ahead keeps out what no character is assigned to yet.
_WORD = re.compile(rf"(?=\w)[{_SINGLE}]|[^\W{_SINGLE}]+")
_PLAIN_WORD = re.compile(r"\w+")
_MAYBE_SINGLE = re.compile(r"[^\x00-\u3004]")  # nothing below is a word by itself


def words(text: str) -> list[str]:
    r"""Split a text into its words, in order.

    A word is a run of word characters (letters, digits, underscore; Python's ``\w``) of the
    lower-cased text. Each CJK ideograph, kana and hangul syllable is one word by itself, because
    these scripts do not put spaces between words. Nothing is normalised otherwise.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    list of str
        The words in the order of the text.

    Examples
    --------
    >>> words("Naïve user_id, 3.5 GB")
    ['naïve', 'user_id', '3', '5', 'gb']
    >>> words("東京tower 한글")
    ['東', '京', 'tower', '한', '글']
    """
    lowered = text.lower()
    # The large character class costs several times the plain one: most texts can do without.
    if lowered.isascii() or not _MAYBE_SINGLE.search(lowered):
        return _PLAIN_WORD.findall(lowered)
    return _WORD.findall(lowered)


def count_words(text: str) -> Counter[str]:
    """Count the words of a text: the multiset that the scores compare.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    collections.Counter
        How often each word occurs.
    """
    return Counter(words(text))


def contains_words(haystack: list[str], needle: list[str]) -> bool:
    """Tell whether some words occur in a row in others.

    Parameters
    ----------
    haystack
        Words of a text, in order.
    needle
        Words to look for, in order. No words are in every text.

    Returns
    -------
    bool
        Whether `needle` is a run of consecutive words of `haystack`.

    Examples
    --------
    >>> contains_words(words("Price: $11,995 now"), words("$11,995"))
    True
    >>> contains_words(words("Price: $11,995 now"), words("995 new"))
    False
    """
    if not needle:
        return True
    # A space is never part of a word, so that padded strings compare whole words.
    return f" {' '.join(needle)} " in f" {' '.join(haystack)} "
