"""Checking a saved state of method ``styletree``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.algorithms.stylenodes import rows_of
from detemplate.algorithms.tally import ranks
from detemplate.detectors.state import StateError

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.stylenodes import StyleNodes
    from detemplate.detectors.styletree.options import StyleTreeOptions


def check_state(
    nodes: StyleNodes,
    content: tuple[npt.NDArray[Any], ...],
    options: StyleTreeOptions,
    pages: int,
    since: int,
) -> None:
    """Check that a style tree can have been made from pages.

    Parameters
    ----------
    nodes
        The tree's style nodes.
    content
        Columns of the leaves' features: key of the leaf, hash of the feature, number of pages.
    options
        The detector's options.
    pages
        Number of pages learnt.
    since
        Number of rows added since the bound was last checked.

    Raises
    ------
    StateError
        The tables are inconsistent.
    """
    leaf, feature, df = content
    lengths = {len(column) for column in nodes}, {len(column) for column in content}
    if any(len(each) != 1 for each in lengths) or not (0 <= pages < 2**30 and 0 <= since < 2**62):
        raise StateError("the state's tables are inconsistent")
    parents = rows_of(nodes.key, nodes.parent)
    inner = nodes.depth > 0
    order = np.argsort(nodes.element, kind="stable")
    same = nodes.element[order][1:] == nodes.element[order][:-1]
    agreeing = [column[order][1:] == column[order][:-1] for column in (nodes.parent, nodes.depth)]
    starts = np.flatnonzero(np.concatenate([[True], ~same])) if len(order) else np.zeros(0, np.int64)
    first = order[starts]
    uses = np.add.reduceat(nodes.pages[order].astype(np.int64), starts) if len(order) else starts
    above = np.where(inner, nodes.pages[parents], pages)[first] if len(order) else starts
    known = np.bincount(parents[first][inner[first]], minlength=len(order)) if len(order) else starts
    sound = (
        (nodes.key[1:] > nodes.key[:-1]).all()
        and (nodes.pages >= 1).all()
        and (nodes.depth >= 0).all()
        and (parents[inner] >= 0).all()
        and (nodes.depth[inner] == nodes.depth[parents[inner]] + 1).all()
        and all(column[same].all() for column in agreeing)
        and (uses <= above).all()
        and (known <= nodes.children).all()
    )
    if not sound:
        raise StateError("the state's nodes are inconsistent")
    rows = rows_of(nodes.key, leaf)
    ascending = (leaf[1:] > leaf[:-1]) | ((leaf[1:] == leaf[:-1]) & (feature[1:] > feature[:-1]))
    if not (
        (rows >= 0).all()
        and (nodes.children[rows] == 0).all()
        and ascending.all()
        and ((df >= 1) & (df <= nodes.pages[rows])).all()
        and (ranks(leaf) < options.features).all()
    ):
        raise StateError("the state's features are inconsistent")
