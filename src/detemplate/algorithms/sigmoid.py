"""The logistic function: from log-odds to probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

STEEPEST: Final = 30.0
"""Log-odds are clipped to ± this, so that no probability is exactly 0 or 1."""


def sigmoid(odds: Reals) -> Reals:
    """Turn log-odds into probabilities: ``1 / (1 + exp(-odds))``, above 0 and below 1.

    Log-odds beyond ± :data:`STEEPEST` count as that.

    Examples
    --------
    >>> sigmoid(np.array([-100.0, 0.0])).round(3).tolist()
    [0.0, 0.5]
    """
    # In place: a page has few segments, and each new array costs more than the arithmetic.
    steep: Reals = np.maximum(odds, -STEEPEST)
    np.minimum(steep, STEEPEST, out=steep)
    np.negative(steep, out=steep)
    np.exp(steep, out=steep)
    steep += 1
    return np.divide(1, steep, out=steep)
