"""Counts of hashed keys in a table of fixed size, whatever the number of keys.

A count-mean-min sketch (Deng and Rafiei 2007): a count-min sketch (Cormode and Muthukrishnan 2005) less its
noise. A key adds to one cell of each row. Its count is the least of its cells, less what other keys add to a
cell on average. Tables add up cell by cell, so counts do not depend on the order of what was counted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

_WIDTH: Final = 1024
"""Cells of a row. It must be a power of 2."""

_ROWS: Final = 4  # rows of the table


class CountMeanMin:
    """Counts of keys, which are 64-bit hashes. Only cells that are not 0 take memory."""

    def __init__(self) -> None:
        self._cells: dict[int, int] = {}
        self._total = 0

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sys.getsizeof(self._cells)

    def add(self, keys: Iterable[int]) -> None:
        """Count keys, each as often as it is given."""
        cells = self._cells
        for key in keys:
            self._total += 1
            for cell in _cells(key):
                cells[cell] = cells.get(cell, 0) + 1

    def counts(self, keys: Iterable[int]) -> tuple[int, ...]:
        """Return about how often each key was counted."""
        cells = self._cells
        found = (min([cells.get(cell, 0) for cell in _cells(key)]) for key in keys)
        return tuple(max(0, count - (self._total - count) // (_WIDTH - 1)) for count in found)

    def merge(self, other: CountMeanMin) -> CountMeanMin:
        """Return the counts of both together."""
        joined = CountMeanMin()
        joined._total = self._total + other._total
        joined._cells = self._cells.copy()
        for cell, count in other._cells.items():
            joined._cells[cell] = joined._cells.get(cell, 0) + count
        return joined

    def dump(self) -> dict[str, npt.NDArray[Any]]:
        """Return the cells that are not 0 in ascending order, and what they hold."""
        cells = sorted(self._cells)
        counts = [self._cells[cell] for cell in cells]
        return {"cells": np.array(cells, np.int32), "counts": np.array(counts, np.int64)}

    def load(self, cells: npt.NDArray[np.int32], counts: npt.NDArray[np.int64]) -> None:
        """Hold what :meth:`dump` gave.

        Raises ValueError: there is no such cell, or no such count.
        """
        if len(cells) != len(counts) or (
            len(cells) and (cells.min() < 0 or cells.max() >= _ROWS * _WIDTH or counts.min() < 1)
        ):
            raise ValueError("it is no table of counts")
        self._cells = dict(zip(cells.tolist(), counts.tolist(), strict=True))
        self._total = int(counts.sum()) // _ROWS


def _cells(key: int) -> tuple[int, int, int, int]:
    """Return the cells of a key, one a row."""
    return (
        key % _WIDTH,
        (key >> 10) % _WIDTH + _WIDTH,
        (key >> 20) % _WIDTH + 2 * _WIDTH,
        (key >> 30) % _WIDTH + 3 * _WIDTH,
    )
