"""Sums of a forest's leaves: a walk through all trees at once, some rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.forestlayout import Links
    from detemplate.algorithms.foreststore import ForestColumns

_BLOCK: Final = 1024
"""Rows walked at a time."""


def sums(forest: ForestColumns, links: Links, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Sum the leaves that each row comes to.

    Parameters
    ----------
    forest
        The trees.
    links
        How their nodes hang together.
    table
        Rows × columns.
    """
    totals = np.zeros(len(table))
    for first in range(0, len(table), _BLOCK):
        block = table[first : first + _BLOCK]
        # One walk for each pair of a tree and a row: its slot, and the row's number in the block.
        at = np.repeat(links.root[:, None], len(block), axis=1).ravel()
        row = np.tile(np.arange(len(block)), len(links.root))
        going = np.flatnonzero(forest.shape[at])
        while len(going):
            node = links.item[at[going]]
            left = block[row[going], forest.feature[node]] <= forest.threshold[node]
            at[going] = np.where(left, at[going] + 1, links.right[node])
            going = going[forest.shape[at[going]]]
        for leaves in forest.value[links.item[at]].reshape(-1, len(block)):  # the kernel's order: by tree
            totals[first : first + _BLOCK] += leaves
    return totals
