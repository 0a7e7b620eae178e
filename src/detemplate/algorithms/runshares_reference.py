"""Shares of runs that are frequent, uncompiled: the definition of what the kernel computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]


def frequent_shares(
    frequency: Ints, least: int, rows: Ints, group: Ints, weight: Ints
) -> npt.NDArray[np.float64]:
    """Give the shares; see :func:`detemplate.algorithms.runshares.frequent_shares`."""
    if len(frequency) != len(rows) or len(group) != len(weight):
        raise ValueError("columns have different lengths")
    if len(rows) and not 0 <= rows.min() <= rows.max() < len(group):
        raise ValueError("there is no such row")
    run = np.cumsum(np.diff(group[rows], prepend=group[rows[:1]]) != 0)
    weights = weight[rows].astype(np.float64)
    total = np.bincount(run, weights)
    frequent = np.bincount(run, weights * (frequency >= least))
    return np.asarray((frequent / np.maximum(total, 1))[run])
