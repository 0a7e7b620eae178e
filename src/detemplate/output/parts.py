"""What text and Markdown have alike: quotations, lists, exponents and indices, blocks of code, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.output import roles
from detemplate.output.blocks import write_callouts, write_checks, write_definitions
from detemplate.output.codeblocks import write_code
from detemplate.output.document import restore_texts, unmark_quotes, write_quotes, write_readings
from detemplate.output.formulas import write_levels
from detemplate.output.tables import write_tables

if TYPE_CHECKING:
    import turbohtml

    from detemplate.output.options import Tables


def write_parts(
    document: turbohtml.Document,
    present: int,
    tables: Tables,
    cells: turbohtml.PlainText | None,
    *,
    markdown: bool,
) -> None:
    """Change readings, quotations, lists, exponents and indices, blocks of code and tables of a DOM.

    ``document``, ``present``: the DOM, and the flags that any of its nodes has
        (:mod:`detemplate.output.roles`).
    ``tables``: how tables are written.
    ``cells``: how the texts of cells are rendered.
    ``markdown``: whether the DOM becomes Markdown.
    """
    if present & roles.READING:
        write_readings(document)
    if present & roles.QUOTE:
        (unmark_quotes if markdown else write_quotes)(document)
    if present & roles.CHECK and present & roles.ITEM:
        write_checks(document, markdown=markdown)
    if present & roles.LOOSE and not markdown:
        restore_texts(document)
    if present & roles.DEFINITIONS:
        write_definitions(document, markdown=markdown)
    if present & roles.CALLOUT:  # asked for by Markdown alone
        write_callouts(document)
    if present & roles.LEVEL:
        write_levels(document)
    if present & (roles.BLOCK_OF_CODE | roles.TABLE):
        write_code(
            document,
            markdown=markdown,
            tables=bool(present & roles.TABLE),
            # Flags for text say nothing of attributes.
            numbers=not markdown or bool(present & roles.NUMBERED),
        )
    if present & roles.TABLE:
        write_tables(document, tables, cells, markdown=markdown)
