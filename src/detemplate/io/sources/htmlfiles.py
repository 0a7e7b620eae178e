"""Sources of HTML files: one file, or all files below a directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.compression import SUFFIXES, InputFile
from detemplate.io.sources.html_sniff import SNIFF_SIZE, looks_like_html

if TYPE_CHECKING:
    from collections.abc import Iterator

HTML_SUFFIXES: Final = (".html", ".htm", ".xhtml", ".xht", ".shtml")
"""Suffixes of HTML files."""

_PROGRAM_SUFFIXES: Final = (".php", ".phtml", ".asp", ".aspx", ".jsp", ".jspx", ".cfm", ".cgi", ".do")
"""Suffixes of programs that make pages on a web server."""

PAGE_SUFFIXES: Final = (*HTML_SUFFIXES, *_PROGRAM_SUFFIXES)
"""Suffixes that a mirror of a site gives to pages.

Files with a suffix of a programming language can also be programs: they are pages if they start like HTML.
"""

_OTHER_INPUTS: Final = (".warc", ".jsonl", ".ndjson", ".parquet")
"""Suffixes of inputs of another kind."""


def without_compression(name: str) -> str:
    """Return a file name without its suffix of compression, if any."""
    lower = name.lower()
    for suffix in SUFFIXES:
        if lower.endswith(suffix):
            return name[: -len(suffix)]
    return name


class HtmlFile:
    """A source of one page: an HTML file.

    Parameters
    ----------
    file
        The file, which may be compressed with gzip or zstd.
    url
        The page's URL.
    relative
        The file's path below the directory that is read; a directory of results mirrors it.
    max_page_bytes
        The largest page in decompressed bytes. A larger one yields ``Skip("too large")``.
    sniff
        Whether a file that does not start like HTML yields ``Skip("not html")``.
    """

    def __init__(
        self, file: InputFile, *, url: str, relative: str | None, max_page_bytes: int, sniff: bool = False
    ) -> None:
        self.rereadable = file.rereadable
        self.total_bytes = file.size
        self.bytes_read = 0
        self._file = file
        self._url = url
        self._relative = relative
        self._limit = max_page_bytes
        self._sniff = sniff

    def __iter__(self) -> Iterator[Record | Skip]:
        """Yield the page, or a skip that says why there is none."""
        self.bytes_read = 0
        yield self._read()
        self.bytes_read = self.total_bytes or self.bytes_read

    def _read(self) -> Record | Skip:
        source = SourceRef(self._file.name, relative=self._relative)
        try:
            stream = self._file.open()
        except OSError as error:
            return Skip(self._url, "unreadable", error.strerror or "", source, rejected=True)
        with stream:
            start = stream.peek(SNIFF_SIZE)
            if self._sniff and not looks_like_html(start):
                return Skip(self._url, "not html", _kind_by_name(self._file.name), source)
            parts: list[bytes] = []
            size = 0
            while size <= self._limit and (part := stream.read(self._limit + 1 - size)):
                parts.append(part)
                size += len(part)
            self.bytes_read = stream.raw_position
            if size > self._limit:
                detail = f"more than {self._limit} bytes"
                return Skip(self._url, "too large", detail, source, rejected=True)
            if stream.broken:
                reason = "truncated" if stream.raw_position else "unreadable"
                return Skip(self._url, reason, stream.broken, source, rejected=True)
        return Record(self._url, b"".join(parts), source=source)


class HtmlDirectory:
    """A source of all HTML files below a directory.

    The entries of a directory, files and folders alike, are read in the order of their names. A file
    with an HTML suffix is a page. Another file is a page if it starts like HTML, else it yields
    ``Skip("not html")``. Symbolic links are followed, but no directory is read twice.

    Parameters
    ----------
    root
        The directory.
    base_url
        The URL of the directory, ending in ``/``. A page's URL is this and its percent-encoded path.
    max_page_bytes
        The largest page in decompressed bytes. A larger one yields ``Skip("too large")``.
    """

    rereadable = True

    def __init__(self, root: Path, *, base_url: str, max_page_bytes: int) -> None:
        self._root = root
        self._base = base_url
        self._limit = max_page_bytes
        self._bytes_read = 0
        self._total: int | None = None

    @property
    def total_bytes(self) -> int | None:
        """Stored size of all files below the directory, in bytes."""
        if self._total is None:
            self._total = sum(_size(entry) for _, entry in self._walk() if isinstance(entry, os.DirEntry))
        return self._total

    @property
    def bytes_read(self) -> int:
        """Stored bytes of the files that the current pass has read."""
        return self._bytes_read

    def __iter__(self) -> Iterator[Record | Skip]:
        """Walk the directory; yield each file's page, or a skip that says why it has none."""
        self._bytes_read = 0
        for relative, entry in self._walk():
            url = self._base + quote(os.fsencode(relative))
            if isinstance(entry, OSError):
                source = SourceRef(str(self._root / relative), relative=relative)
                yield Skip(url, "unreadable", entry.strerror or str(entry), source, rejected=True)
                continue
            name = without_compression(entry.name).lower()
            try:
                file = InputFile.from_path(Path(entry.path))
            except OSError as error:
                source = SourceRef(entry.path, relative=relative)
                yield Skip(url, "unreadable", error.strerror or str(error), source, rejected=True)
                continue
            yield from HtmlFile(
                file,
                url=url,
                relative=relative,
                max_page_bytes=self._limit,
                sniff=not name.endswith(HTML_SUFFIXES),
            )
            self._bytes_read += file.size or 0

    def _walk(self) -> Iterator[tuple[str, os.DirEntry[str] | OSError]]:
        """Yield every file with its relative path, and every directory that cannot be listed."""
        seen: set[tuple[int, int]] = set()
        # A stack instead of recursion: directories may be nested deeper than calls can be.
        stack = [self._list("", str(self._root), seen)]
        while stack:
            for relative, entry in stack[-1]:
                if isinstance(entry, os.DirEntry) and _is_directory(entry):
                    stack.append(self._list(relative + "/", entry.path, seen))
                    break
                if isinstance(entry, OSError) or _is_file(entry):
                    yield relative, entry
            else:
                stack.pop()

    @staticmethod
    def _list(
        prefix: str, directory: str, seen: set[tuple[int, int]]
    ) -> Iterator[tuple[str, os.DirEntry[str] | OSError]]:
        """Yield the entries of a directory by name; nothing if it was read before."""
        try:
            status = Path(directory).stat()
            key = (status.st_dev, status.st_ino)
            if key in seen:
                return
            seen.add(key)
            with os.scandir(directory) as unsorted:
                entries = sorted(unsorted, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            yield prefix, error
            return
        for entry in entries:
            yield prefix + entry.name, entry


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether to read an entry. A dangling link is read, so that it is reported."""
    try:
        return entry.is_file() or entry.is_symlink()
    except OSError:
        return True


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except OSError:
        return 0


def _kind_by_name(name: str) -> str:
    """Say what a file that is no HTML is, by its name."""
    if without_compression(name).lower().endswith(_OTHER_INPUTS):
        return "an input of another kind: name the file itself, or use --input-format"
    return Path(without_compression(name)).suffix.lower() or "no suffix"
