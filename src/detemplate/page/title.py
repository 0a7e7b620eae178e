"""Finds the segments that show a page's title: they repeat its ``title`` element, or a part of it.

Sites put their own name beside the page's, separated by a dash, a bar, a colon or the like. If no segment
repeats the element, ``og:title`` (the title for social networks) is tried.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page import tags
from detemplate.page.whitespace import WHITE_SPACE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.page.page import Page

PART: Final = 0.3
"""Least share of the title's bytes that a part must have."""

_SEPARATORS: Final = re.compile(rb"(\s+(?:[|/~-]|&gt;|&lt;|::)+\s+|:\s+|\s*[|_]\s*)")
"""Separates the pieces of an ASCII title."""

_WIDE: Final = "|".join("•·—–»«›‹")
"""Separators beyond ASCII, as alternatives: in a class of bytes, their bytes would be matched one by one."""

_BESIDE: Final = rb"[\xe3-\xed][\x80-\xbf]{2}"
"""A character of a script without spaces between words: a dash beside it separates without spaces."""

_WIDE_SEPARATORS: Final = re.compile(
    rf"(\s+(?:[|/~-]|{_WIDE}|&gt;|&lt;|::)+\s+|:\s+|\s*(?:[|_]|｜|—|–|－)\s*|".encode()
    + rb"(?<=" + _BESIDE + rb")\s*-+\s*|\s*-+\s*(?=" + _BESIDE + rb"))"
)  # fmt: skip
"""Separates the pieces of any other title."""

_SPACES: Final = bytes.maketrans(WHITE_SPACE_BYTES, b" " * len(WHITE_SPACE_BYTES))
"""Makes spaces of white space."""

_CONTENT: Final = re.compile(rb'\scontent="([^"]*)"')
"""Attribute ``content`` of a canonical start tag; group 1 is its value, with entities."""

_LONGEST: Final = 1000
"""Bytes of a title; longer ones are ignored."""

_MOST_PIECES: Final = 6
"""Pieces of a title; one with more is taken as a whole."""

_MOST_SEGMENTS: Final = 20
"""Segments that are given."""

_META: Final = tags.IDS["meta"]
"""Number of tag ``meta``."""


def title_segments(page: Page) -> npt.NDArray[np.intp]:
    """Find the segments that show the page's title.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    array of int64
        Numbers of the segments whose text is the longest part of the title that any segment repeats;
        ascending, at most 20. A part is a run of pieces between separators (dashes, bars and the like), white
        space collapsed, with at least :data:`PART` of the title's bytes. Empty if the page has no title, or
        no segment shows it.
    """
    return next(title_candidates(page), np.zeros(0, np.intp))


def title_candidates(page: Page) -> Iterator[npt.NDArray[np.intp]]:
    """Find the segments that show the page's title, and those that do if these show the site's name.

    Parameters
    ----------
    page
        The page.

    Yields
    ------
    array of int64
        For each part of the title that any segment repeats, the longest first, the numbers of its segments as
        in :func:`title_segments`. Where there is one, shorter parts than :data:`PART` follow.
    """
    columns, rows = page.columns, page.segments
    texts = columns.content[rows]  # hashes of texts, white space collapsed
    written = texts.tobytes()  # tells quickly that no text is a part
    titles: set[tuple[int, bytes]] = set()
    tried: set[tuple[int, bytes]] = set()
    some = False
    for title, row in _titles(page):
        first = int(rows.searchsorted(np.int32(row)))
        text = b" ".join(filter(None, title.translate(_SPACES).split(b" ")))
        if (first, text) in titles:  # og:title is often the title again, or a part of it
            continue
        titles.add((first, text))
        for part in _parts(text):
            if (first, part) in tried:
                continue
            tried.add((first, part))
            if not some and len(part) < PART * len(text):
                break
            digest = xxhash.xxh64_intdigest(part)
            if digest.to_bytes(8, sys.byteorder) not in written:
                continue
            same = (texts[first:] == np.uint64(digest)).nonzero()[0]
            if len(same):
                yield same[:_MOST_SEGMENTS] + first
                some = True


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


def _parts(title: bytes) -> list[bytes]:
    """Give the parts of a title, the longest first."""
    if not title or len(title) > _LONGEST:
        return []
    separators = _SEPARATORS if title.isascii() else _WIDE_SEPARATORS
    pieces = separators.split(title)  # pieces and separators, in turns
    count = (len(pieces) + 1) // 2
    if count == 1:
        return [title]
    if count > _MOST_PIECES:
        count = 1
    if count == 1:
        runs = {title.strip(b" ")}
    elif count == 2:  # most titles: the page's name and the site's
        runs = {title.strip(b" "), pieces[0].strip(b" "), pieces[2].strip(b" ")}
    else:
        ends = list(accumulate(map(len, pieces)))
        starts = [0, *ends[1::2]]
        runs = {
            title[start:end].strip(b" ")
            for number, start in enumerate(starts)
            for end in ends[2 * number :: 2]
        }
    return sorted(sorted(filter(None, runs)), key=len, reverse=True)
