"""The visible nodes of a page as a tree (Chakrabarti, Kumar, Punera 2007, section 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.layout.layout import SMALL
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.subtrees import inherit

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page

    Rows = npt.NDArray[np.int32]
    Reals = npt.NDArray[np.float64]


class VisibleTree(NamedTuple):
    """The tree of a page's visible nodes.

    ``rows``: The visible nodes' rows in the page's columns, ascending. A node's place in ``rows`` is its
        number.
    ``parent``: Number of each visible node's nearest visible ancestor; -1 for none.
    ``hidden``: Number of hidden nodes with a box whose nearest visible ancestor each visible node is.
    ``area``: Area of each visible node, in square pixels.
    ``near``: For each row of the page, the number of the nearest visible node: the node itself or an
        ancestor; -1 for none.
    """

    rows: Rows
    parent: Rows
    hidden: Rows
    area: Reals
    near: Rows


def visible_tree(page: Page, layout: Layout, min_area: float = SMALL) -> VisibleTree:
    """Return the tree of the elements and texts of at least ``min_area`` square pixels."""
    columns = page.columns
    width, height = layout.width.astype(np.float64), layout.height.astype(np.float64)
    area = width * height
    node = (columns.kind == ELEMENT) | (columns.kind == TEXT)
    visible = node & (area >= min_area) & np.isfinite(area)
    rows = np.flatnonzero(visible).astype(np.int32)
    number = np.where(visible, np.cumsum(visible) - 1, -1)
    # Numbers ascend with the rows, so the greatest number among a node's ancestors is the nearest one's.
    near = inherit(columns.parent, number.astype(np.float64)).astype(np.int32)
    above = columns.parent[rows]
    hidden = near[node & ~visible & ((width > 0) | (height > 0))]
    return VisibleTree(
        rows,
        np.where(above >= 0, near[above], -1).astype(np.int32),
        np.bincount(hidden[hidden >= 0], minlength=len(rows)).astype(np.int32),
        area[rows],
        near,
    )
