"""Sets of intervals ``[start, stop)``: union, gaps, slivers, cover, overlap.

Foschini 2007, sections 3.4.1 and 6.1. The matches of all expressions are joined before anything is removed,
so the order of the expressions does not matter.

Intervals are two arrays of equal length, in any order. They may overlap; empty ones are ignored. Results are
sorted, and no two of their intervals overlap or touch. A start after its stop, or arrays of unequal length,
raise ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Positions = npt.NDArray[np.int64]
    Places = npt.NDArray[np.integer]
    Intervals = tuple[Positions, Positions]


def union(starts: Positions, stops: Positions) -> Intervals:
    """Join intervals that overlap or touch."""
    return merge_gaps(starts, stops, 1)


def merge_gaps(starts: Positions, stops: Positions, gap: int) -> Intervals:
    """Join intervals with fewer than ``gap`` positions between them.

    Foschini 2007, section 3.4.1: a short text between two removals is removed with them. With a ``gap`` of 0
    or 1, only intervals that overlap or touch are joined.
    """
    starts, stops = _checked(starts, stops)
    if not len(starts):
        return starts, stops
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    reach = np.maximum.accumulate(stops[order])
    apart = starts[1:] - reach[:-1] >= max(gap, 1)
    return starts[np.concatenate(([True], apart))], reach[np.concatenate((apart, [True]))]


def without_slivers(starts: Positions, stops: Positions, least: int) -> Intervals:
    """Join intervals that overlap or touch, then drop those shorter than ``least``.

    Foschini 2007, section 6.1: a few characters to remove in the middle of clean text are probably a mistake.
    To join close intervals first, call :func:`merge_gaps` before.
    """
    starts, stops = union(starts, stops)
    kept = stops - starts >= least
    return starts[kept], stops[kept]


def covering(starts: Places, stops: Places, length: int) -> Positions:
    """Count the intervals that each position from 0 to ``length``, exclusive, is in; none reaches beyond."""
    starts, stops = _checked(starts, stops, empty=True)
    steps = np.zeros(length + 1, np.int64)
    np.add.at(steps, starts, 1)
    np.subtract.at(steps, stops, 1)
    return np.cumsum(steps[:-1])


def overlap(
    starts: Positions, stops: Positions, piece_starts: Positions, piece_stops: Positions
) -> Positions:
    """Count the positions of each piece that are in any of the intervals.

    Pieces are intervals, too, in any order; they may overlap. The result is one number a piece, in their
    order.
    """
    piece_starts, piece_stops = _checked(piece_starts, piece_stops, empty=True)
    starts, stops = union(starts, stops)
    if not len(starts):
        return np.zeros(len(piece_starts), np.int64)
    covered = np.concatenate(([0], np.cumsum(stops - starts)))

    def before(positions: Positions) -> Positions:
        """Count the covered positions before each position."""
        row = np.searchsorted(starts, positions, side="right")
        found: Positions = covered[row] - np.maximum(stops[row - 1] - positions, 0) * (row > 0)
        return found

    return before(piece_stops) - before(piece_starts)


def characters(data: bytes, positions: Positions) -> Positions:
    """Turn positions in UTF-8 bytes, in an array of any shape, into positions in characters."""
    if not len(positions) or data.isascii():
        return positions
    inner = np.flatnonzero((np.frombuffer(data, np.uint8) & 0xC0) == 0x80)
    return positions - np.searchsorted(inner, positions)


def _checked(starts: Places, stops: Places, *, empty: bool = False) -> Intervals:
    """Check intervals; leave out empty ones unless ``empty``."""
    first, behind = np.asarray(starts, np.int64), np.asarray(stops, np.int64)
    if first.ndim != 1 or first.shape != behind.shape or (first > behind).any():
        raise ValueError("intervals need as many starts as stops, and no start after its stop")
    if empty:
        return first, behind
    filled = first < behind
    return first[filled], behind[filled]
