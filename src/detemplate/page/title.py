"""Where a page shows its title: the texts that repeat its ``title`` element, or a part of it.

Sites write their own name beside the page's, parted by a dash, a bar, a colon or the like. Where no text
does, what the page tells networks to call it (``og:title``) stands in for the element.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.page.page import Page

PART: Final = 0.3
"""Share of the title that a part must have, in bytes."""

_PARTED: Final = re.compile(rb"(\s+(?:[|/~-]|&gt;|&lt;|::)+\s+|:\s+|\s*[|_]\s*)")
_WIDE: Final = "|".join("•·—–»«›‹")
_BESIDE: Final = rb"[\xe3-\xed][\x80-\xbf]{2}"
"""A character of a script that sets no spaces: a dash beside it parts without any."""
_PARTED_WIDE: Final = re.compile(
    rf"(\s+(?:[|/~-]|{_WIDE}|&gt;|&lt;|::)+\s+|:\s+|\s*(?:[|_]|｜|—|–|－)\s*|".encode()
    + rb"(?<=" + _BESIDE + rb")\s*-+\s*|\s*-+\s*(?=" + _BESIDE + rb"))"
)  # fmt: skip  # no classes of wide characters: in bytes they would be classes of their bytes
_BLANK: Final = re.compile(rb"[ \t\n\r\f]+")
_CONTENT: Final = re.compile(rb'\scontent="([^"]*)"')
_LONGEST: Final = 1000
_MOST_PARTS: Final = 6
_MOST_PLACES: Final = 20
_META: Final = tags.IDS["meta"]


def title_segments(page: Page) -> npt.NDArray[np.intp]:
    """Find the segments that show the page's title.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    array of int64
        Numbers of the segments whose text is the longest part of the title that any segment is: ascending,
        20 at most. A part is a run of pieces between dashes, bars and the like, white space collapsed,
        with at least :data:`PART` of the title's bytes. Empty where there is no title, or none shows it.
    """
    columns, rows = page.columns, page.segments
    texts = columns.content[rows]  # hashes of texts, white space collapsed
    for title, row in _titles(page):
        first = int(rows.searchsorted(row))
        for part in _parts(_BLANK.sub(b" ", title).strip(b" ")):
            found = np.flatnonzero(texts[first:] == xxhash.xxh64_intdigest(part))
            if len(found):
                return found[:_MOST_PLACES] + first
    return np.zeros(0, np.intp)


def _titles(page: Page) -> Iterator[tuple[bytes, int]]:
    """Give the ``title`` element's text, then what the page tells networks to call it; each with its row."""
    canonical, columns = page.canonical, page.columns
    row = page.title_row
    if row >= 0:
        whole = canonical[columns.start[row] : columns.stop[row]]
        yield whole[whole.find(b">") + 1 : whole.rfind(b"</")], row
    for row in np.flatnonzero(columns.tag == _META).tolist():
        element = canonical[columns.start[row] : columns.stop[row]]
        if b'"og:title"' in element:
            told = _CONTENT.search(element)
            if told:
                # Quotes are written out in text.
                yield told[1].replace(b"&quot;", b'"'), row
            return


def _parts(title: bytes) -> list[bytes]:
    """Give the runs of a title's pieces that are long enough, the longest first."""
    if not title or len(title) > _LONGEST:
        return []
    parted = _PARTED if title.isascii() else _PARTED_WIDE
    pieces = parted.split(title)  # pieces and what parts them, in turns
    count = (len(pieces) + 1) // 2
    if count > _MOST_PARTS:
        count, pieces = 1, [title]
    runs = {
        b"".join(pieces[2 * first : 2 * last + 1]).strip(b" ")
        for first in range(count)
        for last in range(first, count)
    }
    least = PART * len(title)
    return sorted((run for run in runs if run and len(run) >= least), key=lambda run: (-len(run), run))
