"""Finds the segments that show a page's title: they repeat its ``title`` element, or a part of it.

Sites put their own name beside the page's, separated by a dash, a bar, a colon or the like. If no segment
repeats the element, ``og:title`` (the title for social networks) is tried.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final

from detemplate.kernels import compiled
from detemplate.page import tags, title_reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

KERNEL: Final[Any] = compiled("detemplate.page._title")
"""The kernel; None where it was not compiled."""

PART: Final = 0.3
"""Least share of the title's bytes that a part must have."""

_CONTENT: Final = re.compile(rb'\scontent="([^"]*)"')
"""Attribute ``content`` of a canonical start tag; group 1 is its value, with entities."""

_LONGEST: Final = 1000
"""Bytes of a title; longer ones are ignored."""

_MOST_SEGMENTS: Final = 20
"""Segments that are given."""

_META: Final = tags.IDS["meta"]
"""Number of tag ``meta``."""


def title_segments(page: Page) -> list[int]:
    """Find the segments that show the page's title.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    list of int
        Numbers of the segments whose text is the longest part of the title that any segment repeats;
        ascending, at most 20. A part is a run of pieces between separators (dashes, bars and the like), white
        space collapsed, with at least :data:`PART` of the title's bytes. Empty if the page has no title, or
        no segment shows it.
    """
    return next(iter(title_candidates(page)), [])


def title_candidates(page: Page) -> list[list[int]]:
    """Find the segments that show the page's title, and those that do if these show the site's name.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    list of lists of int
        For each part of the title that any segment repeats, the longest first, the numbers of its segments as
        in :func:`title_segments`. Where there is one, shorter parts than :data:`PART` follow.
    """
    columns = page.columns
    titles = list(_titles(page))
    kernel = title_reference if KERNEL is None else KERNEL
    found: list[list[int]] = kernel.shown_titles(
        [text for text, _ in titles], [row for _, row in titles],
        columns.content, columns.segments, PART, _LONGEST, _MOST_SEGMENTS,
    )  # fmt: skip
    return found


def _titles(page: Page) -> Iterator[tuple[bytes, int]]:
    """Give the text of the ``title`` element, then ``og:title``; each with the row of its element."""
    canonical, columns = page.canonical, page.columns
    row = page.title_row
    if row >= 0:
        whole = canonical[columns.start[row] : columns.stop[row]]
        yield whole[whole.find(b">") + 1 : whole.rfind(b"</")], row
    rows = page.landmarks.get(_META)
    if not rows:
        return
    at, behind = int(columns.start[rows[0]]), int(columns.stop[rows[-1]])
    while (at := canonical.find(b'"og:title"', at, behind)) >= 0:
        row = rows[bisect_left(rows, at, key=columns.start.data.__getitem__) - 1]
        element = canonical[columns.start[row] : columns.stop[row]]
        if at < columns.stop[row]:
            content = _CONTENT.search(element)
            if content:
                # Texts have quotes as they are, attributes have them escaped.
                yield content[1].replace(b"&quot;", b'"'), row
            return
        at += 1
