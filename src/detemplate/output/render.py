"""A cleaned page as HTML, text and Markdown.

Cleaning cuts the byte ranges of whole nodes out of the canonical serialisation, so cleaned HTML is always
well formed. turbohtml renders its text and Markdown, with the corrections of
:mod:`detemplate.output.corrections`. A node that is cut out of a line leaves a space, so that the words
around it are not joined.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import turbohtml

from detemplate.output.addresses import Addresses, drop_anchors, write_images, write_links
from detemplate.output.blocks import open_items, split_paragraphs, write_definitions, write_headings
from detemplate.output.codeblocks import write_code
from detemplate.output.corrections import (
    BLOCK_OF_CODE,
    BREAK,
    DEFINITIONS,
    LEVEL,
    TABLE,
    node_roles,
    restore_texts,
    unseen_nodes,
)
from detemplate.output.emphasis import CONVERTERS
from detemplate.output.formulas import RAW_TEXT, has_formulas, raw_written, write_formulas, write_levels
from detemplate.output.notes import NOTE, note_written, write_notes
from detemplate.output.options import DEFAULT
from detemplate.output.scripts import inert_tags, script_nodes, with_emptied
from detemplate.output.spaces import has_bare_signs, tidied, without_entities
from detemplate.output.tables import write_tables
from detemplate.page import tags
from detemplate.page.whitespace import WHITE_SPACE_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.output.corrections import Roles
    from detemplate.output.options import Images, Links, Rendering
    from detemplate.page.page import Page

_SHELL: Final = tags.numbers("html head body frameset")
"""Numbers of the tags that are never cut."""

_SKIP_NEWLINE: Final = tags.numbers("listing pre textarea")
"""Numbers of the tags after which a parser ignores a line break."""

_BASE: Final = tags.IDS["base"]
"""Number of the tag ``base``."""

_TEMPLATE: Final = tags.IDS["template"]
"""Number of the tag ``template``."""

_LINK_STYLES: Final[dict[Links, Literal["none", "inline", "footnote"]]] = {
    "none": "none",
    "inline": "inline",
    "reference": "footnote",
}
"""Words of turbohtml for the ways to write links in text."""

_IMAGE_MODES: Final[dict[Images, Literal["ignore", "alt", "markdown"]]] = {
    "none": "ignore",
    "alt": "alt",
    "inline": "markdown",
}
"""Words of turbohtml for the ways to write images in Markdown."""

_SPACES: Final = frozenset(WHITE_SPACE_BYTES)
"""Bytes of white space in HTML."""


def removed_nodes(page: Page, template: npt.NDArray[np.bool_]) -> list[int]:
    """Return the rows of the nodes to cut.

    An element whose segments are all template is cut as a whole, with the images, forms, embeds and rules in
    it. Of other elements, only the template segments are cut. ``html``, ``head`` and ``body`` stay.

    Parameters
    ----------
    page
        The page.
    template
        Whether each of its segments is template.

    Returns
    -------
    list of int
        In document order; no node is inside another.
    """
    segments = page.segments
    cut = segments[template].tolist()
    if not cut:
        return []
    kept = segments[~template].tolist()
    kept.append(len(page.columns))
    parent, end = page.columns.parent.data, page.columns.end.data
    tag = page.columns.tag.data
    removed = []
    number = 0
    while number < len(cut):
        # The highest ancestor of the segment that holds no kept segment.
        top = cut[number]
        place = bisect_left(kept, top)
        low, high = kept[place - 1] if place else -1, kept[place]
        while (above := parent[top]) > low and end[above] <= high and tag[above] not in _SHELL:
            top = above
        removed.append(top)
        number = bisect_left(cut, end[top], number)
    return removed


def spaced_nodes(page: Page, removed: list[int]) -> list[bool]:
    """Return which of the removed nodes leave a space.

    Where nodes with segments are cut between two kept segments of one block, the first of these nodes leaves
    a space, unless white space is beside it.

    Parameters
    ----------
    page
        The page.
    removed
        Rows of the nodes to cut (:func:`removed_nodes`).

    Returns
    -------
    list of bool
        One per removed node.
    """
    segments, columns = page.segments, page.columns
    start, stop, canonical = columns.start.data, columns.stop.data, page.canonical
    rows = np.array(removed, np.int32)
    # Of each node, its first segment and the first segment behind it.
    first, last = segments.searchsorted(rows).tolist(), segments.searchsorted(columns.end[rows]).tolist()
    block, count = page.blocks.data, len(segments)
    spaced = [False] * len(removed)
    holding = [number for number in range(len(removed)) if first[number] < last[number]]
    behind = following = count  # first segments behind the run of cut nodes, and in the next cut node
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


def to_html(page: Page, removed: list[int], *, keep_scripts: bool = False) -> str:
    """Render a page without the removed nodes as HTML.

    The page's first ``base`` stays, so that its links lead where they led.

    Parameters
    ----------
    page
        The page.
    removed
        Rows of the nodes to cut (:func:`removed_nodes`).
    keep_scripts
        Whether scripts, style sheets and event handlers stay (:mod:`detemplate.output.scripts`). If so, and
        without removed nodes, the HTML is the canonical serialisation.

    Returns
    -------
    str
        The HTML.
    """
    kept = _base_cut(page, removed)
    if keep_scripts:
        return _cut(page, removed, kept)
    rows = with_emptied(page, removed, script_nodes(page))
    return _cut(page, rows, kept, inert_tags(page, rows))


def _base_cut(page: Page, removed: list[int]) -> int:
    """Return the row of the page's first ``base`` if it is inside a removed node, else -1."""
    columns = page.columns
    bases = (columns.tag == _BASE).nonzero()[0]
    if len(bases) and removed:
        base = int(bases[0])
        place = bisect_left(removed, base + 1) - 1
        if place >= 0 and base < columns.end.data[removed[place]]:
            return base
    return -1


def _cut(page: Page, removed: list[int], base: int = -1, attributes: Sequence[tuple[int, int]] = ()) -> str:
    """Cut nodes and byte ranges of attributes out of the serialisation; without any, return all of it.

    Parameters
    ----------
    page, removed
        The page, and the rows of the nodes to cut.
    base
        Row of an element inside a removed node that stays in its place; -1 for none.
    attributes
        Byte ranges outside of the removed nodes.
    """
    columns = page.columns
    start, stop = columns.start.data, columns.stop.data
    parent, place, tag = columns.parent.data, columns.place.data, columns.tag.data
    canonical = page.canonical
    cuts = [
        (start[row], stop[row], row, spaced)
        for row, spaced in zip(removed, spaced_nodes(page, removed), strict=True)
    ]
    if attributes:
        cuts = sorted([*cuts, *((low, high, -1, False) for low, high in attributes)])
    pieces = []
    at = 0
    after_start = False  # whether the next piece follows a start tag of _SKIP_NEWLINE
    for low, high, row, spaced in [*cuts, (len(canonical), 0, -1, False)]:
        piece = canonical[at:low]
        if after_start and piece.startswith(b"\n"):
            pieces.append(b"\n")
        pieces.append(piece)
        at = high
        if row >= 0:
            first = place[row] == 0 and parent[row] >= 0 and tag[parent[row]] in _SKIP_NEWLINE
            after_start = first or (after_start and not piece)
            if base >= 0 and low <= start[base] < high:
                pieces.append(canonical[start[base] : stop[base]])
                after_start = False
            if spaced:
                pieces.append(b" ")
                after_start = False
        else:
            after_start = False
    return b"".join(pieces).decode()


def _document(page: Page, removed: list[int]) -> turbohtml.Document:
    """Return the DOM of the cleaned page: that of the page without the nodes if it was kept, else parsed."""
    document, page.document = page.document, None  # frees its memory after this rendering
    if not removed:
        return document or page.parse_source()
    if document is not None and _take_out(document, page, removed):
        return document
    return turbohtml.parse(_cut(page, removed), positions=False)


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


def to_text(page: Page, removed: list[int], options: Rendering = DEFAULT) -> str:
    """Render a page without the removed nodes as plain text.

    Parameters
    ----------
    page
        The page.
    removed
        Rows of the nodes to cut (:func:`removed_nodes`).
    options
        How links, images and tables are written.

    Returns
    -------
    str
        Blocks are separated by empty lines; lines are not wrapped.
    """
    columns = page.columns
    roles = node_roles(columns)
    present = int(np.bitwise_or.reduce(roles))
    document = _document(page, _with_unseen(page, removed, roles, present))
    plain = _plain_text(document, page, options)
    restore_texts(document, columns, roles)
    if present & DEFINITIONS:
        write_definitions(document, markdown=False)
    if has_formulas(document):
        write_formulas(document, markdown=False)
    if present & LEVEL:
        write_levels(document)
    if present & (BLOCK_OF_CODE | TABLE):
        write_code(document, markdown=False)
    if present & TABLE:
        write_tables(document, options.tables or "tsv", _cell_text(plain), markdown=False)
    text = document.to_text(plain)
    if "¶" in text:
        drop_anchors(document)
        text = document.to_text(plain)
    if present & BLOCK_OF_CODE:
        if has_bare_signs(text):
            open_items(document)
            text = document.to_text(plain)
        return text.replace("\xa0", " ")
    return tidied(text.replace("\xa0", " "))


def _plain_text(document: turbohtml.Document, page: Page, options: Rendering) -> turbohtml.PlainText | None:
    """Give turbohtml's options for a text; make the addresses absolute that it will have."""
    links, images = options.links or "none", options.images or "none"
    if links == images == "none":
        return None
    addresses = Addresses(document, page)
    if images == "inline":
        write_images(document, addresses, as_text=True)
    if links != "none":
        write_links(document, addresses)
    return turbohtml.PlainText(links=_LINK_STYLES[links], images=images == "alt")


def _cell_text(plain: turbohtml.PlainText | None) -> turbohtml.PlainText | None:
    """Give turbohtml's options for the text of a cell: it has no end at which addresses could be."""
    if plain is None or plain.links != "footnote":
        return plain
    return turbohtml.PlainText(links="inline", images=plain.images)


def to_markdown(page: Page, removed: list[int], options: Rendering = DEFAULT) -> str:
    """Render a page without the removed nodes as GitHub-flavoured Markdown.

    Parameters as of :func:`to_text`.
    """
    roles = node_roles(page.columns)
    present = int(np.bitwise_or.reduce(roles))
    document = _document(page, _with_unseen(page, removed, roles, present))
    links, images = options.links or "inline", options.images or "inline"
    addresses = Addresses(document, page)
    write_notes(document)
    write_headings(document)
    if has_formulas(document):
        write_formulas(document, markdown=True)
    if images == "inline":
        write_images(document, addresses)
    if links == "none":
        drop_anchors(document)
    else:
        write_links(document, addresses)
    if present & DEFINITIONS:
        write_definitions(document, markdown=True)
    if present & LEVEL:
        write_levels(document)
    if present & (BLOCK_OF_CODE | TABLE):
        write_code(document, markdown=True)
    if present & TABLE:
        write_tables(document, options.tables or "markdown", None, markdown=True)
    if present & BREAK:
        split_paragraphs(document)
    return without_entities(document.to_markdown(_markdown(links, images)))


@cache
def _markdown(links: Links, images: Images) -> turbohtml.Markdown:
    """Give turbohtml's options for Markdown."""
    written = turbohtml.Markdown
    return written(
        links=written.Links(style="reference" if links == "reference" else "inline", ignore=links == "none"),
        images=written.Images(mode=_IMAGE_MODES[images]),
        tables=written.Tables(cell_blocks="text"),
        converters={**CONVERTERS, NOTE: note_written, RAW_TEXT: raw_written},
    )
