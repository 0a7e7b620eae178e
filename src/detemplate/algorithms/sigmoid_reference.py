"""The logistic function, uncompiled, with the exponential function of the C library as in the kernel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

# The kernel reads it from _sigmoid.pxd.
STEEPEST: Final = 30.0
"""Log-odds are clipped to ± this, so that no probability is exactly 0 or 1."""


def fill(odds: Reals, found: Reals) -> None:
    """Fill ``found`` with probabilities."""
    found[:] = [1 / (1 + math.exp(-value)) for value in odds.clip(-STEEPEST, STEEPEST).tolist()]
