"""What stands around each segment of a page: means over groups, blocks, windows and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto import _surroundings
from detemplate.features.segment import LEVELS

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Table = npt.NDArray[np.float32]


# ``_around.pxd`` has the other constants.
NEAR: Final = 3
"""Blocks before and after the segment's block whose means are taken."""

WINDOWS: Final = (10, 30)
"""Segments before and after the segment over which means are taken: two windows."""

LEAD: Final = (
    "content",
    "content words",
    "content share",
    "highest",
    "unsure",
    "pure",
    "content before",
    "words before",
    "words after",
    "strong before",
    "strong after",
    *(f"part level {level}" for level in range(LEVELS)),
)
"""Names of the columns that the content probabilities of the page give each segment.

``content`` is a segment's own content probability. ``content words`` to ``pure`` are about the whole page:
weight of the content, its share of all weight, the highest probability, the share of unsure segments, and
the share of the content's weight that is in segments above 0.5. ``content before`` is the share of
the content's weight before the segment; ``words before`` and ``words after`` are this weight before and from
the segment on. ``strong before`` and ``strong after`` are distances to the nearest strong segment, in
segments. ``part level`` is the share of the content's weight inside each group around the segment.
"""


def mean_names(name: str) -> list[str]:
    """Name the means of a column over what is around each segment.

    Parameters
    ----------
    name
        Name of the column whose means are taken.
    """
    return [
        *(f"{name} level {level}" for level in range(LEVELS)),
        *(f"{name} block {step:+d}" for step in range(-NEAR, NEAR + 1)),
        *(f"{name} window {window}" for window in WINDOWS),
        f"{name} slot",
    ]


SUMMARIES: Final = ("repeated", "frequent", "repeated content", "frequent content", "highest share")
"""Names of columns with one value a page, from the shares of the site's other pages that have each segment.

``repeated`` and ``frequent`` are the shares of the page's weight in segments that some other pages have, and
that half of them have; with ``content``, shares of the content's weight.
"""


class Surroundings(NamedTuple):
    """Where the segments of a page stand, ready for means; one row a segment.

    A *group* is a grouping element around a segment. A segment has up to
    :data:`~detemplate.features.segment.LEVELS` of them, the innermost first.

    Attributes
    ----------
    weight
        Words plus 0.3, so that no segment weighs nothing.
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
        count, weight = len(rows), np.empty(len(rows))
        triple = np.empty((3, *groups.shape), np.int32)
        block, slot = np.empty(count, np.int32), np.empty(count, np.int32)
        held, above = np.empty((2, min(len(columns), groups.size)), np.int32)
        found: int = _surroundings.groups_around(
            rows, groups, columns.end, columns.block, words, keys, keys.argsort(), triple, held, above,
            weight, block, slot,
        )  # fmt: skip
        return cls(weight, triple[0], triple[1], triple[2], held[:found], above[:found], block, slot)

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
        _surroundings.context(
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
        _surroundings.site_context(
            np.ascontiguousarray(content, np.float64), self.weight, self.first, self.last,
            self.block, self.slot, pages, np.ascontiguousarray(about, np.float64), share, table,
        )  # fmt: skip

    def over_slots(self, values: Reals) -> Reals:
        """Give the weighted mean of a column over the segments of each segment's slot."""
        means = np.bincount(self.slot, values * self.weight) / np.bincount(self.slot, self.weight)
        return np.asarray(means[self.slot])
