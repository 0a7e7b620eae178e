"""The tree of a page's slots, uncompiled; arguments as in the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
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
