"""The estimated layout by recursion over the elements. It reads hiding attributes from the start tags."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT
from tests.oracles.hiding import HIDDEN, hides

if TYPE_CHECKING:
    from detemplate.page.page import Page

LINE, CHAR, SPACE, CELL_SPACE = 18, 7, 3.5, 28
_CELLS = tags.numbers("td th")
_ROW = tags.IDS["tr"]
_BREAK = tags.IDS["br"]
_GONE = tags.numbers("frameset head optgroup option")
_SIZES = {
    **dict.fromkeys(tags.numbers("image img svg"), (24, 24)),
    **dict.fromkeys(tags.numbers("applet audio canvas embed iframe object video"), (300, 150)),
    **dict.fromkeys(tags.numbers("input keygen meter progress select textarea"), (150, 20)),
}
_ATTRIBUTE = re.compile(rb' (=?[^ =]*)="([^"]*)"')


class Flow:
    """One layout of one page; ``boxes`` has left, top, width and height of the rows that have a box."""

    def __init__(self, page: Page, width: float) -> None:
        self.page, self.columns = page, page.columns
        self.x = self.y = self.line = 0.0
        self.boxes: dict[int, tuple[float, float, float, float]] = {}
        self.contents(-1, 0.0, width)

    def contents(self, parent: int, left: float, room: float) -> None:
        """Lay out the children of an element within a width."""
        for row in range(parent + 1, len(self.columns) if parent < 0 else int(self.columns.end[parent])):
            if self.columns.parent[row] == parent:
                if self.columns.kind[row] == TEXT:
                    self.text(row, left, room)
                elif self.shown(row):
                    self.element(row, left, room)

    def tag(self, row: int) -> int:
        """Return the number of an element's tag; 0 for other nodes."""
        return int(self.columns.tag[row] & tags.NUMBER) if self.columns.kind[row] == ELEMENT else 0

    def shown(self, row: int) -> bool:
        """Tell whether a node is an element that has a box or contents with boxes."""
        if self.columns.kind[row] != ELEMENT:
            return False
        tag = self.tag(row)
        if tag not in _SIZES and (tags.FLAGS[tag] & tags.UNSEEN or tag in _GONE):
            return False
        name_end = re.compile(rb"[ >]").search(self.page.canonical, int(self.columns.start[row]))
        assert name_end is not None
        at = name_end.start()
        while attribute := _ATTRIBUTE.match(self.page.canonical, at):
            if hides(attribute[1], attribute[2]) == HIDDEN:
                return False
            at = attribute.end()
        return True

    def end_line(self) -> None:
        """Go on below the line."""
        self.y, self.x, self.line = self.y + self.line, 0.0, 0.0

    def text(self, row: int, left: float, room: float) -> None:
        """Fill the line, or several."""
        needed = float(self.columns.chars[row] * CHAR)
        if self.x > 0:
            self.x += SPACE
            if self.x + needed > room and needed <= room / 4:
                self.end_line()
        first, self.line = max(self.line, LINE), float(LINE)
        if self.x + needed <= room:
            self.line = first
            self.boxes[row] = (left + self.x, self.y, needed, LINE)
            self.x += needed
            return
        needed += min(self.x, room)
        lines = math.ceil(needed / room)
        self.boxes[row] = (left, self.y, room, first + (lines - 1) * LINE)
        self.y += first + (lines - 2) * LINE
        self.x = needed - (lines - 1) * room

    def element(self, row: int, left: float, room: float) -> None:
        """Lay out an element that is no cell of a table row."""
        if self.tag(row) in _SIZES:
            width, height = _SIZES[self.tag(row)]
            if self.x > 0 and self.x + width > room:
                self.end_line()
            self.boxes[row] = (left + self.x, self.y, width, height)
            self.x += width
            self.line = max(self.line, height)
            return
        if not (tags.FLAGS[self.tag(row)] & tags.BLOCK or self.tag(row) == _BREAK):
            begin, top = self.x, self.y
            self.contents(row, left, room)
            if self.y > top:
                self.boxes[row] = (left, top, room, self.y + self.line - top)
            elif self.x > begin:
                self.boxes[row] = (left + begin, top, self.x - begin, LINE)
            return
        self.end_line()
        top = self.y
        if self.tag(row) == _ROW:
            self.cells(row, left, room)
        else:
            self.contents(row, left, room)
        self.end_line()
        self.boxes[row] = (left, top, room, self.y - top)

    def cells(self, table_row: int, left: float, room: float) -> None:
        """Lay out the cells of a table row side by side; whatever else is in it, below the cell before."""
        children = [
            row
            for row in range(table_row + 1, int(self.columns.end[table_row]))
            if self.columns.parent[row] == table_row
        ]
        needed = {
            row: self.columns.chars[row] * CHAR + CELL_SPACE for row in children if self.tag(row) in _CELLS
        }
        share = min(room / sum(needed.values()), 1) if needed else 1
        top = bottom = self.y
        at = left
        for row in children:
            if row in needed:
                width = needed[row] * share
                if self.shown(row):
                    self.end_line()
                    self.y = top
                    self.contents(row, at, max(width, 8))
                    self.end_line()
                    self.boxes[row] = (at, top, max(width, 8), self.y - top)
                    bottom = max(bottom, self.y)
                at += width
            elif self.columns.kind[row] == TEXT:
                self.text(row, left, room)
            elif self.shown(row):
                self.element(row, left, room)
        self.end_line()
        self.y = max(self.y, bottom)
