"""Which of a collection's maximal strings are template strings, and which of these stand for others.

Foschini 2007, section 3.2, steps 8 and 9. Most strings are in few documents, template strings are in many.
The cut-off lies between these two modes of the histogram of strings by their documents. A string that repeats
itself (one of period p is equal to itself p elements further on) may be left out for a shorter one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Row32 = npt.NDArray[np.int32]
    Bools = npt.NDArray[np.bool_]


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


def irreducible(
    sequence: Row32, starts: Row32, lengths: Row32, fixed: Bools, *, min_length: int, min_fixed: int
) -> Bools:
    """Mark the maximal strings of a sequence for which no shorter one stands.

    A run of n equal elements has maximal strings of all lengths. More generally, if a maximal string has
    period p, the string without its last p elements is maximal too, and occurs at both its ends. If that is
    longer than p, its two occurrences overlap and cover the longer string: it stands for it.

    ``starts``, ``lengths``: the strings, in the order of their starts: all maximal strings that occur in
        enough documents.
    ``fixed``: for each element of the sequence, whether it is fixed.
    ``min_length``, ``min_fixed``: minimum numbers of elements, and of fixed ones. Shorter strings stand for
        none; strings with fewer fixed elements neither, and are not marked.
    Returns: one entry a string.
    """
    before = np.concatenate([[0], np.cumsum(fixed)])
    marked: Bools = before[starts + lengths] - before[starts] >= min_fixed
    periods = Periods(sequence)
    for row in np.flatnonzero(marked).tolist():
        start, length = int(starts[row]), int(lengths[row])
        period = periods.of(start, length)
        stop = start + length - period
        if period and stop - start >= min_length and before[stop] - before[start] >= min_fixed:
            marked[row] = False
    return marked


class Periods:
    """Finds the periods of many parts of one sequence, in time that does not grow with their overlaps.

    A part is read only if it is in no run that is known. A run is as long as its period holds, and is known
    once one of its parts was read. So the parts of a run together take the time of one.

    ``sequence``: the elements.
    """

    def __init__(self, sequence: Row32) -> None:
        self._sequence = sequence
        self._runs: dict[int, int] = {}  # period → where its run ends

    def of(self, start: int, length: int) -> int:
        """Return the least period of a part, if the part is more than twice as long; else 0.

        ``start``, ``length``: the part. Parts must be asked for in the order of their starts.
        """
        stop = start + length
        self._runs = {period: end for period, end in self._runs.items() if end > start}
        known = [period for period, end in self._runs.items() if stop <= end and 2 * period < length]
        if known:
            return min(known)
        period = least_period(self._sequence[start:stop].tolist())
        if period:
            self._runs[period] = max(self._runs.get(period, 0), self._end(stop, period))
        return period

    def _end(self, stop: int, period: int) -> int:
        """Find where a run ends that reaches to ``stop`` at least."""
        sequence, step = self._sequence, 64
        while stop < len(sequence):
            part = sequence[stop : stop + step]
            unequal = np.flatnonzero(part != sequence[stop - period : stop - period + len(part)])
            if len(unequal):
                return stop + int(unequal[0])
            stop += len(part)
            step *= 2
        return stop


def least_period(elements: list[int]) -> int:
    """Return the least period of a sequence that is more than twice as long; else 0.

    By the failure function of Knuth, Morris and Pratt 1977, in linear time.
    """
    most = (len(elements) - 1) // 2
    if elements[0] not in elements[1 : most + 1]:
        return 0
    border = [0] * len(elements)
    length = 0
    for place in range(1, len(elements)):
        while length and elements[place] != elements[length]:
            length = border[length - 1]
        length += elements[place] == elements[length]
        border[place] = length
    period = len(elements) - length
    return period if period <= most else 0
