"""A cleaned page as plain text, by turbohtml, of a DOM that the modules beside this one change before.

It defines what the kernel computes, and does what the kernel does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.output.addresses import drop_anchors
from detemplate.output.blocks import open_items, strip_items, write_definitions
from detemplate.output.corrections import restore_texts
from detemplate.output.document import cleaned_document
from detemplate.output.formulas import has_formulas, write_formulas
from detemplate.output.parts import write_parts
from detemplate.output.roles import BLOCK_OF_CODE, DEFINITIONS, LOOSE
from detemplate.output.spaces import has_bare_signs, tidied

if TYPE_CHECKING:
    from collections.abc import Callable

    import turbohtml

    from detemplate.output.options import Tables
    from detemplate.output.remains import Remains
    from detemplate.page.page import Page


def plain_text(
    page: Page,
    rest: Remains,
    tables: Tables = "tsv",
    prepare: Callable[[turbohtml.Document], turbohtml.PlainText | None] | None = None,
) -> str:
    """Render what remains of a page as plain text.

    Parameters
    ----------
    page, rest
        The page, and what remains of it.
    tables
        How tables are written.
    prepare
        Changes links and images of the DOM, and gives turbohtml's options for them; None where these have no
        addresses in the text.

    Returns
    -------
    str
        Blocks are separated by empty lines; lines are not wrapped.
    """
    document, present = cleaned_document(page, rest)
    plain = prepare(document) if prepare else None
    if present & LOOSE:
        restore_texts(document)
    if present & DEFINITIONS:
        write_definitions(document, markdown=False)
    if has_formulas(document, present):
        write_formulas(document, markdown=False)
    write_parts(document, present, tables, _cell_text(plain), markdown=False)
    images = plain is not None and plain.images
    drop_anchors(document)
    strip_items(document, images=images)
    text = document.to_text(plain)
    if present & BLOCK_OF_CODE:
        if has_bare_signs(text):
            open_items(document)
            strip_items(document, images=images)
            text = document.to_text(plain)
        return text.replace("\xa0", " ")
    return tidied(text.replace("\xa0", " "))


def _cell_text(plain: turbohtml.PlainText | None) -> turbohtml.PlainText | None:
    """Give turbohtml's options for the text of a cell: it has no end at which addresses could be."""
    import turbohtml

    if plain is None or plain.links != "footnote":
        return plain
    return turbohtml.PlainText(links="inline", images=plain.images)
