"""Open inputs by name, as one source."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import quote

from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES, STDIN, ChainedSource, Source
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.html_sniff import SNIFF_SIZE, looks_like_html
from detemplate.io.sources.htmlfiles import PAGE_SUFFIXES, HtmlDirectory, HtmlFile, without_compression
from detemplate.io.sources.jsonl import JsonlSource
from detemplate.io.sources.parquet import ParquetSource
from detemplate.io.sources.textfiles import TEXT_SUFFIXES, TextFile
from detemplate.io.sources.warc import WarcSource, is_warc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

KINDS: Final[dict[str, tuple[str, ...]]] = {
    "warc": (".warc",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet", ".pq"),
    "html": PAGE_SUFFIXES,
}
"""Kinds of input with their file name suffixes, without a suffix of compression."""

KINDS_AND_TEXT: Final = {**KINDS, "text": TEXT_SUFFIXES}
"""The same with plain text, for commands that work on any text and not only on pages."""


def open_sources(
    inputs: Sequence[str],
    *,
    base_url: str | None = None,
    kind: str | None = None,
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES,
    text: bool = False,
) -> Source:
    """Open inputs as one source.

    Inputs keep their order. The matches of a pattern and the files of a directory are sorted. An input that
    is named twice is read once.

    Parameters
    ----------
    inputs
        Files, directories, patterns (``*``, ``?``, ``[…]``, ``**``), or ``-`` for standard input. A file's
        name tells its kind. A directory holds HTML files, or Parquet files if its name ends in
        ``.parquet``. Standard input is JSON Lines, unless its first bytes are those of WARC or HTML.
    base_url
        The URL of the directory that holds the HTML files; for files named one by one, of the deepest
        directory above all of them. By default, its ``file:`` URL.
    kind
        ``"warc"``, ``"jsonl"``, ``"parquet"`` or ``"html"``: the kind of all inputs, whatever their names.
    max_page_bytes
        The largest page in bytes. Larger ones are skipped without being held in memory.
    text
        Whether plain text (``.txt``, ``kind="text"``) is read as well. Each file yields a
        :class:`~detemplate.io.sources.textfiles.TextRecord`.

    Returns
    -------
    Source
        All inputs in sequence.

    Raises
    ------
    UserError
        An input is missing, unreadable or of unknown kind, or a pattern matches nothing.
    """
    kinds = KINDS_AND_TEXT if text else KINDS
    if kind is not None and kind not in kinds:
        raise UserError(f"unknown input format {kind!r}; known are {', '.join(kinds)}")
    if max_page_bytes < 1:
        raise UserError(f"the page limit is {max_page_bytes} bytes; it must be at least 1 byte")
    if base_url is not None and "://" not in base_url:
        raise UserError(f"the base URL {base_url!r} is no absolute URL; write it as https://example.org/")
    if not inputs:
        raise UserError("no input; name files, directories, or - for standard input")
    names = list(dict.fromkeys(name for item in inputs for name in _expand(item)))
    opener = _Opener(base_url, kind, max_page_bytes, kinds)
    sources = opener.open_all(names)
    return sources[0] if len(sources) == 1 else ChainedSource(sources)


class _Opener:
    """Opens inputs with the arguments of :func:`open_sources`."""

    def __init__(
        self, base_url: str | None, kind: str | None, limit: int, kinds: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._base_url = base_url if base_url is None or base_url.endswith("/") else base_url + "/"
        self._kind = kind
        self._limit = limit
        self._kinds = kinds

    def open_all(self, names: Sequence[str]) -> list[Source]:
        """Open the inputs of these names, which exist."""
        kinds = {name: self._kind_of(name) for name in names if name != STDIN}
        named = [Path(name) for name, kind in kinds.items() if kind in {"html", "text"}]
        singles = [path for path in named if not path.is_dir()]
        # The shell may have expanded a pattern: files named one by one keep their paths below the
        # deepest directory above all of them.
        root = Path(os.path.commonpath([_absolute(path.parent) for path in singles] or ["/"]))
        sources: list[Source] = []
        for name in names:
            try:
                if name == STDIN:
                    sources.append(self._stdin())
                elif Path(name).is_dir():
                    sources += self._directory(Path(name), kinds[name])
                else:
                    sources.append(self._file(Path(name), kinds[name], root))
            except OSError as error:
                raise UserError(
                    f"cannot read {name}: {error.strerror or error}; check the path and its permissions"
                ) from error
        return sources

    def _kind_of(self, name: str) -> str:
        if self._kind is not None:
            return self._kind
        path = Path(name)
        lower = without_compression(path.name).lower()
        if path.is_dir():
            return "parquet" if lower.endswith(".parquet") else "html"
        for kind, suffixes in self._kinds.items():
            if lower.endswith(suffixes):
                return kind
        raise UserError(
            f"cannot tell the kind of {name} by its name; known are {_known(self._kinds)} "
            f"(each also with .gz or .zst); else name the kind with --input-format {'|'.join(self._kinds)}"
        )

    def _file(self, path: Path, kind: str, root: Path) -> Source:
        if not path.is_file():
            raise UserError(f"{path} is not a regular file; redirect it to standard input and name -")
        if kind == "parquet":
            return self._parquet(path)
        file = InputFile.from_path(path)
        if kind in {"html", "text"}:
            with file.open():  # fails now if the file is not readable
                pass
            relative = os.path.relpath(_absolute(path), root)
            url = self._base(root) + quote(os.fsencode(relative))
            opened = TextFile if kind == "text" else HtmlFile
            return opened(file, url=url, relative=relative, max_page_bytes=self._limit)
        return self._stream(file, kind)

    def _stream(self, file: InputFile, kind: str) -> Source:
        if kind == "warc":
            return WarcSource(file, max_page_bytes=self._limit)
        return JsonlSource(file, max_page_bytes=self._limit)

    def _parquet(self, path: Path) -> Source:
        with path.open("rb"):  # fails now if the file is not readable
            pass
        return ParquetSource(path, max_page_bytes=self._limit)

    def _directory(self, path: Path, kind: str) -> list[Source]:
        if kind == "html":
            os.scandir(path).close()
            return [HtmlDirectory(path, base_url=self._base(path), max_page_bytes=self._limit)]
        files = sorted(
            file
            for file in path.rglob("*")
            # Spark and Hadoop write files beside the data whose names begin with _ or a dot.
            if not file.name.startswith(("_", "."))
            and without_compression(file.name).lower().endswith(self._kinds[kind])
            and file.is_file()
        )
        if not files:
            raise UserError(f"{path} holds no {kind} files (names ending in {', '.join(self._kinds[kind])})")
        return [self._file(file, kind, path) for file in files]

    def _base(self, directory: Path) -> str:
        return self._base_url or Path(_absolute(directory)).as_uri().rstrip("/") + "/"

    def _stdin(self) -> Source:
        raw: BinaryIO = sys.stdin.buffer
        stream = InputStream(raw, track_members=True)
        kind = self._kind
        start = stream.peek(8)
        if kind is None and start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
            kind = "jsonl"  # does not wait for more bytes of a slow pipe
        if kind is None:
            start = stream.peek(SNIFF_SIZE)
            kind = "warc" if is_warc(start) else "html" if looks_like_html(start) else "jsonl"
            if start.startswith(b"PAR1"):
                kind = "parquet"
        if kind == "parquet":
            raise UserError("Parquet cannot be read from standard input; name the file instead of -")
        opener: Callable[[bool], InputStream] = lambda _track: stream  # noqa: E731
        file = InputFile(STDIN, opener, rereadable=False)
        if kind in {"html", "text"}:
            url = self._base_url or "file:///stdin"
            return (TextFile if kind == "text" else HtmlFile)(
                file, url=url, relative=None, max_page_bytes=self._limit
            )
        if kind == "warc" and start and not is_warc(stream.peek(64)):
            raise UserError(
                "standard input is not a WARC file (it does not begin with 'WARC/'); check --input-format"
            )
        return self._stream(file, kind)


def _absolute(path: Path) -> str:
    """Make a path absolute without resolving links, so that URLs show the names that the user gave."""
    return os.path.abspath(path)  # noqa: PTH100


def _expand(name: str) -> list[str]:
    """Expand a pattern to the files it matches; any other name must exist."""
    if name == STDIN or os.path.lexists(name):
        return [name]
    if glob.has_magic(name):
        matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207  # patterns may be absolute
        # "**" matches directories as well as the files in them.
        matches = [path for path in matches if "**" not in name or not Path(path).is_dir()]
        if matches:
            return matches
        raise UserError(f"nothing matches {name}; check the pattern")
    raise UserError(f"{name} does not exist; check the path")


def _known(kinds: Mapping[str, tuple[str, ...]]) -> str:
    return ", ".join(suffix for suffixes in kinds.values() for suffix in suffixes)
