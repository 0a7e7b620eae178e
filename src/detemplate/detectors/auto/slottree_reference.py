"""The tree of a page's slots, uncompiled; arguments as in the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]


def collect(  # noqa: PLR0917  # as in the kernel
    parent: Rows, segments: Rows, slots: Keys, keys: Keys, above: Rows, own: Rows
) -> int:
    """Give numbers to the slots of the elements around the segments; a segment without one counts itself.

    Parameters
    ----------
    parent, segments, slots
        As for the face's ``slot_tree``.
    keys, above
        Are filled, one entry a slot, in the order of the first row that has each: hash, number of the slot
        around it.
    own
        Is filled: number of the slot of each segment.

    Returns
    -------
    int
        Number of slots.
    """
    found: set[int] = set()
    for segment in segments.tolist():
        row = int(parent[segment])
        if row < 0:
            found.add(segment)
        while row >= 0 and row not in found:
            found.add(row)
            row = int(parent[row])
    numbers: dict[int, int] = {}
    of_row: dict[int, int] = {}
    for row in sorted(found):
        key = int(slots[row])
        if key not in numbers:
            numbers[key] = slot = len(numbers)
            keys[slot] = key
            above[slot] = of_row.get(int(parent[row]), -1)
        of_row[row] = numbers[key]
    for place, segment in enumerate(segments.tolist()):
        own[place] = of_row[int(parent[segment]) if parent[segment] >= 0 else segment]
    return len(numbers)


def label(above: Rows, gain: Reals, missing: Reals, switch: float, labels: npt.NDArray[np.uint8]) -> None:
    """Label slots as content (1) or template (0); see the face's ``label_slots``."""
    inside = gain + np.maximum(missing, -switch)
    outside = np.maximum(missing - switch, 0.0)
    for slot in range(len(above) - 1, -1, -1):
        up = above[slot]
        if up >= 0:
            inside[up] += max(inside[slot], outside[slot] - switch)
            outside[up] += max(outside[slot], inside[slot] - switch)
    for slot, up in enumerate(above.tolist()):
        if up >= 0 and labels[up]:
            labels[slot] = inside[slot] >= outside[slot] - switch
        else:
            labels[slot] = inside[slot] - switch > outside[slot]
