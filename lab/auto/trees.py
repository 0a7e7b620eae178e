"""Trees as training writes them, put into the order of a forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from detemplate.algorithms.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]
    Numbers = Sequence[float] | npt.NDArray[np.floating[Any] | np.integer[Any]]
    Integers = Sequence[int] | npt.NDArray[np.integer[Any]]


class Tree(NamedTuple):
    """A regression tree as training writes it, its nodes and leaves in any order.

    ``feature``: column that each inner node tests.
    ``threshold``: threshold of each inner node: a row goes left if its number is at most this, else right.
    ``left``, ``right``: children of each inner node: the number of an inner node, or ``~leaf`` (negative).
        Node 0 is the root.
    ``value``: value of each leaf; there is one leaf more than inner nodes.
    """

    feature: Integers
    threshold: Numbers
    left: Integers
    right: Integers
    value: Numbers


def grown(trees: Iterable[Tree], features: int) -> Forest:
    """Make a forest of trees.

    ``trees``: thresholds are rounded down to float32, so that the numbers of a float32 table go the same way
        as before; values are rounded to the nearest float32.
    ``features``: number of columns of a table.
    Raises ValueError: a node or leaf is not reached exactly once, a column is out of range, or lengths
        differ.
    """
    shape: list[bool] = []
    columns: list[npt.NDArray[Any]] = []
    for tree in trees:
        if not (
            len(tree.feature) == len(tree.threshold) == len(tree.left) == len(tree.right)
            and len(tree.value) == len(tree.feature) + 1
        ):
            raise ValueError("a tree's columns have the wrong lengths")
        slots, nodes, leaves = ordered(np.asarray(tree.left).tolist(), np.asarray(tree.right).tolist())
        shape += slots
        feature = np.asarray(tree.feature, np.int64)[nodes]
        if ((feature < 0) | (feature >= features)).any():
            raise ValueError("a tree tests a column that its tables do not have")
        columns.append(feature)
        columns.append(np.asarray(tree.threshold, np.float64)[nodes])
        columns.append(np.asarray(tree.value, np.float64)[leaves])
    feature, threshold, value = (np.concatenate([np.zeros(0), *columns[number::3]]) for number in range(3))
    with np.errstate(over="ignore"):
        return Forest(
            np.array(shape, np.bool_),
            feature.astype(np.uint16),
            rounded_down(threshold),
            value.astype(np.float32),
            features,
        )


def rounded(forest: Forest) -> Forest:
    """Round values to float16, which halves their stored size; raises ValueError beyond its range."""
    with np.errstate(over="ignore"):
        value = forest.value.astype(np.float16).astype(np.float32)
    return Forest(forest.shape, forest.feature, forest.threshold, value, forest.features)


def ordered(left: list[int], right: list[int]) -> tuple[list[bool], list[int], list[int]]:
    """Order a tree: each node before its left subtree, and that before its right subtree.

    ``left``, ``right``: children of each inner node: an inner node, or ``~leaf``. Node 0 is the root.
    Returns: the shape, the inner nodes and the leaves, each in this order.
    Raises ValueError: an inner node or a leaf is not reached exactly once.
    """
    leaf_count = len(left) + 1
    shape: list[bool] = []
    nodes: list[int] = []
    leaves: list[int] = []
    todo = [0 if left else -1]
    while todo and len(shape) < 2 * leaf_count:  # the limit ends circles
        at = todo.pop()
        if not -leaf_count <= at < len(left):
            raise ValueError("a tree has a child that does not exist")
        shape.append(at >= 0)
        if at >= 0:
            nodes.append(at)
            todo += [right[at], left[at]]
        else:
            leaves.append(~at)
    if (
        todo
        or len(set(nodes)) != len(left)
        or len(shape) != 2 * leaf_count - 1
        or len(set(leaves)) != leaf_count
    ):
        raise ValueError("a tree's nodes and leaves must be reached once each")
    return shape, nodes, leaves


def rounded_down(numbers: npt.NDArray[np.float64]) -> Floats:
    """Round each number down to a float32, so that float32 numbers compare with it as before."""
    nearest = numbers.astype(np.float32)
    return np.where(nearest > numbers, np.nextafter(nearest, np.float32(-np.inf)), nearest)
