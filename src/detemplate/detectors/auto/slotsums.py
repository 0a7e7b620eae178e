"""Sums over what pages have in their slots, in few compiled steps.

Sums have one row a slot and the columns :data:`COLUMNS`.
Tables are sums in the ascending order of their slots' keys. All arrays are C-contiguous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.detectors.auto import _slotsums

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.slottree import SlotTree

    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Sums = npt.NDArray[np.int64]

# ``_slotsums.pxd`` repeats these constants.
COLUMNS: Final = ("pages", "weight", "odds", "words", "content", "words inside", "content inside")
"""Columns of the sums of a slot.

``pages`` counts the pages with the slot. ``weight`` and ``odds`` are sums over the segments directly in the
slot, of their weights and of weight × log-odds by the page alone. ``words`` and ``content`` are shares of a
page's expected content: of the words of these segments, and of the words expected to be content. ``words
inside`` and ``content inside`` are these shares for all segments in the slot and in the slots inside it.
"""

PAGES, WEIGHT, ODDS, WORDS, CONTENT, WORDS_INSIDE, CONTENT_INSIDE = range(len(COLUMNS))
"""Numbers of the columns."""

SCALE: Final = 1 << 20
"""Sums are multiples of 1 / SCALE."""


def page_sums(  # noqa: PLR0917  # columns of a page
    tree: SlotTree, words: Rows, weight: Reals, alone: Reals, content: Reals, running: int
) -> tuple[Sums, int, int]:
    """Sum up a page.

    Parameters
    ----------
    tree
        The page's slots.
    words, weight
        Words and weight of each segment.
    alone
        Log-odds of each segment by the page alone.
    content
        Page-only content probability of each segment.
    running
        Minimum words of running text.

    Returns
    -------
    sums : array
        Sums of the page.
    prose : int
        Share of running text in the expected content, in units of the sums.
    long : int
        Words of running text that looks like content.
    """
    sums = np.empty((len(tree.keys), len(COLUMNS)), np.int64)
    return sums, *_slotsums.page_sums(tree.above, tree.own, words, weight, alone, content, running, sums)


def gather(known: Keys, table: Sums, keys: Keys, own: Sums, *, counted: bool) -> Sums:
    """Give the sums of all pages of a site, a page itself included, in the slots of that page.

    Slots that were dropped from the table, or a copy's, may have less in it than the page: they count as on
    this page only.

    Parameters
    ----------
    known, table
        Keys and sums of the site's slots.
    keys, own
        Keys and sums of the page's slots.
    counted
        Whether the table has the page.
    """
    total = np.empty_like(own)
    _slotsums.gather(known, table, keys, own, counted, total)
    return total


def learn(  # noqa: PLR0917  # a table, and a page
    known: Keys, table: Sums, last: Sums, keys: Keys, own: Sums, page: int
) -> tuple[Keys, Sums, Sums]:
    """Add a page to a table; slots that are new to it are inserted.

    Parameters
    ----------
    known, table, last
        Keys and sums of the site's slots, and the number of the last page with each. They are changed.
    keys, own
        Keys and sums of the page's slots.
    page
        Number of the page.

    Returns
    -------
    tuple of three arrays
        The new ``known``, ``table`` and ``last``; the same objects if no slot is new.
    """
    places = np.empty(len(keys), np.int64)
    new = _slotsums.add(known, table, last, keys, own, page, places)
    if not new:
        return known, table, last
    order = (places >= 0).nonzero()[0]
    order = order[keys[order].argsort()]
    pages = np.empty((len(keys), 1), np.int64)
    pages.fill(page)

    def grown(column: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        longer = np.empty((len(column) + new, rows.shape[1]), np.int64)
        _slotsums.insert(column.view(np.int64).reshape(-1, rows.shape[1]), rows, order, places, longer)
        return longer

    return (
        grown(known, keys.view(np.int64)[:, None])[:, 0].view(np.uint64),
        grown(table, own),
        grown(last, pages)[:, 0],
    )
