"""Confidence intervals of means: the percentile bootstrap, over pages or over whole sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

_CHUNK: Final = 4_000_000  # indices drawn at once; they take 32 MB


class Estimate(NamedTuple):
    """A mean, and the lower and upper end of its confidence interval."""

    mean: float
    low: float
    high: float


def bootstrap_mean(
    values: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """Estimate a mean and its percentile interval by resampling (Efron, Tibshirani 1993, chapter 13).

    Pages of one site resemble one another, so intervals from single pages are too narrow. With `groups` (say,
    sites), whole groups are resampled; with fewer than two groups, single values. The mean is over values.
    """
    array = np.asarray(values, dtype=np.float64)
    if not len(array):
        raise ValueError("a mean needs at least one value")
    if groups is not None and len(groups) != len(array):
        raise ValueError(f"{len(groups)} groups for {len(array)} values")
    sums = array
    counts = np.ones(len(array))
    if groups is not None:
        numbers: dict[Hashable, int] = {}
        group_numbers = np.array([numbers.setdefault(group, len(numbers)) for group in groups])
        if len(numbers) > 1:
            sums = np.bincount(group_numbers, weights=array).astype(np.float64)
            counts = np.bincount(group_numbers).astype(np.float64)
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    step = max(1, _CHUNK // len(sums))
    for start in range(0, resamples, step):
        drawn = generator.integers(len(sums), size=(min(step, resamples - start), len(sums)))
        means[start : start + step] = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(array.mean()), float(low), float(high))
