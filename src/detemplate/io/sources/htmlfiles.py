"""A source of one HTML file, and what names of files say."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource
from detemplate.io.sources.compression import SUFFIXES
from detemplate.io.sources.html_sniff import SNIFF_SIZE, looks_like_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.base import Place
    from detemplate.io.sources.compression import InputStream
    from detemplate.io.sources.inputfile import InputFile

HTML_SUFFIXES: Final = (".html", ".htm", ".xhtml", ".xht", ".shtml")
"""Suffixes of HTML files."""

_PROGRAM_SUFFIXES: Final = (".php", ".phtml", ".asp", ".aspx", ".jsp", ".jspx", ".cfm", ".cgi", ".do")
"""Suffixes of programs that make pages on a web server."""

PAGE_SUFFIXES: Final = (*HTML_SUFFIXES, *_PROGRAM_SUFFIXES)
"""Suffixes that a mirror of a site gives to pages.

Files with a suffix of a programming language can also be programs: they are pages if they start like HTML.
"""

XHTML: Final = "application/xhtml+xml"
"""Media type of XHTML pages."""

_XHTML_SUFFIXES: Final = (".xhtml", ".xht")
"""Suffixes of XHTML files."""

_SAVED: Final = re.compile(
    rb"<!--\s*(?:Page saved with SingleFile\s+url:\s*|saved from url=\(\d+\))(https?://[^\s<>\"]{1,2000})",
    re.IGNORECASE,
)
"""The comment in which SingleFile and browsers write the URL of a page that they save."""

_SAVED_WITHIN: Final = 8192
"""Bytes of a page in which that comment is looked for."""


def without_compression(name: str) -> str:
    """Return a file name without its suffix of compression, if any."""
    lower = name.lower()
    for suffix in SUFFIXES:
        if lower.endswith(suffix):
            return name[: -len(suffix)]
    return name


class HtmlFile(FileSource):
    """A source of one page: an HTML file.

    Parameters
    ----------
    file
        The file, which may be compressed with gzip or zstd.
    url
        The page's URL. A page that says its own has that one: SingleFile and browsers write it into a
        comment.
    relative
        The file's path below the directory that is read; a directory of results mirrors it.
    max_page_bytes
        The largest page in decompressed bytes. A larger one yields ``Skip("too large")``.
    sniff
        Whether a file that does not start like HTML yields ``Skip("not html")``.

    Attributes
    ----------
    url, limit
        As given: the file's URL, and the largest page.
    """

    file_bytes = 1
    """The file may have so many times the bytes of the largest page."""

    def __init__(
        self, file: InputFile, *, url: str, relative: str | None, max_page_bytes: int, sniff: bool = False
    ) -> None:
        super().__init__(file)
        self.url = url
        self.limit = max_page_bytes
        self._relative = relative
        self._sniff = sniff

    def _read_from(self, start: Place) -> Iterator[Record | Skip]:
        """Yield the page, or a skip that says why there is none."""
        self.bytes_read = 0
        if start is None:
            self._place = 1
            yield self._page()
        self.bytes_read = self.total_bytes or self.bytes_read

    def _page(self) -> Record | Skip:
        source = SourceRef(self._file.name, relative=self._relative)
        try:
            stream = self._file.open()
        except OSError as error:
            return Skip(self.url, "unreadable", error.strerror or "", source, rejected=True)
        with stream:
            if self._sniff and not looks_like_html(stream.peek(SNIFF_SIZE)):
                return Skip(self.url, "not html", kind_by_name(self._file.name), source)
            data = _read_whole(stream, self.limit * self.file_bytes)
            self.bytes_read = stream.raw_position
            if data is None:
                detail = f"more than {self.limit * self.file_bytes} bytes"
                return Skip(self.url, "too large", detail, source, rejected=True)
            if stream.broken:
                reason = "truncated" if stream.raw_position else "unreadable"
                return Skip(self.url, reason, stream.broken, source, rejected=True)
        return self.record(data, source)

    def record(self, data: bytes, source: SourceRef) -> Record | Skip:
        """Make a record of the file's bytes."""
        saved = _SAVED.search(data, 0, _SAVED_WITHIN)
        url = saved[1].decode("ascii", "replace") if saved else self.url
        name = without_compression(self._file.name).lower()
        return Record(url, data, media_type=XHTML if name.endswith(_XHTML_SUFFIXES) else None, source=source)


def _read_whole(stream: InputStream, limit: int) -> bytes | None:
    """Return the bytes of a stream; None if there are more than ``limit``."""
    parts: list[bytes] = []
    size = 0
    while size <= limit and (part := stream.read(limit + 1 - size)):
        parts.append(part)
        size += len(part)
    return b"".join(parts) if size <= limit else None


def kind_by_name(name: str) -> str:
    """Say what a file that is no HTML is, by its name."""
    return PurePosixPath(without_compression(name)).suffix.lower() or "no suffix"
