"""The logistic function: from log-odds to probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms import sigmoid_reference
from detemplate.algorithms.sigmoid_reference import STEEPEST
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

__all__ = ["KERNEL", "STEEPEST", "sigmoid"]

KERNEL: Final[Any] = compiled("detemplate.algorithms._sigmoid")
"""The kernel; None where it was not compiled."""


def sigmoid(odds: Reals) -> Reals:
    """Turn a column of log-odds into probabilities: ``1 / (1 + exp(-odds))``, above 0 and below 1.

    Log-odds beyond ± :data:`STEEPEST` count as that.

    Examples
    --------
    >>> sigmoid(np.array([-100.0, 0.0])).round(3).tolist()
    [0.0, 0.5]
    """
    found = np.empty(len(odds))
    (sigmoid_reference if KERNEL is None else KERNEL).fill(np.ascontiguousarray(odds), found)
    return found
