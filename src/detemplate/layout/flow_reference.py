"""The reference of the flow layout: positions, the last of three passes.

:mod:`detemplate.layout.flow_measured` has the first two, :mod:`detemplate.layout.flow_columns` the columns of
tables. The pass goes forwards, without recursion: what belongs to an element is kept in its row.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from detemplate.layout.defaults import (
    ABOVE,
    BELOW,
    BREAK,
    CELL,
    GROUP,
    HIGH,
    INLINE,
    MARGIN_LEFT,
    MARGIN_RIGHT,
    PAD_LEFT,
    PAD_RIGHT,
    REPLACED,
    ROW,
    TABLE,
)
from detemplate.layout.flow_columns import place_cells
from detemplate.layout.flow_measured import Measured
from detemplate.layout.flowrows import (
    BOX_HEIGHT,
    CHAR_OF,
    ENOUGH,
    HEIGHT,
    KEPT_GAP,
    KEPT_LINE,
    KEPT_X,
    KEPT_Y,
    LEAST_USED,
    LINE_OF,
    NARROW,
    NATURAL,
    OUT,
    PADDING,
    RUN,
    SHORT,
    SHOWN,
    SIDES,
    SPACING,
    TEXT_WIDTH,
    TOP,
    UNSTATED,
    WASTE,
    WIDTH,
    W,
    X,
)
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.whitespace import WHITE_SPACE_BYTES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns


def lay_out(canonical: bytes, columns: Columns, width: float) -> npt.NDArray[np.float64]:
    """Lay a page out, as :func:`detemplate.layout.flow.lay_out` does."""
    flow = _Flow(canonical, columns, width)
    flow.run()
    return np.array(flow.out).reshape(SIDES, len(columns))


class _Flow(Measured):
    """One layout of one page.

    Attributes
    ----------
    out : list of lists of float
        The boxes: a list a side, an entry a node.
    y, cx : float
        Top of the current line, and how far the line is filled.
    line : float
        Height of the current line.
    gap : float
        Margin that is due before the next box.
    """

    def __init__(self, canonical: bytes, columns: Columns, width: float) -> None:
        super().__init__(canonical, columns)
        self.width = width
        self.out = [[0.0] * len(columns) for _ in range(SIDES)]
        self.y = self.cx = self.line = self.gap = 0.0

    def box(self, row: int, left: float, top: float, width: float, height: float) -> None:
        """Give a node its box."""
        for side, value in zip(self.out, (left, top, width, height), strict=True):
            side[row] = value

    def in_row(self, row: int) -> bool:
        """Tell whether an element is a cell of a table row."""
        above = self.parent[row]
        return self.display(row) == CELL and above >= 0 and self.display(above) == ROW

    def newline(self) -> None:
        """End the current line."""
        self.y += self.line
        self.line = self.cx = 0.0

    def settle(self) -> None:
        """Insert the margin that is due, since a box follows."""
        self.y += self.gap
        self.gap = 0.0

    def space(self, row: int) -> None:
        """Insert the white space before a node: a gap in the line, or kept line breaks."""
        data, start = self.data, self.start[row]
        if self.work[SHOWN][row] == 2:
            breaks = 0
            at = start
            while self.kind[row] == TEXT and at < self.stop[row] and data[at] in WHITE_SPACE_BYTES:
                breaks += data[at] == ord("\n")
                at += 1
            at = start - 1
            while at >= 0 and data[at] in WHITE_SPACE_BYTES:
                breaks += data[at] == ord("\n")
                at -= 1
            if breaks:
                self.settle()
                high = self.work[LINE_OF][row]
                self.y += (self.line or high) + (breaks - 1) * high
                self.line = self.cx = 0.0
        elif self.cx > 0 and (
            data[start] in WHITE_SPACE_BYTES or (start > 0 and data[start - 1] in WHITE_SPACE_BYTES)
        ):
            self.cx += self.work[CHAR_OF][row] / 2

    def room(self, row: int) -> tuple[float, float]:
        """Give the left edge and the width of the block around a node."""
        above = self.parent[row]
        return (self.work[X][above], self.work[W][above]) if above >= 0 else (0.0, self.width)

    def text(self, row: int) -> None:
        """Place a text."""
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
        if self.cx > 0 and self.cx + needed > room and needed <= SHORT * room:
            self.newline()
        first = max(self.line, high)
        if self.cx + needed <= room:
            self.box(row, x + self.cx, self.y, needed, high)
            self.line, self.cx = first, self.cx + needed
            return
        used = max(room - WASTE * self.work[CHAR_OF][row], LEAST_USED * room)
        total = min(self.cx, room) + needed
        lines = max(ceil(total / used), 2)
        self.box(row, x, self.y, room, first + (lines - 1) * high)
        self.y += first + (lines - 2) * high
        self.line, self.cx = high, min(max(total - (lines - 1) * used, 0.0), room)

    def enter(self, row: int) -> bool:
        """Begin an element; tell whether its contents are laid out."""
        work, above, display = self.work, self.parent[row], self.display(row)
        x, room = self.room(row)
        if self.flagged(row, OUT):
            work[KEPT_Y][row], work[KEPT_X][row] = self.y, self.cx
            work[KEPT_LINE][row], work[KEPT_GAP][row] = self.line, self.gap
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
            self.out[TOP][row] = work[TEXT_WIDTH][row] = self.y
            return True
        if self.in_row(row):
            self.out[TOP][row] = self.out[TOP][above]
            self.y = self.out[TOP][above] + PADDING
            self.line = self.cx = self.gap = 0.0
            if work[W][row] == 0:
                work[X][row], work[W][row] = x + PADDING, max(room - 2 * PADDING, ENOUGH)
            return True
        self.block(row, x, room)
        return True

    def replaced(self, row: int, x: float, room: float) -> None:
        """Place a replaced element in the line."""
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
        """Begin a block."""
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
            elif display == TABLE or self.flagged(row, OUT):
                full = max(min(full, work[NATURAL][row] + left + right + SPACING), NARROW)
        work[X][row], work[W][row] = x + margin + left, max(full - left - right, ENOUGH)
        self.out[TOP][row] = self.y + self.gap
        if display == TABLE:
            place_cells(self, row)

    def leave(self, row: int) -> None:
        """End an element and give it its box."""
        work, above, display = self.work, self.parent[row], self.display(row)
        x, room = work[X][row], work[W][row]
        top = self.out[TOP][row]
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
                    self.out[BOX_HEIGHT][cell] = self.y - top
                cell = self.end[cell]
        elif self.in_row(row):
            self.newline()
            self.settle()
            self.y = max(self.y, top + work[HEIGHT][row]) + PADDING
            work[TEXT_WIDTH][above] = max(work[TEXT_WIDTH][above], self.y)
            self.box(row, x - PADDING, top, room + 2 * PADDING, self.y - top)
        else:
            self.end_block(row, x, room, top)
        self.restore(row)

    def end_block(self, row: int, x: float, room: float, top: float) -> None:
        """End a block."""
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
        """Return to the place where an element out of the flow began."""
        if self.flagged(row, OUT):
            kept = (KEPT_Y, KEPT_X, KEPT_LINE, KEPT_GAP)
            self.y, self.cx, self.line, self.gap = (self.work[number][row] for number in kept)

    def run(self) -> None:
        """Place all nodes."""
        count, shown = len(self.kind), self.work[SHOWN]
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
