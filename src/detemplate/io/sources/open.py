"""Opening inputs by name: what the command and the Python interface call."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES, STDIN, ChainedSource, Source
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.html_sniff import SNIFF_SIZE, looks_like_html
from detemplate.io.sources.htmlfiles import PAGE_SUFFIXES, HtmlDirectory, HtmlFile, without_compression
from detemplate.io.sources.textfiles import TEXT_SUFFIXES, TextFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


# Kinds of input with the suffixes (before .gz, .zst, .zstd) that name them.
KINDS: dict[str, tuple[str, ...]] = {
    "warc": (".warc",),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet", ".pq"),
    "html": PAGE_SUFFIXES,
}
# Plain text is no page: only what works on any text reads it.
KINDS_AND_TEXT = {**KINDS, "text": TEXT_SUFFIXES}


def open_sources(
    inputs: Sequence[str],
    *,
    base_url: str | None = None,
    kind: str | None = None,
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES,
    text: bool = False,
) -> Source:
    """Open inputs as one source.

    Inputs keep their order; what a pattern matches and what a directory holds is sorted. A file
    that is named twice is read once.

    Parameters
    ----------
    inputs
        Files, directories, patterns (``*``, ``?``, ``[…]``, ``**``), or ``-`` for standard input:
        JSON Lines unless its first bytes say WARC or HTML. The kind of a file is told by its name;
        a directory holds HTML files, or files of the given ``kind``, and one whose name ends in
        ``.parquet`` holds Parquet files.
    base_url
        The URL of the directory that holds the HTML files (for files named one by one, of the
        directory that holds them all); by default its ``file:`` URL.
    kind
        ``"warc"``, ``"jsonl"``, ``"parquet"`` or ``"html"``, for all inputs, whatever their names.
    max_page_bytes
        The largest page in bytes; larger ones are skipped without being held in memory.
    text
        Whether plain text (``.txt``, ``kind="text"``) is read, too: each file gives a
        :class:`~detemplate.io.sources.textfiles.TextRecord`.

    Raises
    ------
    UserError
        An input is missing, unreadable, matches nothing or is of no known kind.
    """
    kinds = KINDS_AND_TEXT if text else KINDS
    if kind is not None and kind not in kinds:
        raise UserError(f"unknown input format {kind!r}; known are {', '.join(kinds)}")
    if max_page_bytes < 1:
        raise UserError(f"the largest page must have at least 1 byte, not {max_page_bytes}")
    if base_url is not None and "://" not in base_url:
        raise UserError(f"the base URL {base_url!r} is no absolute URL; write it like https://example.org/")
    if not inputs:
        raise UserError("no input; name files, directories, or - for standard input")
    names = list(dict.fromkeys(name for item in inputs for name in _expand(item)))
    opener = _Opener(base_url, kind, max_page_bytes, kinds)
    sources = opener.open_all(names)
    return sources[0] if len(sources) == 1 else ChainedSource(sources)


class _Opener:
    def __init__(
        self, base_url: str | None, kind: str | None, limit: int, kinds: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._base_url = base_url if base_url is None or base_url.endswith("/") else base_url + "/"
        self._kind = kind
        self._limit = limit
        self._kinds = kinds

    def open_all(self, names: Sequence[str]) -> list[Source]:
        kinds = {name: self._kind_of(name) for name in names if name != STDIN}
        named = [Path(name) for name, kind in kinds.items() if kind in {"html", "text"}]
        singles = [path for path in named if not path.is_dir()]
        # Files named one by one share the directory that holds them all, so that a list that the
        # shell made from a pattern keeps the paths below it.
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
            f"cannot tell from its name what {name} is; known are {_known(self._kinds)} "
            f"(each also with .gz or .zst); else say it with --input-format {'|'.join(self._kinds)}"
        )

    def _file(self, path: Path, kind: str, root: Path) -> Source:
        if not path.is_file():
            raise UserError(f"{path} is not a regular file; give it on standard input, as -")
        if kind == "parquet":
            return self._parquet(path)
        file = InputFile.from_path(path)
        if kind in {"html", "text"}:
            with file.open():  # a file that was named must be readable
                pass
            relative = os.path.relpath(_absolute(path), root)
            url = self._base(root) + quote(os.fsencode(relative))
            opened = TextFile if kind == "text" else HtmlFile
            return opened(file, url=url, relative=relative, max_page_bytes=self._limit)
        return self._stream(file, kind)

    def _stream(self, file: InputFile, kind: str) -> Source:
        if kind == "warc":
            from detemplate.io.sources.warc import WarcSource

            return WarcSource(file, max_page_bytes=self._limit)
        from detemplate.io.sources.jsonl import JsonlSource

        return JsonlSource(file, max_page_bytes=self._limit)

    def _parquet(self, path: Path) -> Source:
        from detemplate.io.sources.parquet import ParquetSource

        with path.open("rb"):  # pyarrow's words for a missing permission are no better than these
            pass
        return ParquetSource(path, max_page_bytes=self._limit)

    def _directory(self, path: Path, kind: str) -> list[Source]:
        if kind == "html":
            os.scandir(path).close()
            return [HtmlDirectory(path, base_url=self._base(path), max_page_bytes=self._limit)]
        files = sorted(
            file
            for file in path.rglob("*")
            # Spark and Hadoop put files whose names begin with _ or . beside the data.
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
        from detemplate.io.sources.warc import is_warc

        raw: BinaryIO = sys.stdin.buffer
        stream = InputStream(raw, track_members=True)
        kind = self._kind
        start = stream.peek(8)
        if kind is None and start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
            kind = "jsonl"  # told without waiting for more, so that a slow pipe is read as it comes
        if kind is None:
            start = stream.peek(SNIFF_SIZE)
            kind = "warc" if is_warc(start) else "html" if looks_like_html(start) else "jsonl"
            if start.startswith(b"PAR1"):
                kind = "parquet"
        if kind == "parquet":
            raise UserError("Parquet cannot be read from standard input; name the file")
        opener: Callable[[bool], InputStream] = lambda _track: stream  # noqa: E731
        file = InputFile(STDIN, opener, rereadable=False)
        if kind in {"html", "text"}:
            url = self._base_url or "file:///stdin"
            return (TextFile if kind == "text" else HtmlFile)(
                file, url=url, relative=None, max_page_bytes=self._limit
            )
        if kind == "warc" and start and not is_warc(stream.peek(64)):
            raise UserError("standard input is not a WARC file (it does not begin with 'WARC/')")
        return self._stream(file, kind)


def _absolute(path: Path) -> str:
    """Make a path absolute without resolving links: URLs should show what the user named."""
    return os.path.abspath(path)  # noqa: PTH100


def _expand(name: str) -> list[str]:
    """Expand a pattern; anything else must exist."""
    if name == STDIN or os.path.lexists(name):
        return [name]
    if glob.has_magic(name):
        found = sorted(glob.glob(name, recursive=True))  # noqa: PTH207  # patterns may be absolute
        # "**" matches directories, too; what is in them is matched by itself.
        found = [path for path in found if "**" not in name or not Path(path).is_dir()]
        if found:
            return found
        raise UserError(f"nothing matches {name}; check the pattern")
    raise UserError(f"{name} does not exist; check the path")


def _known(kinds: Mapping[str, tuple[str, ...]]) -> str:
    return ", ".join(suffix for suffixes in kinds.values() for suffix in suffixes)
