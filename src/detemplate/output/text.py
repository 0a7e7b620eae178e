"""A cleaned page as plain text and as Markdown: turbohtml renders a DOM that is corrected before."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import turbohtml

from detemplate.output import remains
from detemplate.output.addresses import Addresses, drop_anchors, restore_images, write_images, write_links
from detemplate.output.blocks import (
    HEADINGS,
    open_items,
    split_paragraphs,
    strip_items,
    write_callouts,
    write_checks,
    write_definitions,
    write_headings,
)
from detemplate.output.codeblocks import write_code
from detemplate.output.document import (
    cleaned_document,
    forget_white_space,
    restore_texts,
    unmark_quotes,
    write_quotes,
    write_readings,
)
from detemplate.output.emphasis import CONVERTERS, write_breaks
from detemplate.output.formulas import RAW_TEXT, has_formulas, raw_written, write_formulas, write_levels
from detemplate.output.notes import NOTE, may_have_loose_notes, note_written, write_loose_notes, write_notes
from detemplate.output.options import DEFAULT
from detemplate.output.spaces import (
    has_bare_signs,
    may_be_delimited,
    tidied,
    without_entities,
    write_delimited,
)
from detemplate.output.tables import write_tables

if TYPE_CHECKING:
    from detemplate.output.options import Images, Links, Rendering, Tables
    from detemplate.page.page import Page

# turbohtml's words for the ways to write links in text.
_LINK_STYLES: Final[dict[Links, Literal["none", "inline", "footnote"]]] = {
    "none": "none",
    "inline": "inline",
    "reference": "footnote",
}


def to_text(page: Page, removed: list[int], options: Rendering = DEFAULT) -> str:
    """Render a page without the removed nodes as plain text.

    ``page``, ``removed``: the page, and the rows of the nodes to cut
        (:func:`~detemplate.output.cutting.removed_nodes`).
    ``options``: how links, images and tables are written.
    Returns: blocks are separated by empty lines; lines are not wrapped.
    """
    links, images = options.links or "none", options.images or "none"
    document, present = cleaned_document(page, removed, images=images != "none")
    plain = _write_addresses(document, page, options) if links != "none" or images != "none" else None
    if has_formulas(document, present):
        write_formulas(document, markdown=False)
    _write_parts(document, present, options.tables or "tsv", _cell_text(plain), markdown=False)
    if present & remains.LINK:
        drop_anchors(document)
    has_items = bool(present & (remains.ITEM | remains.DEFINITIONS))
    if has_items:
        strip_items(document, images=images == "alt")
    text = document.to_text(plain)
    if not present & remains.BLOCK_OF_CODE:
        return tidied(text.replace("\xa0", " "))
    if has_items and has_bare_signs(text):
        open_items(document)
        strip_items(document, images=images == "alt")
        text = document.to_text(plain)
    return text.replace("\xa0", " ")


def _write_addresses(document: turbohtml.Document, page: Page, options: Rendering) -> turbohtml.PlainText:
    """Write the addresses of links and images into a DOM; return turbohtml's options for them."""
    addresses = Addresses(document, page)
    if (options.images or "none") != "none":
        restore_images(document, page)
    if options.images == "inline":
        write_images(document, document.select("img"), addresses, as_text=True)
    links = options.links or "none"
    if links != "none":
        write_links(document.select("a"), addresses)
    return turbohtml.PlainText(links=_LINK_STYLES[links], images=options.images == "alt")


def _cell_text(plain: turbohtml.PlainText | None) -> turbohtml.PlainText | None:
    """Return turbohtml's options for the text of a cell, which has no end for addresses."""
    if plain is None or plain.links != "footnote":
        return plain
    return turbohtml.PlainText(links="inline", images=plain.images)


# turbohtml's words for the ways to write images in Markdown.
_IMAGE_MODES: Final[dict[Images, Literal["ignore", "alt", "markdown"]]] = {
    "none": "ignore",
    "alt": "alt",
    "inline": "markdown",
}


def to_markdown(page: Page, removed: list[int], options: Rendering = DEFAULT) -> str:
    """Render a page without the removed nodes as GitHub-flavoured Markdown.

    ``page``, ``removed``: the page, and the rows of the nodes to cut
        (:func:`~detemplate.output.cutting.removed_nodes`).
    ``options``: how links, images and tables are written.
    Returns: Markdown, without an empty line at its ends.
    """
    links, images = options.links or "inline", options.images or "inline"
    document, present = cleaned_document(page, removed, images=images != "none", attributes=True)
    addresses = Addresses(document, page, base=bool(present & remains.BASE))
    if images != "none" and restore_images(document, page):
        present |= remains.IMAGE
    _write_footnotes(document, present)
    found = _elements(document, present)
    anchors = found["a"] + write_headings(found["h"], page.url)
    if present & (remains.MATH | remains.FORMULA | remains.MATH_ATTRIBUTE) and has_formulas(
        document, present
    ):
        write_formulas(document, markdown=True)
        found["img"] = document.select("img")
    if images == "inline":
        write_images(document, found["img"], addresses)
    if links != "none":
        write_links(anchors, addresses, drawings=bool(present & remains.DRAWN_LINK))
    elif present & remains.LINK:
        drop_anchors(document)
    _write_parts(document, present, options.tables or "markdown", None, markdown=True)
    if present & remains.BREAK:
        split_paragraphs(document)
        write_breaks(document)
    forget_white_space(document)
    markdown = document.to_markdown(_markdown(links, images))
    if may_be_delimited(markdown) and write_delimited(document):
        markdown = document.to_markdown(_markdown(links, images))
    if may_have_loose_notes(markdown) and write_loose_notes(document, raised=False):
        markdown = document.to_markdown(_markdown(links, images))
    return without_entities(markdown)


def _elements(document: turbohtml.Document, present: int) -> dict[str, list[turbohtml.Element]]:
    """Give the headings (``h``), images and links of a DOM; it is walked once for all."""
    found: dict[str, list[turbohtml.Element]] = {"h": [], "img": [], "a": []}
    selected = [
        *(HEADINGS if present & remains.HEADING else ()),
        *(("img",) if present & remains.IMAGE else ()),
    ]
    if present & remains.LINK:
        selected.append("a")
    for element in document.select(",".join(selected)) if selected else ():
        name = element.tag
        found[name if name in found else "h"].append(element)
    return found


def _write_footnotes(document: turbohtml.Document, present: int) -> None:
    if present & remains.NOTE_LINK:
        write_notes(document)
    if present & remains.LEVEL:
        write_loose_notes(document, raised=True)


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


def _write_parts(
    document: turbohtml.Document,
    present: int,
    tables: Tables,
    cells: turbohtml.PlainText | None,
    *,
    markdown: bool,
) -> None:
    """Change readings, quotations, lists, exponents and indices, blocks of code and tables of a DOM.

    ``document``, ``present``: the DOM, and the flags that any of its nodes has
        (:mod:`detemplate.output.remains`).
    ``tables``: how tables are written.
    ``cells``: how the texts of cells are rendered.
    ``markdown``: whether the DOM becomes Markdown.
    """
    if present & remains.READING:
        write_readings(document)
    if present & remains.QUOTE:
        (unmark_quotes if markdown else write_quotes)(document)
    if present & remains.CHECK and present & remains.ITEM:
        write_checks(document, markdown=markdown)
    if present & remains.LOOSE and not markdown:
        restore_texts(document)
    if present & remains.DEFINITIONS:
        write_definitions(document, markdown=markdown)
    if present & remains.CALLOUT:  # asked for by Markdown alone
        write_callouts(document)
    if present & remains.LEVEL:
        write_levels(document)
    if present & (remains.BLOCK_OF_CODE | remains.TABLE):
        write_code(
            document,
            markdown=markdown,
            tables=bool(present & remains.TABLE),
            # Flags for text say nothing of attributes.
            numbers=not markdown or bool(present & remains.NUMBERED),
        )
    if present & remains.TABLE:
        write_tables(document, tables, cells, markdown=markdown)
