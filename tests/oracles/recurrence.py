"""The recurrence table: a dictionary of document frequencies, and a queue for each of them."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int32]


class RecurrenceTable:
    """A table of document frequencies that forgets.

    Parameters
    ----------
    lifetimes, most
        As for :func:`~detemplate.algorithms.recurrence.recurrence_table`.
    """

    def __init__(self, lifetimes: Sequence[int] | npt.NDArray[np.int64], most: int = 2**31 - 1) -> None:
        self._lives = [int(life) for life in np.asarray(lifetimes, np.int64)]
        self._most = most
        self._now = 0
        self._df: dict[int, int] = {}
        self._queues: list[OrderedDict[int, int]] = [OrderedDict() for _ in self._lives]

    def _queue(self, df: int) -> OrderedDict[int, int]:
        """Keys of a document frequency with their pages of last occurrence, the longest unseen first."""
        return self._queues[min(df, len(self._queues)) - 1]

    def observe(self, keys: Keys) -> Counts:
        """Count the keys of one more page, then drop entries that are due."""
        self._now += 1
        found = np.empty(len(keys), np.int32)
        for i, key in enumerate(np.asarray(keys, np.uint64).tolist()):
            df = self._df.get(key, 0)
            if df == 0 or self._queue(df)[key] != self._now:
                if df:
                    del self._queue(df)[key]
                df += 1
                self._df[key] = df
                self._queue(df)[key] = self._now
            found[i] = df
        self._shrink()
        return found

    def _shrink(self) -> None:
        """Drop the entries that are due, then the rarest ones beyond the maximum."""
        for queue, life in zip(self._queues, self._lives, strict=True):
            while queue and life >= 0:
                key, last = next(iter(queue.items()))
                if self._now - last < life:
                    break
                del queue[key], self._df[key]
        while len(self._df) > self._most:
            queue = next(queue for queue in self._queues if queue)
            key, _ = queue.popitem(last=False)
            del self._df[key]

    def dump(self) -> tuple[Keys, Counts, Counts]:
        """Give keys, document frequencies and pages of last occurrence, in queue order."""
        rows = [(key, self._df[key], last) for queue in self._queues for key, last in queue.items()]
        keys, dfs, lasts = zip(*rows, strict=True) if rows else ((), (), ())
        return np.array(keys, np.uint64), np.array(dfs, np.int32), np.array(lasts, np.int32)
