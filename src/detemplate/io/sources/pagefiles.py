"""A file that may be a page, by its name and its first bytes: in a directory or an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.htmlfiles import HTML_SUFFIXES, HtmlFile, without_compression
from detemplate.io.sources.kinds import KINDS, SINGLE_PAGES
from detemplate.io.sources.mhtml import MHTML_SUFFIXES, MhtmlFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.inputfile import InputFile

ARCHIVES: Final = ("zip", "tar", "wacz")
"""Kinds that hold files."""

_OTHERS: Final = tuple(
    suffix for kind, suffixes in KINDS.items() if kind not in SINGLE_PAGES for suffix in suffixes
)
"""Suffixes of inputs that hold several pages."""


def page_file(file: InputFile, *, url: str, relative: str, max_page_bytes: int) -> Iterator[Record | Skip]:
    """Read a file as a page, if it is one.

    A file with a suffix of HTML or MHTML is a page. Another file is a page if it starts like HTML, else it
    yields ``Skip("not html")``.

    Parameters
    ----------
    file
        The file.
    url, relative, max_page_bytes
        As for :class:`~detemplate.io.sources.htmlfiles.HtmlFile`.
    """
    name = without_compression(relative).lower()
    if name.endswith(_OTHERS):
        detail = "an input of another kind: name the file itself, or use --input-format"
        yield Skip(url, "not html", detail, SourceRef(file.name, relative=relative))
        return
    opened = MhtmlFile if name.endswith(MHTML_SUFFIXES) else HtmlFile
    yield from opened(
        file,
        url=url,
        relative=relative,
        max_page_bytes=max_page_bytes,
        sniff=not name.endswith((*HTML_SUFFIXES, *MHTML_SUFFIXES)),
    )
