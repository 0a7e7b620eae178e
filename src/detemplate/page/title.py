"""Where a page shows its title: the texts that repeat its ``title`` element, or a part of it.

Sites write their own name beside the page's, parted by a dash, a bar, a colon or the like. Where no text
does, what the page tells networks to call it (``og:title``) stands in for the element.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

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
_SPACES: Final = b" \t\n\r\f"
_CONTENT: Final = re.compile(rb'\scontent="([^"]*)"')
_LONGEST: Final = 1000
_MOST_PARTS: Final = 6
_MOST_PLACES: Final = 20
_MOST_SPACES: Final = 128


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
        20 at most. A part is a run of pieces between dashes, bars and the like, white space around it aside,
        with at least :data:`PART` of the title's bytes. Empty where there is no title, or none shows it.
    """
    for title, stop in _titles(page):
        parts = _parts(title)
        shown = _shown(page, set(parts), stop) if parts else {}
        for part in parts:
            if part in shown:
                return np.array(shown[part], np.intp)
    return np.zeros(0, np.intp)


def _titles(page: Page) -> Iterator[tuple[bytes, int]]:
    """Give the ``title`` element's text, then what the page tells networks to call it; each with its end."""
    canonical, columns = page.canonical, page.columns
    row = page.title_row
    if row >= 0:
        stop = int(columns.stop[row])
        whole = canonical[columns.start[row] : stop]
        yield whole[whole.find(b">") + 1 : whole.rfind(b"</")].strip(_SPACES), stop
    place = canonical.find(b'"og:title"')
    if place >= 0:
        stop = canonical.find(b">", place)
        told = _CONTENT.search(canonical[canonical.rfind(b"<", 0, place) : stop])
        if told:
            # Quotes are written out in text.
            yield told[1].replace(b"&quot;", b'"').strip(_SPACES), stop


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
        b"".join(pieces[2 * first : 2 * last + 1]).strip(_SPACES)
        for first in range(count)
        for last in range(first, count)
    }
    least = PART * len(title)
    return sorted((run for run in runs if run and len(run) >= least), key=lambda run: (-len(run), run))


def _shown(page: Page, parts: set[bytes], after: int) -> dict[bytes, list[int]]:
    """Find the segments behind a place that are one of the parts, white space aside."""
    columns, canonical = page.columns, page.canonical
    least, most = min(map(len, parts)), max(map(len, parts)) + _MOST_SPACES
    # Most texts begin with another byte.
    begins = np.zeros(256, np.bool_)
    begins[[*_SPACES, *(part[0] for part in parts)]] = True
    near = np.flatnonzero(begins[np.frombuffer(canonical, np.uint8)[columns.start[page.segments]]])
    rows = page.segments[near]
    starts, stops = columns.start[rows].tolist(), columns.stop[rows].tolist()
    found: dict[bytes, list[int]] = {}
    for number, start, stop in zip(near.tolist(), starts, stops, strict=True):
        if start < after or not least <= stop - start <= most:
            continue
        text = canonical[start:stop].strip(_SPACES)
        if text in parts:
            places = found.setdefault(text, [])
            if len(places) < _MOST_PLACES:
                places.append(number)
    return found
