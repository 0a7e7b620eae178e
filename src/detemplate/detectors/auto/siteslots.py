"""What a site's pages have in each slot: sums over its pages, and how segments are judged by them.

News changes from page to page, but the line with its date has one slot on all pages, and so have the article
and the teasers beside it. What looks like content in a slot of the other pages is content here, too, even if
this page's own text tells little. All sums are whole numbers of fixed precision: they do not depend on the
order of the pages, a page that was counted can be left out exactly, and sums of parts add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np

from detemplate.detectors.auto.decision import RUNNING_WORDS
from detemplate.detectors.auto.slotsums import (
    COLUMNS,
    PAGES,
    SCALE,
    WEIGHT,
    gather,
    learn,
    page_sums,
)
from detemplate.detectors.auto.slottree import SlotTree, slot_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.auto.stages import PageStage
    from detemplate.page.page import Page

    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Sums = npt.NDArray[np.int64]

LONG_WORDS: Final = 200
"""Minimum words of running text on a page of an article site's kind."""

MAX_SLOTS: Final = 1 << 16
"""Maximum slots to remember of a site, if no smaller number of keys is set."""


NO_ROWS: Final = np.zeros(0, np.int32)
"""Where the slots of segments are not needed."""


class PageSlots(NamedTuple):
    """What one page adds to the sums of its site. It can be pickled.

    Attributes
    ----------
    tree
        The page's slots.
    sums
        Slots × :data:`COLUMNS`. int64.
    prose
        Share of running text in the page's expected content, times :data:`SCALE`.
    long
        Whether the page has :data:`LONG_WORDS` words of running text that look like content.
    """

    tree: SlotTree
    sums: Sums
    prose: int
    long: bool

    @classmethod
    def of(cls, page: Page, stage: PageStage, alone: Reals) -> PageSlots:
        """Sum up a page.

        Parameters
        ----------
        page, stage
            The page and the result of its first stage.
        alone
            Log-odds of each segment by the page alone.
        """
        columns, features = page.columns, stage.features
        tree = slot_tree(columns.parent, columns.segments, features.node_slots)
        sums, prose, long = page_sums(
            tree, features.words, stage.around.weight, alone, stage.content, RUNNING_WORDS
        )
        return cls(tree, sums, prose, long >= LONG_WORDS)

    def bare(self) -> Self:
        """Give what the site needs of the page."""
        tree = SlotTree(self.tree.keys, NO_ROWS, NO_ROWS)
        return type(self)(tree, self.sums, self.prose, self.long)


class SlotTotals(NamedTuple):
    """What a site's pages, a page itself included, have in the slots of that page, as the site answers.

    Attributes
    ----------
    total
        Sums of all pages. Slots × :data:`COLUMNS`. int64.
    pages
        Number of pages, the page included.
    prose
        Mean share of running text in the expected content of a page.
    long
        Share of the pages with :data:`LONG_WORDS` words of running text.
    """

    total: Sums
    pages: int
    prose: float
    long: float


class SlotEvidence(NamedTuple):
    """What a site's pages, a page itself included, have in the slots of that page.

    Attributes
    ----------
    tree
        The page's slots.
    own
        Sums of the page. Slots × :data:`COLUMNS`. int64.
    total, pages, prose, long
        As in :class:`SlotTotals`.
    """

    tree: SlotTree
    own: Sums
    total: Sums
    pages: int
    prose: float
    long: float

    @classmethod
    def of(cls, page: PageSlots, totals: SlotTotals) -> SlotEvidence:
        """Join what a page has and what its site answers."""
        return cls(page.tree, page.sums, *totals)


class SiteSlots:
    """Sums over the pages of a site, slot by slot.

    Parameters
    ----------
    most
        Maximum number of slots, at least 1; those on the fewest pages, then those seen longest ago, are
        dropped.

    Attributes
    ----------
    pages
        Pages learnt.
    prose
        Sum over the pages of the share of running text in the expected content, times :data:`SCALE`.
    long
        Number of pages with :data:`LONG_WORDS` words of running text.
    """

    def __init__(self, most: int = MAX_SLOTS) -> None:
        self._most = most
        self.pages = 0
        self.prose = 0
        self.long = 0
        self._keys: Keys = np.zeros(0, np.uint64)
        self._sums: Sums = np.zeros((0, len(COLUMNS)), np.int64)
        self._last: Sums = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._keys.nbytes + self._sums.nbytes + self._last.nbytes

    def learn(self, page: PageSlots) -> None:
        """Add a page."""
        self.pages += 1
        self.prose += page.prose
        self.long += page.long
        self._keys, self._sums, self._last = learn(
            self._keys, self._sums, self._last, page.tree.keys, page.sums, self.pages
        )
        if len(self._keys) > self._most:
            self._drop()

    def totals(self, page: PageSlots, *, counted: bool) -> SlotTotals:
        """Give what the site's pages have in the slots of a page.

        Parameters
        ----------
        page
            The page.
        counted
            Whether it has been learnt.
        """
        total = gather(self._keys, self._sums, page.tree.keys, page.sums, counted=counted)
        pages, prose, long = self.pages, self.prose, self.long
        if not counted:
            pages, prose, long = pages + 1, prose + page.prose, long + page.long
        pages = max(pages, 1)
        return SlotTotals(total, pages, prose / (SCALE * pages), long / pages)

    def merge(self, other: Self) -> Self:
        """Give the sums over this one's pages and the other's.

        Equal to one pass over all pages, unless slots were dropped.
        """
        joined = type(self)(self._most)
        joined.pages, joined.prose = self.pages + other.pages, self.prose + other.prose
        joined.long = self.long + other.long
        joined._keys, place = np.unique(np.concatenate([self._keys, other._keys]), return_inverse=True)
        joined._sums = np.zeros((len(joined._keys), len(COLUMNS)), np.int64)
        np.add.at(joined._sums, place, np.concatenate([self._sums, other._sums]))
        joined._last = np.zeros(len(joined._keys), np.int64)
        np.maximum.at(joined._last, place, np.concatenate([self._last, other._last + self.pages]))
        if len(joined._keys) > self._most:
            joined._drop()
        return joined

    def dump(self) -> dict[str, npt.NDArray[Any]]:
        """Give the columns of the table, by name."""
        sums = {f"slot {name}": self._sums[:, number].copy() for number, name in enumerate(COLUMNS)}
        return {"slots": self._keys.copy(), "slot last": self._last.copy(), **sums}

    def load(self, pages: int, prose: int, long: int, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill an empty table with the columns of :meth:`dump`.

        Raises
        ------
        ValueError
            The columns contradict each other.
        """
        keys, last = columns["slots"], columns["slot last"]
        sums = np.stack([columns[f"slot {name}"] for name in COLUMNS], axis=1)
        counts = sums[:, PAGES]
        whole = len(keys) == len(last) == len(sums) <= self._most and bool((keys[1:] > keys[:-1]).all())
        if not whole or ((counts < 1) | (counts > pages) | (last < 1) | (last > pages)).any():
            raise ValueError("the slots are inconsistent")
        if not 0 <= long <= pages or not 0 <= prose <= 2 * SCALE * pages or (sums[:, WEIGHT] < 0).any():
            raise ValueError("the slots are inconsistent")
        self.pages, self.prose, self.long = pages, prose, long
        self._keys, self._sums, self._last = keys, np.ascontiguousarray(sums), last

    def _drop(self) -> None:
        """Keep three quarters of the slots: those on most pages, of equal ones those seen last."""
        order = np.lexsort((self._keys, -self._last, -self._sums[:, PAGES]))
        kept = np.sort(order[: max(self._most * 3 // 4, 1)])
        self._keys, self._sums, self._last = self._keys[kept], self._sums[kept], self._last[kept]


SLOT_TYPES: Final = {"slots": "<u8", "slot last": "<i8"} | {f"slot {name}": "<i8" for name in COLUMNS}
"""Columns of :meth:`SiteSlots.dump`, and their types."""
