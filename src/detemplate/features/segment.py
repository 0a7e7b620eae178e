"""Features of a page's segments, which learned methods judge by.

One row a segment, one column a feature (:data:`~detemplate.features.segment_columns.NAMES`):

- the text itself and the elements around it;
- its place on the page;
- its *cohorts*: the texts with the same path (tags from the top down) and with the same slot (tags and
  classes);
- its parent, its grandparent, and the nearest groups around it;
- its distance to the *targets*, three nodes that may hold the page's content: one scored as by Readability,
  two where long text gathers;
- the blocks and headings near it;
- the whole page;
- the weights of the words in the attributes around it (:class:`~detemplate.features.vocabulary.Vocabulary`).

``docs/segment-features.md`` defines each feature. Time is linear in the size of the page.
"""

from __future__ import annotations

import os
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.features import _segment
from detemplate.features.segment_columns import FEATURE_GROUPS, H1, LEVELS, MARKS, NAMES
from detemplate.features.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

__all__ = [
    "FEATURE_GROUPS",
    "LEVELS",
    "NAMES",
    "SegmentFeatures",
    "Vocabulary",
    "segment_features",
]

_COLUMNS: Final = attrgetter(
    "kind", "tag", "parent", "end", "start", "stop", "block", "chars", "children", "content", "path",
    "segments",
)  # fmt: skip

_NO_ROWS: Final = np.empty((0, len(NAMES)), np.float32)

_MIX: Final = int.from_bytes(os.urandom(8), "little") | 1
"""Odd multiplier in the kernel's hash tables. It is random: nobody can write a page whose keys collide."""


class SegmentFeatures(NamedTuple):
    """Features of a page's segments.

    ``table``: segments × :data:`NAMES`, C-contiguous. All values are finite. float32.
    ``groups``: segments × :data:`LEVELS`: rows in ``page.columns`` of the groups around each segment, nearest
        first; -1 where there are no more. int32.
    ``slots``: hash of each segment's slot: equal for texts whose elements from the top down have the same
        tags and classes. A run of digits in a class counts as ``0``. uint64.
    ``node_slots``: hash of the slot of each row of ``page.columns``: of an element, with its own tag and
        classes; of any other node, that of the element around it. It is for comparing pages. Classes that
        name the page do not count: those of the two outermost elements, and of more than three classes all
        but the first. uint64.
    ``words``: words of each segment: runs of characters between white space; two characters of scripts that
        are written without spaces count as one word. int32.
    """

    table: npt.NDArray[np.float32]
    groups: npt.NDArray[np.int32]
    slots: npt.NDArray[np.uint64]
    node_slots: npt.NDArray[np.uint64]
    words: npt.NDArray[np.int32]

    def without_table(self) -> SegmentFeatures:
        """Give the same with a table of no rows: the table takes more memory than the page itself."""
        return SegmentFeatures(_NO_ROWS, *self[1:])


def segment_features(page: Page, vocabulary: Vocabulary) -> SegmentFeatures:
    """Compute the features of a page's segments.

    ``vocabulary``: the known words of attributes, and their weights.
    Returns: one row a segment, in document order.
    """
    count = len(page.segments)
    table = np.empty((count, len(NAMES)), np.float32)
    groups = np.empty((count, LEVELS), np.int32)
    slots = np.empty(count, np.uint64)
    node_slots = np.empty(len(page.columns), np.uint64)
    words = np.empty(count, np.int32)
    rows, shift = vocabulary.table
    _segment.segment_features(
        page.canonical,
        *_COLUMNS(page.columns),
        MARKS,
        H1,
        rows,
        shift,
        _MIX,
        table,
        groups,
        slots,
        node_slots,
        words,
    )
    return SegmentFeatures(table, groups, slots, node_slots, words)
