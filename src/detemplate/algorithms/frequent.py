"""Keys that occur on many pages, in bounded memory and without false negatives.

Misra and Gries' summary (1982), over pages. Counts are exact as long as all keys fit. When the table is full,
the median count is subtracted from every entry, and entries without a count left are dropped. What has been
subtracted is added to every estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Counts, Keys, Table

_FOREVER: Final = (-1,)  # lifetimes of a table that forgets nothing


class FrequencySketch:
    """Estimates the number of pages of each key, never too low.

    ``most``: maximum number of keys held.

    Notes
    -----
    Let N be the occurrences learned (a page counts a key once) and M = ``most``. An estimate is at least the
    true number of pages, and at most ``slack`` above it, and ``slack ≤ 2 N / M``: subtracting the median v
    from a full table lowers the sum of its counts by at least v for half of its entries, and that sum never
    exceeds N.

    So if pages have d different keys on average, estimated shares of the pages are at most ``2 d / M`` too
    high. Every key on a share θ of the pages is estimated at θ or more, and a key that is estimated at θ is
    on a share of at least ``θ - 2 d / M``.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError("most must be at least 1")
        self._most = most
        self._table: Table = recurrence_table(_FOREVER)
        self._slack = 0

    def __len__(self) -> int:
        return len(self._table)

    @property
    def pages(self) -> int:
        """Pages learned so far."""
        return self._table.pages

    @property
    def slack(self) -> int:
        """How much too high an estimate can be, in pages; 0 as long as the counts are exact."""
        return self._slack

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._table.nbytes

    def learn(self, keys: Keys) -> Counts:
        """Count the keys of one more page, each once; give their estimates."""
        estimates = self._table.observe(keys) + np.int32(self._slack)
        if len(self._table) > self._most:
            self._purge()
        return estimates

    def estimate(self, keys: Keys) -> Counts:
        """Estimate the number of pages of each key, never too low."""
        counts: npt.NDArray[np.int32] = self._table.counts(keys) + np.int32(self._slack)
        return counts

    def _purge(self) -> None:
        """Subtract median counts until the table is small enough."""
        while len(self._table) > self._most:
            keys, counts, lasts = self._table.dump()
            median = int(np.partition(counts, len(counts) // 2)[len(counts) // 2])
            kept = counts > median
            pages = self.pages
            self._table = recurrence_table(_FOREVER)
            self._table.load(pages, keys[kept], counts[kept] - np.int32(median), lasts[kept])
            self._slack += median

    def merge(self, other: FrequencySketch) -> FrequencySketch:
        """Join two sketches into one of the pages of both. The two stay as they are.

        Exact if both are exact and the result fits. The slacks add up; the bound holds for all pages
        together.

        Raises ValueError: the sketches have different sizes.
        """
        if self._most != other._most:
            raise ValueError("sketches of different sizes cannot be merged")
        joined = FrequencySketch(self._most)
        parts = [self._table.dump(), other._table.dump()]
        keys, where = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([part[1] for part in parts]), len(keys))
        pages = self.pages + other.pages
        joined._table.load(pages, keys, counts.astype(np.int32), np.full(len(keys), max(pages, 1), np.int32))
        joined._slack = self._slack + other._slack
        joined._purge()
        return joined

    def dump(self) -> tuple[int, int, Keys, Counts]:
        """Return pages, slack, keys and counts, ordered by key."""
        keys, counts, _ = self._table.dump()
        order = np.argsort(keys)
        return self.pages, self._slack, keys[order], counts[order]

    def load(self, pages: int, slack: int, keys: Keys, counts: Counts) -> None:
        """Fill an empty sketch with the columns of :meth:`dump`."""
        self._table.load(pages, keys, counts, np.full(len(keys), max(pages, 1), np.int32))
        self._slack = slack
        self._purge()
