"""Estimates the boxes of a page's nodes without a browser, in a fraction of the time of parsing.

A small flow layout with the defaults that the HTML standard suggests (section "Rendering"). Blocks stack and
their margins collapse. Text runs in lines of known width, with one width for all characters (two for CJK).
Table columns share the table's width by what their texts need. Attributes and inline styles count where they
state sizes, hide a node or take it out of the flow. Style sheets are not read: columns that only they make
are stacked here. A page with ``dir="rtl"`` on its ``html`` or ``body`` element is mirrored.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.layout import _flow
from detemplate.layout.defaults import DISPLAYS_BY_TAG, STYLES_BY_TAG, TRAITS_BY_TAG
from detemplate.page import tags
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns

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
