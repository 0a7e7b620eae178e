"""The tree of a page's slots.

Elements with the same tags and classes from the top down are one slot. So the elements around a page's
segments make a tree of slots, and the same slots make the trees of the site's other pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.detectors.auto import _slottree

if TYPE_CHECKING:
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.int32]


class SlotTree(NamedTuple):
    """The slots of the elements around a page's segments.

    Attributes
    ----------
    keys
        Hash of each slot, in the order of the first element that has it. uint64.
    above
        Number of the slot around each slot, lower than its own; -1 for none. int32.
    own
        Number of the slot of each segment. int32.
    """

    keys: Keys
    above: Rows
    own: Rows


def slot_tree(parent: Rows, segments: Rows, slots: Keys) -> SlotTree:
    """Collect the slots around a page's segments; a segment without an element around it counts itself.

    Parameters
    ----------
    parent
        Row of the parent of each row of the page's columns, -1 for none.
    segments
        Rows of the segments, ascending; at least one.
    slots
        Hash of the slot of each row.
    """
    keys, above = np.empty(len(parent), np.uint64), np.empty(len(parent), np.int32)
    own = np.empty(len(segments), np.int32)
    count = _slottree.collect(parent, segments, slots, keys, above, own)
    return SlotTree(keys[:count].copy(), above[:count].copy(), own)
