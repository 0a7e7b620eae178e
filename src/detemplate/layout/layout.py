"""The layout of a page: the boxes of its nodes.

Chakrabarti, Kumar, Punera 2007, section 5.2, take features from "the position and area annotations of
DOM nodes"; section 5.3 hides nodes below 2,000 square pixels. There are two providers: the estimate
(:func:`estimated_layout`) and the browser layout.

The estimate is a small flow layout. Blocks stack. Text runs in lines of the width there is; all characters
have one width. The cells of a table row stand side by side: each is as wide as its text, or they share the
width by their texts. Images, frames and controls have a size by their tag. Hidden elements have no box. Style
sheets and stated sizes are not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from detemplate.errors import UserError
from detemplate.layout import _flow
from detemplate.page import tags

if TYPE_CHECKING:
    from detemplate.page.page import Page

INLINE, BLOCK, NONE, ROW, CELL, REPLACED = range(6)
"""How an element is laid out.

``ROW`` and ``CELL`` are those of tables. ``NONE`` has no box. ``REPLACED`` elements have a known size, and
nothing inside has a box.
"""

LEFT, TOP, WIDTH, HEIGHT, SIDES = range(5)
"""Rows of the boxes, and their number."""

# Width and height of replaced elements, in pixels.
_SIZES: Final = {
    "image img svg": (24, 24),
    "applet audio canvas embed iframe object video": (300, 150),
    "input keygen meter progress select textarea": (150, 20),
}


def _displays() -> npt.NDArray[np.uint8]:
    table = np.full(len(tags.NAMES), INLINE, np.uint8)
    table[(tags.FLAGS & tags.BLOCK) != 0] = BLOCK
    table[tags.IDS["br"]] = BLOCK
    table[(tags.FLAGS & tags.UNSEEN) != 0] = NONE
    table[list(tags.numbers("frameset head optgroup option"))] = NONE
    table[tags.IDS["tr"]] = ROW
    table[list(tags.numbers("td th"))] = CELL
    table[list(tags.numbers(" ".join(_SIZES)))] = REPLACED
    return table


def _sizes() -> npt.NDArray[np.float64]:
    table = np.zeros((2, len(tags.NAMES)))
    for names, size in _SIZES.items():
        table[:, list(tags.numbers(names))] = np.array([size]).T
    return table


# By the number of the tag. ``_flowrows.pxd`` repeats the displays and the sides of a box.
_DISPLAYS: Final = _displays()
_SIZES_BY_TAG: Final = _sizes()

Lengths = npt.NDArray[np.float32]

DEFAULT_WIDTH: Final = 1024
"""Width of the window, CSS pixels."""
DEFAULT_HEIGHT: Final = 768
"""Height of the window, CSS pixels."""
NARROWEST: Final = 64
"""Least width or height of a window."""
WIDEST: Final = 16_384
"""Greatest width or height of a window."""
SMALL: Final = 2000
"""Nodes with an area below this many square pixels are hidden (section 5.3)."""

ESTIMATED: Final = "estimated"
"""Provider of estimated layouts."""
RENDERED: Final = "rendered"
"""Provider of browser layouts; the name is part of model files."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes of a page's nodes, in CSS pixels.

    ``left``, ``top``, ``width``, ``height``: one entry a row of ``page.columns``, from the page's top left
        corner. All four are 0 for nodes without a box: comments, scripts, hidden elements. Left and top may
        be negative, as pages move things out of sight; widths and heights are not. float32.
    ``page_width``, ``page_height``: size of the whole page.
    """

    left: Lengths
    top: Lengths
    width: Lengths
    height: Lengths
    page_width: float
    page_height: float

    def __len__(self) -> int:
        return len(self.left)

    @property
    def area(self) -> Lengths:
        """Area of each box, in square pixels; 0 for nodes without one."""
        return self.width * self.height


def check_width(width: float) -> None:
    """Raise :class:`~detemplate.errors.UserError` unless a window can be so many pixels wide or high."""
    if not NARROWEST <= width <= WIDEST:
        raise UserError(f"the width must be {NARROWEST} to {WIDEST:,} pixels, not {width:g}")


def estimated_layout(page: Page, *, width: float = DEFAULT_WIDTH) -> Layout:
    """Estimate a page's layout without a browser.

    ``width``: width of the window, CSS pixels.
    Returns: finite and not negative; the same for the same page.
    Raises UserError: the width is not one of a window.
    """
    check_width(width)
    names = ("kind", "tag", "parent", "end", "start", "chars")
    columns = (getattr(page.columns, name) for name in names)
    sides = np.zeros((SIDES, len(page.columns)))
    _flow.lay_out(page.canonical, *columns, _DISPLAYS, _SIZES_BY_TAG, float(width), sides)
    left, top, wide, high = sides.astype(np.float32)
    seen = wide * high > 0
    right = float((left + wide)[seen].max(initial=0.0))
    bottom = float((top + high)[seen].max(initial=0.0))
    return Layout(left, top, wide, high, max(right, float(width)), bottom)
