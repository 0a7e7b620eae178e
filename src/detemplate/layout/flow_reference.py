"""The flow layout behind the estimate, uncompiled: what the kernel computes, written for reading.

Three passes: attributes and what is inherited, forwards; the width that each element would take on one
line, backwards; positions, forwards. No recursion; what belongs to an element is kept in its row.
"""

from __future__ import annotations

import re
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from detemplate.page.columns import ELEMENT, TEXT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# How an element is laid out.
INLINE: Final = 0
BLOCK: Final = 1
NONE: Final = 2  # not at all
TABLE: Final = 3
GROUP: Final = 4  # of table rows
ROW: Final = 5
CELL: Final = 6
REPLACED: Final = 7  # a box of known size; nothing inside has a box
BREAK: Final = 8
DETAILS: Final = 9  # a block; closed, it shows only its summary
SUMMARY: Final = 10
DIALOG: Final = 11  # a block, if open

# Lengths of a tag: rows of the table of styles.
LINE: Final = 0  # height of a line; 0: inherited
CHAR: Final = 1  # width of a character; 0: inherited
ABOVE: Final = 2  # margins
BELOW: Final = 3
MARGIN_LEFT: Final = 4
MARGIN_RIGHT: Final = 5
PAD_LEFT: Final = 6
PAD_RIGHT: Final = 7
WIDE: Final = 8  # size, where nothing states one
HIGH: Final = 9
STYLES: Final = 10

# What is known of a row: rows of the working memory, which is zero at first.
LINE_OF: Final = 0
CHAR_OF: Final = 1
SHOWN: Final = 2  # 1: laid out, 2: the same, and its text keeps its line breaks
WIDTH: Final = 3  # as stated: pixels, or percent below zero, or UNSTATED
HEIGHT: Final = 4
SPAN: Final = 5  # columns of a cell
FLAGS: Final = 6
NATURAL: Final = 7  # width on one line
RUN: Final = 8  # width of the line that is being added up; later where an inline element began
TEXT_WIDTH: Final = 9  # of a text; later the lower end of a table row, and the line before an inline one
X: Final = 10  # the inside of a block
W: Final = 11
KEPT: Final = 12  # four rows: the state of the flow where something left it
ROWS: Final = 16

UNSTATED: Final = -100_000.0
HIDE: Final = 1
OPEN: Final = 2
OUT: Final = 4

MOST_COLUMNS: Final = 64
NARROW: Final = 24.0  # no block is narrower
COLUMN: Final = 60.0  # nor does a column shrink below this, if it needs as much
SPACING: Final = 2.0  # between table cells
PADDING: Final = 1.0  # within them
WASTE: Final = 2.5  # characters that a line leaves empty, as words do not break

# Traits of a tag that decide what its attributes mean.
SIZED: Final = 1  # its attributes ``width`` and ``height`` are sizes
INPUT: Final = 2
KEEPING: Final = 4  # its text keeps its line breaks

_SPACE: Final = b" \t\n\r\f"
_ATTRIBUTE: Final = re.compile(rb' (.[^=]*)="([^"]*)"', re.DOTALL)
_LENGTH: Final = re.compile(rb"([0-9]{1,5})(?:\.[0-9]*)?(px|%|)", re.IGNORECASE)
_TAG: Final = 0x3FFF
_ENOUGH: Final = 8.0  # no cell is narrower
_SHORT: Final = 0.25  # a text that takes less of a line moves to the next one whole


def _length(value: bytes, *, bare: bool) -> float:
    """Read a length: pixels, or percent below zero; ``bare``: a number without a unit is one."""
    found = _LENGTH.match(value)
    if found is None or not (found[2] or bare):
        return UNSTATED
    number = int(found[1])
    return float(-min(number, 100)) if found[2] == b"%" else float(number)


def hints(data: bytes, start: int, traits: int) -> tuple[float, float, int, int]:
    """Read a start tag's stated width and height, its columns and its flags."""
    width = height = UNSTATED
    span, flags = 1, 0
    at = start + 1
    while data[at] not in b" >":
        at += 1
    while found := _ATTRIBUTE.match(data, at):
        at = found.end()
        name, value = found[1], found[2]
        if name == b"hidden" or (name == b"type" and traits & INPUT and value.lower() == b"hidden"):
            flags |= HIDE
        elif name == b"open":
            flags |= OPEN
        elif name == b"colspan" and (number := _LENGTH.match(value)):
            span = min(max(int(number[1]), 1), MOST_COLUMNS)
        elif name == b"width" and traits & SIZED and width == UNSTATED:
            width = _length(value, bare=True)
        elif name == b"height" and traits & SIZED and height == UNSTATED:
            height = _length(value, bare=True)
        elif name == b"style":
            width, height, declared = _declared(value, width, height)
            flags |= declared
    return width, height, span, flags


def _declared(style: bytes, width: float, height: float) -> tuple[float, float, int]:
    """Read an inline style: the stated width and height, unless it says nothing of them, and flags."""
    flags = 0
    for declaration in style.split(b";"):
        key, _, said = declaration.partition(b":")
        key, said = key.strip(_SPACE).lower(), said.strip(_SPACE)
        if key == b"display" and said[:4].lower() == b"none":
            flags |= HIDE
        elif key == b"position" and said[:5].lower() in {b"absol", b"fixed"}:
            flags |= OUT
        elif key == b"width" and (length := _length(said, bare=False)) != UNSTATED:
            width = length
        elif key == b"height" and (length := _length(said, bare=False)) != UNSTATED:
            height = length
    return width, height, flags


def _wide(byte: int) -> bool:
    """Tell whether a byte begins a character that is twice as wide: CJK, most symbols beyond."""
    return 0xE3 <= byte <= 0xED or byte >= 0xF0


def kept_lines(written: bytes) -> tuple[int, int]:
    """Count the lines of preformatted text, white space at both ends aside, and the longest's columns."""
    lines = longest = columns = 0
    entity = False
    for byte in written.strip(_SPACE) + b"\n":
        if byte == 10:
            lines += 1
            longest = max(longest, columns)
            columns = 0
            entity = False
        elif entity:
            entity = byte != 59
        elif byte & 0xC0 != 0x80:
            columns += 2 if _wide(byte) else 1
            entity = byte == 38
    return lines, longest


class _Flow:
    """One layout of one page; ``y`` is the top of the current line, ``cx`` how far it is filled."""

    def __init__(  # noqa: PLR0917
        self,
        data: bytes,
        lists: list[list[int]],
        displays: list[int],
        traits: list[int],
        styles: list[list[float]],
        width: float,
        work: list[list[float]],
    ) -> None:
        self.data, self.width = data, width
        self.displays, self.traits, self.styles = displays, traits, styles
        self.kind, self.tag, self.parent, self.end, self.start, self.stop, self.chars = lists
        self.tag = [tag & _TAG for tag in self.tag]
        self.work = work
        count = len(self.kind)
        self.out = [[0.0] * count for _ in range(4)]
        self.y = self.cx = self.line = self.gap = 0.0

    def display(self, row: int) -> int:
        return self.displays[self.tag[row]]

    def style(self, style: int, row: int) -> float:
        return self.styles[style][self.tag[row]]

    def box(self, row: int, left: float, top: float, width: float, height: float) -> None:
        for side, value in zip(self.out, (left, top, width, height), strict=True):
            side[row] = value

    def prepare(self, row: int) -> None:
        """Read what a row states, and give it what its parent hands down."""
        work, above = self.work, self.parent[row]
        line, char, shown = 0.0, 0.0, 1.0
        if above >= 0:
            line, char, shown = work[LINE_OF][above], work[CHAR_OF][above], work[SHOWN][above]
            if self.display(above) == REPLACED:
                shown = 0.0
            elif self.display(above) == DETAILS and not int(work[FLAGS][above]) & OPEN:
                summary = self.kind[row] == ELEMENT and self.display(row) == SUMMARY
                shown = shown if summary else 0.0
        if self.kind[row] == ELEMENT:
            width, height, span, flags = hints(self.data, self.start[row], self.traits[self.tag[row]])
            work[WIDTH][row], work[HEIGHT][row], work[SPAN][row], work[FLAGS][row] = (
                width,
                height,
                span,
                flags,
            )
            display = self.display(row)
            line = self.style(LINE, row) or line
            char = self.style(CHAR, row) or char
            if display == NONE or flags & HIDE or (display == DIALOG and not flags & OPEN):
                shown = 0.0
            elif shown and self.traits[self.tag[row]] & KEEPING:
                shown = 2.0
        elif self.kind[row] != TEXT:
            shown = 0.0
        elif shown:
            written = self.data[self.start[row] : self.stop[row]]
            if shown == 2:
                lines, longest = kept_lines(written)
                work[RUN][row], work[TEXT_WIDTH][row] = lines, longest * char
            else:
                work[TEXT_WIDTH][row] = (self.chars[row] + sum(map(_wide, written))) * char
        work[LINE_OF][row], work[CHAR_OF][row], work[SHOWN][row] = line, char, shown

    def measure(self, row: int) -> None:
        """Add the width of a row on one line to its parent's; the rows below it are done."""
        natural, run = self.work[NATURAL], self.work[RUN]
        above = self.parent[row]
        if self.kind[row] == TEXT:
            if above < 0:
                return
            if self.work[SHOWN][row] == 2:
                natural[above] = max(natural[above], self.work[TEXT_WIDTH][row])
            else:
                run[above] += self.work[TEXT_WIDTH][row] + self.work[CHAR_OF][row] / 2
            return
        display, stated = self.display(row), self.work[WIDTH][row]
        natural[row] = max(natural[row], run[row])
        run[row] = 0.0
        pads = self.style(PAD_LEFT, row) + self.style(PAD_RIGHT, row)
        if display == CELL:
            natural[row] += 2 * PADDING
            if stated >= 0:
                natural[row] = max(stated, min(natural[row], COLUMN))
        if above < 0 or int(self.work[FLAGS][row]) & OUT:
            return
        if display == BREAK:
            natural[above] = max(natural[above], run[above])
            run[above] = 0.0
        elif display == REPLACED:
            run[above] += self.size(row, 0.0)[0]
        elif display == INLINE:
            run[above] += natural[row] + pads
        elif display == CELL:
            run[above] += natural[row] + SPACING
        else:
            margins = self.style(MARGIN_LEFT, row) + self.style(MARGIN_RIGHT, row)
            needed = (stated if stated >= 0 else natural[row] + pads) + margins
            natural[above] = max(natural[above], run[above], needed)
            run[above] = 0.0

    def size(self, row: int, room: float) -> tuple[float, float]:
        """Give the size of a replaced element; percent are of the room that it has."""
        width, height = self.work[WIDTH][row], self.work[HEIGHT][row]
        usual_width, usual_height = self.style(WIDE, row), self.style(HIGH, row)
        if UNSTATED < width < 0:
            width = room * -width / 100
        keeps = usual_width <= 2 * usual_height  # a picture of some shape, no control of a form
        if width < 0:
            width = height * usual_width / usual_height if keeps and height >= 0 else usual_width
        if height < 0:
            height = width * usual_height / usual_width if keeps else usual_height
        return width, height

    def newline(self) -> None:
        self.y += self.line
        self.line = self.cx = 0.0

    def settle(self) -> None:
        """Let the margin that is due take its place: something follows."""
        self.y += self.gap
        self.gap = 0.0

    def space(self, row: int) -> None:
        """Take the white space before a row: a gap in the line, or kept line breaks."""
        data, start = self.data, self.start[row]
        if self.work[SHOWN][row] == 2:
            breaks = 0
            at = start
            while self.kind[row] == TEXT and at < self.stop[row] and data[at] in _SPACE:
                breaks += data[at] == 10
                at += 1
            at = start - 1
            while at >= 0 and data[at] in _SPACE:
                breaks += data[at] == 10
                at -= 1
            if breaks:
                self.settle()
                high = self.work[LINE_OF][row]
                self.y += (self.line or high) + (breaks - 1) * high
                self.line = self.cx = 0.0
        elif self.cx > 0 and (data[start] in _SPACE or (start > 0 and data[start - 1] in _SPACE)):
            self.cx += self.work[CHAR_OF][row] / 2

    def room(self, row: int) -> tuple[float, float]:
        """Give the left edge and the width of what a row stands in."""
        above = self.parent[row]
        return (self.work[X][above], self.work[W][above]) if above >= 0 else (0.0, self.width)

    def text(self, row: int) -> None:
        x, room = self.room(row)
        self.space(row)
        self.settle()
        high, needed = self.work[LINE_OF][row], self.work[TEXT_WIDTH][row]
        if self.work[SHOWN][row] == 2:
            lines = self.work[RUN][row]
            self.box(row, x + self.cx, self.y, needed, lines * high)
            if lines > 1:
                self.y += max(self.line, high) + (lines - 2) * high
                self.line, self.cx = high, 0.0
            else:
                self.line, self.cx = max(self.line, high), self.cx + needed
            return
        if self.cx > 0 and self.cx + needed > room and needed <= _SHORT * room:
            self.newline()
        first = max(self.line, high)
        if self.cx + needed <= room:
            self.box(row, x + self.cx, self.y, needed, high)
            self.line, self.cx = first, self.cx + needed
            return
        used = max(room - WASTE * self.work[CHAR_OF][row], 0.6 * room)
        total = min(self.cx, room) + needed
        lines = max(ceil(total / used), 2)
        self.box(row, x, self.y, room, first + (lines - 1) * high)
        self.y += first + (lines - 2) * high
        self.line, self.cx = high, min(max(total - (lines - 1) * used, 0.0), room)

    def enter(self, row: int) -> bool:
        """Begin an element; tell whether what is inside is to be laid out."""
        work, above, display = self.work, self.parent[row], self.display(row)
        x, room = self.room(row)
        if int(work[FLAGS][row]) & OUT:
            for number, value in enumerate((self.y, self.cx, self.line, self.gap)):
                work[KEPT + number][row] = value
        if display == INLINE:
            self.space(row)
            work[X][row], work[W][row] = x, room
            work[RUN][row], work[TEXT_WIDTH][row] = self.cx, self.y + self.gap
            self.cx += self.style(PAD_LEFT, row)
            return True
        if display == BREAK:
            if self.line == 0:
                self.settle()
                self.line = work[LINE_OF][row]
            self.newline()
            return False
        if display == REPLACED:
            self.replaced(row, x, room)
            return False
        if display == ROW:
            self.newline()
            self.settle()
            self.y += SPACING
            work[X][row], work[W][row] = x, room
            self.out[1][row] = work[TEXT_WIDTH][row] = self.y
            return True
        if display == CELL and above >= 0 and self.display(above) == ROW:
            self.out[1][row] = self.out[1][above]
            self.y = self.out[1][above] + PADDING
            self.line = self.cx = self.gap = 0.0
            if work[W][row] == 0:
                work[X][row], work[W][row] = x + PADDING, max(room - 2 * PADDING, _ENOUGH)
            return True
        self.block(row, x, room)
        return True

    def replaced(self, row: int, x: float, room: float) -> None:
        self.space(row)
        width, height = self.size(row, room)
        if self.cx > 0 and self.cx + width > room:
            self.newline()
        self.settle()
        self.box(row, x + self.cx, self.y, width, height)
        self.cx += width
        self.line = max(self.line, height)
        self.restore(row)

    def block(self, row: int, x: float, room: float) -> None:
        work, display, stated = self.work, self.display(row), self.work[WIDTH][row]
        left, right = self.style(PAD_LEFT, row), self.style(PAD_RIGHT, row)
        margin = self.style(MARGIN_LEFT, row)
        self.newline()
        self.gap = max(self.gap, self.style(ABOVE, row))
        full = room
        if display != GROUP:
            full = max(room - margin - self.style(MARGIN_RIGHT, row), NARROW)
            if stated >= 0:
                full = max(stated, NARROW)
            elif stated > UNSTATED:
                full = max(full * -stated / 100, NARROW)
            elif display == TABLE or int(work[FLAGS][row]) & OUT:
                full = max(min(full, work[NATURAL][row] + left + right + SPACING), NARROW)
        work[X][row], work[W][row] = x + margin + left, max(full - left - right, _ENOUGH)
        self.out[1][row] = self.y + self.gap
        if display == TABLE:
            self.columns(row)

    def cells(self, table: int) -> list[tuple[int, int]]:
        """Give the cells of a table, and the column in which each begins."""
        found = []
        row = table + 1
        while row < self.end[table]:
            display = self.display(row) if self.work[SHOWN][row] and self.kind[row] == ELEMENT else NONE
            if display == GROUP:
                row += 1
                continue
            if display == ROW:
                cell, column = row + 1, 0
                while cell < self.end[row]:
                    if self.work[SHOWN][cell] and self.kind[cell] == ELEMENT and self.display(cell) == CELL:
                        found.append((cell, min(column, MOST_COLUMNS - 1)))
                        column += int(self.work[SPAN][cell])
                    cell = self.end[cell]
            row = self.end[row]
        return found

    def columns(self, table: int) -> None:
        """Share a table's width among its columns, and give its cells their places."""
        work, inside = self.work, self.work[W][table]
        cells = self.cells(table)
        wide = [0.0] * MOST_COLUMNS
        used = 0
        for cell, column in cells:
            span = min(int(work[SPAN][cell]), MOST_COLUMNS - column)
            used = max(used, column + span)
            if span == 1:
                stated = work[WIDTH][cell]
                needed = inside * -stated / 100 if UNSTATED < stated < 0 else work[NATURAL][cell]
                wide[column] = max(wide[column], needed)
        for cell, column in cells:
            span = min(int(work[SPAN][cell]), MOST_COLUMNS - column)
            if span > 1:
                held = 0.0
                for place in range(column, column + span):
                    held += wide[place]
                if held < work[NATURAL][cell]:
                    more = (work[NATURAL][cell] - held) / span
                    for place in range(column, column + span):
                        wide[place] += more
        self.share(wide, used, max(inside - SPACING * (used + 1), 0.0))
        for cell, column in cells:
            span = min(int(work[SPAN][cell]), MOST_COLUMNS - column)
            left = work[X][table] + SPACING
            for place in range(column):
                left += wide[place] + SPACING
            width = SPACING * (span - 1)
            for place in range(column, column + span):
                width += wide[place]
            work[X][cell], work[W][cell] = left + PADDING, max(width - 2 * PADDING, _ENOUGH)

    def share(self, wide: list[float], used: int, room: float) -> None:
        """Fit columns into a room: grown in proportion, or shrunk, the widest most."""
        total = low = 0.0
        for place in range(used):
            total += wide[place]
            low += min(wide[place], COLUMN)
        for place in range(used):
            least = min(wide[place], COLUMN)
            if total <= 0:
                wide[place] = room / used
            elif total <= room:
                wide[place] *= room / total
            elif low >= room:
                wide[place] = least * room / low
            else:
                wide[place] = least + (wide[place] - least) * (room - low) / (total - low)

    def leave(self, row: int) -> None:
        """End an element: its box is known."""
        work, above, display = self.work, self.parent[row], self.display(row)
        x, room = work[X][row], work[W][row]
        top = self.out[1][row]
        if display == INLINE:
            self.cx += self.style(PAD_RIGHT, row)
            began, top = work[RUN][row], work[TEXT_WIDTH][row]
            if self.y + self.gap <= top:
                if self.cx > began:
                    self.box(row, x + began, top, self.cx - began, work[LINE_OF][row])
            else:
                self.box(row, x, top, room, max(self.y + self.line - top, 0.0))
        elif display == ROW:
            self.newline()
            self.y = max(work[TEXT_WIDTH][row], top + max(work[HEIGHT][row], 0.0))
            self.gap = 0.0
            self.box(row, x, top, room, self.y - top)
            cell = row + 1
            while cell < self.end[row]:
                if work[SHOWN][cell] and self.kind[cell] == ELEMENT and self.display(cell) == CELL:
                    self.out[3][cell] = self.y - top
                cell = self.end[cell]
        elif display == CELL and above >= 0 and self.display(above) == ROW:
            self.newline()
            self.settle()
            self.y = max(self.y, top + work[HEIGHT][row]) + PADDING
            work[TEXT_WIDTH][above] = max(work[TEXT_WIDTH][above], self.y)
            self.box(row, x - PADDING, top, room + 2 * PADDING, self.y - top)
        else:
            self.end_block(row, x, room, top)
        self.restore(row)

    def end_block(self, row: int, x: float, room: float, top: float) -> None:
        self.newline()
        if self.display(row) == TABLE and self.y > top:
            self.y += SPACING
        high = self.work[HEIGHT][row] if self.work[HEIGHT][row] >= 0 else self.style(HIGH, row)
        if high > 0:
            self.y, self.gap = top + high, 0.0
        left = self.style(PAD_LEFT, row)
        self.box(row, x - left, top, room + left + self.style(PAD_RIGHT, row), max(self.y - top, 0.0))
        self.gap = max(self.gap, self.style(BELOW, row))

    def restore(self, row: int) -> None:
        """Go on where an element that is out of the flow began."""
        if int(self.work[FLAGS][row]) & OUT:
            self.y, self.cx, self.line, self.gap = (self.work[KEPT + number][row] for number in range(4))

    def run(self) -> None:
        count, shown = len(self.kind), self.work[SHOWN]
        for row in range(count):
            self.prepare(row)
        for row in range(count - 1, -1, -1):
            if shown[row]:
                self.measure(row)
        row, inside = 0, -1
        while row < count or inside >= 0:
            if inside >= 0 and row >= self.end[inside]:
                self.leave(inside)
                inside = self.parent[inside]
            elif not shown[row]:
                row = self.end[row]
            elif self.kind[row] == TEXT:
                self.text(row)
                row += 1
            elif self.enter(row):
                inside = row
                row += 1
            else:
                row = self.end[row]


def lay_out(  # noqa: PLR0917  # as the kernel has them
    data: bytes,
    kind: npt.NDArray[np.uint16],
    tag: npt.NDArray[np.uint16],
    parent: npt.NDArray[np.int32],
    end: npt.NDArray[np.int32],
    start: npt.NDArray[np.int32],
    stop: npt.NDArray[np.int32],
    chars: npt.NDArray[np.int32],
    displays: npt.NDArray[np.uint8],
    traits: npt.NDArray[np.uint8],
    styles: npt.NDArray[np.float64],
    width: float,
    work: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> None:
    """Fill ``out`` (4 × rows: left, top, width, height), uncompiled.

    ``displays``, ``traits`` and ``styles`` say how each tag is laid out; ``work`` is memory,
    :data:`ROWS` × rows, zero at first.
    """
    lists: list[Any] = [column.tolist() for column in (kind, tag, parent, end, start, stop, chars)]
    flow = _Flow(data, lists, displays.tolist(), traits.tolist(), styles.tolist(), width, work.tolist())
    flow.run()
    out[:] = flow.out
