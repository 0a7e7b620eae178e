"""How each tag is laid out by default: the HTML standard, section "Rendering".

Lengths are in CSS pixels. ``_flowrows.pxd`` repeats the integers for the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

# How an element is laid out.
INLINE: Final = 0
"""In a line."""
BLOCK: Final = 1
"""As a block."""
NONE: Final = 2
"""Not at all."""
TABLE: Final = 3
"""As a table."""
GROUP: Final = 4
"""As a group of table rows."""
ROW: Final = 5
"""As a table row."""
CELL: Final = 6
"""As a table cell."""
REPLACED: Final = 7
"""As a box of known size. Nodes inside have no box."""
BREAK: Final = 8
"""As a line break."""
DETAILS: Final = 9
"""As a block that shows only its summary, unless it is open."""
SUMMARY: Final = 10
"""As the block that closed details show."""
DIALOG: Final = 11
"""As a block if it is open; else not at all."""

# Lengths of a tag: rows of STYLES_BY_TAG.
LINE: Final = 0
"""Height of a line; 0: inherited."""
CHAR: Final = 1
"""Width of a character; 0: inherited."""
ABOVE: Final = 2
"""Upper margin."""
BELOW: Final = 3
"""Lower margin."""
MARGIN_LEFT: Final = 4
"""Left margin."""
MARGIN_RIGHT: Final = 5
"""Right margin."""
PAD_LEFT: Final = 6
"""Left padding."""
PAD_RIGHT: Final = 7
"""Right padding."""
WIDE: Final = 8
"""Width of a replaced element, if none is stated."""
HIGH: Final = 9
"""Height, if none is stated; 0: that of the contents."""
STYLES: Final = 10
"""Number of lengths."""

# Traits of a tag: what its attributes mean.
SIZED: Final = 1
"""The attributes ``width`` and ``height`` are sizes."""
INPUT: Final = 2
"""``type="hidden"`` hides the element."""
KEEPING: Final = 4
"""Its text keeps its line breaks."""

_CHAR_WIDTH: Final = 7.0
"""Mean width of a character at a font size of 16 pixels."""
_LINE_HEIGHT: Final = 18.0
"""Height of a line at a font size of 16 pixels."""
_FONT: Final = 16.0
"""Default font size."""
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
