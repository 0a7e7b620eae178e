"""The recurrence table as the paper's text says it, word for word: after every page, go through the whole table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


class RecurrenceTable:
    """A table of document frequencies that forgets; ``entries`` are in the order of their last occurrence.

    Parameters
    ----------
    lifetimes, most
        As for :func:`~detemplate.algorithms.recurrence.recurrence_table`.
    """

    def __init__(self, lifetimes: Sequence[int], most: int = 2**31 - 1) -> None:
        self.lifetimes, self.most, self.now = lifetimes, most, 0
        self.entries: dict[int, tuple[int, int]] = {}

    def _level(self, key: int) -> int:
        return min(self.entries[key][0], len(self.lifetimes)) - 1

    def observe(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """Count the keys of one more page, then drop entries that are due, then the rarest, longest unseen ones."""
        self.now += 1
        for key in dict.fromkeys(keys.tolist()):
            self.entries[key] = (self.entries.pop(key, (0, 0))[0] + 1, self.now)
        found = [self.entries[key][0] for key in keys.tolist()]
        for key, (_, last) in list(self.entries.items()):
            if 0 <= self.lifetimes[self._level(key)] <= self.now - last:
                del self.entries[key]
        while len(self.entries) > self.most:
            del self.entries[min(self.entries, key=lambda key: (self._level(key), self.entries[key][1]))]
        return np.array(found, np.int32)

    def dump(self) -> tuple[npt.NDArray[Any], ...]:
        """Give keys, document frequencies and pages of last occurrence, the rarest first."""
        rows = [(key, *self.entries[key]) for key in sorted(self.entries, key=self._level)]
        columns = zip(*rows, strict=True) if rows else ((), (), ())
        kinds = (np.uint64, np.int32, np.int32)
        return tuple(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))
