"""The first two passes of the reference of the flow layout: what nodes state, and how wide they are.

The first pass goes forwards and reads attributes and what is inherited. The second goes backwards and adds up
the width that each element takes on one line. What is known of a node is kept in its row of the working
memory, so there is no recursion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.layout.defaults import (
    BREAK,
    CELL,
    CHAR,
    DETAILS,
    DIALOG,
    DISPLAYS_BY_TAG,
    HIGH,
    INLINE,
    KEEPING,
    LINE,
    MARGIN_LEFT,
    MARGIN_RIGHT,
    NONE,
    PAD_LEFT,
    PAD_RIGHT,
    REPLACED,
    STYLES_BY_TAG,
    SUMMARY,
    TRAITS_BY_TAG,
    WIDE,
)
from detemplate.layout.flow_attributes import is_wide, kept_lines, stated
from detemplate.layout.flowrows import (
    CHAR_OF,
    COLUMN,
    FLAGS,
    HEIGHT,
    HIDE,
    LINE_OF,
    NATURAL,
    OPEN,
    OUT,
    PADDING,
    ROWS,
    RUN,
    SHOWN,
    SPACING,
    SPAN,
    TEXT_WIDTH,
    UNSTATED,
    WIDTH,
)
from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT

if TYPE_CHECKING:
    from detemplate.page.columns import Columns


class Measured:
    """The nodes of a page, with what they state and how wide they are.

    Parameters
    ----------
    canonical, columns
        Of the page.

    Attributes
    ----------
    kind, tag, parent, end, start, stop, chars : list of int
        Columns of the page; ``tag`` without namespaces.
    work : list of lists of float
        The working memory (:mod:`detemplate.layout.flowrows`): a list a row of it, an entry a node.
    """

    def __init__(self, canonical: bytes, columns: Columns) -> None:
        self.data = canonical
        names = ("kind", "tag", "parent", "end", "start", "stop", "chars")
        lists: list[Any] = [getattr(columns, name).tolist() for name in names]
        self.kind, self.tag, self.parent, self.end, self.start, self.stop, self.chars = lists
        self.tag = [tag & tags.NUMBER for tag in self.tag]
        self.displays, self.traits = DISPLAYS_BY_TAG.tolist(), TRAITS_BY_TAG.tolist()
        self.styles = STYLES_BY_TAG.tolist()
        self.work = [[0.0] * len(columns) for _ in range(ROWS)]
        for row in range(len(columns)):
            self.prepare(row)
        for row in range(len(columns) - 1, -1, -1):
            if self.work[SHOWN][row]:
                self.measure(row)

    def display(self, row: int) -> int:
        """Tell how an element is laid out."""
        return int(self.displays[self.tag[row]])

    def style(self, style: int, row: int) -> float:
        """Give a length of an element's tag."""
        return float(self.styles[style][self.tag[row]])

    def flagged(self, row: int, flag: int) -> bool:
        """Tell whether a start tag asks for something."""
        return bool(int(self.work[FLAGS][row]) & flag)

    def prepare(self, row: int) -> None:
        """Read what a node states and inherits."""
        work, above = self.work, self.parent[row]
        line, char, shown = 0.0, 0.0, 1.0
        if above >= 0:
            line, char, shown = work[LINE_OF][above], work[CHAR_OF][above], work[SHOWN][above]
            if self.display(above) == REPLACED:
                shown = 0.0
            elif self.display(above) == DETAILS and not self.flagged(above, OPEN):
                summary = self.kind[row] == ELEMENT and self.display(row) == SUMMARY
                shown = shown if summary else 0.0
        if self.kind[row] == ELEMENT:
            width, height, span, flags = stated(self.data, self.start[row], self.traits[self.tag[row]])
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
                work[TEXT_WIDTH][row] = (self.chars[row] + sum(map(is_wide, written))) * char
        work[LINE_OF][row], work[CHAR_OF][row], work[SHOWN][row] = line, char, shown

    def measure(self, row: int) -> None:
        """Add a node's width on one line to its parent's. The rows behind it are done."""
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
        display, width = self.display(row), self.work[WIDTH][row]
        natural[row] = max(natural[row], run[row])
        run[row] = 0.0
        pads = self.style(PAD_LEFT, row) + self.style(PAD_RIGHT, row)
        if display == CELL:
            natural[row] += 2 * PADDING
            if width >= 0:
                natural[row] = max(width, min(natural[row], COLUMN))
        if above < 0 or self.flagged(row, OUT):
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
            needed = (width if width >= 0 else natural[row] + pads) + margins
            natural[above] = max(natural[above], run[above], needed)
            run[above] = 0.0

    def size(self, row: int, room: float) -> tuple[float, float]:
        """Give the size of a replaced element; percentages refer to ``room``, the width around it."""
        width, height = self.work[WIDTH][row], self.work[HEIGHT][row]
        usual_width, usual_height = self.style(WIDE, row), self.style(HIGH, row)
        if UNSTATED < width < 0:
            width = room * -width / 100
        keeps = usual_width <= 2 * usual_height  # a picture keeps its shape, a form control does not
        if width < 0:
            width = height * usual_width / usual_height if keeps and height >= 0 else usual_width
        if height < 0:
            height = width * usual_height / usual_width if keeps else usual_height
        return width, height
