"""The logistic function, uncompiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

# The kernel reads it from _sigmoid.pxd.
STEEPEST: Final = 30.0
"""Log-odds are clipped to ± this, so that no probability is exactly 0 or 1."""


def fill(odds: Reals, found: Reals) -> None:
    """Fill ``found`` with probabilities."""
    np.clip(odds, -STEEPEST, STEEPEST, out=found)
    np.negative(found, out=found)
    np.exp(found, out=found)
    found += 1
    np.divide(1, found, out=found)
