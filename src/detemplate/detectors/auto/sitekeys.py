"""The keys of a page that the site's table counts.

One recurrence table a site counts keys of six kinds: *segments* (path and text), *texts* (the text alone),
*groups* (the content of a grouping element), *slots* (path with classes), *votes* (slots that look like
content by the page alone) and *new slots* (slots with a segment that no page shortly before has). The
document frequency of a key is the number of the site's pages that have it. Signatures of pages are counted as
well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.sharetable import (
    Hashes,
    fill_shares,
    page_keys,
    picked_keys,
)
from detemplate.detectors.auto.siteshares import SiteShares

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.surroundings import Surroundings
    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

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


class SiteKeys(NamedTuple):
    """The keys of a page. They can be pickled.

    Attributes
    ----------
    keys
        Keys of the segments, then of their texts, of groups, slots, votes and new slots. uint64.
    signatures
        Signatures of the page: pages that share one are copies of one another. uint64.
    slot
        Number of each segment's slot. int32.
    votes
        Which slots look like content by the page alone.
    """

    keys: Keys
    signatures: Keys
    slot: Rows
    votes: Bools

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
        columns, slot = page.columns, around.slot
        hashes = Hashes(columns.keys, columns.content, columns.segments, around.held, features.slots, slot)
        keys, votes, signed = page_keys(hashes, content, around.weight, features.words, _CONTENT, _MIXES)
        return cls(keys, signed, slot, votes)

    @property
    def segments(self) -> Keys:
        """Keys of the segments."""
        return self.keys[: len(self.slot)]

    @property
    def sizes(self) -> Rows:
        """Number of keys, of segments and of slots. int32."""
        return np.array([len(self.keys), len(self.slot), len(self.votes)], np.int32)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.keys.nbytes + self.slot.nbytes + self.votes.nbytes

    @property
    def whole(self) -> bool:
        """Whether the columns fit together."""
        segments, slots = len(self.slot), len(self.votes)
        numbered = bool((self.slot >= 0).all() and (self.slot < slots).all())
        return numbered and len(self.keys) >= 2 * segments + 3 * slots

    @property
    def own(self) -> Keys:
        """All keys, the signatures last. uint64."""
        return np.concatenate([self.keys, self.signatures])

    def split(self, found: Counts) -> tuple[Counts, bool]:
        """Part the frequencies of :attr:`own`: those of the keys, and whether a signature is known."""
        return found[: len(self.keys)], bool(np.count_nonzero(found[len(self.keys) :]))

    @property
    def marks(self) -> Keys:
        """Keys by which later pages tell what they repeat: of the segments, then the signatures. uint64."""
        return np.concatenate([self.segments, self.signatures])

    def counted(self, seen: Counts) -> Keys:
        """Give the keys that a table is to count for this page.

        These are all keys of segments, texts, groups and slots, the votes of slots that look like content,
        the new slots (those with a segment that is new), and the signatures.

        Parameters
        ----------
        seen
            0 for each segment that is new.
        """
        picked = picked_keys(self.keys, seen, self.slot, self.votes)
        return np.concatenate([picked, self.signatures])

    def shares(self, group: Rows, counts: Counts, pages: int, *, counted: bool = False) -> SiteShares:
        """Give the shares of the site's other pages that have each key.

        Parameters
        ----------
        group
            Number of the group around each segment at each level, -1 for none. segments × levels, int32.
        counts
            Document frequencies of :attr:`keys`.
        pages
            Number of pages that were counted.
        counted
            Whether this page is one of them. It is then left out of the frequencies and of their number: a
            page does not count for itself.
        """
        pages -= counted
        shares = SiteShares.unknown(pages, len(self.slot))
        if pages:
            fill_shares(counts, self.slot, group, self.votes, pages, counted, shares.table)
        return shares
