"""What remains of a page: which nodes go, which of them leave a space, what the renderings have to do.

Flags of the nodes say what passes over the DOM the renderings need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.output import _remains
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

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

# Flags that the kernel sets or asks for: always, and for attributes and links.
_FLAGS: Final = (
    FALLBACK, UNSEEN, VERBATIM, LIST, ITEM, LOOSE, IMAGE,
    SCRIPT, FORMULA,
)  # fmt: skip
_MORE_FLAGS: Final = (
    LINK, DRAWING, LEVEL, OPENING, DRAWN_LINK, CALLOUT, NOTE_LINK,
    MATH_ATTRIBUTE, NUMBERED,
)  # fmt: skip


def kept_nodes(page: Page, removed: list[int], *, attributes: bool = False) -> tuple[list[int], int]:
    """Find what remains of a page for its renderings as text and Markdown.

    The elements are cut, too, whose text turbohtml would render but readers do not see: ``noscript`` and
    similar elements, and unseen elements inside ``pre``, ``code`` and a few others. Those without text stay:
    they may hold images.

    ``page``, ``removed``: the page, and the rows of the nodes to cut
        (:func:`~detemplate.output.cutting.removed_nodes`).
    ``attributes``: whether the flags are asked for that attributes give, and links.
    Returns: rows of all nodes to cut, in document order, of which none is inside another; and the flags of
        the others (:mod:`detemplate.output.remains`).
    """
    columns = page.columns
    rows = np.empty(len(columns), np.int32)
    count, present = _remains.remains(
        *(page.canonical, columns.kind, columns.tag, columns.parent, columns.end, columns.start),
        *(columns.stop, columns.chars, ROLES, np.array(removed, np.int32), rows),
        *(*_FLAGS, attributes, *_MORE_FLAGS),
    )
    found: list[int] = rows[:count].tolist()
    return found, present


def highest_nodes(page: Page, template: npt.NDArray[np.bool_], shell: npt.NDArray[np.uint8]) -> list[int]:
    """Give the highest nodes that hold template segments and no other, in document order.

    ``page``, ``template``: the page, and whether each of its segments is template.
    ``shell``: one entry a value of the column ``tag``: not 0 for elements that are never given.
    """
    columns = page.columns
    rows = np.empty(len(template), np.int32)
    count = _remains.highest(
        *(template.view(np.uint8), columns.segments, columns.parent, columns.end, columns.tag, shell, rows)
    )
    found: list[int] = rows[:count].tolist()
    return found


def spaced_nodes(page: Page, removed: list[int]) -> list[bool]:
    """Return which of the removed nodes leave a space.

    Where nodes with segments are cut between two kept segments of one block, the first of these nodes leaves
    a space, unless white space is beside it.

    ``page``, ``removed``: the page, and the rows of the nodes to cut, in document order; none is inside
        another.
    Returns: one per removed node.
    """
    columns = page.columns
    spaced = np.zeros(len(removed), np.bool_)
    _remains.spaced(
        *(page.canonical, columns.end, columns.start, columns.stop, columns.block, columns.segments),
        *(np.array(removed, np.int32), spaced.view(np.uint8)),
    )
    found: list[bool] = spaced.tolist()
    return found


def script_candidates(page: Page, removed: list[int]) -> list[int]:
    """Find the elements, outside of the nodes to cut, whose attributes may hold scripts.

    ``page``, ``removed``: the page, and the rows of the nodes to cut, in document order; none is inside
        another.
    Returns: rows of elements that have an attribute that begins with ``on``, one with a document or an
        address to change, or one whose value begins as a script or as data does.
    """
    columns = page.columns
    rows = np.empty(len(columns), np.int32)
    count = _remains.inert(
        *(page.canonical, columns.kind, columns.end, columns.start, columns.stop),
        *(np.array(removed, np.int32), rows),
    )
    found: list[int] = rows[:count].tolist()
    return found


def concealed_candidates(
    page: Page, template: npt.NDArray[np.bool_], marks: npt.NDArray[np.uint8]
) -> list[int]:
    """Find the elements around kept segments that may be hidden.

    ``page``, ``template``: the page, and whether each of its segments is template.
    ``marks``: one entry a value of the column ``tag``: not 0 for elements that are always found.
    Returns: rows, in document order, of elements that are marked, that have the attribute ``hidden`` or
        ``popover``, or whose style has ``none``, ``hidden``, ``absolute`` or ``fixed``.
    """
    columns = page.columns
    rows, seen = np.empty(len(columns), np.int32), np.zeros(len(columns), np.uint8)
    count = _remains.concealed(
        *(page.canonical, columns.tag, columns.parent, columns.start, template.view(np.uint8)),
        *(columns.segments, marks, seen, rows),
    )
    found: list[int] = np.sort(rows[:count]).tolist()
    return found
