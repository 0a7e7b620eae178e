"""Pagelets: regions of a page with one topic or function (Bar-Yossef & Rajagopalan 2002, section 3.1).

Definition 2: an element is a pagelet if none of its children has at least k links and none of its ancestors
is a pagelet.
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
"""Default k: the paper's."""


def pagelets(page: Page, k: int = LINKS, links: Rows | None = None) -> Rows:
    """Partition a page into pagelets.

    ``k``: an element is opened if one of its child elements has at least so many links; at least 1.
    ``links``: rows of the page's links (:func:`~detemplate.page.links.link_rows`), if the caller has them. An
        element has the links in its subtree, itself included.
    Returns: rows of the pagelets, in document order (the paper's queue gives them level by level). None is
        inside another. Elements without text and links are among them, as in the paper. Text directly in an
        opened element is in no pagelet.

    Notes
    -----
    No queue is needed. An opened element has at least k links, so its parent is opened, too. Hence a
    pagelet is an element that is not opened, at the top or in one that is.
    """
    columns = page.columns
    if links is None:
        links = link_rows(page)
    element = columns.kind == ELEMENT
    count = np.searchsorted(links, columns.end) - np.searchsorted(links, np.arange(len(columns)))
    # The last entry stands for the parent of the top (row -1), which counts as opened.
    opened = np.zeros(len(columns) + 1, np.bool_)
    opened[columns.parent[element & (count >= k)]] = True
    opened[-1] = True
    return np.flatnonzero(element & ~opened[:-1] & opened[columns.parent]).astype(np.int32)


def pagelet_of(page: Page, pagelets: Rows, rows: npt.NDArray[np.integer]) -> Rows:
    """Give the pagelet of each of some nodes.

    ``page``, ``pagelets``: a page and its pagelets (:func:`pagelets`).
    ``rows``: rows of any nodes: ``page.segments``, links.
    Returns: numbers of the pagelets, from 0, in document order; -1: in none.
    """
    if not len(pagelets):
        return np.full(len(rows), -1, np.int32)
    serial = np.searchsorted(pagelets, rows, side="right") - 1
    inside = (serial >= 0) & (rows < page.columns.end[pagelets[serial]])
    return np.where(inside, serial, -1).astype(np.int32)
