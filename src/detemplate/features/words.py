"""Counts the words of each visible text of a page, and those of them that its title has.

A word is a run of letters, digits, combining marks and underscores. White space, punctuation and entities
separate words. Each CJK ideograph, kana, Yi and hangul syllable is a word by itself. Other scripts without
spaces between words (Thai, Lao, Khmer) have words as long as phrases. The rules are the same for all
languages: there are no stop words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from detemplate.features import _words
from detemplate.features.wordtables import COUNTS, FACTORS, character_tables
from detemplate.page.columns import RAW

if TYPE_CHECKING:
    from detemplate.page.page import Page


@dataclass(slots=True, frozen=True)
class Words:
    """Counts of words, one entry a node. The sum over a subtree is the count of the subtree.

    ``counts``: 3 × nodes, rows as in :mod:`detemplate.features.wordtables`; int32. Words of a segment (0 for
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
    """Give the rows of the texts of the title."""
    columns, title = page.columns, page.title_row
    inner = range(title + 1, int(columns.end[title])) if title >= 0 else ()
    return np.array([row for row in inner if columns.kind[row] == RAW], np.int32)
