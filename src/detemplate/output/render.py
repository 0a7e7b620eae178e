"""A cleaned page as text and Markdown.

turbohtml renders both, of a DOM that the modules beside this one change before.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import turbohtml

from detemplate.output.addresses import Addresses, drop_anchors, write_images, write_links
from detemplate.output.blocks import (
    open_items,
    split_paragraphs,
    write_callouts,
    write_definitions,
    write_headings,
)
from detemplate.output.codeblocks import write_code
from detemplate.output.corrections import restore_texts
from detemplate.output.delimited import may_be_delimited, write_delimited
from detemplate.output.document import cleaned_document
from detemplate.output.emphasis import CONVERTERS
from detemplate.output.formulas import RAW_TEXT, has_formulas, raw_written, write_formulas, write_levels
from detemplate.output.notes import NOTE, note_written, write_notes
from detemplate.output.options import DEFAULT
from detemplate.output.roles import (
    BASE,
    BLOCK_OF_CODE,
    BREAK,
    BUTTON,
    DEFINITIONS,
    DRAWING,
    HEADING,
    IMAGE,
    LEVEL,
    LINK,
    LOOSE,
    TABLE,
)
from detemplate.output.spaces import has_bare_signs, tidied, without_entities
from detemplate.output.tables import write_tables

if TYPE_CHECKING:
    from detemplate.output.options import Images, Links, Rendering, Tables
    from detemplate.page.page import Page

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


def to_text(page: Page, removed: list[int], options: Rendering = DEFAULT) -> str:
    """Render a page without the removed nodes as plain text.

    Parameters
    ----------
    page, removed
        The page, and the rows of the nodes to cut (:func:`~detemplate.output.cutting.removed_nodes`).
    options
        How links, images and tables are written.

    Returns
    -------
    str
        Blocks are separated by empty lines; lines are not wrapped.
    """
    document, present = cleaned_document(page, removed)
    plain = _plain_text(document, page, options)
    if present & LOOSE:
        restore_texts(document)
    if present & DEFINITIONS:
        write_definitions(document, markdown=False)
    if has_formulas(document, present):
        write_formulas(document, markdown=False)
    _write_parts(document, present, options.tables or "tsv", _cell_text(plain), markdown=False)
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


def _write_parts(
    document: turbohtml.Document,
    present: int,
    tables: Tables,
    cells: turbohtml.PlainText | None,
    *,
    markdown: bool,
) -> None:
    """Change what text and Markdown have alike: exponents and indices, blocks of code, tables."""
    if present & LEVEL:
        write_levels(document)
    if present & (BLOCK_OF_CODE | TABLE):
        write_code(document, markdown=markdown, tables=bool(present & TABLE), buttons=bool(present & BUTTON))
    if present & TABLE:
        write_tables(document, tables, cells, markdown=markdown)


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
    document, present = cleaned_document(page, removed)
    links, images = options.links or "inline", options.images or "inline"
    addresses = Addresses(document, page, base=bool(present & BASE))
    if present & LINK:
        write_notes(document)
    if present & HEADING:
        write_headings(document)
    if has_formulas(document, present):
        write_formulas(document, markdown=True)
    if images == "inline" and present & IMAGE:
        write_images(document, addresses)
    if present & LINK:
        if links == "none":
            drop_anchors(document)
        else:
            write_links(document, addresses, drawings=bool(present & DRAWING))
    if present & DEFINITIONS:
        write_definitions(document, markdown=True)
    write_callouts(document)
    _write_parts(document, present, options.tables or "markdown", None, markdown=True)
    if present & BREAK:
        split_paragraphs(document)
    markdown = document.to_markdown(_markdown(links, images))
    if may_be_delimited(markdown) and write_delimited(document):
        markdown = document.to_markdown(_markdown(links, images))
    return without_entities(markdown)


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
