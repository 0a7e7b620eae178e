"""The cut of the greatest expected F1, uncompiled; arguments as in :mod:`detemplate.detectors.auto.cut`.

Sums run in the order of the kernel's, so that both give the same numbers to the last bit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Floats = npt.NDArray[np.float32]
    Rows = npt.NDArray[np.int32]

# The kernel reads these constants from _cut.pxd.
TINY: Final = 1e-9
"""Keeps odds and quotients finite."""

LANES: Final = 8
"""Sums over samples run side by side, as many as this."""


def best_cut(  # noqa: PLR0917  # as in the kernel
    content: Reals,
    words: Rows,
    group: Rows,
    thresholds: Floats,
    prose_shift: float,
    running_words: int,
) -> float:
    """Give the probability of content above which segments are best kept."""
    if not 0 < len(content) == len(words) == len(group):
        raise ValueError("the columns are empty or differ in length")
    groups, samples = thresholds.shape
    if groups < 1 or groups & (groups - 1) or samples < 1 or samples % LANES:
        raise ValueError("groups must be a power of 2, samples a multiple of 8")
    weight = np.maximum(words, 1)
    expected = content * weight
    prose = _sum(np.where(words >= running_words, expected, 0.0)) / max(_sum(expected), TINY)
    shifted = _shifted(content, prose_shift * prose)
    order = (-content).argsort(kind="stable")
    ranked, weight = content[order], weight[order]
    # Segments above the highest threshold are content in all samples, those up to the lowest in none: only
    # prefixes that end between them are compared.
    lowest, highest = 0.5 / samples, 1 - 0.5 / samples
    first = max(int(np.count_nonzero(shifted > highest)) - 1, 0)
    stop = int(np.count_nonzero(shifted > lowest))
    unsure = slice(first, stop)
    kept = weight.cumsum(dtype=np.int32)
    chance = shifted[order[unsure], None].astype(np.float32)
    labels = thresholds[group[order[unsure]] % groups] < chance
    hits = (labels * weight[unsure, None]).cumsum(axis=0, dtype=np.int32)
    hits += kept[first] - weight[first]
    f1 = _row_sums(hits / (kept[unsure, None] + hits[-1]))
    f1[:-1][ranked[first + 1 : stop] == ranked[first : stop - 1]] = 0  # equal ones are kept together
    last = first + int(f1.argmax())
    lowest_kept = float(ranked[last])
    highest_gone = float(ranked[last + 1]) if last + 1 < len(ranked) else 0.0
    between = (lowest_kept + highest_gone) * 0.5
    return between if between < lowest_kept else highest_gone  # neighbouring floats have nothing in between


def _shifted(content: Reals, shift: float) -> Reals:
    """Lower the log-odds by ``shift``, or by less if nothing would be at least 0.5 otherwise."""
    inner = content.clip(TINY, 1 - TINY)
    against = (1 - inner) / inner  # odds of template
    least = float(against.min())
    lowered = math.exp(shift)
    return np.asarray(1 / (1 + (against * lowered if least * lowered < 1 else against / least)))


def _row_sums(table: Reals) -> Reals:
    """Sum each row: :data:`LANES` sums side by side, then of these neighbours in pairs."""
    lanes = table.reshape(len(table), -1, LANES)
    sums = lanes[:, 0]
    for step in range(1, lanes.shape[1]):
        sums = sums + lanes[:, step]
    while sums.shape[1] > 1:
        sums = sums[:, ::2] + sums[:, 1::2]
    return np.asarray(sums[:, 0])


def _sum(values: Reals) -> float:
    """Add up numbers one after another."""
    return float(values.cumsum()[-1])
