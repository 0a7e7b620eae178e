"""The cut-off between template strings and others, in a histogram of strings by their documents.

Foschini 2007, section 3.2, steps 8 and 9. Most strings are in few documents, template strings are in many.
The cut lies between these two modes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


class Cut(NamedTuple):
    """A cut between two modes of a histogram.

    ``x``, ``y``: bins of the lower mode and of the upper one. Bins from ``(x + y) / 2`` on are above the cut.
    ``bins``: number of bins of the histogram.
    """

    x: int
    y: int
    bins: int

    def documents(self, total: int) -> int:
        """Return the minimum number of documents, out of ``total``, whose bin is above the cut."""
        lowest = (self.x + self.y + 1) // 2
        return lowest * total // self.bins + 1


def document_histogram(
    documents: npt.NDArray[np.integer], total: int, bins: int = 100
) -> npt.NDArray[np.int64]:
    """Count strings by the share of the documents that contain them.

    Foschini 2007, section 3.2, step 8.

    ``documents``: number of documents that contain each string: 1 to ``total``.
    ``total``: number of documents of the collection.
    ``bins``: number of bins, of equal width. Bin i holds the shares above ``i / bins``, up to and including
        ``(i + 1) / bins``, so strings of all documents are in the last bin. With fewer documents than bins,
        some bins are always empty.
    Returns: number of strings in each bin.
    Raises ValueError: a number of documents is out of range, or there are no bins.
    """
    if bins < 1 or total < 0:
        raise ValueError("bins must be at least 1, total at least 0")
    counts = np.asarray(documents, np.int64)
    if len(counts) and not 1 <= counts.min() <= counts.max() <= total:
        raise ValueError("a string is in at least one document and at most in all")
    return np.bincount((counts * bins - 1) // max(total, 1), minlength=bins).astype(np.int64, copy=False)


def energy_cut(histogram: npt.NDArray[np.integer]) -> Cut:
    """Find the cut of minimum energy between the two modes of a histogram.

    Foschini 2007, section 3.2, equation 3.1: the ``x < y`` that minimise
    ``sum((i - x)**2 * h[i] for i < b) + sum((i - y)**2 * h[i] for i >= b)`` with ``b = (x + y) / 2``. All
    pairs are tried.

    ``histogram``: number of strings in each bin; at least two bins.
    Returns: of several with equal energy, the one with the lowest boundary, then the lowest x: the thesis
        would rather take a string for template wrongly than miss one. So if only one bin is filled, it is
        above the cut, unless it is the first. Of an empty histogram, ``x`` is 0 and ``y`` is 1: all bins but
        the first are above the cut.
    Raises ValueError: there are fewer than two bins, or a count is negative.
    """
    counts = np.asarray(histogram, np.int64)
    bins = len(counts)
    if bins < 2 or counts.min() < 0:
        raise ValueError("a histogram needs at least two bins, and counts of at least 0")
    place = np.arange(bins)
    # Sums of h, i h and i² h below each bin. They are whole numbers, so equal energies compare as equal.
    zeroth, first, second = (
        np.concatenate(([0], np.cumsum(counts * weight))) for weight in (place**0, place, place**2)
    )
    x, y = np.triu_indices(bins, 1)
    lowest = (x + y + 1) // 2
    below = second[lowest] - 2 * x * first[lowest] + x * x * zeroth[lowest]
    above = (
        (second[-1] - second[lowest])
        - 2 * y * (first[-1] - first[lowest])
        + y * y * (zeroth[-1] - zeroth[lowest])
    )
    energy = below + above
    best = np.lexsort((x, x + y, energy))[0]
    return Cut(int(x[best]), int(y[best]), bins)
