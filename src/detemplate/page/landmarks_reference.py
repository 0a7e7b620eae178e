"""The landmarks of a page, uncompiled: the definition of what the kernel finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def landmarks(tag: npt.NDArray[np.uint16], wanted: npt.NDArray[np.uint8]) -> dict[int, list[int]]:
    """Give the rows of each number of a column that ``wanted`` has a 1 for; ascending."""
    rows = wanted.take(tag).nonzero()[0]
    found: dict[int, list[int]] = {}
    for row, number in zip(rows.tolist(), tag[rows].tolist(), strict=True):
        found.setdefault(number, []).append(row)
    return found
