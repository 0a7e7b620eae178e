"""The keys of a page in one array, and the table of the shares of pages that have them.

Keys are of six kinds, in this order: segments, their texts, groups, slots, votes and new slots. Arrays of
document frequencies have the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto import sharetable_reference
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Counts = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]

__all__ = ["KERNEL", "Hashes", "compare", "fill_shares", "joined_keys", "picked_keys"]

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._sharetable")
"""The kernel; None where it was not compiled."""


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


def picked_keys(keys: Keys, counts: Counts, slot: Rows, votes: Bools) -> Keys:
    """Give the keys that a table is to count.

    Parameters
    ----------
    keys, counts
        Keys of all kinds, and how many pages have each.
    slot
        Number of each segment's slot.
    votes
        Which slots vote.

    Returns
    -------
    array of uint64
        All keys but the votes of slots that do not vote, and the new slots without a segment on no page.
    """
    picked = np.empty_like(keys)
    kernel = sharetable_reference if KERNEL is None else KERNEL
    count = kernel.pick_keys(keys, counts, slot, votes.view(np.uint8), picked)
    return picked[:count]


def compare(counts: Counts, fixed: int, content: Bools, words: Rows, often: int) -> tuple[bool, int, int]:
    """Compare a page with the pages that were counted.

    Parameters
    ----------
    counts
        How many pages have each key.
    fixed
        Number of keys that every page like it has.
    content, words
        Which segments look like content, and their words.
    often
        Segments on so many pages are ignored.

    Returns
    -------
    known : bool
        Whether pages have all the fixed keys.
    total, repeated : int
        Words of the segments that look like content, and of those of them that are on some page.
    """
    kernel = sharetable_reference if KERNEL is None else KERNEL
    found: tuple[bool, int, int] = kernel.compare(counts, fixed, content.view(np.uint8), words, often)
    return found


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
