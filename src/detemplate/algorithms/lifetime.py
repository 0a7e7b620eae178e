"""The logistic lifetime of a segment (Wang et al. 2008, section 2.4)."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_DIGITS: Final = 100  # enough to tell T(df) from the whole numbers around it
_PAGES: Final = 2**31  # pages of a site are numbered in 32 bits: a lifetime of so many pages never ends


def lifetimes(base: float, growth: float) -> npt.NDArray[np.int64]:
    """Compute for how many pages a segment of document frequency 1, 2, … lives after its last occurrence.

    ``T(df) = base · growth / (1 + (growth − 1) · exp(−(df − 1)))``, rounded down to whole pages: ``base``
    (the paper's T_b) for a segment seen once, below ``base · growth`` (T_b · N) for all others. The numbers
    are exact: T approaches its limit, and never reaches it.

    ``base``: T_b, in pages: at least 1. ``inf``: nothing is ever forgotten.
    ``growth``: N, a factor: at least 1 and finite.
    Returns: ends where the lifetime grows no more: the last entry holds for all higher document frequencies
        too. -1: for ever, where T(df) is at least 2³¹ pages.
    Raises ValueError: a parameter is out of range.
    """
    return np.array(_whole(base, growth), np.int64)


@lru_cache(maxsize=8)
def _whole(base: float, growth: float) -> tuple[int, ...]:
    """Compute :func:`lifetimes`; cached, as every site has the same parameters."""
    if not base >= 1 or not 1 <= growth < math.inf:
        raise ValueError("the lifetime's base and growth must be at least 1, and its growth finite")
    if base >= _PAGES:
        return (-1,)
    whole = [int(base)]
    with localcontext(Context(prec=_DIGITS)):
        rise = Decimal(growth) - 1
        limit = Decimal(base) * Decimal(growth)
        greatest = math.ceil(limit) - 1  # of a lifetime that is below the limit
        while -1 < whole[-1] < greatest:
            life = int(limit / (1 + rise * Decimal(-len(whole)).exp()))
            whole.append(life if life < _PAGES else -1)
    return tuple(whole)
