"""What remains of a page: which nodes go, which of them leave a space, what the renderings have to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.output import _remains, roles

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

# Flags that the kernel sets or asks for: always, and for attributes and links.
_FLAGS: Final = (
    roles.FALLBACK, roles.UNSEEN, roles.VERBATIM, roles.LIST, roles.ITEM, roles.LOOSE, roles.IMAGE,
    roles.SCRIPT, roles.FORMULA,
)  # fmt: skip
_MORE_FLAGS: Final = (
    roles.LINK, roles.DRAWING, roles.LEVEL, roles.OPENING, roles.DRAWN_LINK, roles.CALLOUT, roles.NOTE_LINK,
    roles.MATH_ATTRIBUTE, roles.NUMBERED,
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
        the others (:mod:`detemplate.output.roles`).
    """
    columns = page.columns
    rows = np.empty(len(columns), np.int32)
    count, present = _remains.remains(
        *(page.canonical, columns.kind, columns.tag, columns.parent, columns.end, columns.start),
        *(columns.stop, columns.chars, roles.ROLES, np.array(removed, np.int32), rows),
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
