"""What method ``auto`` learns of a site: how many pages have each text, and sums over each slot's pages.

A slot is the place of elements with the same tags and classes from the top of the page down. News changes
from page to page, but the line with its date has one slot on all pages, and so have the article and the
teasers beside it. All sums are whole numbers: they do not depend on the order of the pages, sums of parts add
up, and a page that was counted is left out exactly. Only what is forgotten or dropped depends on the order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.minwise import GOLDEN
from detemplate.algorithms.recurrence import merged, recurrence_table
from detemplate.detectors.auto import _site
from detemplate.features.segment import LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.page.page import Page

    Counts = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Sums = npt.NDArray[np.int64]

COLUMNS: Final = (
    "pages", "votes", "texts", "new", "weight", "odds", "words", "content", "words inside", "content inside",
)  # fmt: skip
"""Columns of the sums of a slot; ``_site.pxd`` repeats them.

``pages`` counts the pages with the slot, ``votes`` those on which it looks like content by the page alone,
``texts`` the different texts directly in the slot on each page, and ``new`` those in it on any page: as many
as were new when they came. ``weight`` and ``odds`` are sums over the segments directly in the slot, of their
weights and of weight × log-odds by the page alone. ``words`` and ``content`` are shares of a page's expected
content: of the words of these segments, and of the words expected to be content. ``words inside`` and
``content inside`` are these shares for all segments in the slot and in the slots inside it.
"""

PAGES, VOTES, TEXTS, NEW, WEIGHT, ODDS, WORDS, CONTENT, WORDS_INSIDE, CONTENT_INSIDE = range(len(COLUMNS))
"""Numbers of the columns."""

SCALE: Final = 1 << 20
"""Sums of real numbers are multiples of 1 / SCALE."""

BARE_WEIGHT: Final = 0.3
"""Weight of a segment without words (``DETEMPLATE_LEAST`` in ``_around.pxd``)."""

RUNNING_WORDS: Final = 20
"""Minimum words of a segment of running text."""

MAX_SLOTS: Final = 1 << 16
"""Maximum slots to remember of a site, if no smaller number of keys is set."""

SHARE_NAMES: Final = (
    "segment pages", "segment share", "text share",
    *(f"group share level {level}" for level in range(LEVELS)),
    "slot share", "slot pages", "slot content", "slot news", "slot variety",
)  # fmt: skip
"""Names of the columns of :attr:`SiteShares.table`."""

UNKNOWN: Final = -1.0
"""Stands for a share of no pages."""

STATE_TYPES: Final = {"keys": "<u8", "df": "<i4", "last": "<i4", "slots": "<u8", "slot last": "<i8"} | {
    f"slot {name}": "<i8" for name in COLUMNS
}
"""Columns of :meth:`Site.dump`, and their types."""

_MIXES: Final = np.array([0xBF58476D1CE4E5B9, 0x94D049BB133111EB], np.uint64)
"""Mixed into the hashes (exclusive or), so that keys of texts and groups differ."""

_LIKELY: Final = 0.5
"""A segment looks like content above this page-only content probability."""

_LONGEST: Final = 3
"""Number of segments that sign a page."""

_SIGNATURES: Final = 2
"""Number of signatures of a page."""

_STEP: Final = math.log(1.25)
"""Contents that differ in length by this or more (in logarithms of words) have no signature in common."""


class SlotTree(NamedTuple):
    """The slots of the elements around a page's segments.

    ``keys``: hash of each slot, in the order of the first element that has it. uint64.
    ``above``: number of the slot around each slot, lower than its own; -1 for none. int32.
    ``own``: number of the slot of each segment. int32.
    """

    keys: Keys
    above: Rows
    own: Rows

    @classmethod
    def of(cls, parent: Rows, segments: Rows, slots: Keys) -> SlotTree:
        """Collect the slots around a page's segments; a segment without an element around it counts itself.

        ``parent``: row of the parent of each row of the page's columns, -1 for none.
        ``segments``: rows of the segments, ascending; at least one.
        ``slots``: hash of the slot of each row.
        """
        keys, above = np.empty(len(parent), np.uint64), np.empty(len(parent), np.int32)
        own = np.empty(len(segments), np.int32)
        count = _site.collect(parent, segments, slots, keys, above, own)
        return cls(keys[:count].copy(), above[:count].copy(), own)


class Query(NamedTuple):
    """What one page adds to its site, and asks it. It can be pickled.

    ``keys``: keys of the segments (slot and text), of their texts, and of the groups around them. uint64.
    ``own``: number of the slot of each segment. int32.
    ``first``: the first segment with each different key, by the keys' order. int64.
    ``signatures``: pages that share one are copies of one another: the longest different segments that look
        like content are the same on both, and their contents are about equally long (always below 1.11 times,
        never above 1.25 times). On pages without content, all segments stand for it. uint64.
    ``slots``: hash of each slot. uint64.
    ``sums``: slots × :data:`COLUMNS`. int64.
    ``prose``: share of running text in the page's expected content, times :data:`SCALE`.
    """

    keys: Keys
    own: Rows
    first: npt.NDArray[np.intp]
    signatures: Keys
    slots: Keys
    sums: Sums
    prose: int

    @classmethod
    def of(  # noqa: PLR0917  # columns of a page
        cls, page: Page, tree: SlotTree, words: Rows, weight: Reals, held: Rows, content: Reals, alone: Reals
    ) -> Query:
        """Collect what a page adds to its site.

        ``page``, ``tree``: the page and its slots.
        ``words``, ``weight``: words and weight of each segment.
        ``held``: rows of the groups around the segments.
        ``content``: page-only content probability of each segment.
        ``alone``: log-odds of each segment by the page alone.
        """
        columns = page.columns
        keys = np.empty(2 * len(tree.own) + len(held), np.uint64)
        signed = np.empty(_SIGNATURES, np.uint64)
        _site.page_keys(
            columns.content, columns.segments, held, tree.keys, tree.own, content, words, _MIXES, _LIKELY,
            _LONGEST, _STEP, GOLDEN, keys, signed,
        )  # fmt: skip
        sums = np.empty((len(tree.keys), len(COLUMNS)), np.int64)
        prose = _site.page_sums(tree.above, tree.own, words, weight, alone, content, RUNNING_WORDS, sums)
        first = np.unique(keys[: len(tree.own)], return_index=True)[1]
        sums[:, TEXTS] = np.bincount(tree.own[first], minlength=len(sums))
        return cls(keys, tree.own, first, signed, tree.keys, sums, prose)

    @property
    def every(self) -> Keys:
        """All keys that a site counts. uint64."""
        return np.concatenate([self.keys, self.signatures])

    def different(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """Count the different texts directly in each slot, of the chosen segments: all or none with a key."""
        return np.bincount(self.own[self.first[chosen[self.first]]], minlength=len(self.slots))


class Answer(NamedTuple):
    """What a site, where it has learned other pages, has of what a page asks.

    ``counts``: document frequency of each key.
    ``copies``: pages that were learned and are copies of the page, itself included.
    ``others``: all other pages that were learned.
    ``total``: sums of all pages, the page included. Slots × :data:`COLUMNS`. int64.
    ``pages``: number of pages in these sums.
    ``prose``: mean share of running text in the expected content of a page.
    """

    counts: Counts
    copies: int
    others: int
    total: Sums
    pages: int
    prose: float

    @property
    def slot_words(self) -> Reals:
        """Mean words of a text directly in each slot, on all pages; those of equal texts add up."""
        mean: Reals = self.total[:, WEIGHT] / (SCALE * np.maximum(self.total[:, TEXTS], 1))
        return mean - BARE_WEIGHT


@dataclass(frozen=True, slots=True)
class SiteShares:
    """How often the site's other pages have what each segment of a page is and is in.

    Copies of the page do not count as other pages. Each column is a view: writing to it writes to the table.

    ``pages``: number of other pages of the site.
    ``table``: segments × :data:`SHARE_NAMES`, float64; all :data:`UNKNOWN` if there are no other pages.
    """

    pages: int
    table: Reals

    @property
    def segment_pages(self) -> Reals:
        """Number of other pages with the segment (same slot and text)."""
        return self.table[:, 0]

    @property
    def segment_share(self) -> Reals:
        """Share of the other pages with the segment (same slot and text)."""
        return self.table[:, 1]

    @property
    def text_share(self) -> Reals:
        """Share of the other pages with the segment's text, anywhere."""
        return self.table[:, 2]

    @property
    def group_shares(self) -> Reals:
        """Share of the other pages with each group around the segment; segments × levels, 0 for no group."""
        return self.table[:, 3 : 3 + LEVELS]

    @property
    def slot_share(self) -> Reals:
        """Share of the other pages with the segment's slot."""
        return self.table[:, 3 + LEVELS]

    @property
    def slot_pages(self) -> Reals:
        """Number of other pages with the segment's slot."""
        return self.table[:, 4 + LEVELS]

    @property
    def slot_content(self) -> Reals:
        """Of the other pages with the slot, the share on which it looks like content by the page alone."""
        return self.table[:, 5 + LEVELS]

    @property
    def slot_new(self) -> Reals:
        """Different texts in the slot on the other pages that have it, as a share of these pages."""
        return self.table[:, 6 + LEVELS]

    @property
    def slot_variety(self) -> Reals:
        """The same as a share of the texts in the slot on each of these pages."""
        return self.table[:, 7 + LEVELS]

    @classmethod
    def unknown(cls, pages: int, segments: int) -> SiteShares:
        """Return a table in which all is :data:`UNKNOWN`, to be filled."""
        return cls(pages, np.full((segments, len(SHARE_NAMES)), UNKNOWN))

    @classmethod
    def of(cls, query: Query, answer: Answer, group: Rows) -> SiteShares:
        """Turn a site's answer into shares, which are at most 1: tables forget.

        ``query``, ``answer``: what the page asked, and what the site answered.
        ``group``: number of the group around each segment at each level, -1 for none. segments × levels,
            int32.
        """
        shares, own = cls.unknown(answer.others, len(query.own)), query.sums.copy()
        own[:, NEW] = query.different(
            (answer.counts[: len(query.own)] <= answer.copies) & (answer.copies > 0)
        )
        _site.fill_shares(
            answer.counts, query.own, group, own, answer.total, answer.others, answer.pages - 1,
            answer.copies, shares.table,
        )  # fmt: skip
        return shares


class Site:
    """What is learned of a site's pages.

    ``lives``, ``most``: lifetimes of keys, and the maximum number of them
        (:func:`~detemplate.algorithms.recurrence.recurrence_table`). As many slots, but at most
        :data:`MAX_SLOTS`, are remembered. Those on the fewest pages, then those seen longest ago, go.
    ``prose``: sum over the pages of the share of running text in the expected content, times :data:`SCALE`.
    """

    def __init__(self, lives: npt.NDArray[np.int64], most: int) -> None:
        self._lives, self._most = lives, most
        self._most_slots = min(MAX_SLOTS, most)
        self._counts = recurrence_table(lives, most)
        self.prose = 0
        self._slots: Keys = np.zeros(0, np.uint64)
        self._sums: Sums = np.zeros((0, len(COLUMNS)), np.int64)
        self._last: Sums = np.zeros(0, np.int64)

    @property
    def pages(self) -> int:
        """Pages learned."""
        return self._counts.pages

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self._counts.nbytes + self._slots.nbytes + self._sums.nbytes + self._last.nbytes

    def learn(self, page: Query) -> None:
        """Count a page's keys, and add to its slots; ValueError if these have not a row of sums each."""
        if page.sums.shape != (len(page.slots), len(COLUMNS)):  # a checkpoint may be made by hand
            raise ValueError("a page's slots are inconsistent")
        found = self._counts.observe(page.every)
        sums = page.sums.copy()
        sums[:, NEW] = page.different(found[: len(page.own)] == 1)
        self.prose += page.prose
        self._add(page.slots, sums)
        if len(self._slots) > self._most_slots:
            self._drop()

    def answer(self, page: Query) -> Answer | None:
        """Return what other pages have of what a page asks; None if no other page was learned."""
        found = self._counts.counts(page.every)
        keys = len(page.keys)
        copies = int(found[keys:].max())
        if self.pages <= copies:
            return None
        total = np.empty_like(page.sums)
        _site.gather(self._slots, self._sums, page.slots, page.sums, bool(copies), total)
        pages, prose = self.pages, self.prose
        if not copies:
            pages, prose = pages + 1, prose + page.prose
        others = self.pages - copies
        return Answer(found[:keys], copies, others, total, pages, prose / (SCALE * pages))

    def merge(self, other: Self) -> Self:
        """Return what is learned of this one's pages and the other's.

        Equal to one pass over all pages, in any order, unless a part forgot or dropped a key or slot.
        """
        joined = type(self)(self._lives, self._most)
        joined._counts = merged(self._counts, other._counts, self._lives, self._most)
        joined.prose = self.prose + other.prose
        joined._slots, place = np.unique(np.concatenate([self._slots, other._slots]), return_inverse=True)
        joined._sums = np.zeros((len(joined._slots), len(COLUMNS)), np.int64)
        np.add.at(joined._sums, place, np.concatenate([self._sums, other._sums]))
        joined._last = np.zeros(len(joined._slots), np.int64)
        np.maximum.at(joined._last, place, np.concatenate([self._last, other._last + self.pages]))
        both = np.intersect1d(self._counts.dump()[0], other._counts.dump()[0], assume_unique=True)
        # A text that is in a slot in both parts is new once; its key tells the slot.
        known = both[(both & np.uint64(1)) > 0] >> np.uint64(32)
        upper = (joined._slots * np.uint64(GOLDEN)) >> np.uint64(32)
        order = upper.argsort()
        slots = order[upper.searchsorted(known, sorter=order).clip(0, max(len(upper) - 1, 0))]
        np.subtract.at(joined._sums[:, NEW], slots[upper[slots] == known], 1)
        joined._sums[:, NEW] = np.maximum(joined._sums[:, NEW], 0)
        if len(joined._slots) > joined._most_slots:
            joined._drop()
        return joined

    @property
    def numbers(self) -> dict[str, int]:
        """Pages learned, and sums over all."""
        return {"learned": self.pages, "prose": self.prose}

    def dump(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of :data:`STATE_TYPES`."""
        columns = *self._counts.dump(), self._slots.copy(), self._last.copy(), *self._sums.T.copy()
        return dict(zip(STATE_TYPES, columns, strict=True))

    def load(self, numbers: Mapping[str, Any], columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill an empty object with :attr:`numbers` and the columns of :meth:`dump`.

        Raises ValueError: the columns contradict each other.
        """
        pages, prose = (int(numbers[name]) for name in self.numbers)
        keys, df, last, slots, slot_last, *sums = (columns[name] for name in STATE_TYPES)
        whole = len(slots) <= self._most_slots and bool((slots[1:] > slots[:-1]).all())
        if not whole or {len(column) for column in (slot_last, *sums)} != {len(slots)}:
            raise ValueError("the slots are inconsistent")
        counts = sums[PAGES]
        wrong = (counts < 1) | (counts > pages) | (slot_last < 1) | (slot_last > pages)
        wrong |= (sums[VOTES] < 0) | (sums[VOTES] > counts) | (sums[NEW] < 0) | (sums[NEW] > sums[TEXTS])
        if (wrong | (sums[WEIGHT] < 0)).any() or not 0 <= prose <= 2 * SCALE * pages:
            raise ValueError("the slots are inconsistent")
        self._counts.load(pages, keys, df, last)
        self.prose, self._slots, self._last, self._sums = prose, slots, slot_last, np.stack(sums, axis=1)

    def _add(self, slots: Keys, own: Sums) -> None:
        """Add a page to the table of slots, which is in the ascending order of its keys."""
        places = np.empty(len(slots), np.int64)
        new = _site.add(self._slots, self._sums, self._last, slots, own, self.pages, places)
        if not new:
            return
        order = (places >= 0).nonzero()[0]
        order = order[slots[order].argsort()]

        def grown(column: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            longer = np.empty((len(column) + new, rows.shape[1]), np.int64)
            _site.insert(column.view(np.int64).reshape(-1, rows.shape[1]), rows, order, places, longer)
            return longer

        self._slots = grown(self._slots, slots.view(np.int64)[:, None])[:, 0].view(np.uint64)
        self._sums = grown(self._sums, own)
        self._last = grown(self._last, np.full((len(slots), 1), self.pages, np.int64))[:, 0]

    def _drop(self) -> None:
        """Keep three quarters of the slots: those on most pages, of equal ones those seen last."""
        order = np.lexsort((self._slots, -self._last, -self._sums[:, PAGES]))
        kept = np.sort(order[: max(self._most_slots * 3 // 4, 1)])
        self._slots, self._sums, self._last = self._slots[kept], self._sums[kept], self._last[kept]


def label_slots(above: Rows, gain: Reals, missing: Reals, switch: float) -> npt.NDArray[np.bool_]:
    """Label slots as content or template, for the greatest sum of gains.

    ``above``: number of the slot around each slot, lower than its own; -1 for none.
    ``gain``: gain of each slot if it is content; 0 if it is template.
    ``missing``: gain of the slots inside each slot that this page does not have, if all of them are content.
    ``switch``: cost of each slot with another label than the slot around it; the top of the page is template.
    Returns: which slots are content. Of equal sums, a slot takes the label of the slot around it.
    """
    labels = np.zeros(len(above), np.uint8)
    _site.label_slots(above, gain, missing, switch, labels)
    return labels.view(np.bool_)
