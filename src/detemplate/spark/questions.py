"""What a page asks its site, and what came back for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]

_NONE: Final = np.zeros(0, np.uint64)
"""No keys."""

_NO_SUMS: Final = np.zeros(0, np.int64)
"""No sums."""


class PageRow(NamedTuple):
    """What a page asks its site.

    Attributes
    ----------
    counted
        Keys that the page has, each once: it asks for them, and counts for them. uint64.
    asked
        Keys that it asks for only.
    marks, fresh
        Pairs: if no page shortly before has the mark, the page counts for the other key.
    signatures
        A page that shares one with a page shortly before is a copy, and counts for no key.
    slots, sums
        Keys of slots, and what the page adds to the sums of each, row after row. int64.
    prose, long
        What it adds to the sums of the site.
    group
        Pages of one group count once; None: each page counts.
    """

    counted: Keys
    asked: Keys = _NONE
    marks: Keys = _NONE
    fresh: Keys = _NONE
    signatures: Keys = _NONE
    slots: Keys = _NONE
    sums: Numbers = _NO_SUMS
    prose: int = 0
    long: int = 0
    group: int | None = None


class Found(NamedTuple):
    """What came back for a page.

    Attributes
    ----------
    keys, counts
        Keys that other pages ask for as well, ascending, and how many pages count for each.
    slots, sums
        Slots that other pages have as well, ascending, and the sums over all pages. Slots × columns.
    place
        Number of the page among those of its site that are counted, from 1; 0 for a copy, which is not.
    pages
        Pages of the site that were learnt.
    counted
        Those of them that are no copies.
    prose, long
        Sums over the site's pages.
    """

    keys: Keys
    counts: Numbers
    slots: Keys
    sums: Numbers
    place: int
    pages: int
    counted: int
    prose: int
    long: int

    def of(self, keys: Keys, alone: int) -> Numbers:
        """Return how many pages count for each key; ``alone`` for those that no other page asks for."""
        counts = np.full(len(keys), alone, np.int64)
        if len(self.keys):
            place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            there = self.keys[place] == keys
            counts[there] = self.counts[place[there]]
        return counts
