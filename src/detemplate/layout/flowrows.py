"""What the flow layout, its kernel and its reference share: rows of their arrays, flags, and lengths.

Lengths are in CSS pixels. ``_flowrows.pxd`` repeats the integers for the kernel.
"""

from __future__ import annotations

from typing import Final

# What is known of a node: rows of the working memory.
LINE_OF: Final = 0
"""Height of a line of its text."""
CHAR_OF: Final = 1
"""Width of a character of its text."""
SHOWN: Final = 2
"""1 if the node is laid out; 2 if its text also keeps its line breaks; else 0."""
WIDTH: Final = 3
"""Stated width: pixels, or percent as a negative number, or :data:`UNSTATED`."""
HEIGHT: Final = 4
"""Stated height, likewise."""
SPAN: Final = 5
"""Columns that a table cell spans."""
FLAGS: Final = 6
"""Sum of :data:`HIDE`, :data:`OPEN` and :data:`OUT`."""
NATURAL: Final = 7
"""Width of an element on one line."""
RUN: Final = 8
"""Measuring: width of the line that is being added up. Later: where an inline element begins in its line; of
text that keeps its line breaks, the number of lines."""
TEXT_WIDTH: Final = 9
"""Width of a text on one line. Of a table row, its lower end. Of an inline element, the top of its first
line."""
X: Final = 10
"""Left edge of the inside of a block."""
W: Final = 11
"""Width of the inside of a block."""
KEPT_Y: Final = 12
"""State of the flow where an element leaves it: top of the line; the next three rows likewise."""
KEPT_X: Final = 13
"""How far the line was filled."""
KEPT_LINE: Final = 14
"""Height of the line."""
KEPT_GAP: Final = 15
"""The margin that was due."""
ROWS: Final = 16
"""Rows of the working memory."""

# Sides of a box: rows of the result.
LEFT: Final = 0
"""Left edge, from the left of the page."""
TOP: Final = 1
"""Upper edge, from the top of the page."""
BOX_WIDTH: Final = 2
"""Width of the box."""
BOX_HEIGHT: Final = 3
"""Height of the box."""
SIDES: Final = 4
"""Rows of the result."""

# What a start tag asks for.
HIDE: Final = 1
"""The element is hidden."""
OPEN: Final = 2
"""The attribute ``open``."""
OUT: Final = 4
"""The element is out of the flow: ``position: absolute`` or ``fixed``."""

UNSTATED: Final = -100_000.0
"""Stands for a length that is not stated."""

MOST_COLUMNS: Final = 64
"""Columns of a table; cells beyond share the last one."""
NARROW: Final = 24.0
"""Least width of a block."""
COLUMN: Final = 60.0
"""Least width to which a table column shrinks, if its texts need so much."""
SPACING: Final = 2.0
"""Space between table cells."""
PADDING: Final = 1.0
"""Space within a table cell, on each side."""
ENOUGH: Final = 8.0
"""Least width of the inside of a block or cell."""
WASTE: Final = 2.5
"""Characters that a line leaves empty on average, since words do not break."""
LEAST_USED: Final = 0.6
"""Least share of a line that text fills."""
SHORT: Final = 0.25
"""A text that takes no more than this share of a line is moved to the next line as a whole."""
