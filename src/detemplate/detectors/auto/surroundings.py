"""What stands around each segment of a page: means over groups, blocks, windows and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto import surroundings_reference
from detemplate.detectors.auto.surroundings_names import (
    LEAD,
    LEAST,
    NEAR,
    NONE,
    SUMMARIES,
    WINDOWS,
    mean_names,
)
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Table = npt.NDArray[np.float32]

__all__ = [
    "KERNEL",
    "LEAD",
    "LEAST",
    "NEAR",
    "NONE",
    "SUMMARIES",
    "WINDOWS",
    "Surroundings",
    "mean_names",
]

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._surroundings")
"""The kernel; None where it was not compiled."""


class Surroundings(NamedTuple):
    """Where the segments of a page stand, ready for means; one row a segment.

    A *group* is a grouping element around a segment. A segment has up to
    :data:`~detemplate.features.segment.LEVELS` of them, the innermost first.

    Attributes
    ----------
    weight
        Words plus :data:`LEAST`.
    first, last
        The first segment inside each group, and the one after the last; equal where there is no group.
        Segments × levels, int32.
    group
        Number of each group, -1 where there is none. Segments × levels, int32.
    held
        Row in the page's columns of each numbered group, ascending. int32.
    above
        Number of the group around each numbered group, -1 where none is known. int32.
    block, slot
        Numbers of the segment's block and of its slot. int32.
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
        """Find the surroundings of a page's segments; it has at least one."""
        columns, groups, keys = page.columns, features.groups, features.slots
        rows, words = columns.segments, features.words
        if KERNEL is None:
            around = surroundings_reference.groups_around(rows, groups, columns.end)
            weight = np.asarray(words + LEAST, np.float64)
            return cls(weight, *around, columns.block[rows], surroundings_reference.numbered(keys))
        count, weight = len(rows), np.empty(len(rows))
        triple = np.empty((3, *groups.shape), np.int32)
        block, slot = np.empty(count, np.int32), np.empty(count, np.int32)
        held, above = np.empty((2, min(len(columns), groups.size)), np.int32)
        found = KERNEL.groups_around(
            rows, groups, columns.end, columns.block, words, keys, keys.argsort(), triple, held, above,
            weight, block, slot,
        )  # fmt: skip
        return cls(weight, triple[0], triple[1], triple[2], held[:found], above[:found], block, slot)

    def means(self, values: Reals, table: Table) -> None:
        """Fill a table with weighted means of a column over what is around each segment.

        Parameters
        ----------
        values
            One number a segment.
        table
            Segments × :func:`mean_names`.
        """
        kernel = surroundings_reference if KERNEL is None else KERNEL
        column = np.ascontiguousarray(values, np.float64)
        kernel.means(column, self.weight, self.first, self.last, self.block, self.slot, table)

    def lead(self, content: Reals, words: Rows, table: Table) -> None:
        """Fill a table with what the content probabilities of the page say about each segment.

        Parameters
        ----------
        content
            Page-only content probability of each segment, in [0, 1].
        words
            Words of each segment.
        table
            Segments × :data:`LEAD`.
        """
        kernel = surroundings_reference if KERNEL is None else KERNEL
        column = np.ascontiguousarray(content, np.float64)
        kernel.lead(column, self.weight, words, self.first, self.last, table)

    def context(
        self,
        features: SegmentFeatures,
        own: Rows,
        content: Reals,
        unknown: float,
        table: Table,
    ) -> None:
        """Fill the table of the site stage as if no other page of the site were known.

        Parameters
        ----------
        features, own
            Features of the page's segments, and which columns of them are copied.
        content
            Page-only content probability of each segment.
        unknown
            What stands for the columns about other pages, but for their number, which is 0.
        table
            Segments × columns: :data:`LEAD`; means of ``content``; the copied features; the columns that
            :meth:`site_context` fills.
        """
        kernel = surroundings_reference if KERNEL is None else KERNEL
        kernel.context(
            np.ascontiguousarray(content, np.float64), self.weight, features.words, self.first, self.last,
            self.block, self.slot, features.table, own, unknown, table,
        )  # fmt: skip

    def site_context(self, content: Reals, pages: int, about: Reals, share: int, table: Table) -> None:
        """Fill the last columns of the site stage's table, which are about the site's other pages.

        Parameters
        ----------
        content
            Page-only content probability of each segment.
        pages
            Number of the site's other pages.
        about
            Segments × columns about them.
        share
            The column with the share of them that has the segment.
        table
            Its last columns: the number of pages; the columns about them; means of the segment's share;
            :data:`SUMMARIES`.
        """
        kernel = surroundings_reference if KERNEL is None else KERNEL
        kernel.site_context(
            np.ascontiguousarray(content, np.float64), self.weight, self.first, self.last,
            self.block, self.slot, pages, np.ascontiguousarray(about, np.float64), share, table,
        )  # fmt: skip

    def over_slots(self, values: Reals) -> Reals:
        """Give the weighted mean of a column over the segments of each segment's slot."""
        return np.asarray(self.slot_means(values)[self.slot])

    def slot_means(self, values: Reals) -> Reals:
        """Give the weighted mean of a column over each slot."""
        return surroundings_reference.slot_means(values, self.weight, self.slot)

    def shares(self, values: Reals) -> Reals:
        """Give the share of a column's weighted sum that is inside each group around each segment."""
        return surroundings_reference.shares(values * self.weight, self.first, self.last)
