"""What stands around each segment of a page: means over groups, blocks, windows and slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.features.segment import LEVELS
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Table = npt.NDArray[np.float32]

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._surroundings")
"""The kernel, None if it was not compiled."""

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
        where there is none. segments × levels, int32.
    group
        Numbers of these elements, -1 where there is none. segments × levels, int32.
    held, above
        Row of each numbered element, ascending, and number of the grouping element around it, -1 where none
        is seen. int32.
    block, slot
        Numbers of its block and of its slot. int32.
    """

    weight: Reals
    first: Rows
    last: Rows
    group: Rows
    held: Rows
    above: Rows
    block: Rows
    slot: Rows

    @classmethod
    def of(cls, page: Page, features: SegmentFeatures) -> Surroundings:
        """Look at a page that has segments."""
        rows, groups, end = page.segments, features.groups, page.columns.end
        if KERNEL is not None:
            first, last, number = np.empty((3, *groups.shape), np.int32)
            held, above = np.empty((2, min(len(end), groups.size)), np.int32)
            count = KERNEL.groups_around(rows, groups, end, first, last, number, held, above)
            around = first, last, number, held[:count], above[:count]
        else:
            around = reference_groups(rows, groups, end)
        return cls(
            np.asarray(features.words + LEAST, np.float64),
            *around,
            page.blocks,
            numbered(features.slots),
        )

    def means(self, values: Reals, given: Table) -> None:
        """Take weighted means of a column over what is around each segment.

        Parameters
        ----------
        values
            One a segment.
        given
            Filled with the means: segments × :func:`mean_names`.
        """
        if KERNEL is not None:
            column = np.ascontiguousarray(values, np.float64)
            KERNEL.means(column, self.weight, self.first, self.last, self.block, self.slot, given)
        else:
            reference_means(self, values, given)

    def over_slots(self, values: Reals) -> Reals:
        """Give the weighted mean of a column over the segments of the same slot."""
        return np.asarray(self.slot_means(values)[self.slot])

    def slot_means(self, values: Reals) -> Reals:
        """Give the weighted mean of a column over each slot."""
        slot, weight = self.slot, self.weight
        return np.asarray(np.bincount(slot, values * weight) / np.bincount(slot, weight))

    def shares(self, values: Reals) -> Reals:
        """Give the share of a column's weighted sum that is inside each grouping element around."""
        sums = running(values * self.weight)
        return np.asarray((sums[self.last] - sums[self.first]) / max(float(sums[-1]), 1e-9))


def reference_groups(rows: Rows, groups: Rows, end: Rows) -> tuple[Rows, Rows, Rows, Rows, Rows]:
    """Give what Surroundings says about grouping elements, ``first`` to ``above``: uncompiled."""
    known, some = np.maximum(groups, 0), groups >= 0
    first = np.searchsorted(rows, known) * some
    last = np.searchsorted(rows, end[known]) * some
    held = np.unique(groups[some]).astype(np.int32)
    number = np.where(some, np.searchsorted(held, groups), -1).astype(np.int32)
    above = np.full(len(held), -1, np.int32)
    inner, outer = number[:, :-1], number[:, 1:]
    pairs = outer >= 0
    above[inner[pairs]] = outer[pairs]
    return first.astype(np.int32), last.astype(np.int32), number, held, above


def reference_means(around: Surroundings, values: Reals, given: Table) -> None:
    """Take the means of :meth:`Surroundings.means`: uncompiled."""
    weight, count = around.weight, len(values)
    weighed = values * weight
    weights, sums = running(weight), running(weighed)
    inside = weights[around.last] - weights[around.first]
    near = slice(LEVELS, LEVELS + 2 * NEAR + 1)
    given[:, :LEVELS] = np.where(
        inside > 0, (sums[around.last] - sums[around.first]) / np.maximum(inside, LEAST), NONE
    )
    block = around.block.astype(np.intp)
    blocks = np.full(int(block[-1]) + 1 + 2 * NEAR, NONE)
    blocks[NEAR:-NEAR] = np.bincount(block, weighed) / np.bincount(block, weight)
    given[:, near] = blocks[block[:, None] + np.arange(2 * NEAR + 1)]
    number, windows = np.arange(count)[:, None], np.array(WINDOWS)
    low, high = np.maximum(number - windows, 0), np.minimum(number + windows + 1, count)
    given[:, near.stop : -1] = (sums[high] - sums[low]) / (weights[high] - weights[low])
    given[:, -1] = around.over_slots(values)


def numbered(keys: npt.NDArray[np.uint64]) -> Rows:
    """Give keys their numbers in ascending order, equal ones the same."""
    if KERNEL is None:
        numbers = np.unique(keys, return_inverse=True)[1]
        return numbers.astype(np.int32)
    given = np.empty(len(keys), np.int32)
    KERNEL.number(keys, keys.argsort(), given)
    return given


def running(values: Reals) -> Reals:
    """Sum what is before each place of a column, and all of it."""
    return np.concatenate([[0.0], np.cumsum(values)])
