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

_WIDE: Final = "|".join("•·—–»«›‹")
_BESIDE: Final = rb"[\xe3-\xed][\x80-\xbf]{2}"
"""A character of a script that sets no spaces: a dash beside it parts without any."""
_PARTED: Final = re.compile(
    rf"(\s+(?:[|/~-]|{_WIDE}|&gt;|&lt;|::)+\s+|:\s+|\s*(?:[|_]|｜|—|–|－)\s*|".encode()
    + rb"(?<=" + _BESIDE + rb")\s*-+\s*|\s*-+\s*(?=" + _BESIDE + rb"))"
)  # fmt: skip  # no classes of wide characters: in bytes they would be classes of their bytes
_SPACES: Final = b" \t\n\r\f"
_CONTENT: Final = re.compile(rb'\scontent="([^"]*)"')
_LONGEST: Final = 1000
_MOST_PARTS: Final = 6
_MOST_PLACES: Final = 20


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
    starts = page.columns.start[page.segments]
    for title, stop in _titles(page) if len(starts) else ():
        for part in _parts(title):
            places = [
                place for place in _places(page.canonical, part, stop) if _is_segment(page, starts, place)
            ]
            if places:
                return np.searchsorted(starts, places, "right") - 1
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


def _parts(title: bytes) -> Iterator[bytes]:
    """Give the runs of a title's pieces that are long enough, the longest first."""
    if not title or len(title) > _LONGEST:
        return
    pieces = _PARTED.split(title)  # pieces and what parts them, in turns
    count = (len(pieces) + 1) // 2
    if count > _MOST_PARTS:
        count, pieces = 1, [title]
    runs = {
        b"".join(pieces[2 * first : 2 * last + 1]).strip(_SPACES)
        for first in range(count)
        for last in range(first, count)
    }
    least = PART * len(title)
    yield from sorted((run for run in runs if run and len(run) >= least), key=lambda run: (-len(run), run))


def _places(canonical: bytes, part: bytes, start: int) -> Iterator[int]:
    """Give where a part begins after the title itself."""
    for _ in range(_MOST_PLACES):
        place = canonical.find(part, start)
        if place < 0:
            return
        start = place + len(part)
        before = canonical[max(place - 64, 0) : place].rstrip(_SPACES)
        after = canonical[start : start + 64].lstrip(_SPACES)
        if before.endswith(b">") and after.startswith(b"<"):
            yield place


def _is_segment(page: Page, starts: npt.NDArray[np.int32], place: int) -> bool:
    """Tell whether a place in the canonical serialisation is in a segment."""
    number = int(np.searchsorted(starts, place, "right")) - 1
    return number >= 0 and place < page.columns.stop[page.segments[number]]
