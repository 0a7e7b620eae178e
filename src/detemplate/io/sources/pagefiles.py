"""Sources of files with one page: HTML, MHTML, plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource
from detemplate.io.sources.html_sniff import SNIFF_SIZE, looks_like_html
from detemplate.io.sources.kinds import (
    HTML_SUFFIXES,
    KINDS,
    MHTML_SUFFIXES,
    SINGLE_PAGES,
    without_compression,
)
from detemplate.io.sources.mhtml import mhtml_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.compression import InputFile, InputStream

_XHTML: Final = "application/xhtml+xml"  # media type of XHTML pages
_XHTML_SUFFIXES: Final = (".xhtml", ".xht")

_SAVED: Final = re.compile(
    rb"<!--\s*(?:Page saved with SingleFile\s+url:\s*|saved from url=\(\d+\))(https?://[^\s<>\"]{1,2000})",
    re.IGNORECASE,
)
"""The comment in which SingleFile and browsers write the URL of a page that they save."""

_SAVED_WITHIN: Final = 8192  # bytes of a page in which that comment is looked for
_MHTML_SIZE: Final = 4  # times the largest page that an MHTML file may have: it holds images and styles too

_OTHERS: Final = tuple(
    suffix for kind, suffixes in KINDS.items() if kind not in SINGLE_PAGES for suffix in suffixes
)
"""Suffixes of inputs that hold several pages."""


@dataclass(slots=True)
class TextRecord(Record):
    """A record whose ``html`` is plain text."""


class PageFile(FileSource):
    """A source of one page: a file.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``kind``: ``"html"``, ``"mhtml"`` or ``"text"``, which yields a :class:`TextRecord`.
    ``url``: the page's URL. A page that says its own has that one: SingleFile and browsers write it into a
        comment.
    ``relative``: the file's path below the directory that is read; a directory of results mirrors it.
    ``max_page_bytes``: the largest page in decompressed bytes. A larger one yields ``Skip("too large")``.
    ``sniff``: whether a file that does not start like HTML yields ``Skip("not html")``.
    """

    def __init__(
        self,
        file: InputFile,
        kind: str,
        *,
        url: str,
        relative: str | None,
        max_page_bytes: int,
        sniff: bool = False,
    ) -> None:
        super().__init__(file)
        self._kind = kind
        self._url = url
        self._relative = relative
        self._limit = max_page_bytes
        self._sniff = sniff

    def __iter__(self) -> Iterator[Record | Skip]:
        """Yield the page, or a skip that says why there is none."""
        self.bytes_read = 0
        yield self._page()
        self.bytes_read = self.total_bytes or self.bytes_read

    def _page(self) -> Record | Skip:
        source = SourceRef(self._file.name, relative=self._relative)
        limit = self._limit * (_MHTML_SIZE if self._kind == "mhtml" else 1)
        try:
            stream = self._file.open()
        except OSError as error:
            return Skip(self._url, "unreadable", error.strerror or "", source, rejected=True)
        with stream:
            if self._sniff and not looks_like_html(stream.peek(SNIFF_SIZE)):
                suffix = PurePosixPath(without_compression(self._file.name)).suffix.lower()
                return Skip(self._url, "not html", suffix or "no suffix", source)
            data = _read_whole(stream, limit)
            self.bytes_read = stream.raw_position
            if data is None:
                return Skip(self._url, "too large", f"more than {limit} bytes", source, rejected=True)
            if stream.broken:
                reason = "truncated" if stream.raw_position else "unreadable"
                return Skip(self._url, reason, stream.broken, source, rejected=True)
        return self._record(data, source)

    def _record(self, data: bytes, source: SourceRef) -> Record | Skip:
        if self._kind == "mhtml":
            return mhtml_page(data, self._url, self._limit, source)
        if self._kind == "text":
            return TextRecord(self._url, data, source=source)
        saved = _SAVED.search(data, 0, _SAVED_WITHIN)
        url = saved[1].decode("ascii", "replace") if saved else self._url
        name = without_compression(self._file.name).lower()
        return Record(url, data, media_type=_XHTML if name.endswith(_XHTML_SUFFIXES) else None, source=source)


def _read_whole(stream: InputStream, limit: int) -> bytes | None:
    """Return the bytes of a stream; None if there are more than ``limit``."""
    parts: list[bytes] = []
    size = 0
    while size <= limit and (part := stream.read(limit + 1 - size)):
        parts.append(part)
        size += len(part)
    return b"".join(parts) if size <= limit else None


def page_file(file: InputFile, *, url: str, relative: str, max_page_bytes: int) -> Iterator[Record | Skip]:
    """Read a file of a directory or an archive as a page, if it is one.

    A file with a suffix of HTML or MHTML is a page. Another file is a page if it starts like HTML, else it
    yields ``Skip("not html")``. The parameters are those of :class:`PageFile`.
    """
    name = without_compression(relative).lower()
    if name.endswith(_OTHERS):
        detail = "an input of another kind: name the file itself, or use --input-format"
        yield Skip(url, "not html", detail, SourceRef(file.name, relative=relative))
        return
    kind = "mhtml" if name.endswith(MHTML_SUFFIXES) else "html"
    sniff = kind == "html" and not name.endswith(HTML_SUFFIXES)
    yield from PageFile(file, kind, url=url, relative=relative, max_page_bytes=max_page_bytes, sniff=sniff)
