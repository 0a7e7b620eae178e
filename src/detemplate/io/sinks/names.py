"""Safe and distinct file names for pages, from paths and URLs that may be hostile."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, urlsplit

import xxhash

from detemplate.io.sources.htmlfiles import PAGE_SUFFIXES, without_compression

_MAX_NAME: Final = 200
"""Longest name in bytes, before an ending is added; file systems allow 255."""

_MAX_ENDING: Final = 20
"""Bytes by which an ending may make a name longer."""

_MAX_DEPTH: Final = 30
"""Maximum number of parts of a path."""

_MAX_PATH: Final = 1500
"""Longest path in bytes; the system allows 4,096 including the output's own path."""

_UNSAFE: Final = re.compile('[\x00-\x1f\x7f/\\\\<>:"|?*\ud800-\udfff]')
"""Control characters, characters that some system forbids in names, and lone surrogates."""


class Names:
    """Gives each page a path of its own below an output directory.

    No path leaves the directory. No two paths are equal, also without regard to case. No path uses another
    page's file as a directory. The paths given are remembered as 8-byte hashes.

    Parameters
    ----------
    suffix
        The end of all file names, for example ``".txt"``.
    reserved
        A path that no page may have.
    """

    def __init__(self, suffix: str, *, reserved: str) -> None:
        self._suffix = suffix
        self._files = {_key(reserved)}
        self._directories: set[int] = set()
        self._again: dict[int, int] = {}

    def name(self, url: str, relative: str | None) -> str:
        """Return a page's path, with ``/`` between its parts.

        Parameters
        ----------
        url
            The page's URL. Its host and path give the path if ``relative`` is None.
        relative
            Path of the page's file below the directory that is read.
        """
        parts = _shorten(_relative_parts(relative) if relative else _url_parts(url))
        for depth in range(1, len(parts)):
            # A directory must not have the name of a file. No file's name ends in ~d.
            if _key("/".join(parts[:depth])) in self._files:
                parts[depth - 1] = _fitted(parts[depth - 1], "~d")
        stem = parts.pop()
        path = self._free("".join(f"{part}/" for part in parts), stem, url)
        self._files.add(_key(path))
        for depth in range(1, len(parts) + 1):
            self._directories.add(_key("/".join(parts[:depth])))
        return path

    def _free(self, directory: str, stem: str, url: str) -> str:
        """Return a path that is not taken; add a hash of the URL, then a number, where needed."""
        path = directory + _fitted(stem, self._suffix)
        if not self._taken(path):
            return path
        mark = f"~{xxhash.xxh64_hexdigest(url.encode('utf-8', 'surrogatepass'))[:8]}"
        path = directory + _fitted(stem, mark + self._suffix)
        key = _key(path)
        while self._taken(path):  # the same URL again
            self._again[key] = number = self._again.get(key, 1) + 1
            path = directory + _fitted(stem, f"{mark}-{number}{self._suffix}")
        return path

    def _taken(self, path: str) -> bool:
        key = _key(path)
        return key in self._files or key in self._directories


def _relative_parts(relative: str) -> list[str]:
    *directories, name = relative.split("/")
    name = without_compression(name)
    stem, dot, suffix = name.rpartition(".")
    if dot and stem and f".{suffix.lower()}" in PAGE_SUFFIXES:
        name = stem
    return [_safe(part) for part in directories if part] + [_safe(name)]


def _url_parts(url: str) -> list[str]:
    try:
        split = urlsplit(url)
        host, path, query = split.netloc.rpartition("@")[2].lower(), split.path, split.query
        scheme = split.scheme
    except ValueError:  # such as a broken IPv6 address
        host, path, query, scheme = "", url, "", ""
    parts = [unquote(part) for part in path.split("/")]
    name = parts.pop() or "index"
    stem, dot, suffix = name.rpartition(".")
    if dot and stem and f".{suffix.lower()}" in PAGE_SUFFIXES:
        name = stem
    if query:
        name += f"_{unquote(query)}"
    return [_safe(host or scheme or "other"), *(_safe(part) for part in parts if part), _safe(name)]


def _safe(part: str) -> str:
    """Make one part of a path safe: no separators, no control characters, not hidden, not too long."""
    part = _UNSAFE.sub("_", part)
    if part.startswith("."):
        part = "_" + part[1:]
    part = part.rstrip(" .") or "_"
    return part if len(part.encode()) <= _MAX_NAME else _cut(part, _MAX_NAME)


def _cut(part: str, size: int) -> str:
    """Shorten a part to ``size`` bytes; a hash keeps it distinct."""
    mark = f"~{xxhash.xxh64_hexdigest(part.encode())}"
    return part.encode()[: size - len(mark)].decode("utf-8", "ignore") + mark


def _shorten(parts: list[str]) -> list[str]:
    """Replace the middle of a path that is too deep or too long by a hash."""
    if len(parts) <= _MAX_DEPTH and sum(len(part.encode()) + 1 for part in parts) <= _MAX_PATH:
        return parts
    folded = xxhash.xxh64_hexdigest("/".join(parts).encode())
    return [*parts[:3], f"~{folded}", parts[-1]]


def _fitted(stem: str, ending: str) -> str:
    """Join a stem and an ending; cut the stem if the name would be too long."""
    room = _MAX_NAME + _MAX_ENDING - len(ending.encode())
    return (stem if len(stem.encode()) <= room else _cut(stem, room)) + ending


def _key(path: str) -> int:
    """Return a hash of a path that does not depend on case."""
    return xxhash.xxh64_intdigest(path.casefold().encode())
