"""The visible text of a page as one string, with the range of each segment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.whitespace import WHITE_SPACE, WHITE_SPACE_BYTES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

_RAW: Final = np.flatnonzero(tags.FLAGS & tags.RAW).astype(np.uint16)  # tags whose text is written unescaped
_SPACES: Final = re.compile(rf"[{WHITE_SPACE}\xa0]+")  # white space and no-break spaces in a row

# Markup that separates two texts of one block: white space between tags, a line break, an image, a video.
_SEPARATED: Final = re.compile(
    rb">(?:[%b]|&nbsp;)|<(?:br|img|input|hr|wbr|%b)[ >]"
    % (WHITE_SPACE_BYTES, tags.REPLACED.replace(" ", "|").encode())
)


@dataclass(slots=True)
class VisibleText:
    """The visible text of a page.

    ``text``: all visible text in document order, white space collapsed, a space between blocks. Between texts
        of one block that only inline tags separate there is none (``<b>bo</b>ld`` is one word).
    ``starts``, ``stops``: range of each segment in ``text``, in characters. int64.
    """

    text: str
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]

    def spans(self, page: Page, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """Give the ranges of elements in the text.

        ``rows``: rows of elements.
        Returns: start and stop, in characters. An element without text has an empty range, at the place where
            its text would be.
        """
        first = np.searchsorted(page.segments, rows)
        last = np.searchsorted(page.segments, page.columns.end[rows])
        # Without text of its own: before the next text, or behind all text.
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
            its_block != block or text[:1] == " " or _SEPARATED.search(canonical, behind, start) is not None
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
