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

# Flags of nodes.
(
    LIST,  # a list
    ITEM,  # an item or a list
    TABLE,  # a table
    FALLBACK,  # an element whose text turbohtml renders and readers do not see
    UNSEEN,  # an element that readers do not see
    VERBATIM,  # an element inside which turbohtml renders unseen elements, too
    BLOCK_OF_CODE,  # ``pre``
    LEVEL,  # raised or lowered text
    DEFINITIONS,  # a list of definitions
    BREAK,  # ``br``
    IMAGE,  # an image
    LINK,  # a link, or another ``a``
    HEADING,  # a heading, or the line of ``details`` that is always seen
    BASE,  # ``base``
    DRAWING,  # an element whose text is no text of a link: a drawing, or what is not shown
    LOOSE,  # text in a list but in no item; no tag has this flag (`kept_nodes` has it)
    FORMULA,  # an image whose class, or a script whose type, may be a formula's; no tag has this flag, either
    SCRIPT,  # a script
    MATH,  # a formula in MathML
    BUTTON,  # a button
    OPENING,  # a block that may begin an item or be a note set apart
    CALLOUT,  # such a block whose class may be a note's; no tag has this flag, nor the next four
    NOTE_LINK,  # a link that may be to a note
    MATH_ATTRIBUTE,  # an element with a formula as an attribute
    NUMBERED,  # an element whose class or style may be that of line numbers
    DRAWN_LINK,  # a drawing, or what is not shown, in a link
    READING,  # the reading of a word in ruby; a tag has this flag, and the next
    QUOTE,  # a quotation in a line, whose marks browsers show
    CHECK,  # a field of a form
) = (1 << number for number in range(29))

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
