"""Sums of a forest's leaves: a walk through all trees at once, some rows at a time."""

from typing import Final

import numpy as np
import numpy.typing as npt

from detemplate.algorithms.forest import Forest

Slots = npt.NDArray[np.int64]

_BLOCK: Final = 1024
"""Rows walked at a time."""


def hanging(shape: npt.NDArray[np.bool_]) -> tuple[Slots, Slots]:
    """Return the slot of each tree's root, and for each inner node's slot that of its right child."""
    roots, right = [], np.zeros(len(shape), np.int64)
    open_nodes: list[list[int]] = []  # slots of inner nodes, and how many of their children were seen
    for slot, inner in enumerate(shape.tolist()):
        if not open_nodes:
            roots.append(slot)
        else:
            open_nodes[-1][1] += 1
            if open_nodes[-1][1] == 2:
                right[open_nodes[-1][0]] = slot
        if inner:
            open_nodes.append([slot, 0])
        while open_nodes and open_nodes[-1][1] == 2 and not inner:
            open_nodes.pop()
    return np.array(roots, np.int64), right


def sums(forest: Forest, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Sum the leaves that each row of a table comes to."""
    roots, right = hanging(forest.shape)
    item = np.where(forest.shape, np.cumsum(forest.shape), np.cumsum(~forest.shape)) - 1
    totals = np.zeros(len(table))
    for first in range(0, len(table), _BLOCK):
        block = table[first : first + _BLOCK]
        # One walk for each pair of a tree and a row: its slot, and the row's number in the block.
        at = np.repeat(roots[:, None], len(block), axis=1).ravel()
        row = np.tile(np.arange(len(block)), len(roots))
        going = np.flatnonzero(forest.shape[at])
        while len(going):
            node = item[at[going]]
            left = block[row[going], forest.feature[node]] <= forest.threshold[node]
            at[going] = np.where(left, at[going] + 1, right[at[going]])
            going = going[forest.shape[at[going]]]
        for leaves in forest.value[item[at]].reshape(-1, len(block)):  # the kernel's order: by tree
            totals[first : first + _BLOCK] += leaves
    return totals
