# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled flow layout: one pass over the nodes, without recursion.

The result itself is the memory of the elements that are open. Left and width are those of the space for their
contents. Height holds where an inline element begins in its line, and the lower end of a table row so far. The
kernel checks rows, tags and bytes before it lays anything out. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.layout import _flowrows as const
from cython.cimports.detemplate.page._hiding import HIDDEN, hides
from cython.cimports.detemplate.page._markup import ELEMENT, TEXT, Attribute, next_attribute
from cython.cimports.detemplate.page._tags import NUMBER
from cython.cimports.libc.math import ceil

LINE = cython.declare(cython.double, 18.0)  # height of a line, in pixels as all lengths
CHAR = cython.declare(cython.double, 7.0)  # width of a character
SPACE = cython.declare(cython.double, 3.5)  # between texts of a line
CELL_SPACE = cython.declare(cython.double, 28.0)  # of a table cell, beside its text
NARROW = cython.declare(cython.double, 8.0)  # minimum width of a table cell
SHORT = cython.declare(cython.double, 0.25)  # up to this share of a line, a text moves to the next as a whole


@cython.cclass
class Flow:
    """One layout of one page. ``y`` and ``line`` are top and height of the line, ``x`` is how far it is filled."""

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
    chars: cython.int[::1]
    displays: cython.uchar[::1]
    sizes: cython.double[:, ::1]
    out: cython.double[:, ::1]
    x: cython.double
    y: cython.double
    line: cython.double

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def display(self, row: cython.int) -> cython.int:
        return self.displays[self.tag[row] & NUMBER] if self.kind[row] == ELEMENT else const.NONE

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def in_row(self, row: cython.int) -> cython.bint:
        """Tell whether an element is a cell of a table row."""
        above: cython.int = self.parent[row]
        return self.display(row) == const.CELL and above >= 0 and self.display(above) == const.ROW

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def left_of(self, above: cython.int) -> cython.double:
        return self.out[const.LEFT, above] if above >= 0 else 0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def room_of(self, above: cython.int) -> cython.double:
        return self.out[const.WIDTH, above] if above >= 0 else self.width

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
        self.out[const.WIDTH, row] = width
        self.out[const.HEIGHT, row] = height

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def end_line(self) -> cython.void:
        self.y += self.line
        self.line = 0
        self.x = 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def hidden(self, row: cython.int) -> cython.bint:
        """Tell whether the start tag of an element hides it."""
        at: cython.p_uchar = self.data + self.start[row] + 1
        end: cython.p_uchar = self.data + self.size
        memory = cython.declare(Attribute)
        attribute = cython.declare(cython.pointer(Attribute), cython.address(memory))
        while at < end and at[0] != b" " and at[0] != b">":
            at += 1
        while next_attribute(cython.address(at), end, attribute):
            if hides(attribute) == HIDDEN:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def text(self, row: cython.int) -> cython.void:
        left: cython.double = self.left_of(self.parent[row])
        room: cython.double = self.room_of(self.parent[row])
        needed: cython.double = self.chars[row] * CHAR
        lines: cython.double
        if self.x > 0:
            self.x += SPACE
            if self.x + needed > room and needed <= SHORT * room:
                self.end_line()
        self.line = max(self.line, LINE)
        if self.x + needed <= room:
            self.box(row, left + self.x, self.y, needed, LINE)
            self.x += needed
            return
        needed += min(self.x, room)
        lines = ceil(needed / room)
        self.box(row, left, self.y, room, self.line + (lines - 1) * LINE)
        self.y += self.line + (lines - 2) * LINE
        self.line = LINE
        self.x = needed - (lines - 1) * room

    @cython.cfunc
    @cython.exceptval(check=False)
    def replaced(self, row: cython.int) -> cython.void:
        width: cython.double = self.sizes[0, self.tag[row] & NUMBER]
        height: cython.double = self.sizes[1, self.tag[row] & NUMBER]
        if self.x > 0 and self.x + width > self.room_of(self.parent[row]):
            self.end_line()
        self.box(row, self.left_of(self.parent[row]) + self.x, self.y, width, height)
        self.x += width
        self.line = max(self.line, height)

    @cython.cfunc
    @cython.exceptval(check=False)
    def columns(self, row: cython.int) -> cython.void:
        """Give the cells of a table row their left edges and widths: the row is as wide as its texts, if it can."""
        cell: cython.int = row + 1
        needed: cython.double = 0
        left: cython.double = self.out[const.LEFT, row]
        share: cython.double = 1
        while cell < self.end[row]:
            if self.display(cell) == const.CELL:
                needed += self.chars[cell] * CHAR + CELL_SPACE
            cell = self.end[cell]
        if needed > self.out[const.WIDTH, row]:
            share = self.out[const.WIDTH, row] / needed
        cell = row + 1
        while cell < self.end[row]:
            if self.display(cell) == const.CELL:
                needed = (self.chars[cell] * CHAR + CELL_SPACE) * share
                self.out[const.LEFT, cell] = left
                self.out[const.WIDTH, cell] = max(needed, NARROW)
                left += needed
            cell = self.end[cell]

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter(self, row: cython.int) -> cython.bint:
        """Begin an element; tell whether its contents are laid out."""
        above: cython.int = self.parent[row]
        display: cython.int = self.display(row)
        if display == const.NONE or self.hidden(row):
            self.box(row, 0, 0, 0, 0)  # a cell has what its row gave it
            return False
        if display == const.REPLACED:
            self.replaced(row)
            return False
        if display == const.INLINE:
            self.box(row, self.left_of(above), self.y, self.room_of(above), self.x)
            return True
        self.end_line()
        if self.in_row(row):
            self.y = self.out[const.TOP, above]
            self.out[const.TOP, row] = self.y
            return True
        self.box(row, self.left_of(above), self.y, self.room_of(above), 0)
        if display == const.ROW:
            self.out[const.HEIGHT, row] = self.y
            self.columns(row)
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave(self, row: cython.int) -> cython.void:
        above: cython.int = self.parent[row]
        display: cython.int = self.display(row)
        top: cython.double = self.out[const.TOP, row]
        begin: cython.double
        if display == const.INLINE:
            begin = self.out[const.HEIGHT, row]
            if self.y > top:
                self.out[const.HEIGHT, row] = self.y + self.line - top
            elif self.x > begin:
                self.box(row, self.out[const.LEFT, row] + begin, top, self.x - begin, LINE)
            else:
                self.box(row, 0, 0, 0, 0)
            return
        self.end_line()
        if display == const.ROW:
            self.y = max(self.y, self.out[const.HEIGHT, row])
        elif self.in_row(row):
            self.out[const.HEIGHT, above] = max(self.out[const.HEIGHT, above], self.y)
        self.out[const.HEIGHT, row] = self.y - top

    @cython.cfunc
    @cython.exceptval(check=False)
    def sound(self) -> cython.bint:
        """Tell whether all rows, tags and bytes are within their arrays."""
        row: cython.int
        for row in range(self.count):
            if not (-1 <= self.parent[row] < row and row < self.end[row] <= self.count):
                return False
            if (self.tag[row] & NUMBER) >= self.names or not (0 <= self.start[row] < self.size):
                return False
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def run(self) -> cython.void:
        row: cython.int = 0
        inside: cython.int = -1
        while row < self.count or inside >= 0:
            if inside >= 0 and row >= self.end[inside]:
                self.leave(inside)
                inside = self.parent[inside]
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
    chars: cython.int[::1],
    displays: cython.uchar[::1],
    sizes: cython.double[:, ::1],
    width: cython.double,
    out: cython.double[:, ::1],
) -> None:
    """Fill ``out``, all 0, with boxes; ``_flowrows.pxd`` names its rows."""
    count: cython.Py_ssize_t = len(kind)
    flow: Flow = Flow()
    if min(len(tag), len(parent), len(end), len(start), len(chars)) < count:
        raise ValueError("the columns differ in length")
    if out.shape[0] < const.SIDES or out.shape[1] < count:
        raise ValueError("the array has too few rows")
    if sizes.shape[0] < 2 or sizes.shape[1] < len(displays):
        raise ValueError("the tables of tags differ in length")
    flow.data = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    flow.size = len(data)
    flow.count = cython.cast(cython.int, count)
    flow.names = cython.cast(cython.int, len(displays))
    flow.width = width
    flow.kind = kind
    flow.tag = tag
    flow.parent = parent
    flow.end = end
    flow.start = start
    flow.chars = chars
    flow.displays = displays
    flow.sizes = sizes
    flow.out = out
    if not flow.sound():
        raise ValueError("the columns do not describe this text")
    flow.run()
