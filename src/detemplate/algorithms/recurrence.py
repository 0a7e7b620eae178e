"""Document frequencies in a table that forgets keys which have not occurred for long.

Wang et al. 2008, section 2.4: a key that has not come back within its lifetime is dropped; the lifetime
grows with the document frequency. There is one queue a document frequency, in the order of last occurrence.
So entries that are due stand at the heads of the queues: expiry costs O(1) an entry, and a look at each
queue's head a page, whatever the table's size. :func:`lifetimes` has the paper's logistic lifetime.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from functools import lru_cache
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


_DIGITS: Final = 100  # enough to tell T(df) from the whole numbers around it
_PAGES: Final = 2**31  # pages of a site are numbered in 32 bits: a lifetime of so many pages never ends


def lifetimes(base: float, growth: float) -> npt.NDArray[np.int64]:
    """Compute for how many pages a segment of document frequency 1, 2, … lives after its last occurrence.

    ``T(df) = base · growth / (1 + (growth − 1) · exp(−(df − 1)))``, rounded down to whole pages: ``base``
    (the paper's T_b) for a segment seen once, below ``base · growth`` (T_b · N) for all others. The numbers
    are exact: T approaches its limit, and never reaches it.

    ``base``: T_b, in pages: at least 1. ``inf``: nothing is ever forgotten.
    ``growth``: N, a factor: at least 1 and finite.
    Returns: ends where the lifetime grows no more: the last entry holds for all higher document frequencies
        too. -1: for ever, where T(df) is at least 2³¹ pages.
    Raises ValueError: a parameter is out of range.
    """
    return np.array(_whole(base, growth), np.int64)


@lru_cache(maxsize=8)
def _whole(base: float, growth: float) -> tuple[int, ...]:
    """Compute :func:`lifetimes`; cached, as every site has the same parameters."""
    if not base >= 1 or not 1 <= growth < math.inf:
        raise ValueError("the lifetime's base and growth must be at least 1, and its growth finite")
    if base >= _PAGES:
        return (-1,)
    whole = [int(base)]
    with localcontext(Context(prec=_DIGITS)):
        rise = Decimal(growth) - 1
        limit = Decimal(base) * Decimal(growth)
        greatest = math.ceil(limit) - 1  # of a lifetime that is below the limit
        while -1 < whole[-1] < greatest:
            life = int(limit / (1 + rise * Decimal(-len(whole)).exp()))
            whole.append(life if life < _PAGES else -1)
    return tuple(whole)
