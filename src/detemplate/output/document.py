"""The DOM of a page without its template, for the renderings as text and Markdown."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml
from turbohtml import Text

from detemplate.output.codeblocks import cut_buttons
from detemplate.output.cutting import cut
from detemplate.output.remains import (
    BLOCK_OF_CODE,
    BUTTON,
    FORMULA,
    ITEMS,
    LISTS,
    MATH,
    kept_nodes,
    spaced_nodes,
)
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.page.page import Page


_BRACKETS: Final = "(（[〔【"  # what a reading begins with that has brackets of its own
_QUOTATION_MARKS: Final = "\"'“”„«»‚‘‹「『"  # what a quotation begins with that has marks of its own

# What a style has that may keep white space.
_WHITE_SPACE: Final = re.compile(r"white-space|\\", re.IGNORECASE)


def forget_white_space(document: turbohtml.Document) -> None:
    """Change the styles of a DOM that keep white space: prose has them, too, whose links would go."""
    for element in document.select("[style]"):
        style = element.attr("style")
        if style and _WHITE_SPACE.search(style):
            element.attrs["style"] = _WHITE_SPACE.sub("", style)


def write_readings(document: turbohtml.Document) -> None:
    """Put the readings of ruby in brackets; the brackets that the page has for old browsers are taken out."""
    _enclose(document, "rt", "()", _BRACKETS)


def write_quotes(document: turbohtml.Document) -> None:
    """Put quotations in quotation marks, as turbohtml's Markdown has them, unless the page writes some."""
    _enclose(document, "q", '""', _QUOTATION_MARKS)


def unmark_quotes(document: turbohtml.Document) -> None:
    """Take the element off quotations with marks of their own, which turbohtml's Markdown would double."""
    for element in document.select("q"):
        if element.text.strip()[:1] in _QUOTATION_MARKS:
            element.unwrap()


def _enclose(document: turbohtml.Document, tag: str, signs: str, own: str) -> None:
    """Put a sign before and one behind the text of elements, unless it begins with signs of its own."""
    for element in document.select(tag):
        text = element.text.strip()
        if text and text[0] not in own:
            element.insert(0, turbohtml.Text(signs[0]))
            element.append(turbohtml.Text(signs[1]))


def restore_texts(document: turbohtml.Document) -> None:
    """Change a DOM so that its text has the contents of lists outside of items: they become items."""
    for element in list(document.iter_elements(LISTS)):
        make_items(element)


def make_items(listing: turbohtml.Element) -> None:
    """Make items of a list's contents outside of its items: each block, and each run of inline nodes."""
    pending: list[turbohtml.Node] = list(listing.children)[::-1]
    run: list[turbohtml.Node] = []
    while pending:
        node = pending.pop()
        name = tag_of(node)
        if name in ITEMS:
            _wrap(run)
            run = []
        elif any(tag_of(inner) == "li" for inner in node.children):
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


def tag_of(node: object) -> str:
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


_TEMPLATE: Final = tags.IDS["template"]
# Marks tags that are written with signs of their own.
_SIGNED: Final = tags.marked({1: "li h1 h2 h3 h4 h5 h6 table blockquote"}, np.uint8).astype(np.bool_)

_PICTURES: Final = tags.marked({1: "audio embed iframe img object picture video"}, np.uint8)


def cleaned_document(
    page: Page, removed: list[int], *, images: bool, attributes: bool = False
) -> tuple[turbohtml.Document, int]:
    """Return the DOM of a page without the removed nodes, and without text that readers do not see.

    Items, headings, tables and quotations that show nothing are left out, too: their signs would stand alone.

    It is that of the page, which it then no longer keeps; else the cleaned HTML is parsed.

    ``page``, ``removed``: the page, and the rows of the nodes to cut.
    ``images``: whether pictures are written.
    ``attributes``: whether the flags are asked for that attributes give, and links.
    Returns: the DOM, and the flags that any of its nodes has (:mod:`detemplate.output.remains`).
    """
    rows, present = kept_nodes(page, removed, attributes=attributes)
    if not present & (FORMULA | MATH):  # a formula may have no text
        rows = _with_empty(page, rows, images=images)
    document, page.document = page.document, None  # frees its memory after this rendering
    if rows and (document is None or not _take_out(document, page, rows)):
        document = turbohtml.parse(cut(page, rows), positions=False)
    elif document is None:
        document = page.parse_source()
    if present & BUTTON and present & BLOCK_OF_CODE:
        cut_buttons(document)
    return document, present


def _with_empty(page: Page, removed: list[int], *, images: bool) -> list[int]:
    """Add elements without text, and without pictures if these are written, to the rows that are cut."""
    columns = page.columns
    end, tag = columns.end.data, columns.tag
    empty = (_SIGNED[tag] & (columns.chars == 0)).nonzero()[0].tolist()
    found: list[int] = []
    for row in empty:
        if _is_inside(row, removed, end) or (found and row < end[found[-1]]):
            continue
        if not images or not _PICTURES[tag[row : end[row]]].any():
            found.append(row)
    if not found:
        return removed
    outside = [row for row in removed if not _is_inside(row, found, end)]
    return sorted([*outside, *found])


def _is_inside(row: int, rows: list[int], end: memoryview) -> bool:
    """Tell whether a row is inside of one of these rows, which ascend and are not inside each other."""
    place = bisect_left(rows, row)
    return place > 0 and row < end[rows[place - 1]]


def _take_out(document: turbohtml.Document, page: Page, rows: list[int]) -> bool:
    """Remove nodes from the page's DOM; return False, without a change, if rows and DOM do not correspond."""
    columns = page.columns
    parent, place = columns.parent.data, columns.place.data
    children, tag = columns.children.data, columns.tag.data
    holders: dict[int, turbohtml.Node | Sequence[turbohtml.Node]] = {-1: document}
    asked: set[int] = set()
    nodes: list[turbohtml.Node] = []
    for row in rows:
        way = [row]
        while (above := parent[way[-1]]) not in holders:
            way.append(above)
        for step in reversed(way):
            siblings = holders[above]
            if above not in asked:
                asked.add(above)
            elif isinstance(siblings, turbohtml.Node):
                # A node itself passes by its children to find one.
                siblings = holders[above] = siblings.children
            node = siblings[place[step]]
            if step != row:
                if len(node) != children[step] or tag[step] == _TEMPLATE:
                    return False
                holders[step] = node
            above = step
        nodes.append(node)
    for node, spaced in zip(nodes, spaced_nodes(page, rows), strict=True):
        if spaced:
            node.insert_before(Text(" "))
        node.decompose()
    for element in document.children:
        if isinstance(element, turbohtml.Element):
            element.normalize()  # texts that become neighbours are joined, as after parsing
    return True
