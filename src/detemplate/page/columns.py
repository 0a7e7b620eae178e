"""The columns of a page: one row a node, in document order.

The compiled scan fills them from the parser's serialisation; without it, or where a serialisation
cannot be read back, the reference walks the DOM. Both give the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

ELEMENT: Final = 1
TEXT: Final = 2
CODE: Final = 3
RAW: Final = 4
COMMENT: Final = 5
DOCTYPE: Final = 6
INSTRUCTION: Final = 7


@dataclass(slots=True)
class Columns:
    """The nodes of a page as arrays of equal length, in document order.

    Text that shows nothing (white space between tags) is no node.

    Attributes
    ----------
    kind
        ``ELEMENT``, ``TEXT`` (visible text: a segment), ``CODE`` (text of ``script`` and ``style``),
        ``RAW`` (text of ``noscript``, ``template``, ``title`` and the like, which is never a segment
        either), ``COMMENT``, ``DOCTYPE`` or ``INSTRUCTION``. uint16.
    tag
        Number of the element's tag name (:data:`detemplate.page.tags.NAMES`), with ``IN_SVG`` or
        ``IN_MATH`` added; 0 for unlisted names and for nodes that are no elements. uint16.
    parent
        Row of the parent element; -1 at the top. int32.
    end
        Row after the last node of the subtree: a subtree is ``row:end[row]``. int32.
    start, stop
        Byte range in the canonical serialisation, tags included. int32.
    block
        Number of the block of segments that is current at the node: a block is a maximal run of
        segments with no block-level tag in between. int32.
    chars
        Characters of visible text in the subtree, white space collapsed. int32.
    place
        Number of the node among its parent's children, white space and comments included. int32.
    children
        Number of an element's children, counted so. int32.
    content
        64-bit hash of what is there. Text: XXH64 of the text, white space collapsed. Element: its
        start tag, and its child elements' and texts' hashes in order; comments do not count. uint64.
    path
        64-bit hash of the tag names from the top to the element, or to the text's parent. uint64.
    segments
        Rows of the visible texts, in document order: not a column, but read off in the same go. int32.
    keys
        One 64-bit identity a segment: its path and its content. uint64.
    """

    TYPES: ClassVar[tuple[type, ...]] = (
        np.uint16, np.uint16, *[np.int32] * 8, np.uint64, np.uint64,
    )  # fmt: skip

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


def segment_keys(path: npt.NDArray[np.uint64], content: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Give the identity of segments by their columns."""
    return (path * np.uint64(0x9E3779B185EBCA87)) ^ content
