"""The logistic lifetime of a segment (Wang et al. 2008, section 2.4)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def lifetime(df: int, base: float, growth: float) -> float:
    """Compute for how many pages a segment is remembered after its last occurrence.

    ``T(df) = base · growth / (1 + (growth − 1) · exp(−(df − 1)))``: ``base`` (the paper's T_b) for a
    segment seen once, ``base · growth`` (T_b · N) in the limit.

    ``df``: the segment's document frequency, at least 1.
    ``base``, ``growth``: as for :func:`lifetimes`.
    """
    # In this order, T(1) is exactly T_b: 1 + (N - 1) is N in floating point too.
    return base * (growth / (1.0 + (growth - 1.0) * math.exp(-(df - 1))))


def lifetimes(base: float, growth: float) -> npt.NDArray[np.int64]:
    """Compute :func:`lifetime`, rounded down to whole pages, for document frequencies 1, 2, ….

    ``base``: T_b, in pages: at least 1. ``inf``: nothing is ever forgotten.
    ``growth``: N, a factor: at least 1.
    Returns: ends where the lifetime grows no more: the last entry holds for all higher document frequencies
        too. -1: for ever.
    Raises ValueError: a parameter is out of range.
    """
    return np.array(_whole(base, growth), np.int64)


@lru_cache(maxsize=8)
def _whole(base: float, growth: float) -> tuple[int, ...]:
    """Compute :func:`lifetimes`; cached, as every site has the same parameters."""
    if not base >= 1 or not growth >= 1:
        raise ValueError("the lifetime's base and growth must be at least 1")
    if math.isinf(base * growth) or base * growth >= 2**31:
        return (-1,)
    # Beyond a document frequency of 80, the difference to the limit is less than a page in 2**31.
    whole = [int(lifetime(df, base, growth)) for df in range(1, 80)]
    whole.append(int(base * growth))
    while len(whole) > 1 and whole[-2] == whole[-1]:
        whole.pop()
    return tuple(whole)
