"""The keys of a page in one array, and the table of the shares of pages that have them.

Keys are of six kinds, in this order: segments, their texts, groups, slots, votes and new slots. Arrays of
document frequencies have the same order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.minwise import GOLDEN
from detemplate.detectors.auto import _sharetable

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Counts = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]

LONGEST: Final = 3
"""Number of segments that sign a page."""

SIGNATURES: Final = 2
"""Number of signatures of a page."""

_STEP: Final = math.log(1.25)
"""Contents that differ in length by this or more (in logarithms of words) have no signature in common."""


class Hashes(NamedTuple):
    """What the keys of a page are made of.

    Attributes
    ----------
    segments
        Hash of each segment. uint64.
    content
        Hash of the content of each row of the page's columns. uint64.
    rows, held
        Rows of the segments and of the groups. int32.
    slots
        Hash of each segment's slot. uint64.
    slot
        Number of each segment's slot. int32.
    """

    segments: Keys
    content: Keys
    rows: Rows
    held: Rows
    slots: Keys
    slot: Rows


def page_keys(  # noqa: PLR0917  # columns of a page
    hashes: Hashes, content: Reals, weight: Reals, words: Rows, least: float, mixes: Keys
) -> tuple[Keys, Bools, Keys]:
    """Give the keys of a page, the votes of its slots, and its signatures.

    Two pages have a signature in common if the :data:`LONGEST` longest different segments that look like
    content are the same on both (of equally long ones, those with lower keys), and their contents are about
    equally long: always if neither has over 1.11 times the other's words, never above 1.25 times. On pages
    without content, all segments stand for it.

    Parameters
    ----------
    hashes
        What the keys are made of.
    content, weight, words
        Content probability, weight and words of each segment; there is at least one. Segments with one hash
        have the same words.
    least
        Above this probability a segment looks like content, and a slot with such a weighted mean.
    mixes
        The number mixed into the hashes of each kind (exclusive or). uint64.

    Returns
    -------
    keys : array of uint64
        Keys of all kinds.
    votes : array of bool
        Which slots look like content.
    signatures : array of uint64
        :data:`SIGNATURES` numbers.
    """
    count, fixed = len(hashes.slot), 2 * len(hashes.slot) + len(hashes.held)
    keys, votes = np.empty(fixed + 3 * count, np.uint64), np.empty(count, np.uint8)
    signed = np.empty(SIGNATURES, np.uint64)
    slots: int = _sharetable.page_keys(
        *hashes, content, weight, words, mixes, least, LONGEST, _STEP, GOLDEN, keys, votes, signed
    )
    keys = keys[: fixed + 3 * slots].copy()  # no more memory than needed
    return keys, votes[:slots].view(np.bool_), signed


def picked_keys(keys: Keys, seen: Counts, slot: Rows, votes: Bools) -> Keys:
    """Give the keys that a table is to count.

    Parameters
    ----------
    keys
        Keys of all kinds.
    seen
        0 for each segment that is new; may be longer.
    slot
        Number of each segment's slot.
    votes
        Which slots vote.

    Returns
    -------
    array of uint64
        All keys but the votes of slots that do not vote, and the new slots without a new segment.
    """
    slots = len(votes)
    new = np.zeros(slots, np.bool_)
    new[slot[seen[: len(slot)] == 0]] = True
    fixed = len(keys) - 2 * slots
    return np.concatenate([keys[:fixed], keys[fixed : fixed + slots][votes], keys[fixed + slots :][new]])


def fill_shares(  # noqa: PLR0917  # as in the kernel
    counts: Counts,
    slot: Rows,
    group: Rows,
    votes: Bools,
    pages: int,
    counted: bool,
    table: Reals,
) -> None:
    """Fill a table of shares, which are at most 1: a table that forgets may count more pages than there are.

    Parameters
    ----------
    counts
        How many pages have each key.
    slot, group
        Number of each segment's slot, and of each group around it, -1 for none.
    votes
        Which slots vote.
    pages
        Number of pages, not 0; without this page.
    counted
        Whether the counts have this page. It is then left out: a slot was certainly new on it if no other
        page has one of its segments.
    table
        Segments × columns of :data:`~detemplate.detectors.auto.siteshares.SHARE_NAMES`. What is not known of
        a slot that no page has is left as it is.
    """
    _sharetable.fill_shares(counts, slot, group, votes.view(np.uint8), pages, counted, table)
