"""How often has this been seen, and when last: a table of document frequencies that forgets.

Wang et al. 2008, section 2.4: what has not come back for its lifetime is dropped, and the lifetime
grows with the document frequency. One queue a document frequency holds the entries in the order of
their last occurrence, so the entries that are due stand at the heads of the queues: expiry costs O(1)
an entry and a look at each queue's head a page, whatever the table's size.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from detemplate.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

MOST_ENTRIES = 2**31 - 1


class Table(Protocol):
    """What the compiled table and its reference both do."""

    def __len__(self) -> int: ...
    @property
    def pages(self) -> int:
        """Pages observed so far: the present time."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""

    def observe(self, keys: Keys) -> Counts:
        """Count the entries of one more page, then expire; give their document frequencies."""

    def counts(self, keys: Keys) -> Counts:
        """Give document frequencies (0: not in the table) and change nothing."""

    def dump(self) -> tuple[Keys, Counts, Counts]:
        """Give keys, document frequencies and pages of last occurrence, in queue order."""

    def load(self, pages: int, keys: Keys, dfs: Counts, lasts: Counts) -> None:
        """Fill an empty table with what :meth:`dump` gave."""


class ReferenceTable:
    """A table of document frequencies that forgets: the uncompiled reference.

    Parameters
    ----------
    lifetimes
        Pages that an entry with document frequency 1, 2, … outlives its last occurrence; the last
        number holds for all higher frequencies. An entry seen on page ``a`` is still known on page
        ``a + lifetime`` and unknown on the page after. A negative lifetime never ends.
    most
        Entries to hold at most. Beyond it, the rarest go first, among these the longest unseen.
    """

    def __init__(self, lifetimes: Sequence[int] | npt.NDArray[np.int64], most: int = MOST_ENTRIES) -> None:
        self._lives = [int(life) for life in np.asarray(lifetimes, np.int64)]
        if not self._lives:
            raise ValueError("lifetimes must be one row of numbers, one a document frequency")
        if not 1 <= most <= MOST_ENTRIES:
            raise ValueError("most must be at least 1 and below 2**31")
        self._most = most
        self._now = 0
        self._df: dict[int, int] = {}
        self._queues: list[OrderedDict[int, int]] = [OrderedDict() for _ in self._lives]

    def __len__(self) -> int:
        return len(self._df)

    @property
    def pages(self) -> int:
        """Pages observed so far: the present time."""
        return self._now

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, about: two dictionary entries and their numbers an entry."""
        return 300 * len(self._df)

    def _queue(self, df: int) -> OrderedDict[int, int]:
        return self._queues[min(df, len(self._queues)) - 1]

    def observe(self, keys: Keys) -> Counts:
        """Count the entries of one more page, then expire; give their document frequencies.

        However often a page repeats an entry, its document frequency grows by one.
        """
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

    def counts(self, keys: Keys) -> Counts:
        """Give document frequencies (0: not in the table) and change nothing."""
        return np.array([self._df.get(key, 0) for key in np.asarray(keys, np.uint64).tolist()], np.int32)

    def dump(self) -> tuple[Keys, Counts, Counts]:
        """Give keys, document frequencies and pages of last occurrence, in queue order."""
        rows = [(key, self._df[key], last) for queue in self._queues for key, last in queue.items()]
        keys, dfs, lasts = zip(*rows, strict=True) if rows else ((), (), ())
        return np.array(keys, np.uint64), np.array(dfs, np.int32), np.array(lasts, np.int32)

    def load(self, pages: int, keys: Keys, dfs: Counts, lasts: Counts) -> None:
        """Fill an empty table with what :meth:`dump` gave."""
        if self._df or self._now:
            raise ValueError("only an empty table can be loaded")
        if not len(keys) == len(dfs) == len(lasts) or (
            len(dfs) and (dfs.min() < 1 or (dfs > lasts).any() or lasts.max() > pages)
        ):
            raise ValueError("the entries to load are inconsistent")
        for key, df, last in zip(keys.tolist(), dfs.tolist(), lasts.tolist(), strict=True):
            self._df[key] = df
            self._queue(df)[key] = last
        self._now = pages
        self._shrink()


KERNEL: Final[Any] = compiled("detemplate.algorithms._recurrence")


def recurrence_table(lifetimes: Sequence[int] | npt.NDArray[np.int64], most: int = MOST_ENTRIES) -> Table:
    """Make an empty table, compiled where the kernel was built; see :class:`ReferenceTable`."""
    table: Table = (KERNEL.RecurrenceTable if KERNEL is not None else ReferenceTable)(lifetimes, most)
    return table


def merged(
    first: Table, second: Table, lifetimes: Sequence[int] | npt.NDArray[np.int64], most: int = MOST_ENTRIES
) -> Table:
    """Join two tables as if the second's pages had come after the first's.

    Equal to one pass over all pages as long as no entry expired, or was pushed out, on the way that
    the other table's pages would have kept.
    """
    pages = first.pages
    rows: dict[int, tuple[int, int]] = {}
    for table, offset in ((first, 0), (second, pages)):
        keys, dfs, lasts = table.dump()
        for key, df, last in zip(keys.tolist(), dfs.tolist(), lasts.tolist(), strict=True):
            rows[key] = (rows.get(key, (0, 0))[0] + df, last + offset)
    order = sorted(rows, key=lambda key: (rows[key][1], key))
    joined = recurrence_table(lifetimes, most)
    joined.load(
        pages + second.pages,
        np.array(order, np.uint64),
        np.array([rows[key][0] for key in order], np.int32),
        np.array([rows[key][1] for key in order], np.int32),
    )
    return joined
