"""Members of archives: files in ZIP and tar files, as pages."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
import zlib
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.io.sources.pagefiles import page_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Buffer  # in collections.abc from Python 3.12

    from detemplate.io.sources.compression import InputFile


def member_pages(file: InputFile, name: str, number: int, base: str, limit: int) -> Iterator[Record | Skip]:
    """Read a member of an archive as a page, if it is one.

    ``name``, ``number``: its name in the archive, and its number there, from 1.
    ``base``: the URL of the archive's root, ending in ``/``.
    ``limit``: the largest page in decompressed bytes.
    """
    relative = safe_path(name)
    url = member_url(base, relative)
    if kind_of_name(relative, KINDS) in {"zip", "tar", "wacz"}:
        source = SourceRef(file.name, number, relative=relative)
        yield Skip(url, "nested archive", "unpack it and name it", source)
        return
    for item in page_file(file, url=url, relative=relative, max_page_bytes=limit):
        if item.source is not None:
            item.source.position = number
        yield item


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
