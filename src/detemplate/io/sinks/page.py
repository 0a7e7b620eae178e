"""A sink that writes one page into one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.files.atomic import Closing
from detemplate.io.sinks.frontmatter import page_file
from detemplate.io.sinks.out import FileOut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record


class PageSink(Closing):
    """A file with the text of one page; Markdown begins with its metadata, if the row has metadata.

    Parameters
    ----------
    output
        The file.
    format
        ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds the page's text.

    Raises
    ------
    UserError
        The file cannot be created.
    """

    def __init__(self, output: str, *, format: str) -> None:  # noqa: A002
        self._output = output
        self._format = format
        self._written = False
        self._out = FileOut(output)

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write the page; raises UserError for a second one, or if writing fails."""
        if self._written:
            raise UserError(
                f"{self._output} holds one page, and {row['url']} is a second one: name a directory (ending "
                "in /), or a file .jsonl, .csv, .parquet or .arrow"
            )
        self._written = True
        self._out.write(page_file(row, self._format))

    def close(self) -> None:
        """Give the file its name; raises UserError if there was no page."""
        if not self._written:
            raise UserError(
                f"no page to write to {self._output}: 'detemplate inspect' tells what is skipped and why"
            )
        self._out.close()

    def abort(self) -> None:
        """Remove what was written."""
        self._out.abort()
