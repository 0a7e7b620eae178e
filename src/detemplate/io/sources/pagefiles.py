"""Files with one page, HTML, MHTML or plain text: alone, and all below a directory."""

from __future__ import annotations

import email
import os
import re
from dataclasses import dataclass
from email.errors import CloseBoundaryNotFoundDefect, MessageError
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from detemplate.files.suffixes import parts_of
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource
from detemplate.io.sources.compression import InputFile
from detemplate.io.sources.http_body import HTML_TYPES, SNIFF_SIZE, looks_like_html
from detemplate.io.sources.kinds import (
    HTML_SUFFIXES,
    KINDS,
    MHTML_SUFFIXES,
    SINGLE_PAGES,
    is_record_file,
    without_compression,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

    from detemplate.io.sources.compression import InputStream


_BOUNDARY: Final = re.compile(rb"\bboundary\s*=", re.IGNORECASE)  # the parameter that begins a multipart

_MOST_MULTIPARTS: Final = 50
"""Multiparts that are accepted: a page has one or two, and the parser takes time for each that is open."""


def mhtml_page(data: bytes, url: str, limit: int, source: SourceRef) -> Record | Skip:
    """Make a record of the root: the part that the file names, or its first HTML part.

    ``url``: the page's URL if neither the root's ``Content-Location`` nor the file's
        ``Snapshot-Content-Location`` says it.
    ``limit``: the largest page in bytes.
    ``source``: where the file is.
    """

    def lost(reason: str, detail: str) -> Skip:
        return Skip(url, reason, detail, source, rejected=True)

    if sum(1 for _ in _BOUNDARY.finditer(data)) > _MOST_MULTIPARTS:
        return lost("bad record", f"over {_MOST_MULTIPARTS} parts of parts")
    try:
        message = email.message_from_bytes(data)
        root = _root(message)
        if root is None:
            return lost("bad record", "no MHTML: it has no HTML part")
        html = root.get_payload(decode=True)
        own = _location(root.get("Content-Location")) or _location(message["Snapshot-Content-Location"])
        charset = root.get_content_charset()
        cut = _is_cut(message, root)
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        # The parser is lenient, but not proof against every damage.
        return lost("bad record", f"no MHTML: {type(error).__name__}: {error}")
    if cut:
        return lost("truncated", "the file ends in the middle of the page")
    if not isinstance(html, bytes) or len(html) > limit:
        return lost("too large", f"more than {limit} bytes")
    return Record(own or url, html, charset=charset, media_type=root.get_content_type(), source=source)


def _root(message: Message) -> Message | None:
    """Return the part with the page; None if there is none."""
    pages = [part for part in message.walk() if part.get_content_type() in HTML_TYPES]
    start = str(message.get_param("start") or "")
    named = [part for part in pages if start and part.get("Content-ID") == start]
    return next(iter(named or pages), None)


def _is_cut(message: Message, root: Message) -> bool:
    """Tell whether the file ends within the page: it is the last part, and an end is missing."""
    *_, last = message.walk()
    return last is root and any(
        isinstance(defect, CloseBoundaryNotFoundDefect) for part in message.walk() for defect in part.defects
    )


def _location(value: object) -> str:
    """Return a header as the URL of a page; empty if it is none."""
    url = "".join(str(value or "").split())  # a long URL is folded over several lines
    return url if url.lower().startswith(("http://", "https://", "file://")) else ""


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


def read_page(  # noqa: PLR0911  # a reason each
    file: InputFile, kind: str, *, url: str, relative: str | None, max_page_bytes: int, sniff: bool = False
) -> Record | Skip:
    """Read a file with one page.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``kind``: ``"html"``, ``"mhtml"`` or ``"text"``, which gives a :class:`TextRecord`.
    ``url``: the page's URL. A page that says its own has that one: SingleFile and browsers write it into a
        comment.
    ``relative``: the file's path below the directory that is read; a directory of results mirrors it.
    ``max_page_bytes``: the largest page in decompressed bytes. A larger one gives ``Skip("too large")``.
    ``sniff``: whether a file that does not start like HTML gives ``Skip("not html")``.
    Returns: the page, or a skip that says why there is none.
    """
    source = SourceRef(file.name, relative=relative)
    name = without_compression(file.name).lower()

    def lost(reason: str, detail: str) -> Skip:
        return Skip(url, reason, detail, source, rejected=True)

    limit = max_page_bytes * (_MHTML_SIZE if kind == "mhtml" else 1)
    try:
        stream = file.open()
    except OSError as error:
        return lost("unreadable", error.strerror or "")
    with stream:
        if sniff and not looks_like_html(stream.peek(SNIFF_SIZE)):
            return Skip(url, "not html", PurePosixPath(name).suffix or "no suffix", source)
        data = _read_whole(stream, limit)
        if data is None:
            return lost("too large", f"more than {limit} bytes")
        if stream.broken:
            return lost("truncated" if stream.raw_position else "unreadable", stream.broken)
    if kind == "mhtml":
        return mhtml_page(data, url, max_page_bytes, source)
    if kind == "text":
        return TextRecord(url, data, source=source)
    saved = _SAVED.search(data, 0, _SAVED_WITHIN)
    own = saved[1].decode("ascii", "replace") if saved else url
    return Record(own, data, media_type=_XHTML if name.endswith(_XHTML_SUFFIXES) else None, source=source)


class PageFile(FileSource):
    """A source of one page: a file, read by :func:`read_page`.

    ``file``, ``kind``: its arguments.
    ``**how``: its other arguments.
    """

    def __init__(self, file: InputFile, kind: str, **how: Any) -> None:  # noqa: ANN401
        super().__init__(file)
        self._page = partial(read_page, file, kind, **how)

    def __iter__(self) -> Iterator[Record | Skip]:
        """Yield the page, or a skip that says why there is none."""
        item = self._page()
        self.bytes_read = self.total_bytes or (item.size if isinstance(item, Record) else 0)
        yield item


def _read_whole(stream: InputStream, limit: int) -> bytes | None:
    """Return the bytes of a stream; None if there are more than ``limit``."""
    parts: list[bytes] = []
    size = 0
    while size <= limit and (part := stream.read(limit + 1 - size)):
        parts.append(part)
        size += len(part)
    return b"".join(parts) if size <= limit else None


def page_file(file: InputFile, *, url: str, relative: str, max_page_bytes: int) -> Record | Skip:
    """Read a file of a directory or an archive as a page, if it is one.

    A file with a suffix of HTML or MHTML is a page. Another file is a page if it starts like HTML, else it
    gives ``Skip("not html")``. The parameters are those of :func:`read_page`.
    """
    name = without_compression(relative).lower()
    if name.endswith(_OTHERS):
        detail = "an input of another kind: name the file itself, or use --input-format"
        return Skip(url, "not html", detail, SourceRef(file.name, relative=relative))
    kind = "mhtml" if name.endswith(MHTML_SUFFIXES) else "html"
    sniff = kind == "html" and not name.endswith(HTML_SUFFIXES)
    return read_page(file, kind, url=url, relative=relative, max_page_bytes=max_page_bytes, sniff=sniff)


_HOST: Final = re.compile(r"(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]*[a-z0-9](?:[:+]\d{1,5})?", re.IGNORECASE)
"""The name of a host as ``wget`` names its folder, with a port if it is not the scheme's."""

_ADDRESS: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:[:+]\d{1,5})?")
"""An IPv4 address as the name of a folder."""


class HtmlDirectory:
    """A source of all HTML files below a directory.

    The entries of a directory, files and folders alike, are read in the order of their names. Which files are
    pages, :func:`~detemplate.io.sources.pagefiles.page_file` says. Symbolic links are followed, but no
    directory is read twice.

    ``root``: the directory.
    ``base_url``: the URL of the directory, ending in ``/``. A page's URL is this and its percent-encoded
        path. None: its ``file:`` URL, or ``https://`` if the directory is a mirror of hosts
        (:func:`is_mirror`).
    ``max_page_bytes``: the largest page in decompressed bytes. A larger one yields ``Skip("too large")``.
    ``leave``: suffixes of the files that another source reads.
    """

    rereadable = True

    def __init__(
        self, root: Path, *, base_url: str | None, max_page_bytes: int, leave: tuple[str, ...] = ()
    ) -> None:
        self._root = root
        self._mirror = base_url is None and is_mirror(root)
        home = Path(os.path.abspath(root)).as_uri().rstrip("/") + "/"  # noqa: PTH100  # links stay as named
        self._base = "https://" if self._mirror else base_url or home
        self._limit = max_page_bytes
        self._leave = leave
        self.bytes_read = 0
        self._total: int | None = None

    @property
    def total_bytes(self) -> int | None:
        """Stored size of all files below the directory that this source reads, in bytes."""
        if self._total is None:
            self._total = sum(
                _size(entry) for _, entry in files_below(self._root)
                if isinstance(entry, os.DirEntry) and not is_record_file(entry.name, self._leave)
            )  # fmt: skip
        return self._total

    def __iter__(self) -> Iterator[Record | Skip]:
        """Walk the directory; yield each file's page, or a skip that says why it has none."""
        self.bytes_read = 0
        for relative, entry in files_below(self._root):
            # A mirror's names keep the query of a URL.
            url = self._base + quote(os.fsencode(relative), safe="/?=&:" if self._mirror else "/")
            path = str(self._root / relative) if isinstance(entry, OSError) else entry.path
            if is_record_file(os.path.basename(path), self._leave):  # noqa: PTH119  # it is called often
                continue
            try:
                if isinstance(entry, OSError):
                    raise entry
                file = InputFile.from_path(Path(path))
            except OSError as error:
                source = SourceRef(path, relative=relative)
                yield Skip(url, "unreadable", error.strerror or str(error), source, rejected=True)
                continue
            self.bytes_read += file.size or 0
            yield page_file(file, url=url, relative=relative, max_page_bytes=self._limit)


def is_mirror(root: Path) -> bool:
    """Tell whether a directory is a mirror of hosts, as ``wget -r`` makes it.

    Its folders are all named as hosts whose domains exist on the public-suffix list, or as IPv4 addresses,
    and no page stands beside them.
    """
    hosts = 0
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if _is_directory(entry):
                    if not _is_host(entry.name):
                        return False
                    hosts += 1
                elif without_compression(entry.name).lower().endswith(HTML_SUFFIXES):
                    return False
    except OSError:
        return False
    return hosts > 0


def files_below(root: Path) -> Iterator[tuple[str, os.DirEntry[str] | OSError]]:
    """Yield every file below a directory with its relative path, and directories that cannot be listed."""
    seen: set[tuple[int, int]] = set()
    # A stack instead of recursion: directories may be nested deeper than calls can be.
    stack = [_list("", str(root), seen)]
    while stack:
        for relative, entry in stack[-1]:
            if isinstance(entry, os.DirEntry) and _is_directory(entry):
                stack.append(_list(relative + "/", entry.path, seen))
                break
            if isinstance(entry, OSError) or _is_file(entry):
                yield relative, entry
        else:
            stack.pop()


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


def _is_host(name: str) -> bool:
    if _ADDRESS.fullmatch(name):
        return True
    if not _HOST.fullmatch(name):
        return False
    parts = parts_of(re.split("[:+]", name)[0])
    return bool(parts.domain and parts.suffix)


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
