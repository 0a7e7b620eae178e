"""What the word counts and their kernel share: tables of characters, and rows of counts."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.minwise import mixed

if TYPE_CHECKING:
    import numpy.typing as npt

WORDS, TITLED, DIFFERENT, COUNTS = range(4)
"""Rows of the counts: words; those of them that are in the title; a number whose sum is how many different
words of the title there are. And the number of rows."""

PART: Final = 1
"""Kind of a character that is part of a word."""
SINGLE: Final = 2
"""Kind of a character that is a word by itself."""

BEYOND: Final = 0x20000
"""First character without an entry of its own. Planes 2 and 3 have only ideographs."""
LAST: Final = 0x40000
"""First character after plane 3: from here on there are no words."""

_SINGLES: Final = (
    (0x3005, 0x3007),  # marks that stand for ideographs
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA000, 0xA48C),  # Yi
    (0xAC00, 0xD7A3),  # hangul
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),  # halfwidth kana
    (0x1AFF0, 0x1B16F),
)
"""Ranges of ideographs, kana, Yi and hangul syllables, both ends included."""

_MARKS_BELOW: Final = 0x2000
"""Combining marks below this are parts of words; those above enclose symbols or select variants."""

_LONGEST: Final = 64
"""Characters of a word whose order counts in its hash."""

FACTORS: Final = mixed(np.arange(_LONGEST, dtype=np.uint64)) | np.uint64(1)
"""Factors of a word's characters in its hash, by place: the hash is the sum of the products (multilinear
hashing). Characters after the last place share its factor. uint64."""


@cache
def character_tables() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """Give two tables by code point, with one entry at the end for all from :data:`BEYOND` on.

    Returns: kinds (:data:`PART`, :data:`SINGLE`, or 0 for characters that separate words), and code points
        with their case folded.
    """
    kinds = np.zeros(BEYOND + 1, np.uint8)
    folded = np.arange(BEYOND + 1, dtype=np.uint32)
    for code in range(BEYOND):
        character = chr(code)
        mark = code < _MARKS_BELOW and unicodedata.category(character) in ("Mn", "Mc")
        if character.isalnum() or character == "_" or mark:
            kinds[code] = PART
            forms = (character.casefold(), character.lower())
            folded[code] = ord(next((form for form in forms if len(form) == 1), character))
    for first, last in _SINGLES:
        part = kinds[first : last + 1]
        part[part == PART] = SINGLE
    kinds[BEYOND] = SINGLE
    return kinds, folded
