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
from detemplate.page import tags
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from detemplate.page.columns import Columns
    from detemplate.page.page import Page

INLINE, BLOCK, NONE, TABLE, GROUP, ROW, CELL, REPLACED, BREAK, DETAILS, SUMMARY, DIALOG = range(12)
"""How an element is laid out.

``GROUP`` is a group of table rows. ``REPLACED`` elements have a known size, and nothing inside has a box.
``DETAILS`` show only their ``SUMMARY`` unless they are open; a ``DIALOG`` shows only if it is open.
"""

LINE, CHAR, ABOVE, BELOW, MARGIN_LEFT, MARGIN_RIGHT, PAD_LEFT, PAD_RIGHT, WIDE, HIGH, STYLES = range(11)
"""Lengths of a tag, rows of :data:`STYLES_BY_TAG`, and their number.

``LINE`` is the height of a line and ``CHAR`` the width of a character; 0: inherited. ``ABOVE`` and ``BELOW``
are margins. ``WIDE`` and ``HIGH`` are the size if none is stated; a height of 0 is that of the contents.
"""

SIZED, INPUT, KEEPING = 1, 2, 4
"""Traits of a tag.

``SIZED``: attributes ``width`` and ``height`` are sizes. ``INPUT``: ``type="hidden"`` hides it. ``KEEPING``:
its text keeps its line breaks.
"""

_CHAR_WIDTH: Final = 7.0
_LINE_HEIGHT: Final = 18.0
_FONT: Final = 16.0
_HEADINGS: Final = ((2, 0.67), (1.5, 0.83), (1.17, 1), (1, 1.33), (0.83, 1.67), (0.67, 2.33))
"""Font size and margins of h1 to h6; the size by the default's, the margins by the heading's own."""


def _displays() -> npt.NDArray[np.uint8]:
    table = np.full(len(tags.NAMES), INLINE, np.uint8)
    table[(tags.FLAGS & tags.BLOCK) != 0] = BLOCK
    table[(tags.FLAGS & tags.UNSEEN) != 0] = NONE
    names_by_display = {
        NONE: "area base basefont bgsound col frame frameset head link meta option optgroup param source "
        "track",
        TABLE: "table",
        GROUP: "tbody thead tfoot",
        ROW: "tr",
        CELL: "td th",
        REPLACED: "applet audio canvas embed iframe img image input keygen meter object progress select svg "
        "textarea video",
        BREAK: "br",
        DETAILS: "details",
        SUMMARY: "summary",
        DIALOG: "dialog",
    }
    for display, names in names_by_display.items():
        table[list(tags.numbers(names))] = display
    return table


def _styles() -> npt.NDArray[np.float64]:
    table = np.zeros((STYLES, len(tags.NAMES)))

    def put(names: str, lengths: dict[int, float]) -> None:
        for style, length in lengths.items():
            table[style, list(tags.numbers(names))] = length

    def font(names: str, size: float, width: float = 1.0) -> None:
        """Set the font size, by the default's; ``width``: of characters, for bold and monospace."""
        put(names, {LINE: size * _LINE_HEIGHT, CHAR: size * width * _CHAR_WIDTH})

    font("html", 1)
    for level, (size, margin) in enumerate(_HEADINGS, 1):
        font(f"h{level}", size, 1.08)
        put(f"h{level}", {ABOVE: _FONT * size * margin, BELOW: _FONT * size * margin})
    font("small sub sup", 0.83)
    font("big", 1.17)
    font("th", 1, 1.08)
    font("code kbd samp tt pre listing xmp plaintext", 0.83, 1.35)
    font("button", 0.83, 1.1)
    put(
        "p dl ul ol menu dir blockquote figure pre listing xmp plaintext",
        {ABOVE: 16, BELOW: 16},
    )
    put("ul ol menu dir", {PAD_LEFT: 40})
    put("blockquote figure", {MARGIN_LEFT: 40, MARGIN_RIGHT: 40})
    put("dd", {MARGIN_LEFT: 40})
    put("body", {MARGIN_LEFT: 8, MARGIN_RIGHT: 8, ABOVE: 8, BELOW: 8})
    put("fieldset", {MARGIN_LEFT: 2, MARGIN_RIGHT: 2, PAD_LEFT: 12, PAD_RIGHT: 12})
    put("hr", {ABOVE: 8, BELOW: 8, HIGH: 2})
    put("button", {PAD_LEFT: 8, PAD_RIGHT: 8})
    put("summary", {PAD_LEFT: 16})
    put("img image svg", {WIDE: 24, HIGH: 24})
    put("applet canvas embed iframe object video", {WIDE: 300, HIGH: 150})
    put("audio", {WIDE: 300, HIGH: 54})
    put("input keygen", {WIDE: 153, HIGH: 21})
    put("select", {WIDE: 120, HIGH: 19})
    put("textarea", {WIDE: 182, HIGH: 36})
    put("meter progress", {WIDE: 120, HIGH: 16})
    return table


def _traits() -> npt.NDArray[np.uint8]:
    table = np.zeros(len(tags.NAMES), np.uint8)
    names_by_trait = {
        SIZED: "applet canvas col embed hr iframe image img input object pre svg table td th video",
        INPUT: "input",
        KEEPING: "listing plaintext pre xmp",
    }
    for trait, names in names_by_trait.items():
        table[list(tags.numbers(names))] |= trait
    return table


DISPLAYS_BY_TAG: Final = _displays()
"""How each tag is laid out, by its number. uint8."""
STYLES_BY_TAG: Final = _styles()
"""Lengths of each tag: a row a length, a column a tag number. float64."""
TRAITS_BY_TAG: Final = _traits()
"""Sums of traits, by tag number. uint8."""


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
    return Layout(left, top, wide, high, max(right, float(width)), bottom)
