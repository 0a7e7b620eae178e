"""The two stages of method ``auto``: by the page alone, then with the site's other pages.

The page stage judges each segment by what the page alone says about it. The site stage judges it again, by
the page stage's results around it and by how many of the site's other pages have the segment, its text, the
groups around it and its slot. Without other pages it judges by the page alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto import _surroundings
from detemplate.detectors.auto.site import SHARE_NAMES, UNKNOWN, Query, SlotTree
from detemplate.features.segment import LEVELS, segment_features
from detemplate.features.segment import NAMES as SEGMENT_FEATURES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.forest import Forest
    from detemplate.detectors.auto.site import SiteShares
    from detemplate.features.segment import SegmentFeatures, Vocabulary
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

    ``name``: name of the column whose means are taken.
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

    ``weight``: words plus 0.3, so that no segment weighs nothing.
    ``first``, ``last``: the first segment inside each group, and the one after the last; equal where there is
        no group. Segments × levels, int32.
    ``group``: number of each group, -1 where there is none. Segments × levels, int32.
    ``held``: row in the page's columns of each numbered group, ascending. int32.
    ``above``: number of the group around each numbered group, -1 where none is known. int32.
    ``block``, ``slot``: numbers of the segment's block and of its slot. int32.
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

        ``features``, ``own``: features of the page's segments, and which columns of them are copied.
        ``content``: page-only content probability of each segment.
        ``unknown``: what stands for the columns about other pages, but for their number, which is 0.
        ``table``: segments × columns: :data:`LEAD`; means of ``content``; the copied features; the columns
            that :meth:`site_context` fills.
        """
        _surroundings.context(
            np.ascontiguousarray(content, np.float64), self.weight, features.words, self.first, self.last,
            self.block, self.slot, features.table, own, unknown, table,
        )  # fmt: skip

    def site_context(self, content: Reals, pages: int, about: Reals, share: int, table: Table) -> None:
        """Fill the last columns of the site stage's table, which are about the site's other pages.

        ``content``: page-only content probability of each segment.
        ``pages``: number of the site's other pages.
        ``about``: segments × columns about them.
        ``share``: the column with the share of them that has the segment.
        ``table``: its last columns: the number of pages; the columns about them; means of the segment's
            share; :data:`SUMMARIES`.
        """
        _surroundings.site_context(
            np.ascontiguousarray(content, np.float64), self.weight, self.first, self.last,
            self.block, self.slot, pages, np.ascontiguousarray(about, np.float64), share, table,
        )  # fmt: skip


OWN: Final = (
    "chars", "in_a", "in_heading", "target1_steps", "target1_inside", "copies", "slot_count", "slot_spread",
    "group0_tag", "group1_text_per_byte", "heading_tag", "depth",
)  # fmt: skip
"""Segment features that the site stage sees again."""

FEATURES_SEEN: Final = np.array([SEGMENT_FEATURES.index(name) for name in OWN], np.int32)
"""Places of :data:`OWN` among the segment features."""

CONTEXT: Final = (
    *LEAD,
    *mean_names("content"),
    *OWN,
    "site pages", *SHARE_NAMES,
    *mean_names("share"),
    *SUMMARIES,
)  # fmt: skip
"""Names of the columns that :func:`page_context` gives."""

SITE_FROM: Final = CONTEXT.index("site pages")
"""Columns from here on are about the site's other pages; the first is their number."""

_SHARE: Final = SHARE_NAMES.index("segment share")
"""Column of the shares whose means are taken."""


def page_context(features: SegmentFeatures, around: Surroundings, content: Reals) -> Table:
    """Give the table that the site stage's forest judges by, as if no other page of the site were known.

    ``features``, ``around``: features of the page's segments, and their surroundings. The page has segments.
    ``content``: page-only content probability of each segment.
    Returns: first what the page alone shows; then 0 pages of the site and :data:`UNKNOWN`.
    """
    table = np.empty((len(content), len(CONTEXT)), np.float32)
    around.context(features, FEATURES_SEEN, content, UNKNOWN, table)
    return table


def fill_site_columns(table: Table, around: Surroundings, content: Reals, shares: SiteShares) -> None:
    """Fill the columns from :data:`SITE_FROM` on with what the site's other pages show.

    ``table``: what :func:`page_context` gave.
    ``around``, ``content``: as for :func:`page_context`.
    ``shares``: what other pages of the site have; there are some.
    """
    around.site_context(content, shares.pages, shares.table, _SHARE, table)


class PageStage(NamedTuple):
    """Result of the first stage, for a page that has segments.

    ``features``: features of the segments.
    ``around``: surroundings of each segment.
    ``content``: page-only content probability of each segment.
    """

    features: SegmentFeatures
    around: Surroundings
    content: Reals

    @classmethod
    def run(cls, page: Page, vocabulary: Vocabulary, forest: Forest) -> PageStage:
        """Judge a page by itself; parameters as for :func:`~detemplate.features.segment.segment_features`."""
        features = segment_features(page, vocabulary)
        return cls.of(page, features, sigmoid(forest.sums(features.table)))

    @classmethod
    def of(cls, page: Page, features: SegmentFeatures, content: Reals) -> PageStage:
        """Complete the result from features and page-only content probabilities."""
        return cls(features, Surroundings.of(page, features), content)

    def of_some(self, chosen: npt.NDArray[np.intp], place: npt.NDArray[np.intp]) -> PageStage:
        """Give the result for some segments, each of which stands for all that have its place."""
        features, around = self.features, self.around
        words = np.bincount(place, features.words).astype(np.int32)
        first, last = (
            chosen.searchsorted(each[chosen]).astype(np.int32) for each in (around.first, around.last)
        )
        block, slot = (
            np.unique(each[chosen], return_inverse=True)[1].astype(np.int32)
            for each in (around.block, around.slot)
        )
        return PageStage(
            features._replace(table=features.table[chosen], words=words),
            around._replace(
                weight=np.bincount(place, around.weight).astype(np.float64), first=first, last=last,
                group=around.group[chosen], block=block, slot=slot,
            ),
            self.content[chosen],
        )  # fmt: skip

    def query(self, page: Page, tree: SlotTree, alone: Reals) -> Query:
        """Collect what a page adds to its site; ``alone`` are the log-odds of each segment by the page."""
        around = self.around
        return Query.of(page, tree, self.features.words, around.weight, around.held, self.content, alone)

    def without_table(self) -> PageStage:
        """Give the same without the features' table, which only the forests and explanations read."""
        return PageStage(self.features.without_table(), *self[1:])


class PageOdds(NamedTuple):
    """Result of the second stage as if no other page of the site were known.

    ``table``: what the stage's forest judged by (:func:`page_context`). Its columns about the site's other
        pages are those of the last time that the stage ran with such pages.
    ``alone``: log-odds of each segment.
    """

    table: Table
    alone: Reals

    @classmethod
    def of(cls, forest: Forest, stage: PageStage) -> PageOdds:
        """Run the second stage without other pages."""
        table = page_context(stage.features, stage.around, stage.content)
        return cls(table, forest.sums(table))

    def sited(self, forest: Forest, stage: PageStage, shares: SiteShares) -> Reals:
        """Run the second stage with the site's other pages; gives :attr:`alone` where there are none."""
        if not shares.pages:
            return self.alone
        fill_site_columns(self.table, stage.around, stage.content, shares)
        return forest.sums(self.table)
