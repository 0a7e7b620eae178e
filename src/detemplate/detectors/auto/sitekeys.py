"""What a page has in common with the other pages of its site, counted in one recurrence table.

Segments (by path and text, and by text alone), grouping elements (by their content), slots (by tags and
class words from the top down), slots that looked like content, and slots that had something new to say:
each is a key, and a key's document frequency says on how many pages of the site it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.features.segment import LEVELS

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table
    from detemplate.detectors.auto.surroundings import Surroundings
    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Keys = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

BASE: Final = (
    "site pages", "segment pages", "segment share", "text share",
    *(f"group share level {level}" for level in range(LEVELS)),
    "slot share", "slot pages", "slot content", "slot news",
)  # fmt: skip
"""Columns of :meth:`SiteKeys.shares`."""

SEGMENT_SHARE: Final = BASE.index("segment share")
UNKNOWN: Final = -1.0
"""Stands for every share while no other page of the site is known."""

TWIN: Final = 0.9
"""A page that shares so much of its content with pages before it is a copy."""

_CONTENT: Final = 0.5
_MOST: Final = np.array([np.inf if name.endswith("pages") else 1.0 for name in BASE])
"""Counts of a table that forgets, or was cut, may be above what is left of the pages."""

_SEGMENT, _TEXT, _GROUP, _SLOT, _VOTE, _NEWS = (
    np.uint64(number)
    for number in (
        0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
    )
)  # fmt: skip


class Known(NamedTuple):
    """What a site knows of a page already.

    Attributes
    ----------
    same
        All that the page has: it has been learnt, or one just like it.
    copy
        At least :data:`TWIN` of the words that look like content.
    """

    same: bool
    copy: bool


@dataclass(frozen=True, slots=True)
class SiteKeys:
    """The keys of a page: those of its segments, of its groups, and of its slots.

    Attributes
    ----------
    keys
        First the segments' own keys, then their texts', groups', slots', slots' votes and slots' news: what
        a table is asked for. uint64.
    segments, groups, slots
        How many there are of each.
    group
        Number of the group around each segment at each level, -1 for none.
    slot
        Number of each segment's slot.
    votes
        Which slots look like content by the page alone.
    main
        Which segments do.
    words
        Words of each segment.
    """

    keys: Keys
    segments: int
    groups: int
    slots: int
    group: npt.NDArray[np.int32]
    slot: npt.NDArray[np.int32]
    votes: npt.NDArray[np.bool_]
    main: npt.NDArray[np.bool_]
    words: npt.NDArray[np.int32]

    @classmethod
    def of(cls, page: Page, features: SegmentFeatures, around: Surroundings, content: Reals) -> SiteKeys:
        """Collect the keys of a page.

        Parameters
        ----------
        page, evidence, around
            The page, its evidence, its surroundings.
        content
            How much of content each segment looks by the page alone, in [0, 1].
        """
        columns, slot = page.columns, around.slot
        count = int(slot.max()) + 1
        slots = np.empty(count, np.uint64)
        slots[slot] = features.slots
        keys = np.concatenate(
            [
                page.segment_keys ^ _SEGMENT,
                columns.content[page.segments] ^ _TEXT,
                columns.content[around.held] ^ _GROUP,
                slots ^ _SLOT,
                slots ^ _VOTE,
                slots ^ _NEWS,
            ]
        )
        return cls(
            keys, len(slot), len(around.held), count, around.group, slot,
            around.slot_means(content) > _CONTENT, content > _CONTENT, features.words,
        )  # fmt: skip

    def learnt(self, counts: Counts) -> Keys:
        """Give the keys that a table is to count.

        Parameters
        ----------
        counts
            Document frequencies of :attr:`keys` before.

        Returns
        -------
        array of uint64
            All, but a slot's vote only where it looks like content, and its news only where a segment in it
            has not been seen before.
        """
        news = np.zeros(self.slots, np.bool_)
        news[self.slot[counts[: self.segments] == 0]] = True
        plain = len(self.keys) - 2 * self.slots
        votes, new = self.keys[plain : plain + self.slots], self.keys[plain + self.slots :]
        return np.concatenate([self.keys[:plain], votes[self.votes], new[news]])

    def known(self, counts: Counts) -> Known:
        """Tell from the document frequencies of :attr:`keys` what the site knows of the page already."""
        seen = counts[: self.segments] > 0
        total = int(self.words[self.main].sum())
        again = int(self.words[self.main & seen].sum())
        return Known(
            bool((counts[: len(counts) - 2 * self.slots] > 0).all()), total > 0 and again >= TWIN * total
        )

    def learn(self, table: Table) -> tuple[Counts, Known]:
        """Count the page's keys in a table, unless it is a copy; give what the table knew of it before.

        Returns
        -------
        counts : array of int32
            Document frequencies of :attr:`keys` before.
        known : Known
            What they tell.
        """
        counts = table.counts(self.keys)
        known = self.known(counts)
        if not known.copy:
            table.observe(self.learnt(counts))
        return counts, known

    def without(self, counts: Counts) -> Counts:
        """Take this page itself, which has been learnt, out of the document frequencies of :attr:`keys`.

        It had news in a slot for certain if no other page has one of the slot's segments.
        """
        own = np.zeros(len(counts), np.int32)
        plain = len(counts) - 2 * self.slots
        own[:plain] = 1
        own[plain : plain + self.slots] = self.votes
        own[plain + self.slots + self.slot[counts[: self.segments] <= 1]] = 1
        return np.asarray(np.maximum(counts - own, 0), np.int32)

    def shares(self, counts: Counts, others: int) -> Reals:
        """Say on how many of the site's other pages there is what each segment is and is in.

        Parameters
        ----------
        counts
            Document frequencies of :attr:`keys` among the other pages.
        others
            Number of other pages.

        Returns
        -------
        array of float64, segments × BASE
            The number of other pages; how many of them have the segment; shares of the pages that have the
            segment, its text, and each group around it; share and number of those that have its slot; the
            shares of these on which the slot looks like content, and had something new. :data:`UNKNOWN` where
            there is nothing to take a share of.
        """
        count = self.segments
        given = np.full((count, len(BASE)), UNKNOWN)
        given[:, 0] = others
        if not others:
            return given
        own, text = counts[:count], counts[count : 2 * count]
        # One more place for segments without a group: nothing is known about none.
        groups = np.append(counts[2 * count : 2 * count + self.groups], 0)
        slots, votes, news = counts[-3 * self.slots :].reshape(3, -1)
        each = np.maximum(slots, 1)
        given[:, 1], given[:, 2], given[:, 3] = own, own / others, text / others
        given[:, 4 : 4 + LEVELS] = groups[self.group] / others
        given[:, -4], given[:, -3] = slots[self.slot] / others, slots[self.slot]
        given[:, -2] = np.where(slots > 0, votes / each, UNKNOWN)[self.slot]
        given[:, -1] = np.where(slots > 0, news / each, UNKNOWN)[self.slot]
        return np.asarray(np.minimum(given, _MOST))
