"""The logistic function: from log-odds to probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

# Kernels read it from _sigmoid.pxd.
STEEPEST: Final = 30.0
"""Log-odds are clipped to ± this, so that no probability is exactly 0 or 1."""


def sigmoid(odds: Reals) -> Reals:
    """Turn a column of log-odds into probabilities: ``1 / (1 + exp(-odds))``, above 0 and below 1.

    Log-odds beyond ± :data:`STEEPEST` count as that.

    Examples
    --------
    >>> sigmoid(np.array([-100.0, 0.0])).round(3).tolist()
    [0.0, 0.5]
    """
    # As in kernels, by the C library: numpy's own exp differs in the last bit from processor to processor.
    clipped = (-odds).clip(-STEEPEST, STEEPEST).tolist()
    return 1 / (1 + np.fromiter(map(math.exp, clipped), np.float64, len(clipped)))
