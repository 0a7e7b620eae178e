"""What method ``auto`` learns of a site, page by page or in parts that are joined.

Whether a page is a copy, and which of its segments are new, depends on the
:data:`~detemplate.detectors.auto.sitecounts.WINDOW` pages before it and on no others. So where parts of a
site are joined, only the first pages of the second part can turn out to be other than they were. Their keys
are kept, and are learnt anew after the first part; all else is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from detemplate.detectors.auto import sitecounts
from detemplate.detectors.auto.exchange import Answer
from detemplate.detectors.auto.sharetable import SIGNATURES
from detemplate.detectors.auto.sitecounts import COUNT_TYPES, SiteCounts
from detemplate.detectors.auto.sitekeys import SiteKeys
from detemplate.detectors.auto.siteslots import MAX_SLOTS, SLOT_TYPES, SiteSlots

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.auto.exchange import Counts, Query

_FIRST_TYPES: Final = {
    "first": "<u8", "first keys": "<i4", "first slot": "<i4", "first votes": "|u1",
    "first signatures": "<u8", "first sizes": "<i4",
}  # fmt: skip
"""Columns of the first pages, and their types.

All keys that they have, each once; then page after page the places of its keys among these, and its other
columns; then two columns of pages.
"""

PAGE_TYPES: Final = COUNT_TYPES | SLOT_TYPES | _FIRST_TYPES
"""Columns of :meth:`SitePages.dump`, and their types."""


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
        self._first: list[SiteKeys] = []
        self._room = most
        self._held = 0  # bytes of the first pages: asked for after each page

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._counts.nbytes + self._slots.nbytes + self._held

    def learn(self, page: Query) -> None:
        """Count a page's keys, unless it is a copy of a page before it, and add to its slots."""
        self._count(page.keys)
        self._slots.learn(page.slots)

    def _count(self, page: SiteKeys) -> None:
        if len(self._first) == self._counts.learnt < sitecounts.WINDOW and len(page.keys) <= self._room:
            self._first.append(page)
            self._room -= len(page.keys)
            self._held += page.nbytes
        self._counts.learn(page)

    def answer(self, page: Query) -> Answer | None:
        """Tell how many other pages have a page's keys and what they have in its slots; None without any."""
        return answered(page, self._counts.counts(page.keys), self._counts.pages, self._slots)

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
        rows: list[tuple[npt.NDArray[Any], ...]] = [
            (page.keys, page.slot, page.votes.view(np.uint8), page.signatures, page.sizes)
            for page in self._first
        ]
        kinds = ("<u8", *list(_FIRST_TYPES.values())[2:])
        empty = tuple(np.zeros(0, kind) for kind in kinds)
        keys, *columns = (np.concatenate(column) for column in zip(empty, *rows, strict=True))
        every, places = np.unique(keys, return_inverse=True)
        columns = [every, places.astype(np.int32), *columns]
        return self._counts.dump() | self._slots.dump() | dict(zip(_FIRST_TYPES, columns, strict=True))

    def load(self, numbers: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill an empty object with :attr:`numbers` and the columns of :meth:`dump`.

        Raises
        ------
        ValueError
            The columns contradict each other.
        """
        learnt, counted, prose, long = (int(numbers[name]) for name in self.numbers)
        first = _pages(columns)
        if len(first) > min(learnt, sitecounts.WINDOW):
            raise ValueError("there are too many first pages")
        self._counts.load(learnt, counted, columns)
        self._slots.load(learnt, prose, long, columns)
        self._first = first
        self._room = self._most - sum(len(page.keys) for page in first)
        self._held = sum(page.nbytes for page in first)


def answered(page: Query, known: tuple[Counts, bool], pages: int, slots: SiteSlots) -> Answer | None:
    """Give the answer to a page; None if no other page was counted.

    Parameters
    ----------
    page
        What it asks.
    known
        Document frequencies of its keys, and whether the page, or a copy of it, is counted.
    pages
        Number of pages that were counted.
    slots
        The site's slots; those of the page at least.
    """
    counts, counted = known
    if pages <= counted:
        return None
    return Answer(counts, pages, counted, slots.totals(page.slots, counted=counted))


def _pages(columns: Mapping[str, npt.NDArray[Any]]) -> list[SiteKeys]:
    """Give the first pages in the columns of a state; raises ValueError if they are no pages."""
    every, *rows, signatures, sizes = (columns[name] for name in _FIRST_TYPES)
    sizes = sizes.astype(np.int64).reshape(-1, len(rows))
    if (sizes < 1).any() or sizes.sum(axis=0).tolist() != [len(column) for column in rows]:
        raise ValueError("the first pages have other sizes")
    if ((rows[0] < 0) | (rows[0] >= len(every))).any():
        raise ValueError("there is no such key")
    rows[0] = every[rows[0]]
    parts = (np.split(row, ends)[:-1] for row, ends in zip(rows, sizes.cumsum(axis=0).T, strict=True))
    signed = signatures.reshape(-1, SIGNATURES)
    pages = [
        SiteKeys(keys, signs, slot, votes.view(np.bool_))
        for keys, slot, votes, signs in zip(*parts, signed, strict=True)
    ]
    if not all(page.whole for page in pages):
        raise ValueError("the first pages are inconsistent")
    return pages
