"""The DOM of a page without its template, for the renderings as text and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import turbohtml
from turbohtml import Text

from detemplate.output.cutting import cut
from detemplate.output.remains import remains, spaced_nodes
from detemplate.output.roles import BLOCK_OF_CODE
from detemplate.page import tags
from detemplate.page.whitespace import WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.page.page import Page

_TEMPLATE: Final = tags.IDS["template"]
"""Number of the tag ``template``."""


def cleaned_document(page: Page, removed: list[int]) -> tuple[turbohtml.Document, int]:
    """Return the DOM of a page without the removed nodes, and without text that readers do not see.

    It is that of the page, which it then no longer keeps; else the cleaned HTML is parsed.

    Parameters
    ----------
    page, removed
        The page, and the rows of the nodes to cut (:func:`~detemplate.output.cutting.removed_nodes`).

    Returns
    -------
    tuple
        The DOM, and the flags that any of its nodes has (:mod:`detemplate.output.roles`).
    """
    rows, present = remains(page, removed)
    document, page.document = page.document, None  # frees its memory after this rendering
    if not rows:
        return document or page.parse_source(), present
    if document is not None and _take_out(document, page, rows, verbatim=bool(present & BLOCK_OF_CODE)):
        return document, present
    return turbohtml.parse(cut(page, rows), positions=False), present


def _take_out(document: turbohtml.Document, page: Page, rows: list[int], *, verbatim: bool) -> bool:
    """Remove nodes from the page's DOM; return False, without a change, if rows and DOM do not correspond.

    They do not where the parser left two texts side by side, which are one text in the serialisation.
    ``verbatim`` says whether white space may be shown as it is.
    """
    columns = page.columns
    parent, place = columns.parent.data, columns.place.data
    children, tag = columns.children.data, columns.tag.data
    holders: dict[int, turbohtml.Node] = {-1: document}
    nodes: list[turbohtml.Node] = []
    siblings: turbohtml.Node | Sequence[turbohtml.Node] = document
    last = -2
    for row in rows:
        above = holder = parent[row]
        if above not in holders:
            way = [above]
            while (above := parent[above]) not in holders:
                way.append(above)
            node = holders[above]
            for step in reversed(way):
                node = node[place[step]]
                if len(node) != children[step] or tag[step] == _TEMPLATE:
                    return False
                holders[step] = node
            siblings = node
        elif holder != last:
            siblings = holders[holder]
        elif isinstance(siblings, turbohtml.Node):
            siblings = siblings.children  # each is found in one step
        last = holder
        nodes.append(siblings[place[row]])
    for node, following, spaced in zip(nodes, [*nodes[1:], None], spaced_nodes(page, rows), strict=True):
        before, after = node.previous_sibling, node.next_sibling
        if spaced:
            node.insert_before(Text(" "))
            before = _joined(node.previous_sibling, before)
        node.decompose()
        if isinstance(after, Text) and isinstance(before, Text) and after != following:
            # Texts that become neighbours are joined, as after parsing. Two spaces are as good as one.
            if verbatim or before.data.strip(WHITE_SPACE) or after.data.strip(WHITE_SPACE):
                before.data += after.data
            after.decompose()
    return True


def _joined(space: turbohtml.Node | None, before: turbohtml.Node | None) -> turbohtml.Node | None:
    """Join a space with a text before it, as after parsing; return the text, or the space without one."""
    if space is None or not isinstance(before, Text):
        return space
    before.data += " "
    space.decompose()
    return before
