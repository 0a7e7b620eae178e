"""The DOM of a page without its template, for the renderings as text and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import turbohtml

from detemplate.output.corrections import unseen_nodes
from detemplate.output.cutting import cut, spaced_nodes
from detemplate.page import tags

if TYPE_CHECKING:
    from detemplate.output.corrections import Roles
    from detemplate.page.page import Page

_TEMPLATE: Final = tags.IDS["template"]
"""Number of the tag ``template``."""


def cleaned_document(page: Page, removed: list[int], roles: Roles, present: int) -> turbohtml.Document:
    """Return the DOM of a page without the removed nodes, and without text that readers do not see.

    It is that of the page, which it then no longer keeps; else the cleaned HTML is parsed.

    Parameters
    ----------
    page, removed
        The page, and the rows of the nodes to cut (:func:`~detemplate.output.cutting.removed_nodes`).
    roles, present
        The flags of the page's nodes, and those that any of them has
        (:mod:`detemplate.output.corrections`).

    Returns
    -------
    turbohtml.Document
        The DOM.
    """
    document, page.document = page.document, None  # frees its memory after this rendering
    rows = _with_unseen(page, removed, roles, present)
    if not rows:
        return document or page.parse_source()
    if document is not None and _take_out(document, page, rows):
        return document
    return turbohtml.parse(cut(page, rows), positions=False)


def _with_unseen(page: Page, removed: list[int], roles: Roles, present: int) -> list[int]:
    """Add the unseen nodes that turbohtml would render to the nodes to cut; none is inside another."""
    unseen = unseen_nodes(page.columns, roles, present)
    if not unseen:
        return removed
    end, rows, reach = page.columns.end.data, [], 0
    for row in sorted({*removed, *unseen}):
        if row >= reach:
            rows.append(row)
            reach = end[row]
    return rows


def _take_out(document: turbohtml.Document, page: Page, rows: list[int]) -> bool:
    """Remove nodes from the page's DOM; return False, without a change, if rows and DOM do not correspond.

    They do not where the parser left two texts side by side, which are one text in the serialisation.
    """
    columns = page.columns
    parent, place = columns.parent.data, columns.place.data
    children, tag = columns.children.data, columns.tag.data
    known: dict[int, turbohtml.Node] = {-1: document}
    inside: dict[int, list[turbohtml.Node]] = {}  # a node itself passes by its children to find one
    nodes = []
    for row in rows:
        way = [row]
        while (above := parent[way[-1]]) not in known:
            way.append(above)
        node = known[above]
        for step in reversed(way):
            if above not in inside:
                inside[above] = list(node)
            if above >= 0 and (len(inside[above]) != children[above] or tag[above] == _TEMPLATE):
                return False
            node = inside[above][place[step]]
            known[step] = node
            above = step
        nodes.append(node)
    joined = _JoinedText()
    for node, following, spaced in zip(nodes, [*nodes[1:], None], spaced_nodes(page, rows), strict=True):
        before, after = node.previous_sibling, node.next_sibling
        if spaced and isinstance(before, turbohtml.Text):
            joined.add(before, " ")
        elif spaced:
            node.insert_before(turbohtml.Text(" "))
            before = node.previous_sibling
        node.decompose()
        if isinstance(before, turbohtml.Text) and isinstance(after, turbohtml.Text) and after != following:
            joined.add(before, after.data)
            after.decompose()
    joined.write()
    return True


class _JoinedText:
    """Joins texts that become neighbours, as after parsing; each is written once, when the next begins."""

    def __init__(self) -> None:
        self._text: turbohtml.Text | None = None
        self._parts: list[str] = []

    def add(self, text: turbohtml.Text, more: str) -> None:
        """Add to the end of a text."""
        if self._text != text:
            self.write()
            self._text, self._parts = text, [text.data]
        self._parts.append(more)

    def write(self) -> None:
        """Write the text that was added to last."""
        if self._text is not None:
            self._text.data = "".join(self._parts)
