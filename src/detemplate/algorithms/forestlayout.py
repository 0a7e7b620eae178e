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

_PLACES: Final = np.array([(SPREAD << bit & 0xFFFFFFFF) >> SHIFT for bit in range(WORD)])
"""Place of the leaf of each bit in a piece's row of values."""


class Links(NamedTuple):
    """How the slots of a forest hang together, as its shape says.

    Attributes
    ----------
    root
        Slot of each tree's root.
    slot
        Slot of each inner node.
    right
        Slot of each inner node's right child. The left child is at the next slot.
    item
        Number of each slot's item: among the inner nodes for an inner node, among the leaves for a leaf.
    leaf
        First leaf below each inner node.
    split
        First leaf below each inner node's right child.
    end
        First leaf after those below each inner node.
    """

    root: Rows
    slot: Rows
    right: Rows
    item: Rows
    leaf: Rows
    split: Rows
    end: Rows


def heights(shape: npt.NDArray[np.bool_]) -> Rows:
    """Give the height after each slot: an inner node raises it by one, a leaf lowers it by one."""
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

    def ends(start: Rows, level: Rows) -> Rows:
        found = np.searchsorted(keys, (level - low) * (count + 1) + start)
        return np.asarray(keys[found] % (count + 1) + 1)

    right = ends(slot, height[slot] - 1)
    stop = ends(slot, height[slot] - 2)
    lowest = np.minimum.accumulate(np.append(0, height))
    root = np.flatnonzero(np.append(True, lowest[1:] < lowest[:-1])[:count])
    leaves = np.append(0, np.cumsum(~shape))  # leaves before each slot
    item = np.where(shape, np.cumsum(shape) - 1, leaves[:-1])
    return Links(root, slot, right, item, leaves[slot], leaves[right], leaves[stop])


def planned(
    shape: npt.NDArray[np.bool_],
    feature: npt.NDArray[np.uint16],
    threshold: Floats,
    value: Floats,
    links: Links,
) -> tuple[npt.NDArray[Any], ...]:
    """Lay out what the kernel reads: *pieces* with their conditions.

    A piece is a run of at most 32 leaves of one tree. A tree's pieces come from the last to the first: where
    an earlier piece of leaves has one left, its value replaces that of the later piece.

    Returns
    -------
    tuple of arrays
        One entry a condition, piece after piece: its column, times :data:`LANES` (uint32); its threshold
        (float32); the leaves that it strikes out, as bits (uint32, 0 in the mark that ends a piece). Then one
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
    struck = (one << until) - (one << below)
    piece = piece_end[tree[node]] - 1 - word
    pieces = int(piece_end[-1]) if len(piece_end) else 0
    # The mark at the end of a piece: a condition that strikes out nothing.
    order = np.argsort(np.append(piece, np.arange(pieces)), kind="stable")
    node, struck = np.append(node, np.full(pieces, len(tree))), np.append(struck, np.zeros(pieces, np.uint64))
    lasts = np.zeros(pieces, np.uint8)
    lasts[piece_end - 1] = 1
    # A leaf stands where the kernel looks it up: at the product of its bit.
    home = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(home)) - (leaf_end - sizes)[home]
    values = np.zeros((pieces, WORD), np.float32)
    values[piece_end[home] - 1 - place // WORD, _PLACES[place % WORD]] = value
    column = np.append(feature, np.uint16(0)).astype(np.uint32)
    return (
        column[node[order]] * np.uint32(LANES),
        np.append(threshold, np.float32(0))[node[order]],
        struck[order].astype(np.uint32),
        lasts,
        values,
    )
