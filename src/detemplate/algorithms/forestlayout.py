"""How a forest's nodes hang together, and how its kernel wants them laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float32]

# The kernel reads these constants from _pieces.pxd.
LANES: Final = 32
"""Rows that the kernel tries at a time."""

WORD: Final = 32
"""Leaves of a piece: the kernel strikes them out as bits of one word."""

SPREAD: Final = 0x077CB531
"""De Bruijn multiplier: times 2^bit, shifted right by :data:`SHIFT`, it gives each bit a place of its own."""

SHIFT: Final = 27
"""Bits that the product with :data:`SPREAD` is shifted to the right."""

CHUNK: Final = 256
"""Pieces that the kernel works on at a time: their lanes stay in the processor's nearest cache."""

STEP: Final = 8
"""Conditions of one column whose thresholds the kernel compares at a time."""

_PLACES: Final = np.array([(SPREAD << bit & 0xFFFFFFFF) >> SHIFT for bit in range(WORD)])


class Links(NamedTuple):
    """How the slots of a forest hang together, as its shape says.

    ``root``: slot of each tree's root.
    ``slot``: slot of each inner node.
    ``leaf``: first leaf below each inner node.
    ``split``: first leaf below each inner node's right child.
    """

    root: Rows
    slot: Rows
    leaf: Rows
    split: Rows


def heights(shape: npt.NDArray[np.bool_]) -> Rows:
    """Return the height after each slot: an inner node raises it by one, a leaf lowers it by one."""
    return np.cumsum(np.where(shape, 1, -1))


def linked(shape: npt.NDArray[np.bool_]) -> Links:
    """Find which slots belong together.

    A tree or subtree ends at the first slot where the height (:func:`heights`) is one lower than before it.
    """
    height = heights(shape)
    count = len(shape)
    slot = np.flatnonzero(shape)
    # Slots sorted by height, then by number: bisection finds the next slot of some height.
    low = int(height.min(initial=0)) - 2
    keys = np.sort((height - low) * (count + 1) + np.arange(count))

    # The right subtree begins where the height is first one lower than at its node.
    found = np.searchsorted(keys, (height[slot] - 1 - low) * (count + 1) + slot)
    right = keys[found] % (count + 1) + 1
    lowest = np.minimum.accumulate(np.append(0, height))
    root = np.flatnonzero(np.append(True, lowest[1:] < lowest[:-1])[:count])
    leaves = np.append(0, np.cumsum(~shape))  # leaves before each slot
    return Links(root, slot, leaves[slot], leaves[right])


def planned(
    shape: npt.NDArray[np.bool_],
    feature: npt.NDArray[np.uint16],
    threshold: Floats,
    value: Floats,
    links: Links,
) -> tuple[npt.NDArray[Any], ...]:
    """Lay out what the kernel reads: *pieces* of trees, and *steps* of conditions.

    A piece is a run of at most 32 leaves of one tree. A tree's pieces come from the last to the first: where
    an earlier piece of leaves has one left, its value replaces that of the later piece. The kernel works on
    :data:`CHUNK` pieces at a time. A step has :data:`STEP` conditions of a chunk on one column; thresholds
    ascend. A column's last step is filled up with conditions that strike out nothing.

    Returns: one entry a condition, step after step: its threshold (float32); the leaves that it strikes out,
        as bits (uint32); its piece's number in the chunk, times :data:`LANES` (uint32). Then one entry a
        step: its column (uint32). Then the number of steps up to the end of each chunk (int32). Then one
        entry a piece: whether it is its tree's last (uint8), and the values of its leaves (float32,
        :data:`WORD` of them).
    """
    sizes = (np.diff(links.root, append=len(shape)) + 1) // 2
    words = -(-sizes // WORD)
    piece_end, leaf_end = np.cumsum(words), np.cumsum(sizes)
    tree = np.searchsorted(links.root, links.slot, side="right") - 1
    leaf, split = (edge - (leaf_end - sizes)[tree] for edge in (links.leaf, links.split))
    begin = leaf // WORD
    repeats = (split - 1) // WORD - begin + 1
    node = np.repeat(np.arange(len(tree)), repeats)
    word = np.arange(len(node)) - np.repeat(np.cumsum(repeats) - repeats, repeats) + begin[node]
    below, until = (np.clip(edge[node] - word * WORD, 0, WORD).astype(np.uint64) for edge in (leaf, split))
    one = np.uint64(1)
    struck = ((one << until) - (one << below)).astype(np.uint32)
    piece = piece_end[tree[node]] - 1 - word
    pieces = int(piece_end[-1]) if len(piece_end) else 0
    lasts = np.zeros(pieces, np.uint8)
    lasts[piece_end - 1] = 1
    # A leaf stands where the kernel looks it up: at the product of its bit.
    home = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(home)) - (leaf_end - sizes)[home]
    values = np.zeros((pieces, WORD), np.float32)
    values[piece_end[home] - 1 - place // WORD, _PLACES[place % WORD]] = value
    order = np.lexsort((threshold[node], feature[node], piece // CHUNK))
    node, struck, piece = node[order], struck[order], piece[order]
    chunk, column = piece // CHUNK, feature[node].astype(np.int64)
    fresh = np.append(True, (np.diff(chunk) != 0) | (np.diff(column) != 0))[: len(node)]
    first = np.flatnonzero(fresh)
    lengths = np.diff(first, append=len(node))
    room = -(-lengths // STEP) * STEP
    ends = np.cumsum(room)
    at = np.arange(len(node)) + np.repeat(ends - room - first, lengths)
    filled = int(ends[-1]) if len(ends) else 0
    limits, lefts = np.full(filled, np.inf, np.float32), np.zeros(filled, np.uint32)
    places = np.zeros(filled, np.uint32)
    limits[at], lefts[at], places[at] = threshold[node], struck, piece % CHUNK * LANES
    columns = np.repeat(column[first], room // STEP).astype(np.uint32)
    chunk_of_step = np.repeat(chunk[first], room // STEP)
    step_ends = np.searchsorted(chunk_of_step, np.arange(-(-pieces // CHUNK)), side="right").astype(np.int32)
    return limits, lefts, places, columns, step_ends, lasts, values
