"""Counts the words of each visible text of a page, and those of them that its title has.

A word is a run of letters, digits, combining marks and underscores. White space, punctuation and entities
separate words. Each CJK ideograph, kana, Yi and hangul syllable is a word by itself. Other scripts without
spaces between words (Thai, Lao, Khmer) have words as long as phrases. The rules are the same for all
languages: there are no stop words.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from detemplate.algorithms.minwise import mixed
from detemplate.features import _words
from detemplate.page.columns import RAW

if TYPE_CHECKING:
    from detemplate.page.page import Page


# ``_wordtables.pxd`` repeats these numbers.
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

_LONGEST: Final = 64  # characters of a word whose order counts in its hash

FACTORS: Final = mixed(np.arange(_LONGEST, dtype=np.uint64)) | np.uint64(1)
"""Factors of a word's characters in its hash, by place: the hash is the sum of the products (multilinear
hashing). Characters after the last place share its factor. uint64."""


@cache
def character_tables() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """Return two tables by code point, with one entry at the end for all from :data:`BEYOND` on.

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


@dataclass(slots=True, frozen=True)
class Words:
    """Counts of words, one entry a node. The sum over a subtree is the count of the subtree.

    ``counts``: 3 × nodes, int32. Words of a segment (0 for
        all other nodes). Words of a segment that are in the title, too, repetitions included, whatever their
        case. And a number whose sum over a subtree is how many different words of the title it has: 1 for
        each segment and word of the title in it, less 1 at the smallest subtree that has both this segment
        and the previous one with the word.
    ``title``: number of different words of the title.
    """

    counts: npt.NDArray[np.int32]
    title: int


def count_words(page: Page) -> Words:
    """Count the words of a page's segments, and those that are in its title.

    ``page``: the page. Its title is its first ``title`` element outside of SVG, as for :attr:`Page.title`.
    Returns: one entry a row of ``page.columns``.
    """
    columns = page.columns
    titles = _title_rows(page)
    # A word takes a byte at least, and one slot must stay empty.
    written = int((columns.stop[titles] - columns.start[titles]).sum())
    slots = np.zeros(1 << (written + 1).bit_length(), np.uint64)
    counts = np.zeros((COUNTS, len(columns)), np.int32)
    title = _words.count_words(
        page.canonical,
        *(columns.start, columns.stop, columns.parent, columns.end),
        np.concatenate([titles, columns.segments]),
        len(titles),
        *character_tables(),
        FACTORS,
        slots,
        np.full(len(slots), -1, np.int32),
        counts,
    )
    return Words(counts, title)


def _title_rows(page: Page) -> npt.NDArray[np.int32]:
    """Return the rows of the texts of the title."""
    columns, title = page.columns, page.title_row
    inner = range(title + 1, int(columns.end[title])) if title >= 0 else ()
    return np.array([row for row in inner if columns.kind[row] == RAW], np.int32)
