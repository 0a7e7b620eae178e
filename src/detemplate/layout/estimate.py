"""An estimate of where a page's nodes stand, without a browser and in a fraction of parsing's time.

It is a small flow layout with the defaults that the HTML standard suggests (its section "Rendering"):
blocks stack, their margins collapse, text runs in lines of known width with one width for every
character (two for CJK), table columns share the table's width by what their texts need. Attributes and
inline styles count where they state sizes, hide a node or take it out of the flow. Style sheets do not:
columns that only they make stand below each other here. A page that says ``dir="rtl"`` at its top is
mirrored.

The compiled kernel does it in three passes over the columns; :mod:`detemplate.layout.flow_reference` is its
uncompiled reference.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.layout import flow_reference as flow
from detemplate.layout.flow import lay_out
from detemplate.page import tags
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.columns import Columns

_CHAR: Final = 7.0
"""Mean width of a character at 16 pixels."""
_LINE: Final = 18.0
"""Height of a line at 16 pixels."""


def _displays() -> npt.NDArray[np.uint8]:
    """Give how each tag is laid out, by its number."""
    found = np.full(len(tags.NAMES), flow.INLINE, np.uint8)
    found[(tags.FLAGS & tags.BLOCK) != 0] = flow.BLOCK
    found[(tags.FLAGS & tags.UNSEEN) != 0] = flow.NONE
    named = {
        flow.NONE: "area base basefont bgsound col frame frameset head link meta option optgroup param "
        "source track",
        flow.TABLE: "table",
        flow.GROUP: "tbody thead tfoot",
        flow.ROW: "tr",
        flow.CELL: "td th",
        flow.REPLACED: "applet audio canvas embed iframe img image input keygen meter object progress select "
        "svg textarea video",
        flow.BREAK: "br",
        flow.DETAILS: "details",
        flow.SUMMARY: "summary",
        flow.DIALOG: "dialog",
    }
    for display, names in named.items():
        for number in tags.numbers(names):
            found[number] = display
    return found


def _styles() -> npt.NDArray[np.float64]:
    """Give lengths in pixels: a row a length of :mod:`detemplate.layout.flow_reference`, a column a tag."""
    found = np.zeros((flow.STYLES, len(tags.NAMES)))

    def put(names: str, **lengths: float) -> None:
        for name in names.split():
            for style, value in lengths.items():
                found[getattr(flow, style.upper()), tags.IDS[name]] = value

    def font(names: str, em: float, width: float = 1.0) -> None:
        """Set the size of text; ``width`` is that of its characters, for bold and monospace."""
        put(names, line=em * _LINE, char=em * width * _CHAR)

    font("html", 1)
    for level, (em, margin) in enumerate(
        ((2, 0.67), (1.5, 0.83), (1.17, 1), (1, 1.33), (0.83, 1.67), (0.67, 2.33)), 1
    ):
        font(f"h{level}", em, 1.08)
        put(f"h{level}", above=16 * em * margin, below=16 * em * margin)
    font("small sub sup", 0.83)
    font("big", 1.17)
    font("th", 1, 1.08)
    font("code kbd samp tt pre listing xmp plaintext", 0.83, 1.35)
    font("button", 0.83, 1.1)
    put("p dl ul ol menu dir blockquote figure pre listing xmp plaintext", above=16, below=16)
    put("ul ol menu dir", pad_left=40)
    put("blockquote figure", margin_left=40, margin_right=40)
    put("dd", margin_left=40)
    put("body", margin_left=8, margin_right=8, above=8, below=8)
    put("fieldset", margin_left=2, margin_right=2, pad_left=12, pad_right=12)
    put("hr", above=8, below=8, high=2)
    put("button", pad_left=8, pad_right=8)
    put("summary", pad_left=16)
    put("img image", wide=24, high=24)
    put("svg", wide=24, high=24)
    put("applet canvas embed iframe object video", wide=300, high=150)
    put("audio", wide=300, high=54)
    put("input keygen", wide=153, high=21)
    put("select", wide=120, high=19)
    put("textarea", wide=182, high=36)
    put("meter progress", wide=120, high=16)
    return found


def _traits() -> npt.NDArray[np.uint8]:
    """Give what each tag's attributes mean, by its number."""
    found = np.zeros(len(tags.NAMES), np.uint8)
    named = {
        flow.SIZED: "applet canvas col embed hr iframe image img input object pre svg table td th video",
        flow.INPUT: "input",
        flow.KEEPING: "listing plaintext pre xmp",
    }
    for trait, names in named.items():
        for number in tags.numbers(names):
            found[number] |= trait
    return found


_RIGHT_TO_LEFT: Final = re.compile(
    rb'<(?:html|body)(?: .[^=]*="[^"]*")*? dir="rtl"', re.IGNORECASE | re.DOTALL
)
_TOPS: Final = np.array(sorted(tags.numbers("html body")), np.uint16)
_DISPLAYS: Final = _displays()
_TRAITS: Final = _traits()
_STYLES: Final = _styles()


def boxes(canonical: bytes, columns: Columns, width: float) -> npt.NDArray[np.float64]:
    """Lay a page out.

    Parameters
    ----------
    canonical
        Its canonical serialisation.
    columns
        Its nodes.
    width
        Width of the window, CSS pixels.

    Returns
    -------
    array of float64, 4 × rows
        Left, top, width and height of each row's box; zeros where there is none.
    """
    out = np.zeros((4, len(columns)))
    names = ("kind", "tag", "parent", "end", "start", "stop", "chars")
    given: list[Any] = [np.ascontiguousarray(getattr(columns, name)) for name in names]
    work = np.zeros((flow.ROWS, len(columns)))
    lay_out(canonical, *given, _DISPLAYS, _TRAITS, _STYLES, width, work, out)
    if _is_right_to_left(canonical, columns):
        seen = out[2] > 0
        out[0, seen] = np.maximum(width - out[0, seen] - out[2, seen], 0)
    return out


def _is_right_to_left(canonical: bytes, columns: Columns) -> bool:
    """Tell whether the page as a whole is written from right to left."""
    tops = np.flatnonzero(np.isin(columns.tag, _TOPS) & (columns.kind == ELEMENT))[:2]
    return any(_RIGHT_TO_LEFT.match(canonical, int(columns.start[row])) for row in tops)
