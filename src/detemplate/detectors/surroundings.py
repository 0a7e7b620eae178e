"""What stands around each segment of a page: means over groups, blocks, windows and slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.evidence import LEVELS

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.evidence import Evidence
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.intp]

NEAR: Final = 3
"""Blocks before and after that are looked at."""

WINDOWS: Final = (10, 30)
"""Segments before and after over which means are taken."""

LEAST: Final = 0.3
"""What a segment weighs beside its words."""

NONE: Final = -1.0
"""Stands for a mean where there is nothing to take it of."""


def mean_names(name: str) -> list[str]:
    """Name the columns of :meth:`Surroundings.means`."""
    return [
        *(f"{name} level {level}" for level in range(LEVELS)),
        *(f"{name} block {step:+d}" for step in range(-NEAR, NEAR + 1)),
        *(f"{name} window {window}" for window in WINDOWS),
        f"{name} slot",
    ]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where the segments of a page stand, ready to take means; one row a segment.

    Attributes
    ----------
    weight
        Words, and :data:`LEAST`.
    first, last
        The first segment, and the one after the last, inside each grouping element around it; the same
        where there is none. segments × levels.
    block
        Numbers of the blocks that are looked at, as in the padded column of blocks. segments × 2·NEAR + 1.
    low, high
        Windows around it. segments × windows.
    slot
        Number of its slot.
    """

    weight: Reals
    first: Rows
    last: Rows
    block: Rows
    low: Rows
    high: Rows
    slot: Rows

    @classmethod
    def of(cls, page: Page, evidence: Evidence) -> Surroundings:
        """Look at a page that has segments."""
        rows, groups, blocks = page.segments, evidence.groups, page.blocks
        count = len(rows)
        number = np.arange(count)[:, None]
        before = np.zeros(len(page.columns) + 1, np.intp)  # segments before each row
        before[rows + 1] = 1
        np.cumsum(before, out=before)
        known = np.maximum(groups, 0)
        some = groups >= 0
        first = before[known] * some
        last = before[page.columns.end[known]] * some
        windows = np.array(WINDOWS)
        return cls(
            np.asarray(evidence.words + LEAST, np.float64),
            first,
            last,
            blocks.astype(np.intp)[:, None] + np.arange(2 * NEAR + 1),
            np.maximum(number - windows, 0),
            np.minimum(number + windows + 1, count),
            np.unique(evidence.slots, return_inverse=True)[1],
        )

    def means(self, values: Reals, given: npt.NDArray[np.float32]) -> None:
        """Take weighted means of a column over what is around each segment.

        Parameters
        ----------
        values
            One a segment.
        given
            Filled with the means: segments × :func:`mean_names`.
        """
        weight = self.weight
        weighed = values * weight
        weights, sums = _running(weight), _running(weighed)
        inside = weights[self.last] - weights[self.first]
        near = slice(LEVELS, LEVELS + 2 * NEAR + 1)
        given[:, :LEVELS] = np.where(
            inside > 0, (sums[self.last] - sums[self.first]) / np.maximum(inside, LEAST), NONE
        )
        block = self.block[:, NEAR] - NEAR
        blocks = np.full(block[-1] + 1 + 2 * NEAR, NONE)
        blocks[NEAR:-NEAR] = np.bincount(block, weighed) / np.bincount(block, weight)
        given[:, near] = blocks[self.block]
        given[:, near.stop : -1] = (sums[self.high] - sums[self.low]) / (
            weights[self.high] - weights[self.low]
        )
        given[:, -1] = self.over_slots(values)

    def over_slots(self, values: Reals) -> Reals:
        """Give the weighted mean of a column over the segments of the same slot."""
        slot, weight = self.slot, self.weight
        return np.asarray((np.bincount(slot, values * weight) / np.bincount(slot, weight))[slot])

    def shares(self, values: Reals) -> Reals:
        """Give the share of a column's weighted sum that is inside each grouping element around."""
        sums = _running(values * self.weight)
        return np.asarray((sums[self.last] - sums[self.first]) / max(float(sums[-1]), 1e-9))


def _running(values: Reals) -> Reals:
    return np.concatenate([[0.0], np.cumsum(values)])
