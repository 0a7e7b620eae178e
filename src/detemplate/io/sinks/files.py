"""Sinks of one file a page: a directory, or one page in one file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

import xxhash

from detemplate.errors import NoPages, UserError
from detemplate.files.atomic import AtomicDirectory, writing
from detemplate.files.jsonvalues import to_json, without_surrogates
from detemplate.io.sinks.out import FORMATS, METADATA, OutSink, Sink
from detemplate.io.sources.kinds import PAGE_SUFFIXES, without_compression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record
    from detemplate.io.sinks.out import Out


_INDEX: Final = "index.jsonl"


class FilesSink(Sink):
    """One file per page with its text, and ``index.jsonl`` with the other fields of all rows.

    A page from a directory of HTML files keeps its path there, with the format's suffix. Any other page gets
    the path of its URL, below a directory named after its host. The index has one line per page: the row
    without the text, and ``path``, the page's file below the directory. A carried key ``path`` is written
    as ``carried_path``. A Markdown file begins with the page's metadata as YAML, if the row has metadata.

    ``output``: the directory.
    ``format``: ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds the page's text.
    ``overwrite``: replace a directory that is not empty, when the new one is whole.
    Raises UserError: the directory cannot be created, or it is not empty.
    """

    def __init__(self, output: str, *, format: str, overwrite: bool = False) -> None:  # noqa: A002
        self._format = format
        self._names = Names(FORMATS[format][1], reserved=_INDEX)
        self._directory = AtomicDirectory(output, overwrite=overwrite)
        with writing(output):
            self._index = (self._directory.path / _INDEX).open("wb")

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write a page's file and its line of the index; raises UserError if that fails."""
        relative = record.source.relative if record.source is not None else None
        path = self._names.name(str(row["url"]), relative)
        fields = {key: value for key, value in row.items() if key != self._format}
        if "path" in fields:
            fields["carried_path"] = fields.pop("path")
        fields["path"] = path
        with writing(self._directory.output):
            file = self._directory.path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            # Exclusive creation: no page may ever replace another.
            with file.open("xb") as out:
                out.write(page_file(row, self._format))
            self._index.write(to_json(fields).encode("utf-8") + b"\n")

    def close(self) -> None:
        """Close the index and give the directory its name."""
        with writing(self._directory.output):
            self._index.close()
        self._directory.close()

    def abort(self) -> None:
        """Remove what was written."""
        try:
            self._index.close()
        except OSError:  # a full disk
            pass
        finally:
            self._directory.abort()


_MAX_NAME: Final = 200  # longest name in bytes, before an ending is added; file systems allow 255
_MAX_ENDING: Final = 20  # bytes by which an ending may make a name longer
_MAX_DEPTH: Final = 30  # maximum number of parts of a path
_MAX_PATH: Final = 1500  # longest path in bytes; the system allows 4,096 including the output's own path

_UNSAFE: Final = re.compile('[\x00-\x1f\x7f/\\\\<>:"|?*\ud800-\udfff]')
"""Control characters, characters that some system forbids in names, and lone surrogates."""


class Names:
    """Gives each page a path of its own below an output directory.

    No path leaves the directory. No two paths are equal, also without regard to case. No path uses another
    page's file as a directory. The paths given are remembered as 8-byte hashes.

    ``suffix``: the end of all file names, for example ``".txt"``.
    ``reserved``: a path that no page may have.
    """

    def __init__(self, suffix: str, *, reserved: str) -> None:
        self._suffix = suffix
        self._files = {_key(reserved)}
        self._directories: set[int] = set()
        self._again: dict[int, int] = {}

    def name(self, url: str, relative: str | None) -> str:
        """Return a page's path, with ``/`` between its parts.

        ``url``: the page's URL. Its host and path give the path if ``relative`` is None.
        ``relative``: path of the page's file below the directory that is read.
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


_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON may hold as they are and YAML may not."""


def page_file(row: Mapping[str, object], format: str) -> bytes:  # noqa: A002
    """Return the content of a file with the text of one page, in UTF-8; Markdown begins with front matter."""
    head = front_matter(row) if format == "markdown" else ""
    return without_surrogates(head + str(row[format])).encode("utf-8")


def front_matter(row: Mapping[str, object]) -> str:
    """Write the metadata of a row as front matter.

    Each value is a JSON string, which YAML reads as a double-quoted scalar, whatever it holds.

    ``row``: a result. Without metadata there is no front matter.
    Returns: lines between two lines ``---``, and a blank line; ``""`` without metadata. Keys without a value
        are left out.
    """
    if not all(key in row for key in METADATA):
        return ""
    told = {"title": row.get("title"), "url": row["url"], **{key: row.get(key) for key in METADATA[1:]}}
    lines = [f"{key}: {_quoted(str(value))}\n" for key, value in told.items() if value]
    return f"---\n{''.join(lines)}---\n\n"


def _quoted(text: str) -> str:
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", to_json(without_surrogates(text)))


class PageSink(OutSink):
    """A file with the text of one page; Markdown begins with its metadata, if the row has metadata.

    ``out``, ``output``: where the text goes, and its name.
    ``format``: ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds the page's text.
    ``several``: whether it is a stream, which may have several pages, with blank lines between them.
    """

    def __init__(self, out: Out, output: str, *, format: str, several: bool = False) -> None:  # noqa: A002
        super().__init__(out)
        self._output = output
        self._format = format
        self._several = several
        self._written = False

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write the page; raises UserError for a second one, or if writing fails."""
        if self._several:
            self._out.write(b"\n" * self._written + page_file(row, self._format).rstrip(b"\n") + b"\n")
        elif self._written:
            raise UserError(
                f"{self._output} holds one page, and {row['url']} is a second one: name a directory (ending "
                "in /), or a file .jsonl, .csv, .parquet or .arrow"
            )
        else:
            self._out.write(page_file(row, self._format))
        self._written = True

    def close(self) -> None:
        """Give the file its name; raises NoPages if there was no page."""
        if not self._written and not self._several:
            raise NoPages(
                f"no page to write to {self._output}: 'detemplate inspect' tells what is skipped and why"
            )
        super().close()
