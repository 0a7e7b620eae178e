"""The layout of a page: the boxes of its nodes.

Chakrabarti, Kumar, Punera 2007, section 5.2, take features from "the position and area annotations of
DOM nodes"; section 5.3 hides nodes below 2,000 square pixels. There are two providers: the estimate
(:func:`estimated_layout`) and the browser layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from detemplate.errors import UserError
from detemplate.layout.estimate import boxes

if TYPE_CHECKING:
    from detemplate.page.page import Page

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
    ``provider``: :data:`ESTIMATED` or :data:`RENDERED`.
    """

    left: Lengths
    top: Lengths
    width: Lengths
    height: Lengths
    page_width: float
    page_height: float
    provider: str

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

    The page is laid out as by a browser without style sheets: blocks below each other, text in lines, table
    columns as wide as their texts need. Sizes and hiding that attributes and inline styles state count. See
    :mod:`detemplate.layout.estimate`.

    ``width``: width of the window, CSS pixels.
    Returns: finite and not negative; the same for the same page.
    Raises UserError: the width is not one of a window.
    """
    check_width(width)
    sides = boxes(page.canonical, page.columns, float(width))
    left, top, wide, high = sides.astype(np.float32)
    seen = wide * high > 0
    right = float((left + wide)[seen].max(initial=0.0))
    bottom = float((top + high)[seen].max(initial=0.0))
    return Layout(left, top, wide, high, max(right, float(width)), bottom, ESTIMATED)
