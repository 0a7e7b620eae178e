"""A cleaned page as plain text: turbohtml renders a DOM that the modules beside this one correct before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import turbohtml

from detemplate.output.addresses import Addresses, drop_anchors, restore_images, write_images, write_links
from detemplate.output.blocks import open_items, strip_items
from detemplate.output.document import cleaned_document
from detemplate.output.formulas import has_formulas, write_formulas
from detemplate.output.options import DEFAULT
from detemplate.output.parts import write_parts
from detemplate.output.roles import BLOCK_OF_CODE, DEFINITIONS, ITEM, LINK
from detemplate.output.spaces import has_bare_signs, tidied

if TYPE_CHECKING:
    from detemplate.output.options import Links, Rendering
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
    write_parts(document, present, options.tables or "tsv", _cell_text(plain), markdown=False)
    if present & LINK:
        drop_anchors(document)
    has_items = bool(present & (ITEM | DEFINITIONS))
    if has_items:
        strip_items(document, images=images == "alt")
    text = document.to_text(plain)
    if not present & BLOCK_OF_CODE:
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
