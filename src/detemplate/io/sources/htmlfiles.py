"""A source of the HTML files below a directory."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.compression import InputFile
from detemplate.io.sources.kinds import HTML_SUFFIXES, is_record_file, without_compression
from detemplate.io.sources.pagefiles import page_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tldextract import TLDExtract

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
            yield from page_file(file, url=url, relative=relative, max_page_bytes=self._limit)


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
    parts = _extractor()(re.split("[:+]", name)[0])
    return bool(parts.domain and parts.suffix)


@cache
def _extractor() -> TLDExtract:
    """Return what knows the public-suffix list, of the installed package: nothing is downloaded."""
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


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
