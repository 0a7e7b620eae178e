"""The visible text of a page as one string, and where each segment is in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

_RAW: Final = np.array([number for number, flags in enumerate(tags.FLAGS) if flags & tags.RAW], np.uint16)
_SPACES: Final = re.compile(r"[ \t\n\r\f\xa0]+")
# What parts two texts of one block: white space of its own between tags, a line break, an image.
_APART: Final = re.compile(rb">(?:[ \t\n\r\f]|&nbsp;)|<(?:br|img|input|hr|wbr)[ >]")


@dataclass(slots=True)
class VisibleText:
    """The visible text of a page.

    Attributes
    ----------
    text
        All of it, in document order: white space collapsed, blocks parted by a space. Texts of one
        block that only inline tags part stand together (``<b>bo</b>ld`` is one word).
    starts, stops
        Where each segment begins and ends in it, in characters. int64.
    """

    text: str
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]

    def spans(self, page: Page, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Give the ranges of the text inside elements: an array of two columns, start and stop.

        An element without text has an empty range, where its text would be.
        """
        first = np.searchsorted(page.segments, rows)
        last = np.searchsorted(page.segments, page.columns.end[rows])
        # Before its first text, or else behind all text: both are sound places for what is empty.
        begin = np.append(self.starts, len(self.text))[first]
        end = np.append(0, self.stops)[last]
        return np.stack([begin, np.where(last > first, end, begin)], axis=1)


def visible_text(page: Page) -> VisibleText:
    """Give the visible text of a page."""
    columns, canonical, rows = page.columns, page.canonical, page.segments
    parent = columns.parent[rows]
    raw = np.isin(np.where(parent >= 0, columns.tag[parent], 0), _RAW)
    pieces: list[str] = []
    starts, stops = np.zeros((2, len(rows)), np.int64)
    at, behind, block, spaced = 0, 0, -1, True
    values = zip(
        columns.start[rows].tolist(),
        columns.stop[rows].tolist(),
        page.blocks.tolist(),
        raw.tolist(),
        strict=True,
    )
    for number, (start, stop, its_block, as_written) in enumerate(values):
        written = canonical[start:stop].decode()
        text = _SPACES.sub(" ", written if as_written or "&" not in written else unescape(written))
        inner = text.strip(" ")
        if not spaced and (
            its_block != block or text[:1] == " " or _APART.search(canonical, behind, start) is not None
        ):
            pieces.append(" ")
            at += 1
        starts[number] = at
        pieces.append(inner)
        at += len(inner)
        stops[number] = at
        behind, block, spaced = stop, its_block, False
        if text[-1:] == " ":
            pieces.append(" ")
            at, spaced = at + 1, True
    return VisibleText("".join(pieces).rstrip(" "), starts, stops)
