"""How a forest's nodes hang together, and how the compiled sums of it want them laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Rows = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float32]

_LANES: Final = 32  # the kernel's rows at a time
_WORD: Final = 32  # leaves that the kernel strikes out at a time
_SPREAD: Final = 0x077CB531  # times 2^b, shifted right by 27: another number for every b (de Bruijn)
_PLACES: Final = np.array([(_SPREAD << bit & 0xFFFFFFFF) >> 27 for bit in range(_WORD)])


class Links(NamedTuple):
    """How the slots of a forest hang together, found from its shape.

    Attributes
    ----------
    root
        Slot of each tree's root.
    slot
        Slot of each inner node.
    right
        Slot of each inner node's right child; the left one is at the next slot.
    item
        Number of each slot's inner node or leaf.
    leaf
        First leaf below each inner node.
    split, end
        First leaf to its right; first leaf behind.
    """

    root: Rows
    slot: Rows
    right: Rows
    item: Rows
    leaf: Rows
    split: Rows
    end: Rows


def heights(shape: npt.NDArray[np.bool_]) -> Rows:
    """Give the height behind each slot: inner nodes raise it by one, leaves lower it by one."""
    return np.cumsum(np.where(shape, 1, -1))


def linked(shape: npt.NDArray[np.bool_]) -> Links:
    """Find which slots belong together.

    Every inner node raises the height by one, every leaf lowers it by one. So a tree or subtree ends
    at the first slot where the height is one lower than before it.
    """
    height = heights(shape)
    count = len(shape)
    slot = np.flatnonzero(shape)
    # Slots sorted by height, then by place: the next slot of some height is found by bisection.
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
    """Lay out what the kernel reads: the columns in use, and pieces of 32 leaves, each with its conditions.

    A tree's pieces come from the last to the first, and where an earlier piece has a leaf left, it
    takes the place of the later one's.
    """
    sizes = (np.diff(links.root, append=len(shape)) + 1) // 2
    words = -(-sizes // _WORD)
    piece_end, leaf_end = np.cumsum(words), np.cumsum(sizes)
    tree = np.searchsorted(links.root, links.slot, side="right") - 1
    leaf, split = (edge - (leaf_end - sizes)[tree] for edge in (links.leaf, links.split))
    begin = leaf // _WORD
    repeats = (split - 1) // _WORD - begin + 1
    node = np.repeat(np.arange(len(tree)), repeats)
    word = np.arange(len(node)) - np.repeat(np.cumsum(repeats) - repeats, repeats) + begin[node]
    below, until = (np.clip(edge[node] - word * _WORD, 0, _WORD).astype(np.uint64) for edge in (leaf, split))
    one = np.uint64(1)
    struck = (one << until) - (one << below)
    piece = piece_end[tree[node]] - 1 - word
    pieces = int(piece_end[-1]) if len(piece_end) else 0
    # Behind its conditions, each piece has one that strikes out nothing: its end.
    order = np.argsort(np.append(piece, np.arange(pieces)), kind="stable")
    node, struck = np.append(node, np.full(pieces, len(tree))), np.append(struck, np.zeros(pieces, np.uint64))
    lasts = np.zeros(pieces, np.uint8)
    lasts[piece_end - 1] = 1
    # The leaves of a piece stand where the kernel's multiplication finds the lowest bit.
    home = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(home)) - (leaf_end - sizes)[home]
    values = np.zeros((pieces, _WORD), np.float32)
    values[piece_end[home] - 1 - place // _WORD, _PLACES[place % _WORD]] = value
    uses, column = np.unique(feature, return_inverse=True)
    return (
        uses.astype(np.int32),
        (np.append(column, 0)[node[order]] * _LANES).astype(np.int32),
        np.append(threshold, np.float32(0))[node[order]],
        struck[order].astype(np.uint32),
        lasts,
        values,
    )


def ordered(left: list[int], right: list[int]) -> tuple[list[bool], list[int], list[int]]:
    """Order a tree: each node before its left and that before its right subtree.

    Parameters
    ----------
    left, right
        Children of each inner node: an inner node, or ``~leaf``. Node 0 is the root.

    Returns
    -------
    tuple
        The shape, the inner nodes and the leaves, each in this order.

    Raises
    ------
    ValueError
        A node or one of the leaves, one more than nodes, is not reached exactly once.
    """
    leaf_count = len(left) + 1
    shape: list[bool] = []
    nodes: list[int] = []
    leaves: list[int] = []
    todo = [0 if left else -1]
    while todo and len(shape) < 2 * leaf_count:  # a circle ends here
        at = todo.pop()
        if not -leaf_count <= at < len(left):
            raise ValueError("a tree has a child that there is not")
        shape.append(at >= 0)
        if at >= 0:
            nodes.append(at)
            todo += [right[at], left[at]]
        else:
            leaves.append(~at)
    if (
        todo
        or len(set(nodes)) != len(left)
        or len(shape) != 2 * leaf_count - 1
        or len(set(leaves)) != leaf_count
    ):
        raise ValueError("a tree's nodes and leaves must be reached once each")
    return shape, nodes, leaves


def rounded_down(numbers: npt.NDArray[np.float64]) -> Floats:
    """Give the largest float32 that is at most the number."""
    nearest = numbers.astype(np.float32)
    return np.where(nearest > numbers, np.nextafter(nearest, np.float32(-np.inf)), nearest)
