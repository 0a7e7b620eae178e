"""Headings and labels of which nothing is left, on many pages of a site; and titles that stand twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.metadata.titleparts import key

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

_LEVEL: Final = tags.marked({number: f"h{number}" for number in range(1, 7)}, np.uint8)
_SHOWN: Final = tags.marked({1: "audio canvas embed iframe img object picture video"}, np.uint8)
_PRE: Final = tags.IDS["pre"]
_COLONS: Final = (b":", "：".encode())  # ends of a label
_LABEL: Final = 30  # maximum characters of a label
_PAGES: Final = (2, 0.25)  # minimum number of other pages that have a shell, and their minimum share
_BETWEEN: Final = 200  # maximum kept characters between a title and its heading
_PIECES: Final = 10  # maximum segments of a heading that are read


def shells(page: Page, verdict: Verdict, template: Bools, own: list[int]) -> list[range]:
    """Find kept headings and labels of which nothing is left, and which other pages have, too.

    A heading's section goes up to the next heading of its level, inside the lowest element around it that has
    anything behind it. A label is a short text with a colon at its end; its value is the rest of its line, or
    what is behind it in that element. The page's title is no shell, nor what is all that is kept.

    ``page``, ``verdict``: the page and a method's verdict on it, which knows what other pages have.
    ``template``: whether each segment is template.
    ``own``: numbers of the segments that show the page's title.
    Returns: numbers of the segments of each shell, with what has gone of it and the signs in between.
    """
    known = verdict.pages_with_text() if template.any() else None
    if known is None:
        return []
    pages, of = known
    left, title = ~template, key(page.title)
    repeated = left & (pages >= max(_PAGES[0], _PAGES[1] * of))
    repeated[own] = False
    found: list[range] = []
    places = [*_headings(page, repeated), *_labels(page, repeated, left)]
    for start, stop, end in sorted(places, reverse=True):  # a section in another one comes first
        last = int(page.segments.searchsorted(np.int32(end)))
        kept = stop + left[stop:last].nonzero()[0]
        if last == stop or any(key(page.segment_text(number)) for number in kept.tolist()):
            continue
        texts = map(page.segment_text, range(start, stop))
        if not _shows_picture(page, stop, end) and key(" ".join(texts)) not in title:
            left[start:last] = False
            found.append(range(start, last))
    return found if left.any() else []


def _headings(page: Page, repeated: Bools) -> Iterator[tuple[int, int, int]]:
    """Find repeated headings: numbers of their first segment and the one behind, row behind the section."""
    columns, segments = page.columns, page.segments
    level = _LEVEL[columns.tag]
    rows = level.nonzero()[0]
    first, behind = segments.searchsorted(rows), segments.searchsorted(columns.end[rows])
    counts = np.append(0, np.where(repeated, page.segment_chars, 0).cumsum())
    shown = 2 * (counts[behind] - counts[first]) > columns.chars[rows]
    for number in (shown & (behind < len(segments))).nonzero()[0].tolist():
        row, stop, others = rows[number], int(behind[number]), rows[number + 1 :]
        above = others[level[others] <= level[row]]
        yield int(first[number]), stop, min([_end(page, row, stop), *above[:1].tolist()])


def _labels(page: Page, repeated: Bools, left: Bools) -> Iterator[tuple[int, int, int]]:
    """Find repeated labels in front of what has gone, as headings; none of code, which follows its line."""
    columns, segments, blocks = page.columns, page.segments, page.blocks
    short = repeated[:-1] & ~left[1:] & (page.segment_chars[:-1] <= _LABEL)
    for number in short.nonzero()[0].tolist():
        row, stop = int(segments[number]), number + 1
        if not page.canonical[columns.start[row] : columns.stop[row]].rstrip().endswith(_COLONS):
            continue
        end = _end(page, row, stop)
        following = stop + int((blocks[stop:] == blocks[number]).sum())  # behind the line
        if stop < following < len(left):
            behind = int(segments[following])
            if left[following] and ((columns.end[:behind] > behind) & (columns.tag[:behind] == _PRE)).any():
                continue
            end = min(end, behind)
        yield number, stop, end


def _end(page: Page, row: int, stop: int) -> int:
    """Return the row behind the lowest element around a row that holds segment ``stop`` behind it, too."""
    columns = page.columns
    above = columns.around(row, int(page.segments[stop]))
    return int(columns.end[above]) if above >= 0 else len(columns)


def _shows_picture(page: Page, stop: int, end: int) -> bool:
    """Tell whether there is a picture between a segment and a row that has no text there around it."""
    columns, low = page.columns, int(page.segments[stop - 1])
    for shown in (_SHOWN[columns.tag[low:end]].nonzero()[0] + low).tolist():
        above = columns.above(shown)
        if next((row for row in above if row <= low or page.segments_in(row)), -1) < low:
            return True
    return False


def early_titles(page: Page, template: Bools, own: list[int]) -> list[range]:
    """Find kept copies of a page's title, alone in their blocks, before a heading that says the same.

    ``own``: numbers of the segments that show the page's title.
    """
    columns, blocks = page.columns, page.blocks
    rows = _LEVEL[columns.tag].nonzero()[0]
    chars = np.where(template, 0, page.segment_chars)
    found: list[range] = []
    for number in own:
        row = int(page.segments[number])
        place = int(rows.searchsorted(row))
        if template[number] or place == len(rows) or (place and columns.end[rows[place - 1]] > row):
            continue
        inside = page.segments_in(int(rows[place]))
        texts = [page.segment_text(each) for each in inside[:_PIECES] if not template[each]]
        if (
            texts
            and key("".join(texts)) == key(page.segment_text(number))
            and blocks[number] not in (*blocks[:number][-1:], blocks[number + 1])
            and chars[number + 1 : inside.start].sum() <= _BETWEEN
        ):
            found.append(range(number, number + 1))
    return found
