"""A source of the HTML files in a tar file."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.archives import CheckedReader, member_pages, member_url, safe_path
from detemplate.io.sources.base import FileSource, broken
from detemplate.io.sources.compression import InputFile, InputStream

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADERS: Final = 4 << 20  # bytes of headers between two members of a tar file that are accepted
_BLOCK: Final = 512  # bytes to whose multiples tar fills up members


class TarSource(FileSource):
    """A source of the HTML files in a tar file, in the file's order.

    The members are read as those of a :class:`~detemplate.io.sources.zipfiles.ZipSource`. Links and devices
    yield ``Skip("not html")``. A file that is cut or corrupt yields everything before the damage, then one
    ``Skip("truncated")``.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``base_url``, ``max_page_bytes``: as for :class:`~detemplate.io.sources.zipfiles.ZipSource`.
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
        yield from member_pages(file, member.name, number, self._base, self._limit)


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
