"""Pagelets: a page's regions of one topic or function each (Bar-Yossef & Rajagopalan 2002, section 3.1).

Definition 2: an element is a pagelet if none of its children holds at least k links, and none of its
ancestors is a pagelet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.columns import ELEMENT
from detemplate.page.links import link_rows

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Rows = npt.NDArray[np.int32]

LINKS: Final = 3
"""The paper's k."""


def pagelets(page: Page, k: int = LINKS, links: Rows | None = None) -> Rows:
    """Partition a page into pagelets.

    Parameters
    ----------
    page
        The page.
    k
        An element with a child element that holds at least this many links is opened; at least 1.
    links
        Rows of the page's links, where they are known (:func:`~detemplate.page.links.link_rows`). An
        element holds the links in its subtree, itself included.

    Returns
    -------
    array of int32
        Rows of the elements that are pagelets, in document order (the paper's queue declares them
        level by level): none is inside another. Elements without text and links are among them, as in
        the paper. Text directly in an opened element is in none.

    Notes
    -----
    No queue is needed. What is around an opened element holds at least as many links as its child,
    so it is opened, too; hence a pagelet is an element that is not opened, below one that is (or at
    the top).
    """
    columns = page.columns
    if links is None:
        links = link_rows(page)
    element = columns.kind == ELEMENT
    held = np.searchsorted(links, columns.end) - np.searchsorted(links, np.arange(len(columns)))
    # One place more, at the end: the parent of what is at the top, which counts as opened.
    opened = np.zeros(len(columns) + 1, np.bool_)
    opened[columns.parent[element & (held >= k)]] = True
    opened[-1] = True
    return np.flatnonzero(element & ~opened[:-1] & opened[columns.parent]).astype(np.int32)


def pagelet_of(page: Page, pagelets: Rows, rows: npt.NDArray[np.integer]) -> Rows:
    """Give the pagelet that each node is in.

    Parameters
    ----------
    page, pagelets
        A page and its pagelets (:func:`pagelets`).
    rows
        Rows of nodes: ``page.segments``, links, any.

    Returns
    -------
    array of int32
        Number of the pagelet, from 0, in document order; -1: in none.
    """
    if not len(pagelets):
        return np.full(len(rows), -1, np.int32)
    serial = np.searchsorted(pagelets, rows, side="right") - 1
    inside = (serial >= 0) & (rows < page.columns.end[pagelets[serial]])
    return np.where(inside, serial, -1).astype(np.int32)
