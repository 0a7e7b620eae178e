"""The keys of a page that the site's table counts.

One recurrence table a site counts keys of six kinds: *segments* (path and text), *texts* (the text alone),
*groups* (the content of a grouping element), *slots* (path with classes), *votes* (slots that look like
content by the page alone) and *new slots* (slots with a segment that no earlier page has). The document
frequency of a key is the number of the site's pages that have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.sharetable import Hashes, compare, fill_shares, joined_keys, picked_keys
from detemplate.detectors.auto.siteshares import SiteShares

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.recurrence import Table
    from detemplate.detectors.auto.surroundings import Surroundings
    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

COPY_SHARE: Final = 0.9
"""Minimum share of a page's content words that earlier pages have, for the page to be a copy."""

COPY_PAGES: Final = 5
"""A segment on so many earlier pages tells nothing about copies, whether it looks like content or not."""

_CONTENT: Final = 0.5
"""A segment or slot looks like content above this page-only content probability."""

_MIXES: Final = np.array(
    [
        0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
    ],
    np.uint64,
)  # fmt: skip
"""Mixed into the hashes (exclusive or), so that keys of different kinds differ."""


class Overlap(NamedTuple):
    """How much of a page the site's table already has.

    Attributes
    ----------
    complete
        All keys of segments, texts, groups and slots: the page, or one just like it, has been learnt.
    copy
        At least :data:`COPY_SHARE` of the words that look like content, of segments on fewer than
        :data:`COPY_PAGES` pages.
    """

    complete: bool
    copy: bool

    @property
    def counted(self) -> bool:
        """Whether the page, or a copy of it, is among the pages that the table counts."""
        return self.complete or self.copy


@dataclass(frozen=True, slots=True)
class SiteKeys:
    """The keys of a page.

    Attributes
    ----------
    keys
        Keys of the segments, then of their texts, of groups, slots, votes and new slots. uint64.
    segments, groups, slots
        Number of segments, of groups and of slots.
    group
        Number of the group around each segment at each level, -1 for none. segments × levels, int32.
    slot
        Number of each segment's slot. int32.
    votes
        Which slots look like content by the page alone.
    content
        Which segments look like content by the page alone.
    words
        Words of each segment. int32.
    """

    keys: Keys
    segments: int
    groups: int
    slots: int
    group: Rows
    slot: Rows
    votes: Bools
    content: Bools
    words: Rows

    @classmethod
    def of(cls, page: Page, features: SegmentFeatures, around: Surroundings, content: Reals) -> SiteKeys:
        """Collect the keys of a page.

        Parameters
        ----------
        page, features, around
            The page, the features of its segments, and their surroundings.
        content
            Page-only content probability of each segment.
        """
        slot = around.slot
        count = int(slot.max()) + 1
        keys = joined_keys(
            Hashes(page.segment_keys, page.columns.content, page.segments, around.held, features.slots, slot),
            count,
            _MIXES,
        )
        return cls(
            keys, len(slot), len(around.held), count, around.group, slot,
            around.slot_means(content) > _CONTENT, content > _CONTENT, features.words,
        )  # fmt: skip

    def learnt(self, counts: Counts) -> Keys:
        """Give the keys that a table is to count for this page.

        These are all keys of segments, texts, groups and slots, the votes of slots that look like content,
        and the new slots: those with a segment that has not been counted before.

        Parameters
        ----------
        counts
            Document frequencies of :attr:`keys` before this page.
        """
        return picked_keys(self.keys, counts, self.slot, self.votes)

    def overlap(self, counts: Counts) -> Overlap:
        """Compare the page with what has been learnt.

        Parameters
        ----------
        counts
            Document frequencies of :attr:`keys`.
        """
        fixed = len(counts) - 2 * self.slots
        complete, total, repeated = compare(counts, fixed, self.content, self.words, COPY_PAGES)
        return Overlap(complete, total > 0 and repeated >= COPY_SHARE * total)

    def learn(self, table: Table) -> tuple[Counts, Overlap]:
        """Count the page's keys in a table, unless the page is a copy.

        Returns
        -------
        counts : array of int32
            Document frequencies of :attr:`keys` before.
        overlap : Overlap
            How much of the page the table had before.
        """
        counts = table.counts(self.keys)
        overlap = self.overlap(counts)
        if not overlap.copy:
            table.observe(self.learnt(counts))
        return counts, overlap

    def shares(self, counts: Counts, pages: int, *, counted: bool = False) -> SiteShares:
        """Give the shares of the site's other pages that have each key.

        Parameters
        ----------
        counts
            Document frequencies of :attr:`keys`.
        pages
            Number of pages that were counted.
        counted
            Whether this page is one of them. It is then left out of the frequencies and of their number: a
            page does not count for itself.
        """
        pages -= counted
        shares = SiteShares.unknown(pages, self.segments)
        if pages:
            fill_shares(counts, self.slot, self.group, self.votes, pages, counted, shares.table)
        return shares
