"""A cleaned page as text and Markdown.

turbohtml renders Markdown, of a DOM that the modules beside this one change before. Text is laid out in the
same way (:mod:`detemplate.output.plain`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import turbohtml

from detemplate.output import markdown_reference, plain, plain_reference
from detemplate.output.addresses import Addresses, write_images, write_links
from detemplate.output.markdown import markdown
from detemplate.output.options import DEFAULT
from detemplate.output.plain import plain_text
from detemplate.output.remains import remains

if TYPE_CHECKING:
    from collections.abc import Collection

    from detemplate.output.options import Images, Links, Rendering, Tables
    from detemplate.page.page import Page

_LINK_STYLES: Final[dict[Links, Literal["none", "inline", "footnote"]]] = {
    "none": "none",
    "inline": "inline",
    "reference": "footnote",
}
"""Words of turbohtml for the ways to write links in text."""


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
    links, images, tables = _text_options(options)
    if links == images == "none":
        if tables == "tsv":
            return plain_text(page, removed)
        return plain_reference.plain_text(page, remains(page, removed), tables)

    def prepare(document: turbohtml.Document) -> turbohtml.PlainText:
        addresses = Addresses(document, page)
        if images == "inline":
            write_images(document, document.select("img"), addresses, as_text=True)
        if links != "none":
            write_links(document.select("a"), addresses)
        return turbohtml.PlainText(links=_LINK_STYLES[links], images=images == "alt")

    return plain_reference.plain_text(page, remains(page, removed), tables, prepare)


def _text_options(options: Rendering) -> tuple[Links, Images, Tables]:
    return options.links or "none", options.images or "none", options.tables or "tsv"


def needs_document(formats: Collection[str], options: Rendering) -> bool:
    """Tell whether rendering a page is quicker with the parser's DOM.

    HTML, and text with the default options, are made of the columns, but for few pages. Markdown of pages
    with footnotes or formulas needs the DOM.

    Parameters
    ----------
    formats
        ``"text"``, ``"html"``, ``"markdown"``: what is rendered; empty: what is asked for later, mostly text.
    options
        How it is rendered.
    """
    if plain.KERNEL is None or "markdown" in formats:
        return True
    return ("text" in formats or not formats) and _text_options(options) != _text_options(DEFAULT)


def to_markdown(page: Page, removed: list[int], options: Rendering = DEFAULT) -> str:
    """Render a page without the removed nodes as GitHub-flavoured Markdown.

    Parameters as of :func:`to_text`.
    """
    default = {options.links or "inline", options.images or "inline"} == {"inline"}
    if default and (options.tables or "markdown") == "markdown":
        return markdown(page, removed)
    return markdown_reference.markdown(page, remains(page, removed, attributes=True), options)
