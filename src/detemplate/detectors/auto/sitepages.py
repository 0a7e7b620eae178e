"""What method ``auto`` learns of a site, page by page or in parts that are joined.

Whether a page is a copy, and which of its segments are new, depends on the
:data:`~detemplate.detectors.auto.sitecounts.WINDOW` pages before it and on no others. So where parts of a
site are joined, only the first pages of the second part can turn out to be other than they were. Their keys
are kept, and are learnt anew after the first part; all else is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.detectors.auto import sitecounts
from detemplate.detectors.auto.exchange import Answer
from detemplate.detectors.auto.firstpages import FIRST_TYPES, FirstPages
from detemplate.detectors.auto.sitecounts import COUNT_TYPES, SiteCounts
from detemplate.detectors.auto.siteslots import MAX_SLOTS, SLOT_TYPES, SiteSlots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy as np
    import numpy.typing as npt

    from detemplate.detectors.auto.exchange import Query
    from detemplate.detectors.auto.sitekeys import SiteKeys

PAGE_TYPES: Final = COUNT_TYPES | SLOT_TYPES | FIRST_TYPES
"""Columns of :meth:`SitePages.dump`, and their types."""

AWAY_TYPES: Final = COUNT_TYPES | SLOT_TYPES
"""Columns of :meth:`SitePages.put_away`, and their types."""


class SitePages:
    """What is learnt of a site's pages.

    Parameters
    ----------
    lives, most
        Lifetimes of keys, and the maximum number of them
        (:func:`~detemplate.algorithms.recurrence.recurrence_table`).
    """

    def __init__(self, lives: npt.NDArray[np.int64], most: int) -> None:
        self._lives, self._most = lives, most
        self._counts = SiteCounts(lives, most)
        self._slots = SiteSlots(min(MAX_SLOTS, most))
        self._first = FirstPages(most)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._counts.nbytes + self._slots.nbytes + self._first.nbytes

    def learn(self, page: Query) -> None:
        """Count a page's keys, unless it is a copy of a page before it, and add to its slots."""
        self._count(page.keys)
        self._slots.learn(page.slots)

    def _count(self, page: SiteKeys) -> None:
        if len(self._first) == self._counts.learnt:
            self._first.add(page)
        self._counts.learn(page)

    def answer(self, page: Query) -> Answer | None:
        """Tell how many other pages have a page's keys and what they have in its slots; None without any."""
        counts, counted = self._counts.counts(page.keys)
        if self._counts.pages <= counted:
            return None
        slots = self._slots.totals(page.slots, counted=counted)
        return Answer(counts, self._counts.pages, counted, slots)

    def merge(self, other: Self) -> Self:
        """Give what is learnt of this one's pages and then the other's.

        Equal to one pass over all pages, unless a part has more keys or slots than the maximum, or has
        forgotten a key that the other part has.
        """
        joined, first = type(self)(self._lives, self._most), SiteCounts(self._lives, self._most)
        joined.load(self.numbers, self.dump())
        for page in other._first:
            joined._count(page)
            first.learn(page)
        joined._counts.add(other._counts, first)
        joined._slots = self._slots.merge(other._slots)
        return joined

    @property
    def numbers(self) -> dict[str, int]:
        """Pages learnt, those of them that were counted, and sums over all."""
        return {
            "learnt": self._counts.learnt, "counted": self._counts.pages,
            "prose": self._slots.prose, "long": self._slots.long,
        }  # fmt: skip

    def dump(self) -> dict[str, npt.NDArray[Any]]:
        """Give the columns, by name."""
        return self._counts.dump() | self._slots.dump() | self._first.dump()

    def load(self, numbers: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill an empty object with :attr:`numbers` and the columns of :meth:`dump`.

        Raises
        ------
        ValueError
            The columns contradict each other.
        """
        self._first.load(columns)
        self._fill(numbers, columns)

    def _fill(self, numbers: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill all but the first pages."""
        learnt, counted, prose, long = (int(numbers[name]) for name in self.numbers)
        if len(self._first) > min(learnt, sitecounts.WINDOW):
            raise ValueError("there are too many first pages")
        self._counts.load(learnt, counted, columns)
        self._slots.load(learnt, prose, long, columns)

    def put_away(self) -> tuple[dict[str, int], dict[str, npt.NDArray[Any]], bytes]:
        """Give all for a temporary file: numbers, columns, and the first pages since the last time."""
        return (
            self.numbers | self._first.numbers,
            self._counts.dump() | self._slots.dump(),
            self._first.part(),
        )

    def take_back(
        self,
        numbers: Mapping[str, Any],
        columns: Mapping[str, npt.NDArray[Any]],
        parts: Callable[[], Iterable[bytes]],
    ) -> None:
        """Fill an empty object with what :meth:`put_away` gave, and a function that reads the first pages."""
        self._first = FirstPages.taken_back(numbers, parts)
        self._fill(numbers, columns)
