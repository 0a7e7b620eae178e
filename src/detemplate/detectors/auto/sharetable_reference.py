"""A page's keys, and the shares of pages with them, uncompiled; arguments as in the kernel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from detemplate.detectors.auto.surroundings_reference import slot_means

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Bytes = npt.NDArray[np.uint8]
    Counts = npt.NDArray[np.int32]
    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]


def page_keys(  # noqa: PLR0917  # as in the kernel
    segments: Keys,
    content: Keys,
    rows: Rows,
    held: Rows,
    hashes: Keys,
    slot: Rows,
    likely: Reals,
    weight: Reals,
    words: Rows,
    mixes: Keys,
    least: float,
    longest: int,
    ratio: float,
    golden: int,
    keys: Keys,
    votes: Bytes,
    signed: Keys,
) -> int:
    """Fill the keys of all kinds, mark the slots that vote, and sign the page; give the number of slots.

    Parameters
    ----------
    segments, hashes, slot
        Hash of each segment, hash of its slot, and the slot's number; at least one segment has each.
    content
        Hash of the content of each row.
    rows, held
        Rows of the segments and of the groups.
    likely, weight, words
        Content probability, weight and words of each segment.
    mixes
        The number mixed into the hashes of each kind.
    least
        Above this probability a segment, or a slot, looks like content.
    longest, ratio, golden, signed
        As of :func:`sign`.
    keys, votes
        Their beginnings are filled. They have room for as many slots as segments.
    """
    means = slot_means(likely, weight, slot)
    votes[: len(means)] = means > least
    slots = np.empty(len(means), np.uint64)
    slots[slot] = hashes
    kinds = (segments, content[rows], content[held], slots, slots, slots)
    found = np.concatenate([kind ^ mix for kind, mix in zip(kinds, mixes, strict=True)])
    keys[: len(found)] = found
    sign(found[: len(slot)], likely > least, words, longest, ratio, golden, signed)
    return len(means)


def pick_keys(keys: Keys, counts: Counts, slot: Rows, votes: Bytes, picked: Keys) -> int:
    """Write the keys that a table is to count; give their number."""
    slots = len(votes)
    new = np.zeros(slots, np.bool_)
    new[slot[counts[: len(slot)] == 0]] = True
    fixed, voting, fresh = np.split(keys, [len(keys) - 2 * slots, len(keys) - slots])
    found = np.concatenate([fixed, voting[votes > 0], fresh[new]])
    picked[: len(found)] = found
    return len(found)


def sign(  # noqa: PLR0917  # as in the kernel
    keys: Keys, content: Bools, words: Rows, longest: int, ratio: float, golden: int, signed: Keys
) -> None:
    """Fill in the two signatures of a page.

    Parameters
    ----------
    keys, content, words
        Key of each segment, whether it looks like content, and its words.
    longest
        Number of segments that sign a page.
    ratio, golden, signed
        Logarithm of the ratio of lengths that is a step; what a step adds to a signature; the signatures.
    """
    own = content if content.any() else np.ones(len(content), np.bool_)
    lengths = dict(zip(keys[own].tolist(), words[own].tolist(), strict=True))
    best = sorted(lengths, key=lambda key: (-lengths[key], key))[:longest]
    total = sum(best) if content.any() else int(keys.sum(dtype=np.uint64))
    # Steps of a ratio, and the same moved by half a step.
    step = math.log(max(int(words[own].sum()), 1)) / ratio
    sizes = 2 * math.floor(step), 2 * math.floor(step + 0.5) + 1
    signed[:] = [(total + (each + 1) * golden) % 2**64 for each in sizes]


def fill_shares(  # noqa: PLR0917  # as in the kernel
    counts: Counts,
    slot: Rows,
    group: Rows,
    votes: Bytes,
    pages: float,
    counted: bool,
    table: Reals,
) -> None:
    """Fill the table of shares; see the face's ``fill_shares``."""
    segments, slots, levels = len(slot), len(votes), group.shape[1]
    ends = np.cumsum([segments, segments, len(counts) - 2 * segments - 3 * slots, slots, slots])
    if counted:
        own = np.ones(len(counts), np.int32)
        own[ends[3] : ends[4]] = votes
        own[ends[4] :] = 0
        own[ends[4] + slot[counts[:segments] <= 1]] = 1
        counts = np.maximum(counts - own, 0).astype(np.int32)
    own_pages, texts, groups, with_slot, voting, new = np.split(counts, ends)
    table[:, 0] = own_pages
    table[:, 1] = np.minimum(own_pages / pages, 1)
    table[:, 2] = np.minimum(texts / pages, 1)
    # The last place, number -1, is that of no group.
    table[:, 3 : 3 + levels] = np.minimum(np.append(groups, 0)[group] / pages, 1)
    table[:, 3 + levels] = np.minimum(with_slot[slot] / pages, 1)
    table[:, 4 + levels] = with_slot[slot]
    known = (with_slot > 0)[slot]
    for column, values in ((5 + levels, voting), (6 + levels, new)):
        table[known, column] = np.minimum(values / np.maximum(with_slot, 1), 1)[slot][known]
