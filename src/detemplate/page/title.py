"""Finds the segments that show a page's title: they repeat its ``title`` element, or a part of it.

Sites put their own name beside the page's, separated by a dash, a bar, a colon or the like. If no segment
repeats the element, ``og:title`` (the title for social networks) is tried, and then the page's only ``h1``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page import tags
from detemplate.page.address import at_home
from detemplate.page.whitespace import WHITE_SPACE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.page.columns import Columns, Landmarks

PART: Final = 0.3
"""Least share of the title's bytes that a part must have."""

# Attribute ``content`` of a canonical start tag; group 1 is its value, with entities.
_CONTENT: Final = re.compile(rb'\scontent="([^"]*)"')

_LONGEST: Final = 1000  # bytes of a title; longer ones are ignored
_MOST_SEGMENTS: Final = 20  # segments that are given

_SIGN: Final = "[|/~-]|&gt;|&lt;|::"  # separates with white space around it

# Separates the pieces of an ASCII title. A colon before a sign is the end of its piece.
_SEPARATORS: Final = re.compile(rf"(\s+(?:{_SIGN})+\s+|:\s+(?!(?:{_SIGN})\s)|\s*[|_]\s*)".encode())

# Signs beyond ASCII, too, as alternatives: in a class of bytes, their bytes would be matched one by one.
_WIDE: Final = "|".join([_SIGN, *"•·—–»«›‹"])

# A character of a script without spaces between words: a dash beside it separates without spaces.
_BESIDE: Final = rb"[\xe3-\xed][\x80-\xbf]{2}"

# Separates the pieces of any other title.
_WIDE_SEPARATORS: Final = re.compile(
    rf"(\s+(?:{_WIDE})+\s+|:\s+(?!(?:{_WIDE})\s)|\s*(?:[|_]|｜|—|–|－)\s*|".encode()
    + rb"(?<=" + _BESIDE + rb")\s*-+\s*|\s*-+\s*(?=" + _BESIDE + rb"))"
)  # fmt: skip

# Makes spaces of white space.
_SPACES: Final = bytes.maketrans(WHITE_SPACE_BYTES, b" " * len(WHITE_SPACE_BYTES))

_MOST_PIECES: Final = 6  # pieces of a title; one with more is taken as a whole

# A link to a site's first page.
_HOME: Final = re.compile(
    rb'<a(?:\s[^\s"=>]+="[^"]*")*?\shref="(?:https?://[^/"]+/?|(?:\.{0,2}/)*)(?:index\.\w{3,5})?"'
)

_A: Final = tags.IDS["a"]
_H1: Final = tags.IDS["h1"]
_LEVELS: Final = 5  # elements around a text, of which one may be its link
_META: Final = tags.IDS["meta"]
_TITLE: Final = tags.IDS["title"]


def title_candidates(url: str, canonical: bytes, columns: Columns, landmarks: Landmarks) -> list[list[int]]:
    """Find the segments that show the page's title, and those that do if these show the site's name.

    A part of the title is a run of pieces between separators (dashes, bars and the like), white space
    collapsed.

    ``url``, ``canonical``, ``columns``, ``landmarks``: as of :class:`~detemplate.Page`.
    Returns: for each part that any segment repeats, the longest first, the numbers of its segments,
        ascending, at most 20. The first part has at least :data:`PART` of the title's bytes; where there is
        one, shorter ones follow. Links to the site's first page show its name, and are left out but there. If
        no part is repeated: the text of the only ``h1`` that has one.
    """
    home = at_home(url)
    texts = columns.content[columns.segments]
    tried: set[tuple[int, bytes]] = set()  # the second title is often the first again
    shown: list[list[int]] = []
    for title, row in _titles(canonical, columns, landmarks):
        first = int(columns.segments.searchsorted(np.int32(row)))
        text = b" ".join(filter(None, title.translate(_SPACES).split(b" ")))
        for part in _parts(text):
            if (first, part) in tried:
                continue
            tried.add((first, part))
            if not shown and len(part) < PART * len(text):
                break
            same = (texts[first:] == np.uint64(xxhash.xxh64_intdigest(part))).nonzero()[0] + first
            own = [
                number
                for number in same[:_MOST_SEGMENTS].tolist()
                if home or not _leads_home(canonical, columns, number)
            ]
            if own:
                shown.append(own)
    return shown or _only_heading(canonical, columns, landmarks.get(_H1, ()))


def _only_heading(canonical: bytes, columns: Columns, rows: Sequence[int]) -> list[list[int]]:
    """Give the segment of the only ``h1`` that has text and is no link to the site's first page."""
    inside = filter(None, map(columns.segments_in, rows[:_MOST_SEGMENTS]))
    found = [own for own in inside if not _leads_home(canonical, columns, own[0])]
    return [list(found[0])] if list(map(len, found)) == [1] else []


def _leads_home(canonical: bytes, columns: Columns, number: int) -> bool:
    """Tell whether a segment is in a link to the site's first page, as a site's name is."""
    around = islice(columns.above(int(columns.segments[number])), _LEVELS)
    row = next((above for above in around if columns.tag[above] == _A), -1)
    return row >= 0 and _HOME.match(canonical, int(columns.start[row])) is not None


def _titles(canonical: bytes, columns: Columns, landmarks: Landmarks) -> Iterator[tuple[bytes, int]]:
    """Give the text of the ``title`` element, then ``og:title``; each with the row of its element."""
    if rows := landmarks.get(_TITLE):
        row = rows[0]
        whole = canonical[columns.start[row] : columns.stop[row]]
        yield whole[whole.find(b">") + 1 : whole.rfind(b"</")], row
    rows = landmarks.get(_META)
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
    """Give the parts of a title, whose white space is collapsed: runs of its pieces, the longest first."""
    if not title or len(title) > _LONGEST:
        return []
    separators = _SEPARATORS if title.isascii() else _WIDE_SEPARATORS
    pieces = separators.split(title)  # pieces and separators, in turns
    if (len(pieces) + 1) // 2 > _MOST_PIECES:
        pieces = [title]
    runs = {
        b"".join(pieces[start:end]).strip(b" ")
        for start in range(0, len(pieces), 2)
        for end in range(start + 1, len(pieces) + 1, 2)
    }
    return sorted(sorted(filter(None, runs)), key=len, reverse=True)
