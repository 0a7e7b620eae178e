"""What text and Markdown have alike: exponents and indices, blocks of code, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.output.codeblocks import write_code
from detemplate.output.formulas import write_levels
from detemplate.output.roles import BLOCK_OF_CODE, LEVEL, NUMBERED, TABLE
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
    """Change exponents and indices, blocks of code and tables of a DOM.

    ``document``, ``present``: the DOM, and the flags that any of its nodes has
        (:mod:`detemplate.output.roles`).
    ``tables``: how tables are written.
    ``cells``: how the texts of cells are rendered.
    ``markdown``: whether the DOM becomes Markdown.
    """
    if present & LEVEL:
        write_levels(document)
    if present & (BLOCK_OF_CODE | TABLE):
        write_code(
            document,
            markdown=markdown,
            tables=bool(present & TABLE),
            # Flags for text say nothing of attributes.
            numbers=not markdown or bool(present & NUMBERED),
        )
    if present & TABLE:
        write_tables(document, tables, cells, markdown=markdown)
