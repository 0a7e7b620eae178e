"""How much of each run of a column is frequent: by weight, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]


def frequent_shares(
    frequency: Ints, least: int, rows: Ints, group: Ints, weight: Ints
) -> npt.NDArray[np.float64]:
    """Give the share of the weight of each entry's run that is in frequent entries.

    A run is a sequence of neighbouring entries of one group.

    ``frequency``: frequency of each entry. int32.
    ``least``: entries of at least this frequency are frequent.
    ``rows``: row of each entry in the next two columns. int32.
    ``group``, ``weight``: group and weight of each row; weights are at least 0. int32.
    Returns: one share an entry, in [0, 1]; 0 where a run weighs nothing.
    Raises ValueError: lengths differ, or a row does not exist.

    Examples
    --------
    >>> column = lambda *numbers: np.array(numbers, np.int32)
    >>> frequent_shares(column(9, 1, 9), 5, column(0, 1, 2), column(0, 0, 1), column(3, 1, 2)).tolist()
    [0.75, 0.75, 1.0]
    """
    if len(frequency) != len(rows) or len(group) != len(weight):
        raise ValueError("columns have different lengths")
    if len(rows) == 0:
        return np.empty(0)
    if not 0 <= rows.min() <= rows.max() < len(group):
        raise ValueError("there is no such row")
    groups = group[rows]
    run = np.zeros(len(rows), np.intp)
    np.cumsum(groups[1:] != groups[:-1], out=run[1:])
    weights = weight[rows].astype(np.float64)  # sums below 2**53 are exact
    total = np.bincount(run, weights)
    frequent = np.bincount(run, weights * (frequency >= least))
    shares: npt.NDArray[np.float64] = (frequent / np.maximum(total, 1))[run]
    return shares
