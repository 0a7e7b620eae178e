"""Lines of text: a piece of one goes only with the line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

# Fewest characters of the longest kept text of a block whose pieces stay with it: running text.
_LEAST: Final = 50


def line_pieces(page: Page, template: npt.NDArray[np.bool_]) -> list[range]:
    """Find removed pieces in the middle of lines that stay, such as a link or a bold word in a sentence.

    A line is the text of one block between line breaks. It stays where more of its block is kept than
    removed, and one of its texts is running text.

    ``page``, ``template``: the page, and whether each of its segments is template.
    Returns: numbers of the segments of each piece, in document order. What stands on both sides of it is
        kept.
    """
    blocks, chars = page.blocks, page.segment_chars
    shown = np.where(template, 0, chars)
    running = np.bincount(blocks, shown) * 2 > np.bincount(blocks, chars)
    longest = np.zeros(len(running), shown.dtype)
    np.maximum.at(longest, blocks, shown)
    running &= longest >= _LEAST
    begins = template[1:] & ~template[:-1] & (blocks[1:] == blocks[:-1])
    found: list[range] = []
    for start in (begins.nonzero()[0] + 1).tolist():
        stop = start + 1
        while stop < len(blocks) and template[stop] and blocks[stop] == blocks[start]:
            stop += 1
        if stop == len(blocks) or blocks[stop] != blocks[start]:
            continue
        if running[blocks[start]] and not _broken(page, start - 1, stop):
            found.append(range(start, stop))
    return found


def _broken(page: Page, first: int, last: int) -> bool:
    """Tell whether a line breaks between two segments."""
    columns, segments = page.columns, page.segments
    between = page.canonical[columns.stop[segments[first]] : columns.start[segments[last]]]
    return b"<br" in between or b"<hr" in between
