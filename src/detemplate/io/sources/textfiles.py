"""Documents from plain-text files, which are taken as they are: no markup is looked for in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip
from detemplate.io.sources.htmlfiles import HtmlFile

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT_SUFFIXES: Final = (".txt",)


@dataclass(slots=True)
class TextRecord(Record):
    """A record whose ``html`` is plain text."""


class TextFile(HtmlFile):
    """One plain-text file, as a source of one document; parameters as for ``HtmlFile``."""

    def __iter__(self) -> Iterator[Record | Skip]:
        """Give the document, or why there is none."""
        for item in super().__iter__():
            if isinstance(item, Skip):
                yield item
            else:
                yield TextRecord(item.url, item.html, source=item.source)
