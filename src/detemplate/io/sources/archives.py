"""ZIP and tar files of pages, and WACZ files, which are ZIP files of WARC files."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.parse import quote

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import ChainedSource, FileSource, broken
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.kinds import KINDS, kind_of_name, without_compression
from detemplate.io.sources.pagefiles import page_file
from detemplate.io.sources.warc import WarcSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Buffer


def member_page(file: InputFile, name: str, number: int, base: str, limit: int) -> Record | Skip:
    """Read a member of an archive as a page, if it is one.

    ``name``, ``number``: its name in the archive, and its number there, from 1.
    ``base``: the URL of the archive's root, ending in ``/``.
    ``limit``: the largest page in decompressed bytes.
    """
    relative = safe_path(name)
    url = member_url(base, relative)
    if kind_of_name(relative, KINDS) in {"zip", "tar", "wacz"}:
        source = SourceRef(file.name, number, relative=relative)
        return Skip(url, "nested archive", "unpack it and name it", source)
    item = page_file(file, url=url, relative=relative, max_page_bytes=limit)
    if item.source is not None:
        item.source.position = number
    return item


def safe_path(name: str) -> str:
    """Return a member's name as a path that stays below the archive's root."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in {"", ".", ".."}]
    return "/".join(parts) or "unnamed"


def member_url(base: str, relative: str) -> str:
    """Return the URL of a member: that of the archive's root and its percent-encoded path."""
    return base + quote(os.fsencode(relative))


class CheckedReader(io.RawIOBase):
    """A member's data; damage raises OSError, which an InputStream reports.

    ``raw``: the data, as ``zipfile`` or ``tarfile`` gives them.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__()
        self._raw = raw

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill ``buffer`` and return the number of bytes; raises OSError at damage."""
        target = memoryview(buffer).cast("B")
        try:
            data = self._raw.read(len(target))
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, tarfile.TarError) as error:
            raise OSError(0, str(error) or "it ends early") from error
        target[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the data."""
        self._raw.close()
        super().close()


_HEADERS: Final = 4 << 20  # bytes of headers between two members of a tar file that are accepted
_BLOCK: Final = 512  # bytes to whose multiples tar fills up members


class TarSource(FileSource):
    """A source of the HTML files in a tar file, in the file's order.

    The members are read as those of a :class:`~detemplate.io.sources.archives.ZipSource`. Links and devices
    yield ``Skip("not html")``. A file that is cut or corrupt yields everything before the damage, then one
    ``Skip("truncated")``.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``base_url``, ``max_page_bytes``: as for :class:`~detemplate.io.sources.archives.ZipSource`.
    """

    def __init__(self, file: InputFile, *, base_url: str, max_page_bytes: int) -> None:
        super().__init__(file)
        self._base = base_url
        self._limit = max_page_bytes

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        number = 0
        counted = _Counted(stream)
        problem: str | None
        try:
            with tarfile.open(fileobj=counted, mode="r|", bufsize=_BLOCK) as archive:
                while (member := archive.next()) is not None:
                    number += 1
                    if member.issparse():
                        raise tarfile.ReadError("it holds a sparse file, which is not read")
                    counted.allow(member.size + _HEADERS)
                    yield from self._member(archive, member, number)
                    self.bytes_read = stream.raw_position
                    archive.members = []  # type: ignore[attr-defined]  # it would remember all
            # tarfile ends without a word at a header that is damaged or missing.
            problem = None if counted.last == bytes(_BLOCK) else "a header is damaged, or the end is missing"
        except (tarfile.TarError, EOFError, OSError, ValueError) as error:
            problem = str(error)
        problem = stream.broken or counted.problem or problem
        if problem:
            detail = f"{problem}: broke at byte {stream.raw_position} after {number} members"
            yield broken(self._file.name, number, detail)

    def _member(
        self, archive: tarfile.TarFile, member: tarfile.TarInfo, number: int
    ) -> Iterator[Record | Skip]:
        if member.isdir():
            return
        data = archive.extractfile(member) if member.isreg() else None
        if data is None:
            name = safe_path(member.name)
            source = SourceRef(f"{self._file.name}/{name}", number, relative=name)
            yield Skip(member_url(self._base, name), "not html", "no regular file", source)
            return
        opened = InputStream(io.BufferedReader(CheckedReader(data)))
        file = InputFile(f"{self._file.name}/{safe_path(member.name)}", lambda _: opened, size=member.size)
        yield member_page(file, member.name, number, self._base, self._limit)


class _Counted(io.RawIOBase):
    """A stream that ends where a tar file's headers become too long: tarfile would hold them.

    ``problem``: what is wrong with the headers; None: nothing.
    ``last``: the bytes that were read last.
    """

    def __init__(self, stream: InputStream) -> None:
        super().__init__()
        self.problem: str | None = None
        self.last = b""
        self._stream = stream
        self._allowed = _HEADERS

    def allow(self, size: int) -> None:
        """Let so many bytes be read until the next call."""
        self._allowed = size

    def read(self, size: int = -1) -> bytes:
        self.last = data = _exactly(self._stream, size)
        self._allowed -= len(data)
        if self._allowed < 0:
            self.problem = f"headers of over {_HEADERS} bytes"
            return b""
        return data


def _exactly(stream: InputStream, size: int) -> bytes:
    """Read ``size`` bytes; fewer at the end."""
    data = stream.read(size)
    while len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions of ZIP members that are read; the decoders of others take memory without bound."""


class ZipSource:
    """A source of the HTML files in a ZIP file, in the file's order.

    Which members are pages, :func:`~detemplate.io.sources.pagefiles.page_file` says. An archive in it yields
    ``Skip("nested archive")``. Members whose data overlap are refused, so that a small file cannot
    unpack to any size. The file's directory is held in memory.

    ``path``: the file, as the user named it.
    ``base_url``: the URL of the archive's root, ending in ``/``.
    ``max_page_bytes``: the largest page in decompressed bytes. A larger one yields ``Skip("too large")``.
    Raises UserError: the file is no ZIP file, or its members overlap.
    """

    rereadable = True

    def __init__(self, path: Path, *, base_url: str, max_page_bytes: int) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self.bytes_read = 0
        self._path = path
        self._base = base_url
        self._limit = max_page_bytes
        with _open_zip(path):
            pass

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file's members."""
        self.bytes_read = 0
        with _open_zip(self._path) as archive:
            for number, member in enumerate(archive.infolist(), 1):
                self.bytes_read += member.compress_size
                if not member.filename.endswith("/"):  # is_dir fails for an empty name
                    file = _zip_member(archive, member, str(self._path))
                    yield member_page(file, member.filename, number, self._base, self._limit)
        self.bytes_read = self.total_bytes or 0


def _open_zip(path: Path) -> zipfile.ZipFile:
    """Open a ZIP file; raises UserError if it is none, is damaged, or has members that overlap."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise UserError(
            f"{path} cannot be read as a ZIP file: {error}; if it is cut, 'zip -FF' may mend it"
        ) from error
    if sum(member.compress_size for member in archive.infolist()) > path.stat().st_size:
        archive.close()
        raise UserError(f"{path} is refused: its members overlap, as those of a decompression bomb do")
    return archive


def _zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> InputFile:
    """Describe a member of a ZIP file, named ``name/member``; opening it raises OSError."""

    def opener(track_members: bool) -> InputStream:
        if member.compress_type not in _METHODS:
            raise OSError(0, f"compression {member.compress_type} of ZIP files is not read")
        try:
            raw: Any = archive.open(member)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError, EOFError) as error:
            raise OSError(0, str(error)) from error
        return InputStream(io.BufferedReader(CheckedReader(raw)), track_members=track_members)

    return InputFile(f"{name}/{safe_path(member.filename)}", opener, size=member.compress_size)


def wacz_source(path: Path, *, max_page_bytes: int) -> ChainedSource:
    """Return the WARC files in a WACZ file, in name order, as one source.

    ``path``: the file, as the user named it.
    ``max_page_bytes``: as for :class:`~detemplate.io.sources.warc.WarcSource`.
    Raises UserError: the file is no ZIP file, or has no ``archive/*.warc.gz``.
    """
    archive = _open_zip(path)
    names = sorted(
        name for name in archive.namelist()
        if name.startswith("archive/") and without_compression(name).lower().endswith(".warc")
    )  # fmt: skip
    if not names:
        raise UserError(f"{path} has no WARC files (archive/*.warc.gz): is it a WACZ file?")
    files = [_zip_member(archive, archive.getinfo(name), str(path)) for name in names]
    return ChainedSource([WarcSource(file, max_page_bytes=max_page_bytes) for file in files])
