"""The columns of a page: one row a node, in document order.

The compiled scan (:mod:`detemplate.page.scan`) fills them from the parser's serialisation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from detemplate.page import tags

Landmarks = Mapping[int, Sequence[int]]
"""Rows of a few elements by the numbers of their tags, ascending; a tag that no element has is missing."""

ELEMENT: Final = 1
"""Kind of an element."""
TEXT: Final = 2
"""Kind of a visible text: a segment."""
CODE: Final = 3
"""Kind of the text of ``script`` and ``style``."""
RAW: Final = 4
"""Kind of other unseen text: of ``noscript``, ``title``, ``video`` and the like. Never a segment."""
COMMENT: Final = 5
"""Kind of a comment."""
DOCTYPE: Final = 6
"""Kind of a document type."""
INSTRUCTION: Final = 7
"""Kind of a processing instruction."""


# Whether each value of the column ``tag`` is that of a landmark.
_LANDMARK: Final = tags.marked(
    {
        1: "audio base body canvas h1 html iframe link meta noscript object script sup template textarea "
        "title video xmp"
    },
    np.uint8,
).astype(np.bool_)


@dataclass(slots=True)
class Columns:
    """The nodes of a page as arrays, in document order.

    Text that shows nothing (white space between tags) is no node. All arrays but the last two have one entry
    a node. All are C-contiguous.

    ``kind``: :data:`ELEMENT`, :data:`TEXT`, :data:`CODE`, :data:`RAW`, :data:`COMMENT`, :data:`DOCTYPE` or
        :data:`INSTRUCTION`. uint16.
    ``tag``: number of the element's tag name (:data:`detemplate.page.tags.NAMES`), with
        :data:`~detemplate.page.tags.IN_SVG` or :data:`~detemplate.page.tags.IN_MATH` added; 0 for unlisted
        names and for nodes that are no elements. uint16.
    ``parent``: row of the parent element; -1 at the top. int32.
    ``end``: row after the last node of the subtree: a subtree is ``row:end[row]``. int32.
    ``start``, ``stop``: byte range in the canonical serialisation, tags included. int32.
    ``block``: number of the node's block of segments. A block is a maximal run of segments with no
        block-level tag in between. int32.
    ``chars``: characters of visible text in the subtree, white space collapsed. int32.
    ``place``: number of the node among its parent's children, from 0, white space and comments included.
        int32.
    ``children``: number of an element's children, counted in the same way. int32.
    ``content``: 64-bit hash of the subtree. Of a text: XXH64 of the text, white space collapsed. Of an
        element: its start tag, and the hashes of its child elements and texts in order; comments do not
        count. uint64.
    ``path``: 64-bit hash of the tag names from the top to the element, or to the text's parent. uint64.
    ``segments``: rows of the visible texts. int32, one entry a segment.
    ``keys``: identities of the segments: path and content in 64 bits. uint64, one entry a segment.
    """

    TYPES: ClassVar[tuple[type, ...]] = (
        np.uint16, np.uint16, *[np.int32] * 8, np.uint64, np.uint64,
    )  # fmt: skip
    """Types of the columns that have one entry a node."""

    kind: npt.NDArray[np.uint16]
    tag: npt.NDArray[np.uint16]
    parent: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    stop: npt.NDArray[np.int32]
    block: npt.NDArray[np.int32]
    chars: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]
    children: npt.NDArray[np.int32]
    content: npt.NDArray[np.uint64]
    path: npt.NDArray[np.uint64]
    segments: npt.NDArray[np.int32]
    keys: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.kind)

    def around(self, row: int, behind: int) -> int:
        """Return the row of the lowest element around a row that holds a row behind it, too; -1 for none."""
        end = self.end.data
        return next((above for above in self.above(row) if end[above] > behind), -1)

    def above(self, row: int) -> Iterator[int]:
        """Yield the rows of the elements around a row, from the inside out."""
        parent = self.parent.data
        row = parent[row]
        while row >= 0:
            yield row
            row = parent[row]

    def segments_in(self, row: int) -> range:
        """Give the numbers of the segments in the subtree of a row."""
        segments = self.segments.data
        first = bisect_left(segments, row)
        return range(first, bisect_left(segments, self.end.data[row], first))

    def landmarks(self) -> Landmarks:
        """Give the rows of the few elements that rules look for by their tags, in one pass."""
        rows = _LANDMARK[self.tag].nonzero()[0]  # other nodes than elements have tag 0
        found: dict[int, list[int]] = {}
        for row, number in zip(rows.tolist(), self.tag[rows].tolist(), strict=True):
            found.setdefault(number, []).append(row)
        return found
