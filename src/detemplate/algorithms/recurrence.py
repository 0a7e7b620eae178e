"""Document frequencies in a table that forgets keys which have not occurred for long.

Wang et al. 2008, section 2.4: a key that has not come back within its lifetime is dropped; the lifetime
grows with the document frequency. There is one queue a document frequency, in the order of last occurrence.
So entries that are due stand at the heads of the queues: expiry costs O(1) an entry, and a look at each
queue's head a page, whatever the table's size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from detemplate.algorithms import _recurrence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

MOST_ENTRIES: Final = 2**31 - 1
"""Maximum number of entries of a table: they are numbered in 32 bits."""


class Table(Protocol):
    """A table of document frequencies."""

    def __len__(self) -> int: ...
    @property
    def pages(self) -> int:
        """Pages observed so far."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""

    def observe(self, keys: Keys) -> Counts:
        """Count the keys of one more page, then drop entries that are due.

        A page counts a key once, however often it repeats it.

        Returns: the document frequency of each key, this page included.
        """

    def counts(self, keys: Keys) -> Counts:
        """Look up document frequencies without changing anything; 0 for keys not in the table."""

    def dump(self) -> tuple[Keys, Counts, Counts]:
        """Return keys, document frequencies and pages of last occurrence, in queue order."""

    def load(self, pages: int, keys: Keys, dfs: Counts, lasts: Counts) -> None:
        """Fill an empty table with ``pages`` and the columns of :meth:`dump`.

        Raises ValueError: the table is not empty, or the columns contradict each other.
        """


def recurrence_table(lifetimes: Sequence[int] | npt.NDArray[np.int64], most: int = MOST_ENTRIES) -> Table:
    """Make an empty table.

    ``lifetimes``: for document frequency 1, 2, …: pages that an entry is remembered after its last
        occurrence. The last number holds for all higher frequencies. An entry seen on page ``a`` is still
        known on page ``a + lifetime``, and unknown on the page after. A negative lifetime never ends.
    ``most``: maximum number of entries. Beyond it, the rarest are dropped first; among these, the longest
        unseen.
    Raises ValueError: there is no lifetime, or ``most`` is out of range.
    """
    table: Table = _recurrence.RecurrenceTable(lifetimes, most)
    return table


def merged(
    first: Table, second: Table, lifetimes: Sequence[int] | npt.NDArray[np.int64], most: int = MOST_ENTRIES
) -> Table:
    """Join two tables as if the second's pages had come after the first's.

    Equal to one pass over all pages, unless a table dropped an entry that the other's pages would have kept.

    ``first``, ``second``: the tables; they stay as they are.
    ``lifetimes``, ``most``: as for :func:`recurrence_table`.
    """
    (keys, counts, last), (others, more, later) = first.dump(), second.dump()
    every, place = np.unique(np.concatenate([keys, others]), return_inverse=True)
    dfs = np.bincount(place, np.concatenate([counts, more]), len(every)).astype(np.int32)
    lasts = np.zeros(len(every), np.int32)
    np.maximum.at(lasts, place, np.concatenate([last, later + np.int32(first.pages)]))
    order = np.lexsort((every, lasts))
    joined = recurrence_table(lifetimes, most)
    joined.load(first.pages + second.pages, every[order], dfs[order], lasts[order])
    return joined
