# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled flow layout, in three passes over the nodes.

The first goes forwards and reads what start tags state and what is inherited. The second goes backwards and
adds up the width that each element takes on one line. The third goes forwards again and places boxes. What is
known of a node is kept in a record, so there is no recursion. The kernel trusts the columns no further than
the arrays reach: rows and bytes are checked before anything is laid out. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.layout import _flowrows as const
from cython.cimports.detemplate.layout._flowrows import Node
from cython.cimports.detemplate.page._markup import (
    ELEMENT,
    TEXT,
    Attribute,
    is_named,
    is_space,
    next_attribute,
)
from cython.cimports.detemplate.page._tags import NUMBER
from cython.cimports.libc.math import ceil
from cython.cimports.libc.string import memchr, memset

UNSTATED = cython.declare(cython.double, -100_000.0)  # stands for a length that is not stated
NARROW = cython.declare(cython.double, 24.0)  # minimum width of a block, in pixels as all lengths
# Minimum width to which a table column shrinks, if its texts need it.
COLUMN = cython.declare(cython.double, 60.0)
SPACING = cython.declare(cython.double, 2.0)  # between table cells
PADDING = cython.declare(cython.double, 1.0)  # within a table cell, on each side
ENOUGH = cython.declare(cython.double, 8.0)  # minimum width of the inside of a block or cell
# Characters that a line leaves empty on average: words do not break.
WASTE = cython.declare(cython.double, 2.5)
LEAST_USED = cython.declare(cython.double, 0.6)  # minimum share of a line that text fills
# Up to this share of a line, a text moves to the next line as a whole.
SHORT = cython.declare(cython.double, 0.25)

DIGIT_ZERO = cython.declare(cython.uchar, 0x30)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def lower(c: cython.uchar) -> cython.uchar:
    return c | 32 if b"A" <= c and c <= b"Z" else c


@cython.cfunc
@cython.exceptval(check=False)
def same(
    p: cython.p_uchar, n: cython.Py_ssize_t, word: cython.p_char, size: cython.Py_ssize_t
) -> cython.bint:
    """Tell whether the ``n`` bytes at ``p`` are a lower-case word, whatever their case."""
    i: cython.Py_ssize_t
    if n != size:
        return False
    for i in range(size):
        if lower(p[i]) != cython.cast(cython.uchar, word[i]):
            return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_wide(c: cython.uchar) -> cython.bint:
    return 0xE3 <= c <= 0xED or c >= 0xF0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_digit(c: cython.uchar) -> cython.bint:
    return b"0" <= c and c <= b"9"


@cython.cfunc
@cython.exceptval(check=False)
def length_of(p: cython.p_uchar, end: cython.p_uchar, bare: cython.bint) -> cython.double:
    """Read a length: pixels, or percent as a negative number; ``bare``: numbers need no unit."""
    number: cython.int = 0
    digits: cython.int = 0
    while p < end and digits < 5 and is_digit(p[0]):
        number = number * 10 + (p[0] - DIGIT_ZERO)
        digits += 1
        p += 1
    if digits == 0:
        return UNSTATED
    if p < end and p[0] == b".":
        p += 1
        while p < end and is_digit(p[0]):
            p += 1
    if p < end and p[0] == b"%":
        return -(100 if number > 100 else number)
    if bare or (end - p >= 2 and lower(p[0]) == b"p" and lower(p[1]) == b"x"):
        return number
    return UNSTATED


@cython.cclass
class Flow:
    """One layout of one page."""

    data: cython.p_uchar
    size: cython.Py_ssize_t
    count: cython.int
    names: cython.int
    width: cython.double
    kind: cython.ushort[::1]
    tag: cython.ushort[::1]
    parent: cython.int[::1]
    end: cython.int[::1]
    start: cython.int[::1]
    stop: cython.int[::1]
    chars: cython.int[::1]
    displays: cython.uchar[::1]
    traits: cython.uchar[::1]
    styles: cython.double[:, ::1]
    node: cython.pointer[Node]
    out: cython.double[:, ::1]
    y: cython.double
    cx: cython.double
    line: cython.double
    gap: cython.double
    wide: cython.double[64]

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def display(self, row: cython.int) -> cython.int:
        return self.displays[self.tag[row] & NUMBER]

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def style(self, style: cython.int, row: cython.int) -> cython.double:
        return self.styles[style, self.tag[row] & NUMBER]

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def flagged(self, row: cython.int, flag: cython.int) -> cython.bint:
        return (self.node[row].flags & flag) != 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def box(
        self,
        row: cython.int,
        left: cython.double,
        top: cython.double,
        width: cython.double,
        height: cython.double,
    ) -> cython.void:
        self.out[const.LEFT, row] = left
        self.out[const.TOP, row] = top
        self.out[const.BOX_WIDTH, row] = width
        self.out[const.BOX_HEIGHT, row] = height

    @cython.cfunc
    @cython.exceptval(check=False)
    def stated(self, row: cython.int) -> cython.void:
        """Read a start tag: width, height, columns of a cell, flags."""
        p: cython.p_uchar = self.data + self.start[row] + 1
        end: cython.p_uchar = self.data + self.size
        value: cython.p_uchar
        memory = cython.declare(Attribute)
        attribute = cython.declare(cython.pointer(Attribute), cython.address(memory))
        span: cython.double
        flags: cython.int = 0
        trait: cython.int = self.traits[self.tag[row] & NUMBER]
        self.node[row].width = UNSTATED
        self.node[row].height = UNSTATED
        self.node[row].span = 1
        while p < end and p[0] != b" " and p[0] != b">":
            p += 1
        while next_attribute(cython.address(p), end, attribute):
            value = attribute.value
            if is_named(attribute, b"hidden", 6):
                flags |= const.HIDE
            elif is_named(attribute, b"type", 4):
                if trait & const.INPUT and same(value, attribute.stop - value, b"hidden", 6):
                    flags |= const.HIDE
            elif is_named(attribute, b"open", 4):
                flags |= const.OPEN
            elif is_named(attribute, b"colspan", 7):
                span = length_of(value, attribute.stop, True)
                if span != UNSTATED:
                    # A percent sign counts for nothing.
                    if span < 0:
                        span = -span
                    self.node[row].span = min(max(span, 1), const.MOST_COLUMNS)
            elif trait & const.SIZED and is_named(attribute, b"width", 5):
                if self.node[row].width == UNSTATED:
                    self.node[row].width = length_of(value, attribute.stop, True)
            elif trait & const.SIZED and is_named(attribute, b"height", 6):
                if self.node[row].height == UNSTATED:
                    self.node[row].height = length_of(value, attribute.stop, True)
            elif is_named(attribute, b"style", 5):
                flags |= self.declared(row, value, attribute.stop)
        self.node[row].flags = flags

    @cython.cfunc
    @cython.exceptval(check=False)
    def declared(self, row: cython.int, p: cython.p_uchar, end: cython.p_uchar) -> cython.int:
        """Read the declarations of an inline style."""
        flags: cython.int = 0
        stop: cython.p_uchar
        colon: cython.p_uchar
        tail: cython.p_uchar
        length: cython.double
        while p < end:
            stop = cython.cast(cython.p_uchar, memchr(p, b";", end - p))
            if stop == cython.NULL:
                stop = end
            colon = cython.cast(cython.p_uchar, memchr(p, b":", stop - p))
            if colon != cython.NULL:
                while p < colon and is_space(p[0]):
                    p += 1
                tail = colon
                while tail > p and is_space((tail - 1)[0]):
                    tail -= 1
                colon += 1
                while colon < stop and is_space(colon[0]):
                    colon += 1
                if same(p, tail - p, b"display", 7):
                    if stop - colon >= 4 and same(colon, 4, b"none", 4):
                        flags |= const.HIDE
                elif same(p, tail - p, b"position", 8):
                    if stop - colon >= 5 and (same(colon, 5, b"absol", 5) or same(colon, 5, b"fixed", 5)):
                        flags |= const.OUT
                elif same(p, tail - p, b"width", 5):
                    length = length_of(colon, stop, False)
                    if length != UNSTATED:
                        self.node[row].width = length
                elif same(p, tail - p, b"height", 6):
                    length = length_of(colon, stop, False)
                    if length != UNSTATED:
                        self.node[row].height = length
            p = stop + 1
        return flags

    @cython.cfunc
    @cython.exceptval(check=False)
    def kept_lines(self, row: cython.int, char: cython.double) -> cython.void:
        p: cython.p_uchar = self.data + self.start[row]
        end: cython.p_uchar = self.data + self.stop[row]
        lines: cython.int = 1
        longest: cython.int = 0
        columns: cython.int = 0
        entity: cython.bint = False
        while p < end and is_space(p[0]):
            p += 1
        while end > p and is_space((end - 1)[0]):
            end -= 1
        while p < end:
            if p[0] == b"\n":
                lines += 1
                longest = max(longest, columns)
                columns = 0
                entity = False
            elif entity:
                entity = p[0] != b";"
            elif p[0] & 0xC0 != 0x80:
                columns += 2 if is_wide(p[0]) else 1
                entity = p[0] == b"&"
            p += 1
        self.node[row].run = lines
        self.node[row].text_width = max(longest, columns) * char

    @cython.cfunc
    @cython.exceptval(check=False)
    def prepare(self, row: cython.int) -> cython.void:
        above: cython.int = self.parent[row]
        line: cython.double = 0
        char: cython.double = 0
        shown: cython.int = 1
        display: cython.int
        more: cython.longlong = 0
        at: cython.int
        if above >= 0:
            line = self.node[above].line
            char = self.node[above].char
            shown = self.node[above].shown
            display = self.display(above)
            if display == const.REPLACED:
                shown = 0
            elif display == const.DETAILS and not self.flagged(above, const.OPEN):
                if self.kind[row] != ELEMENT or self.display(row) != const.SUMMARY:
                    shown = 0
        if self.kind[row] == ELEMENT:
            self.stated(row)
            display = self.display(row)
            if self.style(const.LINE, row) != 0:
                line = self.style(const.LINE, row)
            if self.style(const.CHAR, row) != 0:
                char = self.style(const.CHAR, row)
            if display == const.NONE or self.flagged(row, const.HIDE):
                shown = 0
            elif display == const.DIALOG and not self.flagged(row, const.OPEN):
                shown = 0
            elif shown != 0 and self.traits[self.tag[row] & NUMBER] & const.KEEPING:
                shown = 2
        elif self.kind[row] != TEXT:
            shown = 0
        elif shown == 2:
            self.kept_lines(row, char)
        elif shown != 0:
            for at in range(self.start[row], self.stop[row]):
                more += is_wide(self.data[at])
            self.node[row].text_width = (self.chars[row] + more) * char
        self.node[row].line = line
        self.node[row].char = char
        self.node[row].shown = shown

    @cython.cfunc
    @cython.exceptval(check=False)
    def measure(self, row: cython.int) -> cython.void:
        above: cython.int = self.parent[row]
        display: cython.int
        natural: cython.double
        stated: cython.double
        needed: cython.double
        if self.kind[row] == TEXT:
            if above < 0:
                return
            if self.node[row].shown == 2:
                self.node[above].natural = max(self.node[above].natural, self.node[row].text_width)
            else:
                self.node[above].run += self.node[row].text_width + self.node[row].char / 2
            return
        display = self.display(row)
        stated = self.node[row].width
        natural = max(self.node[row].natural, self.node[row].run)
        self.node[row].run = 0
        if display == const.CELL:
            natural += 2 * PADDING
            if stated >= 0:
                natural = max(stated, min(natural, COLUMN))
        self.node[row].natural = natural
        if above < 0 or self.flagged(row, const.OUT):
            return
        if display == const.BREAK:
            self.node[above].natural = max(self.node[above].natural, self.node[above].run)
            self.node[above].run = 0
        elif display == const.REPLACED:
            self.node[above].run += self.size_of(row, 0, False)
        elif display == const.INLINE:
            self.node[above].run += natural + (
                self.style(const.PAD_LEFT, row) + self.style(const.PAD_RIGHT, row)
            )
        elif display == const.CELL:
            self.node[above].run += natural + SPACING
        else:
            if stated >= 0:
                needed = stated
            else:
                needed = natural + (self.style(const.PAD_LEFT, row) + self.style(const.PAD_RIGHT, row))
            needed += self.style(const.MARGIN_LEFT, row) + self.style(const.MARGIN_RIGHT, row)
            self.node[above].natural = max(self.node[above].natural, self.node[above].run, needed)
            self.node[above].run = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def size_of(self, row: cython.int, room: cython.double, tall: cython.bint) -> cython.double:
        """Give the width of a replaced element, or its height."""
        width: cython.double = self.node[row].width
        height: cython.double = self.node[row].height
        usual_width: cython.double = self.style(const.WIDE, row)
        usual_height: cython.double = self.style(const.HIGH, row)
        keeps: cython.bint = usual_width <= 2 * usual_height
        if width > UNSTATED and width < 0:
            width = room * -width / 100
        if width < 0:
            width = height * usual_width / usual_height if keeps and height >= 0 else usual_width
        if height < 0:
            height = width * usual_height / usual_width if keeps else usual_height
        return height if tall else width

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def newline(self) -> cython.void:
        self.y += self.line
        self.line = 0
        self.cx = 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def settle(self) -> cython.void:
        self.y += self.gap
        self.gap = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def space(self, row: cython.int) -> cython.void:
        start: cython.int = self.start[row]
        at: cython.int
        breaks: cython.int = 0
        high: cython.double
        if self.node[row].shown == 2:
            if self.kind[row] == TEXT:
                at = start
                while at < self.stop[row] and is_space(self.data[at]):
                    breaks += self.data[at] == b"\n"
                    at += 1
            at = start - 1
            while at >= 0 and is_space(self.data[at]):
                breaks += self.data[at] == b"\n"
                at -= 1
            if breaks:
                self.settle()
                high = self.node[row].line
                self.y += (self.line if self.line != 0 else high) + (breaks - 1) * high
                self.line = 0
                self.cx = 0
        elif self.cx > 0 and (is_space(self.data[start]) or (start > 0 and is_space(self.data[start - 1]))):
            self.cx += self.node[row].char / 2

    @cython.cfunc
    @cython.exceptval(check=False)
    def text(self, row: cython.int) -> cython.void:
        above: cython.int = self.parent[row]
        x: cython.double = 0
        room: cython.double = self.width
        high: cython.double = self.node[row].line
        needed: cython.double = self.node[row].text_width
        lines: cython.double
        first: cython.double
        used: cython.double
        total: cython.double
        if above >= 0:
            x = self.node[above].x
            room = self.node[above].room
        self.space(row)
        self.settle()
        if self.node[row].shown == 2:
            lines = self.node[row].run
            self.box(row, x + self.cx, self.y, needed, lines * high)
            if lines > 1:
                self.y += max(self.line, high) + (lines - 2) * high
                self.line = high
                self.cx = 0
            else:
                self.line = max(self.line, high)
                self.cx += needed
            return
        if self.cx > 0 and self.cx + needed > room and needed <= SHORT * room:
            self.newline()
        first = max(self.line, high)
        if self.cx + needed <= room:
            self.box(row, x + self.cx, self.y, needed, high)
            self.line = first
            self.cx += needed
            return
        used = max(room - WASTE * self.node[row].char, LEAST_USED * room)
        total = min(self.cx, room) + needed
        lines = max(ceil(total / used), 2.0)
        self.box(row, x, self.y, room, first + (lines - 1) * high)
        self.y += first + (lines - 2) * high
        self.line = high
        self.cx = min(max(total - (lines - 1) * used, 0.0), room)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def in_row(self, row: cython.int) -> cython.bint:
        """Tell whether an element is a cell of a table row."""
        above: cython.int = self.parent[row]
        return self.display(row) == const.CELL and above >= 0 and self.display(above) == const.ROW

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter(self, row: cython.int) -> cython.bint:
        above: cython.int = self.parent[row]
        display: cython.int = self.display(row)
        x: cython.double = 0
        room: cython.double = self.width
        if above >= 0:
            x = self.node[above].x
            room = self.node[above].room
        if self.flagged(row, const.OUT):
            self.node[row].kept_y = self.y
            self.node[row].kept_x = self.cx
            self.node[row].kept_line = self.line
            self.node[row].kept_gap = self.gap
        if display == const.INLINE:
            self.space(row)
            self.node[row].x = x
            self.node[row].room = room
            self.node[row].run = self.cx
            self.node[row].text_width = self.y + self.gap
            self.cx += self.style(const.PAD_LEFT, row)
            return True
        if display == const.BREAK:
            if self.line == 0:
                self.settle()
                self.line = self.node[row].line
            self.newline()
            return False
        if display == const.REPLACED:
            self.replaced(row, x, room)
            return False
        if display == const.ROW:
            self.newline()
            self.settle()
            self.y += SPACING
            self.node[row].x = x
            self.node[row].room = room
            self.out[const.TOP, row] = self.y
            self.node[row].text_width = self.y
            return True
        if self.in_row(row):
            self.out[const.TOP, row] = self.out[const.TOP, above]
            self.y = self.out[const.TOP, above] + PADDING
            self.line = 0
            self.cx = 0
            self.gap = 0
            if self.node[row].room == 0:
                self.node[row].x = x + PADDING
                self.node[row].room = max(room - 2 * PADDING, ENOUGH)
            return True
        self.block(row, x, room)
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def replaced(self, row: cython.int, x: cython.double, room: cython.double) -> cython.void:
        width: cython.double = self.size_of(row, room, False)
        height: cython.double = self.size_of(row, room, True)
        self.space(row)
        if self.cx > 0 and self.cx + width > room:
            self.newline()
        self.settle()
        self.box(row, x + self.cx, self.y, width, height)
        self.cx += width
        self.line = max(self.line, height)
        self.restore(row)

    @cython.cfunc
    @cython.exceptval(check=False)
    def block(self, row: cython.int, x: cython.double, room: cython.double) -> cython.void:
        display: cython.int = self.display(row)
        stated: cython.double = self.node[row].width
        left: cython.double = self.style(const.PAD_LEFT, row)
        right: cython.double = self.style(const.PAD_RIGHT, row)
        margin: cython.double = self.style(const.MARGIN_LEFT, row)
        full: cython.double = room
        self.newline()
        self.gap = max(self.gap, self.style(const.ABOVE, row))
        if display != const.GROUP:
            full = max(room - margin - self.style(const.MARGIN_RIGHT, row), NARROW)
            if stated >= 0:
                full = max(stated, NARROW)
            elif stated > UNSTATED:
                full = max(full * -stated / 100, NARROW)
            elif display == const.TABLE or self.flagged(row, const.OUT):
                full = max(min(full, self.node[row].natural + left + right + SPACING), NARROW)
        self.node[row].x = x + margin + left
        self.node[row].room = max(full - left - right, ENOUGH)
        self.out[const.TOP, row] = self.y + self.gap
        if display == const.TABLE:
            self.columns(row)

    @cython.cfunc
    @cython.exceptval(check=False)
    def columns(self, table: cython.int) -> cython.void:
        """Share a table's width among its columns in three steps: plain cells, spanning cells, places."""
        step: cython.int
        row: cython.int
        cell: cython.int
        column: cython.int
        display: cython.int
        used: cython.int = 0
        memset(cython.address(self.wide[0]), 0, 64 * cython.sizeof(cython.double))
        for step in range(3):
            if step == 2:
                self.share(used, max(self.node[table].room - SPACING * (used + 1), 0.0))
            row = table + 1
            while row < self.end[table]:
                display = const.NONE
                if self.node[row].shown != 0 and self.kind[row] == ELEMENT:
                    display = self.display(row)
                if display == const.GROUP:
                    row += 1
                    continue
                if display == const.ROW:
                    cell = row + 1
                    column = 0
                    while cell < self.end[row]:
                        if self.node[cell].shown != 0 and self.kind[cell] == ELEMENT:
                            if self.display(cell) == const.CELL:
                                used = max(
                                    used, self.column(step, table, cell, min(column, const.MOST_COLUMNS - 1))
                                )
                                column += cython.cast(cython.int, self.node[cell].span)
                                column = min(column, const.MOST_COLUMNS)
                        cell = self.end[cell]
                row = self.end[row]

    @cython.cfunc
    @cython.exceptval(check=False)
    def column(self, step: cython.int, table: cython.int, cell: cython.int, column: cython.int) -> cython.int:
        """Do one step for one cell; give the number of columns up to its right edge."""
        span: cython.int = min(cython.cast(cython.int, self.node[cell].span), const.MOST_COLUMNS - column)
        place: cython.int
        stated: cython.double = self.node[cell].width
        needed: cython.double = self.node[cell].natural
        total: cython.double = 0
        left: cython.double
        if step == 0:
            if span == 1:
                if stated > UNSTATED and stated < 0:
                    needed = self.node[table].room * -stated / 100
                self.wide[column] = max(self.wide[column], needed)
        elif step == 1:
            if span > 1:
                for place in range(column, column + span):
                    total += self.wide[place]
                if total < needed:
                    needed = (needed - total) / span
                    for place in range(column, column + span):
                        self.wide[place] += needed
        else:
            left = self.node[table].x + SPACING
            for place in range(column):
                left += self.wide[place] + SPACING
            total = SPACING * (span - 1)
            for place in range(column, column + span):
                total += self.wide[place]
            self.node[cell].x = left + PADDING
            self.node[cell].room = max(total - 2 * PADDING, ENOUGH)
        return column + span

    @cython.cfunc
    @cython.exceptval(check=False)
    def share(self, used: cython.int, room: cython.double) -> cython.void:
        place: cython.int
        least: cython.double
        total: cython.double = 0
        low: cython.double = 0
        for place in range(used):
            total += self.wide[place]
            low += min(self.wide[place], COLUMN)
        for place in range(used):
            least = min(self.wide[place], COLUMN)
            if total <= 0:
                self.wide[place] = room / used
            elif total <= room:
                self.wide[place] *= room / total
            elif low >= room:
                self.wide[place] = least * room / low
            else:
                self.wide[place] = least + (self.wide[place] - least) * (room - low) / (total - low)

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave(self, row: cython.int) -> cython.void:
        above: cython.int = self.parent[row]
        display: cython.int = self.display(row)
        x: cython.double = self.node[row].x
        room: cython.double = self.node[row].room
        top: cython.double = self.out[const.TOP, row]
        began: cython.double
        cell: cython.int
        if display == const.INLINE:
            self.cx += self.style(const.PAD_RIGHT, row)
            began = self.node[row].run
            top = self.node[row].text_width
            if self.y + self.gap <= top:
                if self.cx > began:
                    self.box(row, x + began, top, self.cx - began, self.node[row].line)
            else:
                self.box(row, x, top, room, max(self.y + self.line - top, 0.0))
        elif display == const.ROW:
            self.newline()
            self.y = max(self.node[row].text_width, top + max(self.node[row].height, 0.0))
            self.gap = 0
            self.box(row, x, top, room, self.y - top)
            cell = row + 1
            while cell < self.end[row]:
                if (
                    self.node[cell].shown != 0
                    and self.kind[cell] == ELEMENT
                    and self.display(cell) == const.CELL
                ):
                    self.out[const.BOX_HEIGHT, cell] = self.y - top
                cell = self.end[cell]
        elif self.in_row(row):
            self.newline()
            self.settle()
            self.y = max(self.y, top + self.node[row].height) + PADDING
            self.node[above].text_width = max(self.node[above].text_width, self.y)
            self.box(row, x - PADDING, top, room + 2 * PADDING, self.y - top)
        else:
            self.end_block(row, x, room, top)
        self.restore(row)

    @cython.cfunc
    @cython.exceptval(check=False)
    def end_block(
        self, row: cython.int, x: cython.double, room: cython.double, top: cython.double
    ) -> cython.void:
        high: cython.double
        left: cython.double = self.style(const.PAD_LEFT, row)
        self.newline()
        if self.display(row) == const.TABLE and self.y > top:
            self.y += SPACING
        high = self.node[row].height if self.node[row].height >= 0 else self.style(const.HIGH, row)
        if high > 0:
            self.y = top + high
            self.gap = 0
        self.box(row, x - left, top, room + left + self.style(const.PAD_RIGHT, row), max(self.y - top, 0.0))
        self.gap = max(self.gap, self.style(const.BELOW, row))

    @cython.cfunc
    @cython.exceptval(check=False)
    def restore(self, row: cython.int) -> cython.void:
        if self.flagged(row, const.OUT):
            self.y = self.node[row].kept_y
            self.cx = self.node[row].kept_x
            self.line = self.node[row].kept_line
            self.gap = self.node[row].kept_gap

    @cython.cfunc
    @cython.exceptval(check=False)
    def sound(self) -> cython.bint:
        """Tell whether all rows, bytes and tags are within their arrays."""
        row: cython.int
        for row in range(self.count):
            if not (-1 <= self.parent[row] < row and row < self.end[row] <= self.count):
                return False
            if not (0 <= self.start[row] < self.stop[row] <= self.size):
                return False
            if (self.tag[row] & NUMBER) >= self.names:
                return False
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def run(self) -> cython.void:
        row: cython.int
        inside: cython.int = -1
        for row in range(self.count):
            self.prepare(row)
        for row in range(self.count - 1, -1, -1):
            if self.node[row].shown != 0:
                self.measure(row)
        row = 0
        while row < self.count or inside >= 0:
            if inside >= 0 and row >= self.end[inside]:
                self.leave(inside)
                inside = self.parent[inside]
            elif self.node[row].shown == 0:
                row = self.end[row]
            elif self.kind[row] == TEXT:
                self.text(row)
                row += 1
            elif self.enter(row):
                inside = row
                row += 1
            else:
                row = self.end[row]


def lay_out(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    chars: cython.int[::1],
    displays: cython.uchar[::1],
    traits: cython.uchar[::1],
    styles: cython.double[:, ::1],
    width: cython.double,
    work: cython.uchar[:, ::1],
    out: cython.double[:, ::1],
) -> None:
    """Fill ``out`` with boxes; ``_flowrows.pxd`` names its rows. ``work`` is memory, all 0: a record a node."""
    count: cython.Py_ssize_t = len(kind)
    names: cython.Py_ssize_t = len(displays)
    flow: Flow = Flow()
    if min(len(tag), len(parent), len(end), len(start), len(stop), len(chars)) < count:
        raise ValueError("the columns differ in length")
    if work.shape[0] < count or work.shape[1] != cython.sizeof(Node):
        raise ValueError("the memory is too small")
    if out.shape[0] < const.SIDES or out.shape[1] < count:
        raise ValueError("the arrays have too few rows")
    if len(traits) < names or styles.shape[0] < const.STYLES or styles.shape[1] < names:
        raise ValueError("the tables of tags differ in length")
    flow.data = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    flow.size = len(data)
    flow.count = cython.cast(cython.int, count)
    flow.names = cython.cast(cython.int, names)
    flow.width = width
    flow.kind = kind
    flow.tag = tag
    flow.parent = parent
    flow.end = end
    flow.start = start
    flow.stop = stop
    flow.chars = chars
    flow.displays = displays
    flow.traits = traits
    flow.styles = styles
    flow.node = cython.cast(cython.pointer[Node], cython.address(work[0, 0]) if count else cython.NULL)
    flow.out = out
    if not flow.sound():
        raise ValueError("the columns do not describe this text")
    flow.run()
