"""The layout of a page: the boxes of its nodes.

Chakrabarti, Kumar, Punera 2007, section 5.2, take features from "the position and area annotations of
DOM nodes"; section 5.3 hides nodes below 2,000 square pixels. There are two providers: the estimate
(:func:`estimated_layout`) and the browser layout.

The estimate is a small flow layout with the defaults that the HTML standard suggests (section "Rendering").
Blocks stack and their margins collapse. Text runs in lines of known width, with one width for all characters
(two for CJK). Table columns share the table's width by what their texts need. Attributes and inline styles
count where they state sizes, hide a node or take it out of the flow. Style sheets are not read: columns that
only they make are stacked here. A page with ``dir="rtl"`` on its ``html`` or ``body`` element is mirrored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from detemplate.errors import UserError
from detemplate.layout import _flow
from detemplate.layout.defaults import DISPLAYS_BY_TAG, STYLES_BY_TAG, TRAITS_BY_TAG
from detemplate.page import tags
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from detemplate.page.columns import Columns
    from detemplate.page.page import Page

# ``_flowrows.pxd`` repeats these numbers.
LEFT, TOP, BOX_WIDTH, BOX_HEIGHT, SIDES = range(5)
"""Rows of the boxes, and their number."""

_NODE_BYTES: Final = 120  # the kernel's memory of a node

_RIGHT_TO_LEFT: Final = re.compile(
    rb'<(?:html|body)(?: .[^=]*="[^"]*")*? dir="rtl"', re.IGNORECASE | re.DOTALL
)
"""Canonical start tag of ``html`` or ``body`` that states ``dir="rtl"``."""

_TOPS: Final = np.array(sorted(tags.numbers("html body")), np.uint16)


def boxes(canonical: bytes, columns: Columns, width: float) -> npt.NDArray[np.float64]:
    """Lay a page out in a window of so many pixels; mirror it if it runs from right to left.

    Returns: left, top, width and height of each node's box; zeros for nodes without one.
    Raises ValueError: the columns are not those of the serialisation.
    """
    sides = np.zeros((SIDES, len(columns)))
    names = ("kind", "tag", "parent", "end", "start", "stop", "chars")
    _flow.lay_out(
        canonical,
        *(getattr(columns, name) for name in names),
        DISPLAYS_BY_TAG,
        TRAITS_BY_TAG,
        STYLES_BY_TAG,
        width,
        np.zeros((len(columns), _NODE_BYTES), np.uint8),
        sides,
    )
    if _is_right_to_left(canonical, columns):
        seen = sides[BOX_WIDTH] > 0
        sides[LEFT, seen] = np.maximum(width - sides[LEFT, seen] - sides[BOX_WIDTH, seen], 0)
    return sides


def _is_right_to_left(canonical: bytes, columns: Columns) -> bool:
    """Tell whether the page as a whole is written from right to left."""
    tops = np.flatnonzero(np.isin(columns.tag, _TOPS) & (columns.kind == ELEMENT))[:2]
    return any(_RIGHT_TO_LEFT.match(canonical, int(columns.start[row])) for row in tops)


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

    The page is laid out as by a browser without style sheets; the module's text says how.

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
