"""How each tag is laid out by default: the HTML standard, section "Rendering".

Lengths are in CSS pixels. ``_flowrows.pxd`` repeats the integers for the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

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
