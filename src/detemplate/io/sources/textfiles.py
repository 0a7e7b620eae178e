"""A source of plain-text files; text that looks like markup stays text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip
from detemplate.io.sources.htmlfiles import HtmlFile

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT_SUFFIXES: Final = (".txt",)
"""Suffixes of plain-text files."""


@dataclass(slots=True)
class TextRecord(Record):
    """A record whose ``html`` is plain text."""


class TextFile(HtmlFile):
    """A source of one document: a plain-text file.

    The parameters are those of :class:`~detemplate.io.sources.htmlfiles.HtmlFile`.
    """

    def __iter__(self) -> Iterator[Record | Skip]:
        """Yield the document, or a skip that says why there is none."""
        for item in super().__iter__():
            if isinstance(item, Skip):
                yield item
            else:
                yield TextRecord(item.url, item.html, source=item.source)
