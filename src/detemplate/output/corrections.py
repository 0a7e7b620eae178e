"""Corrections to turbohtml's rendering as text and Markdown.

turbohtml renders the contents of ``noscript``, ``video`` and the like, and unseen elements inside ``pre``,
``code`` and a few others. Its plain text lacks the contents of lists outside of their items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.page import tags
from detemplate.page.columns import CODE, RAW

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.page.columns import Columns

    Roles = npt.NDArray[np.uint16]
    """The flags below of each node of a page."""

_LISTS: Final = ("menu", "ol", "ul")
"""Tags of lists."""

_ITEMS: Final = frozenset(("li", *_LISTS))
"""Tags that turbohtml's text renders inside a list."""

_LIST: Final = 1
"""A list."""

_ITEM: Final = _LIST << 1
"""An item or a list: :func:`restore_texts` shifts this flag onto `_LIST`."""

TABLE: Final = 4
"""A table."""

_FALLBACK: Final = 8
"""An element whose text turbohtml renders and readers do not see."""

_UNSEEN: Final = 16
"""An element that readers do not see."""

_VERBATIM: Final = 32
"""An element inside which turbohtml renders unseen elements, too."""

BLOCK_OF_CODE: Final = 64
"""``pre``."""

LEVEL: Final = 128
"""Raised or lowered text."""

DEFINITIONS: Final = 256
"""A list of definitions."""

BREAK: Final = 512
"""``br``."""

_ROLES: Final[Roles] = tags.marked(
    {
        _LIST: " ".join(_LISTS),
        _ITEM: " ".join(_ITEMS),
        TABLE: "table",
        _FALLBACK: f"datalist noembed noframes noscript rp {tags.REPLACED}",
        _UNSEEN: " ".join(tags.NAMES[number] for number in np.flatnonzero(tags.FLAGS & tags.UNSEEN)),
        _VERBATIM: "code kbd pre samp",
        BLOCK_OF_CODE: "pre",
        LEVEL: "sub sup",
        DEFINITIONS: "dl",
        BREAK: "br",
    },
    np.uint16,
)
"""The flags of each tag, by its number."""
_FOREIGN_UNSEEN: Final = np.flatnonzero(tags.FLAGS & tags.FOREIGN_UNSEEN)
"""Numbers of the tags that readers do not see in SVG and MathML, either."""
_ROLES[_FOREIGN_UNSEEN | tags.IN_SVG] |= _UNSEEN
_ROLES[_FOREIGN_UNSEEN | tags.IN_MATH] |= _UNSEEN


def node_roles(columns: Columns) -> Roles:
    """Return the flags of each node of a page, for the functions below."""
    return _ROLES[columns.tag]


def unseen_nodes(columns: Columns, roles: Roles, present: int) -> list[int]:
    """Return the rows of the elements with text that turbohtml would render but readers do not see.

    These are ``noscript`` and similar elements, and unseen elements inside ``pre``, ``code`` and a few
    others. Elements without text are left out: they may hold images.

    Parameters
    ----------
    columns, roles
        The page's columns, and the flags of its nodes (:func:`node_roles`).
    present
        The flags that a node of the page has.

    Returns
    -------
    list of int
        Ascending. One element may be inside another.
    """
    rows = (roles & _FALLBACK).nonzero()[0]
    if present & _VERBATIM:
        verbatim = (roles & _VERBATIM).nonzero()[0]
        unseen = (roles & _UNSEEN).nonzero()[0]
        unseen = unseen[unseen > verbatim[0]]
        reach = np.maximum.accumulate(columns.end[verbatim])
        inside = unseen[unseen < reach[verbatim.searchsorted(unseen) - 1]]
        if len(inside):
            rows = np.union1d(rows, inside)
    if not len(rows):
        return []
    kind = columns.kind
    return [
        row
        for row, end in zip(rows.tolist(), columns.end[rows].tolist(), strict=True)
        if end > row + 1 and _has_unseen_text(kind[row + 1 : end])
    ]


def _has_unseen_text(kind: npt.NDArray[np.uint16]) -> bool:
    """Tell whether there are unseen texts among nodes of these kinds. They are never blank."""
    return bool(kind[0] == RAW or ((kind == RAW) | (kind == CODE)).any())


def restore_texts(document: turbohtml.Document, columns: Columns, roles: Roles) -> None:
    """Change a DOM so that its text has the contents of lists outside of items: they become items.

    Parameters
    ----------
    document
        The DOM of the page, or of the cleaned page.
    columns, roles
        The page's columns, and the flags of its nodes (:func:`node_roles`).
    """
    outside = (roles[columns.parent] & ~(roles >> 1) & _LIST).nonzero()[0]  # in a list, but no item
    if len(outside) and columns.chars[outside].any():
        for element in list(document.iter_elements(_LISTS)):
            make_items(element)


def make_items(listing: turbohtml.Element) -> None:
    """Make items of a list's contents outside of its items: each block, and each run of inline nodes."""
    pending: list[turbohtml.Node] = list(listing.children)[::-1]
    run: list[turbohtml.Node] = []
    while pending:
        node = pending.pop()
        name = _name(node)
        if name in _ITEMS:
            _wrap(run)
            run = []
        elif any(_name(inner) == "li" for inner in node.children):
            # An element around items of this list: its children take its place.
            pending += list(node.children)[::-1]
            node.unwrap()
        elif tags.FLAGS[tags.IDS.get(name, 0)] & tags.BLOCK:
            _wrap(run)
            _wrap([node])
            run = []
        else:
            run.append(node)
    _wrap(run)


def _name(node: turbohtml.Node) -> str:
    """Return an element's tag; empty for other nodes."""
    return node.tag if isinstance(node, turbohtml.Element) else ""


def _wrap(run: Sequence[turbohtml.Node]) -> None:
    """Make an item of a run of siblings if it has text."""
    if any(_has_text(node) for node in run):
        run[0].wrap_siblings(turbohtml.Element("li"), until=run[-1])


def _has_text(node: turbohtml.Node) -> bool:
    if isinstance(node, turbohtml.Text):
        return bool(node.data.strip())
    return isinstance(node, turbohtml.Element) and next(iter(node.stripped_strings), None) is not None
