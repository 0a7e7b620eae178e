"""Parts that stay or go together: cells with their table, pieces with their line, headings with their text.

A cell of a table of data goes only with its row or column, a piece of running text only with its line. A
heading or label of which nothing is left goes, where it is on many pages of a site; so does a title that
stands twice.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.output.tables import LAYOUT
from detemplate.page import tags
from detemplate.page.metadata.titleparts import key

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

_TABLE, _ROW, _HEADER, _CELL, _DIV = (tags.IDS[name] for name in ("table", "tr", "th", "td", "div"))
_DATA: Final = tags.numbers("caption thead th")  # tags that tables of data have

# Tags that other tables do not have, unless they lay the page out.
_LAYOUT: Final = tags.numbers(" ".join((*LAYOUT, "aside", "footer", "form", "header", "nav")))

_BORDER: Final = re.compile(rb' border="[1-9]')
_PRESENTATION: Final = re.compile(rb' role="(?:presentation|none)"')
_SPAN: Final = re.compile(rb' (col|row)span="(\d{1,3})"')

_ROWS: Final = 3  # fewest rows of a table without header cells and borders
_SHORT: Final = 40  # most characters of its cells, on average
_EVEN: Final = 0.8  # least share of its rows that have as many cells as most

_WIDEST: Final = 100  # columns that are told apart
_ROUNDS: Final = 5  # how often it is asked what stays beside cells that stay


class _Cell(NamedTuple):
    """A cell with text: its row and column, its segments, and whether it is a header."""

    row: int
    column: int
    inside: range
    header: bool


def torn_cells(page: Page, template: Bools) -> list[range]:
    """Find removed cells of tables of data whose rows and columns stay.

    A table of data has header cells, a caption or borders, or rows of equally many short cells. A cell stays
    if something stays of its row and of its column, and most of one of them; a header cell, if something
    stays of what it heads, and most of the cells that are no headers.

    ``page``, ``template``: the page, and whether each of its segments is template.
    Returns: numbers of the segments of each such cell.
    """
    columns = page.columns
    tables = (columns.tag == _TABLE).nonzero()[0].tolist() if template.any() else []
    found: list[range] = []
    for table, following in zip(tables, [*tables[1:], len(columns)], strict=False):
        inside = page.segments_in(table)
        gone = template[inside.start : inside.stop]
        if following >= columns.end[table] and gone.any() and not gone.all():
            found += _torn(_cells(page, table), template)
    return found


def _torn(cells: list[_Cell], template: Bools) -> Iterator[range]:
    """Find the removed cells of a table whose rows and columns stay."""
    gone = [cell for cell in cells if template[cell.inside.start : cell.inside.stop].all()]
    every = [Counter(cell[axis] for cell in cells) for axis in (0, 1)]
    filled = 2 * sum(not cell.header for cell in gone) < sum(not cell.header for cell in cells)
    headers = Counter(cell.row for cell in cells if cell.header)
    for _ in range(_ROUNDS):
        removed = [Counter(cell[axis] for cell in gone) for axis in (0, 1)]
        left = []
        for cell in gone:
            pairs = [(every[axis][cell[axis]], removed[axis][cell[axis]]) for axis in (0, 1)]
            stay = [whole - lost for whole, lost in pairs]
            most = any(kept > max(lost, 1) for kept, (_, lost) in zip(stay, pairs, strict=True))
            heads = headers[cell.row] == every[0][cell.row]  # its column, in a row of headers; else its row
            if (all(stay) and most) or (cell.header and filled and stay[heads]):
                yield cell.inside
            else:
                left.append(cell)
        if len(left) == len(gone):
            return
        gone = left


def _cells(page: Page, table: int) -> list[_Cell]:
    """Give the cells with text of a table without others in it; none if it lays the page out."""
    columns, canonical = page.columns, page.canonical
    tag, parent, start = columns.tag.data, columns.parent.data, columns.start.data
    opening = canonical[start[table] : canonical.find(b">", start[table])]
    if _PRESENTATION.search(opening):
        return []
    spans = canonical.find(b"span=", start[table], columns.stop.data[table]) >= 0
    data, layout, row, column, divided = bool(_BORDER.search(opening)), False, -1, 0, -1
    taken: dict[int, int] = {}  # of each column, the row before which a cell above ends
    counts: list[int] = []
    cells: list[_Cell] = []
    for inner in range(table + 1, columns.end.data[table]):
        kind = tag[inner]
        data = data or kind in _DATA
        if kind == _ROW:
            row, column = row + 1, 0
            counts.append(0)
        elif kind in (_CELL, _HEADER) and tag[parent[inner]] == _ROW:
            counts[-1] += 1
            while column < _WIDEST and taken.get(column, 0) > row:
                column += 1
            if inside := page.segments_in(inner):
                cells.append(_Cell(row, column, inside, kind == _HEADER))
            span = {b"col": 1, b"row": 1}
            if spans:
                written = _SPAN.findall(canonical, start[inner], canonical.find(b">", start[inner]))
                span |= {axis: max(int(number), 1) for axis, number in written}
            following = min(column + span[b"col"], _WIDEST)
            if span[b"row"] > 1:
                taken |= dict.fromkeys(range(column, following), row + span[b"row"])
            column = following
        elif kind == _DIV:
            layout = layout or parent[inner] == divided or tag[parent[inner]] not in (_CELL, _HEADER)
            divided = parent[inner]
        layout = layout or kind in _LAYOUT
    if data:
        return cells
    width, even = Counter(counts).most_common(1)[0] if counts else (0, 0)
    short = columns.chars.data[table] <= _SHORT * sum(counts)
    regular = width > 1 and len(counts) >= _ROWS and even >= _EVEN * len(counts)
    return cells if regular and short and not layout else []


# Fewest characters of the longest kept text of a block whose pieces stay with it: running text.
_LEAST: Final = 50


def line_pieces(page: Page, template: Bools) -> list[range]:
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
