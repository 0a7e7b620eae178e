"""Importance of the nodes of a Site Style Tree (Yi, Liu, Li: KDD 2003), in tables.

A row is a style node: an element of the merged tree together with one of the sequences of children that
pages show below it. An element node is all rows of the same element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]
    Ints = npt.NDArray[np.int32]
    Reals = npt.NDArray[np.float64]


class StyleNodes(NamedTuple):
    """The style nodes of a tree, one row each.

    ``key``: hash of the style node's element and its sequence of children. Ascending, each once.
    ``parent``: key of the style node that contains its element; ignored at depth 0.
    ``element``: hash that identifies its element node.
    ``children``: number of element nodes in its sequence; 0 for a leaf.
    ``depth``: number of elements above it.
    ``pages``: number of pages that show it.
    """

    key: Hashes
    parent: Hashes
    element: Hashes
    children: Ints
    depth: Ints
    pages: Ints


def rows_of(keys: Hashes, wanted: Hashes) -> npt.NDArray[np.int64]:
    """Find the rows of keys in an ascending column; -1 for keys that are not in it."""
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)


def leaf_importance(nodes: StyleNodes, leaf: Hashes, df: Ints) -> Reals:
    """Compute the importance of the content of leaves.

    ``1 - Σ H(a_i) / l`` over the l features a_i of the content that m pages show in the leaf. A page's
    content has a feature or not, so on each of its df pages the feature has probability 1 / df, and
    ``H(a_i) = log_m df``. A leaf on one page has importance 1. A leaf without content is the same on all
    pages: its importance is 0.

    ``leaf``, ``df``: one row a feature of a leaf's content: the key of the leaf's style node, and the number
        of pages whose content there has the feature.
    """
    rows = rows_of(nodes.key, leaf)
    least = np.log(np.maximum(nodes.pages, 2))
    entropy = np.bincount(rows, np.log(df) / least[rows], len(nodes.key))
    features = np.bincount(rows, minlength=len(nodes.key))
    varied = np.where(features > 0, 1 - entropy / np.maximum(features, 1), 0)
    return np.where(nodes.pages == 1, 1, np.clip(varied, 0, 1))


def can_be(nodes: StyleNodes, pages: int) -> bool:
    """Tell whether a table can have been made from so many pages, columns of one length given."""
    count = len(nodes.key)
    parents = rows_of(nodes.key, nodes.parent)
    inner = nodes.depth > 0
    order = np.argsort(nodes.element, kind="stable")
    same = nodes.element[order][1:] == nodes.element[order][:-1]
    agreeing = [column[order][1:] == column[order][:-1] for column in (nodes.parent, nodes.depth)]
    starts = np.flatnonzero(np.concatenate([[True], ~same])) if count else np.zeros(0, np.int64)
    first = order[starts]
    uses = np.add.reduceat(nodes.pages[order].astype(np.int64), starts) if count else starts
    above = np.where(inner, nodes.pages[parents], pages)[first] if count else starts
    known = np.bincount(parents[first][inner[first]], minlength=count) if count else starts
    return bool(
        (nodes.key[1:] > nodes.key[:-1]).all()
        and (nodes.pages >= 1).all()
        and (nodes.depth >= 0).all()
        and (parents[inner] >= 0).all()
        and (nodes.depth[inner] == nodes.depth[parents[inner]] + 1).all()
        and all(column[same].all() for column in agreeing)
        and (uses <= above).all()
        and (known <= nodes.children).all()
    )
