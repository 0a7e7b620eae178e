"""How much of each run of a column is frequent: by weight, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.algorithms import runshares_reference
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]

__all__ = ["KERNEL", "frequent_shares"]

KERNEL: Final[Any] = compiled("detemplate.algorithms._runshares")
"""The kernel; None where it was not compiled."""


def frequent_shares(
    frequency: Ints, least: int, rows: Ints, group: Ints, weight: Ints
) -> npt.NDArray[np.float64]:
    """Give the share of the weight of each entry's run that is in frequent entries.

    A run is a sequence of neighbouring entries of one group.

    Parameters
    ----------
    frequency
        Frequency of each entry. int32.
    least
        Entries of at least this frequency are frequent.
    rows
        Row of each entry in the next two columns. int32.
    group, weight
        Group and weight of each row; weights are at least 0. int32.

    Returns
    -------
    array of float64
        One share an entry, in [0, 1]; 0 where a run weighs nothing.

    Raises
    ------
    ValueError
        Lengths differ, or a row does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> column = lambda *numbers: np.array(numbers, np.int32)
    >>> frequent_shares(column(9, 1, 9), 5, column(0, 1, 2), column(0, 0, 1), column(3, 1, 2)).tolist()
    [0.75, 0.75, 1.0]
    """
    kernel = runshares_reference if KERNEL is None else KERNEL
    shares: npt.NDArray[np.float64] = kernel.frequent_shares(frequency, least, rows, group, weight)
    return shares
