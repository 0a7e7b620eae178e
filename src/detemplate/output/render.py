"""What is left of a page: HTML with the template subtrees cut, its text, its Markdown.

Cleaning cuts byte ranges of whole nodes out of the canonical serialisation, so that cleaned HTML is
always well formed. Text and Markdown are the library's rendering of it, without what no reader sees and
with all that one does (:mod:`detemplate.output.shown`). A node that is cut out of a line of text leaves a
space: what was on both sides of it does not become one word.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.output.shown import kinds_of, unseen_nodes, with_all_texts
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.output.shown import Kinds
    from detemplate.page.page import Page

_SHELL: Final = tags.numbers("html head body frameset")
_KEEP_NEWLINE: Final = tags.numbers("listing pre textarea")
_TEMPLATE: Final = tags.IDS["template"]
_SPACES: Final = frozenset(b" \t\n\r\f")


def removed_nodes(page: Page, template: npt.NDArray[np.bool_]) -> list[int]:
    """Give the rows of the nodes to cut: none inside another, in document order.

    An element whose every segment is template goes as a whole, with whatever else is in it (images,
    forms, embeds, rules); of other elements, only the template segments go. ``html``, ``head`` and
    ``body`` stay.

    Parameters
    ----------
    page
        The page.
    template
        Whether each of its segments is template.
    """
    segments = page.segments
    gone = segments[template].tolist()
    if not gone:
        return []
    kept = segments[~template].tolist()
    kept.append(len(page.columns))
    parent, end = page.columns.parent.data, page.columns.end.data
    tag = page.columns.tag.data
    removed = []
    number = 0
    while number < len(gone):
        # Between the kept segments around it, a template segment climbs as high as it can.
        top = gone[number]
        place = bisect_left(kept, top)
        low, high = kept[place - 1] if place else -1, kept[place]
        while (above := parent[top]) > low and end[above] <= high and tag[above] not in _SHELL:
            top = above
        removed.append(top)
        number = bisect_left(gone, end[top], number)
    return removed


def spaced_nodes(page: Page, removed: list[int]) -> list[bool]:
    """Tell which of the removed nodes leave a space.

    Of those that hold segments, the first between two kept ones of one block, unless there is white space
    beside it already.
    """
    segments, columns = page.segments, page.columns
    start, stop, canonical = columns.start.data, columns.stop.data, page.canonical
    rows = np.array(removed, np.int32)
    # Of each node, its first segment and the one behind it.
    first, last = segments.searchsorted(rows).tolist(), segments.searchsorted(columns.end[rows]).tolist()
    block, count = page.blocks.data, len(segments)
    spaced = [False] * len(removed)
    holding = [number for number in range(len(removed)) if first[number] < last[number]]
    behind = following = count  # the segments behind what has nothing kept in between, and in the next node
    for place in range(len(holding) - 1, -1, -1):
        number = holding[place]
        if last[number] < following:
            behind = last[number]
        following = first[number]
        before = following - 1
        if (
            before >= (last[holding[place - 1]] if place else 0)
            and behind < count
            and block[before] == block[behind]
        ):
            row = removed[number]
            spaced[number] = canonical[start[row] - 1] not in _SPACES and canonical[stop[row]] not in _SPACES
    return spaced


def to_html(page: Page, removed: list[int]) -> str:
    """Render a page without the given nodes as HTML; with none, its canonical serialisation."""
    columns = page.columns
    start, stop = columns.start.data, columns.stop.data
    parent, place, tag = columns.parent.data, columns.place.data, columns.tag.data
    canonical = page.canonical
    pieces = []
    at = 0
    swallows = False  # whether what comes next follows a start tag that swallows a line break
    for row, spaced in zip([*removed, -1], [*spaced_nodes(page, removed), False], strict=True):
        piece = canonical[at : start[row] if row >= 0 else None]
        if swallows and piece.startswith(b"\n"):
            pieces.append(b"\n")
        pieces.append(piece)
        if row >= 0:
            first = place[row] == 0 and parent[row] >= 0 and tag[parent[row]] in _KEEP_NEWLINE
            swallows = first or (swallows and not piece)
            at = stop[row]
            if spaced:
                pieces.append(b" ")
                swallows = False
    return b"".join(pieces).decode()


def _document(page: Page, removed: list[int]) -> turbohtml.Document:
    """Give the DOM of the cleaned page: the page's own, with the nodes taken out, if it has been kept."""
    document, page.document = page.document, None  # its memory goes with the first rendering
    if not removed:
        return document or page.parse_source()
    if document is not None and _take_out(document, page, removed):
        return document
    return turbohtml.parse(to_html(page, removed), positions=False)


def _take_out(document: turbohtml.Document, page: Page, rows: list[int]) -> bool:
    """Take nodes out of the page's DOM; False, and nothing done, if rows and DOM do not correspond.

    Only where the parser left two texts side by side does the DOM have more nodes than its serialisation.
    """
    columns = page.columns
    parent, place = columns.parent.data, columns.place.data
    children, tag = columns.children.data, columns.tag.data
    known: dict[int, turbohtml.Node] = {-1: document}
    nodes = []
    for row in rows:
        way = [row]
        while (above := parent[way[-1]]) not in known:
            way.append(above)
        node = known[above]
        for step in reversed(way):
            if above >= 0 and (len(node) != children[above] or tag[above] == _TEMPLATE):
                return False
            node = node[place[step]]
            known[step] = node
            above = step
        nodes.append(node)
    for node, following, spaced in zip(nodes, [*nodes[1:], None], spaced_nodes(page, rows), strict=True):
        before, after = node.previous_sibling, node.next_sibling
        if spaced:
            node.insert_before(turbohtml.Text(" "))
            before = _joined(node.previous_sibling, before)
        node.decompose()
        if isinstance(before, turbohtml.Text) and isinstance(after, turbohtml.Text) and after != following:
            # Texts that have become neighbours are one text, as they would be after parsing.
            before.data += after.data
            after.decompose()
    return True


def _joined(space: turbohtml.Node | None, before: turbohtml.Node | None) -> turbohtml.Node | None:
    """Join a space with the text before it, as they would be after parsing; give what is there then."""
    if space is None or not isinstance(before, turbohtml.Text):
        return space
    before.data += " "
    space.decompose()
    return before


def _without_unseen(page: Page, removed: list[int], kinds: Kinds) -> list[int]:
    """Add what no reader sees, but would stand in the text, to the nodes to cut; none inside another."""
    unseen = unseen_nodes(page.columns, kinds)
    if not unseen:
        return removed
    end, rows, reach = page.columns.end.data, [], 0
    for row in sorted({*removed, *unseen}):
        if row >= reach:
            rows.append(row)
            reach = end[row]
    return rows


def to_text(page: Page, removed: list[int]) -> str:
    """Render a page without the given nodes as plain text, laid out by the library."""
    kinds = kinds_of(page.columns)
    document = _document(page, _without_unseen(page, removed, kinds))
    with_all_texts(document, page.columns, kinds)
    return document.to_text()


def to_markdown(page: Page, removed: list[int]) -> str:
    """Render a page without the given nodes as GitHub-flavoured Markdown."""
    return _document(page, _without_unseen(page, removed, kinds_of(page.columns))).to_markdown()
