"""The keys of a page in one array, and the table of the shares of pages that have them.

Keys are of six kinds, in this order: segments, their texts, groups, slots, votes and new slots. Arrays of
document frequencies have the same order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.algorithms.minwise import GOLDEN
from detemplate.detectors.auto import sharetable_reference
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Counts = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]

__all__ = [
    "KERNEL", "LONGEST", "SIGNATURES", "Hashes", "fill_shares", "joined_keys", "picked_keys", "signatures",
    "voting_slots",
]  # fmt: skip

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._sharetable")
"""The kernel; None where it was not compiled."""

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


def joined_keys(hashes: Hashes, slots: int, mixes: Keys) -> Keys:
    """Give the keys of all kinds.

    Parameters
    ----------
    hashes
        What they are made of.
    slots
        Number of slots.
    mixes
        The number mixed into the hashes of each kind (exclusive or). uint64.
    """
    keys = np.empty(2 * len(hashes.slot) + len(hashes.held) + 3 * slots, np.uint64)
    (sharetable_reference if KERNEL is None else KERNEL).fill_keys(*hashes, mixes, keys)
    return keys


def voting_slots(slot: Rows, content: Reals, weight: Reals, least: float) -> Bools:
    """Tell which slots look like content: those whose weighted mean is above a number.

    Parameters
    ----------
    slot
        Number of each segment's slot; at least one segment has each.
    content, weight
        Content probability and weight of each segment.
    least
        The number.
    """
    votes = np.empty(len(slot), np.uint8)
    kernel = sharetable_reference if KERNEL is None else KERNEL
    return votes[: kernel.vote(slot, content, weight, least, votes)].view(np.bool_)


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
    picked = np.empty_like(keys)
    kernel = sharetable_reference if KERNEL is None else KERNEL
    count = kernel.pick_keys(keys, seen, slot, votes.view(np.uint8), picked)
    return picked[:count]


def signatures(keys: Keys, content: Bools, words: Rows) -> Keys:
    """Give the signatures of a page, in 64 bits.

    Two pages have one in common if the :data:`LONGEST` longest different segments that look like content are
    the same on both (of equally long ones, those with lower keys), and their contents are about equally long:
    always if neither has over 1.11 times the other's words, never above 1.25 times. On pages without content,
    all segments stand for it.

    Parameters
    ----------
    keys
        Keys of the segments, at least one.
    content, words
        Which segments look like content, and their words. Segments with one key have the same words.

    Returns
    -------
    array of uint64
        :data:`SIGNATURES` numbers.
    """
    kernel = sharetable_reference if KERNEL is None else KERNEL
    signed = np.empty(SIGNATURES, np.uint64)
    kernel.sign(keys, content.view(np.uint8), words, LONGEST, _STEP, GOLDEN, signed)
    return signed


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
    kernel = sharetable_reference if KERNEL is None else KERNEL
    kernel.fill_shares(counts, slot, group, votes.view(np.uint8), pages, counted, table)
