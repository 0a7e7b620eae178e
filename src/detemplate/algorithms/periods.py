"""Parts of a sequence that repeat themselves: a part of period p is equal to itself p elements further on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Row32 = npt.NDArray[np.int32]
    Bools = npt.NDArray[np.bool_]


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
