"""A cleaned page as Markdown: turbohtml renders a DOM that the modules beside this one correct before."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import turbohtml

from detemplate.output import roles
from detemplate.output.addresses import Addresses, drop_anchors, restore_images, write_images, write_links
from detemplate.output.blocks import HEADINGS, split_paragraphs, write_headings
from detemplate.output.document import cleaned_document, forget_white_space
from detemplate.output.emphasis import CONVERTERS, write_breaks
from detemplate.output.formulas import RAW_TEXT, has_formulas, raw_written, write_formulas
from detemplate.output.notes import NOTE, may_have_loose_notes, note_written, write_loose_notes, write_notes
from detemplate.output.options import DEFAULT
from detemplate.output.parts import write_parts
from detemplate.output.spaces import may_be_delimited, without_entities, write_delimited

if TYPE_CHECKING:
    from detemplate.output.options import Images, Links, Rendering
    from detemplate.page.page import Page

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
    addresses = Addresses(document, page, base=bool(present & roles.BASE))
    if images != "none" and restore_images(document, page):
        present |= roles.IMAGE
    _write_footnotes(document, present)
    found = _elements(document, present)
    anchors = found["a"] + write_headings(found["h"], page.url)
    if present & (roles.MATH | roles.FORMULA | roles.MATH_ATTRIBUTE) and has_formulas(document, present):
        write_formulas(document, markdown=True)
        found["img"] = document.select("img")
    if images == "inline":
        write_images(document, found["img"], addresses)
    if links != "none":
        write_links(anchors, addresses, drawings=bool(present & roles.DRAWN_LINK))
    elif present & roles.LINK:
        drop_anchors(document)
    write_parts(document, present, options.tables or "markdown", None, markdown=True)
    if present & roles.BREAK:
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
    selected = [*(HEADINGS if present & roles.HEADING else ()), *(("img",) if present & roles.IMAGE else ())]
    if present & roles.LINK:
        selected.append("a")
    for element in document.select(",".join(selected)) if selected else ():
        name = element.tag
        found[name if name in found else "h"].append(element)
    return found


def _write_footnotes(document: turbohtml.Document, present: int) -> None:
    if present & roles.NOTE_LINK:
        write_notes(document)
    if present & roles.LEVEL:
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
