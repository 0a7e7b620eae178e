"""The cut of the greatest expected F1: which of a page's segments, ranked by probability, are best kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto import cut_reference
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Floats = npt.NDArray[np.float32]
    Rows = npt.NDArray[np.int32]

__all__ = ["KERNEL", "Sampling", "best_cut"]

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._cut")
"""The kernel; None where it was not compiled."""


class Sampling(NamedTuple):
    """How labels of segments are sampled.

    Attributes
    ----------
    thresholds
        Groups × samples, above 0 and below 1. A segment is content in a sample if its shifted probability is
        above the threshold of its group. The number of groups is a power of 2; groups of segments count
        modulo this number. The number of samples is a multiple of 8.
    prose_shift
        Log-odds are lowered by this times the share of running text in the expected content.
    running_words
        Minimum words of a segment of running text.
    """

    thresholds: Floats
    prose_shift: float
    running_words: int


def best_cut(content: Reals, words: npt.NDArray[np.integer], group: Rows, sampling: Sampling) -> float:
    """Give the probability of content above which segments are best kept.

    Among prefixes of the segments ranked by probability, the one with the greatest expected F1 is kept.
    Segments with equal probabilities are kept together.

    Parameters
    ----------
    content
        Content probability of each segment, above 0 and below 1; at least one.
    words
        Words of each segment.
    group
        Number of each segment's group, -1 for none.
    sampling
        How labels are sampled. Log-odds are then raised so that the greatest probability is at least a half.

    Returns
    -------
    float
        Between the lowest probability that is kept and the highest that is not; below the greatest.

    Raises
    ------
    ValueError
        Columns differ in length, or are empty.
    """
    kernel = cut_reference if KERNEL is None else KERNEL
    cut: float = kernel.best_cut(
        np.ascontiguousarray(content, np.float64),
        np.ascontiguousarray(words, np.int32),
        np.ascontiguousarray(group, np.int32),
        *sampling,
    )
    return cut
