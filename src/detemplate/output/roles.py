"""Flags of a page's nodes, which say what passes over the DOM its renderings need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

LISTS: Final = ("menu", "ol", "ul")
"""Tags of lists."""

ITEMS: Final = frozenset(("li", *LISTS))
"""Tags that turbohtml's text renders inside a list."""

LIST: Final = 1
"""A list."""

ITEM: Final = LIST << 1
"""An item or a list."""

TABLE: Final = 4
"""A table."""

FALLBACK: Final = 8
"""An element whose text turbohtml renders and readers do not see."""

UNSEEN: Final = 16
"""An element that readers do not see."""

VERBATIM: Final = 32
"""An element inside which turbohtml renders unseen elements, too."""

BLOCK_OF_CODE: Final = 64
"""``pre``."""

LEVEL: Final = 128
"""Raised or lowered text."""

DEFINITIONS: Final = 256
"""A list of definitions."""

BREAK: Final = 512
"""``br``."""

IMAGE: Final = 1024
"""An image."""

LINK: Final = 2048
"""A link, or another ``a``."""

HEADING: Final = 4096
"""A heading, or the line of ``details`` that is always seen."""

BASE: Final = 8192
"""``base``."""

DRAWING: Final = 16384
"""An element whose text is no text of a link: a drawing, or what is not shown."""

LOOSE: Final = 32768
"""Text in a list but in no item; no tag has this flag (:mod:`detemplate.output.remains` has it)."""

FORMULA: Final = 65536
"""An image whose class, or a script whose type, may be that of a formula; no tag has this flag, either."""

SCRIPT: Final = 131072
"""A script."""

MATH: Final = 262144
"""A formula in MathML."""

BUTTON: Final = 524288
"""A button."""

OPENING: Final = 1048576
"""A block that may begin an item or be a note set apart."""

CALLOUT: Final = 2097152
"""Such a block whose class may be that of a note set apart; no tag has this flag, nor the next four."""

NOTE_LINK: Final = 4194304
"""A link that may be to a note."""

MATH_ATTRIBUTE: Final = 8388608
"""An element with a formula as an attribute."""

NUMBERED: Final = 16777216
"""An element whose class or style may be that of line numbers."""

DRAWN_LINK: Final = 33554432
"""A drawing, or what is not shown, in a link."""

READING: Final = 67108864
"""The reading of a word in ruby; a tag has this flag, and the next."""

QUOTE: Final = 134217728
"""A quotation in a line, whose marks browsers show."""

CHECK: Final = 268435456
"""A field of a form."""

ROLES: Final[npt.NDArray[np.uint32]] = tags.marked(
    {
        LIST: " ".join(LISTS),
        ITEM: " ".join(ITEMS),
        TABLE: "table",
        FALLBACK: f"datalist noembed noframes noscript rp {tags.REPLACED}",
        UNSEEN: " ".join(tags.NAMES[number] for number in np.flatnonzero(tags.FLAGS & tags.UNSEEN)),
        VERBATIM: "code kbd pre samp",
        BLOCK_OF_CODE: "pre",
        LEVEL: "sub sup",
        DEFINITIONS: "dl",
        BREAK: "br",
        HEADING: "h1 h2 h3 h4 h5 h6 summary",
        BASE: "base",
        BUTTON: "button",
        READING: "rt",
        QUOTE: "q",
        CHECK: "input",
        OPENING: "p div section article figure",
    },
    np.uint32,
)
"""The flags of each tag, by its number."""
# Numbers of the tags that readers do not see in SVG and MathML, either.
_FOREIGN_UNSEEN: Final = np.flatnonzero(tags.FLAGS & tags.FOREIGN_UNSEEN)
ROLES[_FOREIGN_UNSEEN | tags.IN_SVG] |= UNSEEN
ROLES[_FOREIGN_UNSEEN | tags.IN_MATH] |= UNSEEN
# Tags by flag, also inside SVG and MathML.
_ANYWHERE: Final = {
    IMAGE: "img",
    SCRIPT: "script",
    MATH: "math",
    LINK: "a",
    DRAWING: "script style svg noscript template",
}
for _flag, _names in _ANYWHERE.items():
    for _number in tags.numbers(_names):
        ROLES[[_number, _number | tags.IN_SVG, _number | tags.IN_MATH]] |= _flag
