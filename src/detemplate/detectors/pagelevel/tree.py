"""The visible nodes of a page as a tree: Chakrabarti, Kumar, Punera 2007, sections 5.3 and 6.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

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

PENALTIES: Final = ("area", "nodes", "parent")
"""Names of the paper's penalties (2), (1) and (3)."""


class VisibleTree(NamedTuple):
    """The tree of a page's visible nodes.

    Attributes
    ----------
    rows
        The visible nodes' rows in the page's columns, ascending. A node's place in ``rows`` is its number.
    parent
        Number of each visible node's nearest visible ancestor; -1 for none.
    hidden
        Number of hidden nodes with a box whose nearest visible ancestor each visible node is.
    area
        Area of each visible node, in square pixels.
    near
        For each row of the page, the number of the nearest visible node: the node itself or an ancestor;
        -1 for none.
    """

    rows: Rows
    parent: Rows
    hidden: Rows
    area: Reals
    near: Rows


def visible_tree(page: Page, layout: Layout, min_area: float = SMALL) -> VisibleTree:
    """Return the tree of the nodes that are large enough to be judged.

    Parameters
    ----------
    page
        The page.
    layout
        Its layout.
    min_area
        Smallest area of a visible element or text, in square pixels.
    """
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


def penalties(formula: str, page: Page, layout: Layout, tree: VisibleTree) -> Reals:
    """Return the penalty of a section that begins at each visible node, without the factor c.

    Parameters
    ----------
    formula
        Names of :data:`PENALTIES` joined with ``*`` and ``+``. Section 5.3 has (1) ``nodes``, N / N_i: the
        page's number of nodes over the subtree's; (2) ``area``, A / A_i: the page's area over the node's;
        and (3) ``parent``: the area of the visible parent (without one, of the page) over the node's.
    page, layout, tree
        A page, its layout, and its visible nodes.

    Returns
    -------
    array of float64
        One number a visible node.
    """
    whole = max(float(layout.page_width) * float(layout.page_height), float(tree.area.max(initial=1.0)))
    subtree = page.columns.end[tree.rows] - tree.rows
    ratios = {
        "area": whole / tree.area,
        "nodes": len(page.columns) / subtree,
        "parent": np.append(tree.area, whole)[tree.parent] / tree.area,
    }
    return sum(
        (np.prod([ratios[name] for name in term.split("*")], axis=0) for term in formula.split("+")),
        np.zeros(len(subtree)),
    )


def merged(leaves: Rows, scores: Reals, delta: float) -> tuple[Reals, npt.NDArray[np.intp]]:
    """Group adjacent segments whose scores differ by less than delta (section 6.1, "Basic+Merge").

    Parameters
    ----------
    leaves
        Number of the lowest visible node around each segment; -1 for none. Adjacent segments of one node
        are one leaf.
    scores
        Score of each segment.
    delta
        Adjacent leaves are merged if their scores differ by less.

    Returns
    -------
    scores : array of float64
        Mean score of each segment's group.
    firsts : array of int
        Number of the first segment of each segment's group.
    """
    if not len(leaves):
        return scores, np.zeros(0, np.intp)
    apart = (leaves[1:] != leaves[:-1]) & (np.abs(np.diff(scores)) >= delta)
    apart |= (leaves[1:] < 0) != (leaves[:-1] < 0)
    firsts = np.flatnonzero(np.append(True, apart))
    group = np.append(0, np.cumsum(apart))
    return (np.bincount(group, scores) / np.bincount(group))[group], firsts[group]
