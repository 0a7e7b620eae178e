"""The tree of a page's slots, uncompiled; arguments as in the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]


def collect(parent: Rows, segments: Rows, rows: Rows) -> int:
    """Write the rows of the elements around the segments, ascending; a segment without one counts itself.

    Returns
    -------
    int
        Number of rows.
    """
    found: set[int] = set()
    for segment in segments.tolist():
        row = int(parent[segment])
        if row < 0:
            found.add(segment)
        while row >= 0 and row not in found:
            found.add(row)
            row = int(parent[row])
    rows[: len(found)] = sorted(found)
    return len(found)


def number(  # noqa: PLR0917  # as in the kernel
    parent: Rows,
    segments: Rows,
    rows: Rows,
    hashes: Keys,
    order: npt.NDArray[np.intp],  # noqa: ARG001  # the kernel finds equal hashes by it
    first: Rows,
    above: Rows,
    own: Rows,
) -> int:
    """Give slots numbers, in the order of the first row that has each.

    Parameters
    ----------
    parent, segments
        As for :func:`collect`.
    rows, hashes, order
        The rows that it gave, the hashes of their slots, and the order that sorts these.
    first, above
        Are filled, one entry a slot: place of the first row in ``rows``, number of the slot around it.
    own
        Is filled: number of the slot of each segment.

    Returns
    -------
    int
        Number of slots.
    """
    numbers: dict[int, int] = {}
    of_row: dict[int, int] = {}
    for place, (row, key) in enumerate(zip(rows.tolist(), hashes.tolist(), strict=True)):
        if key not in numbers:
            numbers[key] = slot = len(numbers)
            first[slot] = place
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
