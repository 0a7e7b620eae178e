"""A source of plain-text files; text that looks like markup stays text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record
from detemplate.io.sources.htmlfiles import HtmlFile

if TYPE_CHECKING:
    from detemplate.io.record import Skip, SourceRef

TEXT_SUFFIXES: Final = (".txt",)
"""Suffixes of plain-text files."""


@dataclass(slots=True)
class TextRecord(Record):
    """A record whose ``html`` is plain text."""


class TextFile(HtmlFile):
    """A source of one document: a plain-text file.

    The parameters are those of :class:`~detemplate.io.sources.htmlfiles.HtmlFile`.
    """

    def record(self, data: bytes, source: SourceRef) -> Record | Skip:
        """Make a record of the file's bytes."""
        return TextRecord(self.url, data, source=source)
