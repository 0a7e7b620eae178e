"""How many pages of a site have each key; copies of pages do not count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from detemplate.algorithms.recurrence import merged, recurrence_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table
    from detemplate.detectors.auto.sitekeys import SiteKeys

    Counts = npt.NDArray[np.int32]

WINDOW: Final = 200
"""Pages before a page that tell whether it is a copy, and which of its segments are new."""

COUNT_TYPES: Final = {"keys": "<u8", "df": "<i4", "last": "<i4", "recent": "<u8", "recent last": "<i4"}
"""Columns of :meth:`SiteCounts.dump`, and their types."""


class SiteCounts:
    """Document frequencies of the keys of a site's pages.

    A page is a copy if it has a signature of one of the :data:`WINDOW` pages before it, be it a copy or not.
    A segment is new if none of them has it.

    Parameters
    ----------
    lives, most
        Lifetimes of keys, and the maximum number of them
        (:func:`~detemplate.algorithms.recurrence.recurrence_table`).
    """

    def __init__(self, lives: npt.NDArray[np.int64], most: int) -> None:
        self._lives, self._most = lives, most
        self._table = recurrence_table(lives, most)
        self._recent = recurrence_table([WINDOW], most)

    @property
    def pages(self) -> int:
        """Pages that were counted."""
        return self._table.pages

    @property
    def learnt(self) -> int:
        """Pages learnt, copies included."""
        return self._recent.pages

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._table.nbytes + self._recent.nbytes

    def learn(self, page: SiteKeys) -> bool:
        """Count the keys of a page, unless it is a copy; tell whether it is one."""
        seen = self._recent.observe(page.marks) - 1  # on how many pages before this one
        if np.count_nonzero(seen[len(page.slot) :]):
            return True
        self._table.observe(page.counted(seen))
        return False

    def counts(self, page: SiteKeys) -> tuple[Counts, bool]:
        """Give document frequencies of a page's keys, and whether the page, or a copy of it, is counted."""
        return page.split(self._table.counts(page.own))

    def add(self, other: Self, first: Self) -> None:
        """Add what other counts have beyond those of their first pages.

        Parameters
        ----------
        other, first
            Counts of some pages, and of the first of these, which have been learnt here already.
        """
        self._table = merged(self._table, _beyond(other._table, first._table), self._lives, self._most)
        self._recent = merged(self._recent, _beyond(other._recent, first._recent), [WINDOW], self._most)

    def dump(self) -> dict[str, npt.NDArray[Any]]:
        """Give the columns, by name."""
        # How often a key is among the recent ones does not matter.
        columns = *self._table.dump(), *self._recent.dump()[::2]
        return dict(zip(COUNT_TYPES, columns, strict=True))

    def load(self, learnt: int, pages: int, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill an empty table with :attr:`learnt`, :attr:`pages` and the columns of :meth:`dump`.

        Raises
        ------
        ValueError
            The columns contradict each other.
        """
        if not 0 <= pages <= learnt:
            raise ValueError("the numbers of pages are inconsistent")
        keys, df, last, recent, recent_last = (columns[name] for name in COUNT_TYPES)
        self._table.load(pages, keys, df, last)
        self._recent.load(learnt, recent, np.ones(len(recent), np.int32), recent_last)


def _beyond(whole: Table, first: Table) -> Table:
    """Give a table of the pages after the first ones, from tables of all pages and of the first."""
    keys, df, last = whole.dump()
    last = last - first.pages
    df = np.minimum(df - first.counts(keys), last)
    # A key that was forgotten and came again has fewer pages than it should have: at least one.
    df = np.where(last > 0, np.maximum(df, 1), 0).astype(np.int32)
    own = df > 0
    rest = recurrence_table([-1])
    rest.load(whole.pages - first.pages, keys[own], df[own], last[own])
    return rest
