"""Sources of the HTML files in a ZIP file, and of the WARC files in a WACZ file."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.io.sources.archives import CheckedReader, member_pages, safe_path
from detemplate.io.sources.base import ChainedSource
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.kinds import without_compression
from detemplate.io.sources.warc import WarcSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.record import Record, Skip

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
                    yield from member_pages(file, member.filename, number, self._base, self._limit)
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
