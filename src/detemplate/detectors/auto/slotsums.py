"""Sums over what pages have in their slots, and the log-odds that follow from them, in few compiled steps.

Sums have one row a slot and the columns :data:`~detemplate.detectors.auto.slotsums_reference.COLUMNS`.
Tables are sums in the ascending order of their slots' keys. All arrays are C-contiguous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.detectors.auto import slotsums_reference
from detemplate.detectors.auto.slotsums_reference import COLUMNS, PAGES, SCALE, WEIGHT
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.slottree import SlotTree

    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Sums = npt.NDArray[np.int64]

__all__ = [
    "COLUMNS", "KERNEL", "PAGES", "SCALE", "WEIGHT", "containers", "gather", "learn", "other_pages",
    "page_sums", "pooled_odds", "shares_of", "slot_gains",
]  # fmt: skip

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._slotsums")
"""The kernel; None where it was not compiled."""


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
    return sums, *_kernel().page_sums(tree.above, tree.own, words, weight, alone, content, running, sums)


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
    _kernel().gather(known, table, keys, own, counted, total)
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
    kernel = _kernel()
    places = np.empty(len(keys), np.int64)
    new = kernel.add(known, table, last, keys, own, page, places)
    if not new:
        return known, table, last
    order = (places >= 0).nonzero()[0]
    order = order[keys[order].argsort()]
    pages = np.empty((len(keys), 1), np.int64)
    pages.fill(page)

    def grown(column: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        longer = np.empty((len(column) + new, rows.shape[1]), np.int64)
        kernel.insert(column.view(np.int64).reshape(-1, rows.shape[1]), rows, order, places, longer)
        return longer

    return (
        grown(known, keys.view(np.int64)[:, None])[:, 0].view(np.uint64),
        grown(table, own),
        grown(last, pages)[:, 0],
    )


def other_pages(own: Sums, total: Sums) -> tuple[Reals, Reals]:
    """Give, for each slot, the mean log-odds on the other pages (0 for none), and the number of these.

    Parameters
    ----------
    own, total
        Sums of the page and of all pages.
    """
    mean, pages = np.empty((2, len(own)))
    _kernel().others(own, total, mean, pages)
    return mean, pages


def shares_of(above: Rows, total: Sums, unit: int) -> Reals:
    """Give rows with shares of each slot: words, content, and both in slots inside it that the page lacks.

    Parameters
    ----------
    above
        Number of the slot around each slot of the page, -1 for none.
    total
        Sums of all pages.
    unit
        What is a whole in the sums.
    """
    shares = np.empty((4, len(above)))
    _kernel().shares(above, total, unit, shares)
    return shares


def containers(above: Rows, total: Sums, unit: int) -> Reals:
    """Tell how surely a slot is in a container that holds main content and nothing else, in [0, 1].

    A slot is a container of main content if the expected content inside it is at least
    :data:`~detemplate.detectors.auto.slotsums_reference.CONTAINER` of all of it, while some of the page's
    words are outside of it.

    Parameters
    ----------
    above
        Number of the slot around each slot of the page, -1 for none.
    total
        Sums of all pages.
    unit
        What is a whole in the sums.

    Returns
    -------
    array of float64
        For each slot, the greatest content probability of the words in such a container around it, or in the
        slot itself: 0 up to :data:`~detemplate.detectors.auto.slotsums_reference.MIXED`, or without one; 1
        for 1.
    """
    purity = np.empty(len(above))
    _kernel().containers(above, total, float(unit), purity)
    return purity


def pooled_odds(  # noqa: PLR0917  # columns of a page
    tree: SlotTree,
    other: tuple[Reals, Reals],
    purity: Reals,
    alone: Reals,
    sited: Reals,
    slot_pages: float,
    rise: float,
    *,
    record: bool,
) -> Reals:
    """Combine log-odds of segments with those of their slots (see ``slotodds.slot_odds``).

    Parameters
    ----------
    tree, other, purity
        The page's slots, and what :func:`other_pages` and :func:`containers` gave.
    alone, sited
        Log-odds of each segment without the site's other pages, and with them.
    slot_pages
        Number of other pages whose mean weighs as much as the segment's own log-odds.
    rise
        Share in which the absence of repetition counts.
    record
        Whether the page is a record.
    """
    pooled = np.empty(len(alone))
    _kernel().pool(tree.own, *other, purity, alone, sited, slot_pages, rise, record, pooled)
    return pooled


def slot_gains(
    tree: SlotTree, odds: Reals, weight: Reals, shares: Reals, threshold: float
) -> tuple[Reals, Reals]:
    """Give what each slot gains by being content, and the slots inside it that the page lacks.

    Parameters
    ----------
    tree
        The page's slots.
    odds, weight
        Log-odds and weight of each segment.
    shares
        What :func:`shares_of` gave.
    threshold
        Content probability from which a slot gains.
    """
    gain, missing = np.empty((2, len(tree.keys)))
    _kernel().gains(tree.own, odds, weight, shares, threshold, gain, missing)
    return gain, missing


def _kernel() -> Any:  # noqa: ANN401  # the kernel or its reference
    return slotsums_reference if KERNEL is None else KERNEL
