"""Open inputs by name, as one source."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

from detemplate.errors import MissingExtra, UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES, STDIN, ChainedSource, Source, UnreadableSource
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.fields import FieldNames, RecordMaker
from detemplate.io.sources.jsonl import JsonlSource
from detemplate.io.sources.kinds import (
    ARC,
    DUCKDB,
    HTML_SUFFIXES,
    IN_DIRECTORIES,
    KINDS,
    KINDS_AND_TEXT,
    SEEKED,
    SINGLE_PAGES,
    arc_refused,
    duckdb_refused,
    expanded,
    file_and_table,
    is_record_file,
    kind_of_name,
    kind_of_stream,
    listed,
    refuse_outputs,
    without_compression,
)
from detemplate.io.sources.pagefiles import HtmlDirectory, PageFile, files_below
from detemplate.io.sources.tables import CsvSource, SqliteSource
from detemplate.io.sources.warc import WarcSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def open_sources(
    inputs: Sequence[str],
    *,
    base_url: str | None = None,
    kind: str | None = None,
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES,
    names: FieldNames | None = None,
    text: bool = False,
    otherwise: str | None = None,
    outputs: Sequence[str | None] = (),
) -> Source:
    """Open inputs as one source.

    Inputs keep their order. The matches of a pattern and the files of a directory are sorted. An input that
    is named twice is read once. Of several inputs, one that cannot be read yields ``Skip("unreadable")``.

    ``inputs``: files, directories, patterns (``*``, ``?``, ``[…]``, ``**``), tables of databases
        (``crawl.sqlite:pages``), files that list inputs (``@list.txt``), or ``-`` for standard input. The
        name of a file tells its kind. A directory holds HTML files, files of other kinds
        (:data:`~detemplate.io.sources.kinds.IN_DIRECTORIES`), or both. Of standard input, the first bytes
        tell whether it is WARC, tar or HTML, else it is JSON Lines.
    ``base_url``: the URL of the directory that holds the HTML files; for files named one by one, of the
        deepest directory above all of them. By default, its ``file:`` URL.
    ``kind``: the kind of all inputs, whatever their names: one of :data:`KINDS`.
    ``max_page_bytes``: the largest page in bytes. Larger ones are skipped without being held in memory.
    ``names``: names of the fields of JSON objects and tables, where they are not guessed.
    ``text``: whether plain text (``.txt``, ``kind="text"``) is read as well. Each file yields a
        :class:`~detemplate.io.sources.pagefiles.TextRecord`.
    ``otherwise``: the kind of inputs of which neither name nor first bytes tell it; None: names that do not
        are errors, and standard input is JSON Lines.
    ``outputs``: what the run will write: none of it may be an input.
    Returns: all inputs in sequence.
    Raises UserError: an input is missing or of unknown kind, the only one is unreadable, a pattern matches
        nothing, or an output would replace an input.
    Raises MissingExtra: a kind of input needs a package that is not installed.
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
    found = list(dict.fromkeys(name for each in inputs for item in listed(each) for name in expanded(item)))
    refuse_outputs(found, outputs)
    if base_url is not None and not base_url.endswith("/"):
        base_url += "/"
    sources = _Opener(base_url, kind, max_page_bytes, names or FieldNames(), kinds, otherwise).open_all(found)
    return sources[0] if len(sources) == 1 else ChainedSource(sources)


@dataclass(frozen=True, slots=True)
class _Opener:
    """Opens inputs with the arguments of :func:`open_sources`."""

    base_url: str | None
    kind: str | None
    limit: int
    names: FieldNames
    kinds: Mapping[str, tuple[str, ...]]
    otherwise: str | None

    def open_all(self, names: Sequence[str]) -> list[Source]:
        """Open the inputs of these names, which exist."""
        kinds = {name: self._kind_of(name) for name in names if name != STDIN}
        named = [Path(name) for name, kind in kinds.items() if kind in SINGLE_PAGES]
        singles = [path for path in named if not path.is_dir()]
        # The shell may have expanded a pattern: files named one by one keep their paths below the
        # deepest directory above all of them.
        root = Path(os.path.commonpath([_absolute(path.parent) for path in singles] or ["/"]))
        sources: list[Source] = []
        for name in names:
            if name == STDIN:
                sources.append(self._stdin())
            elif Path(name).is_dir():
                sources += self._directory(Path(name), kinds[name], alone=len(names) == 1)
            else:
                sources.append(self._attempt(name, kinds[name], root, alone=len(names) == 1))
        return sources

    def _attempt(self, name: str, kind: str, root: Path, url: str | None = None, *, alone: bool) -> Source:
        """Open a file; one that cannot be read is an error if it is alone, else a source of one skip."""
        try:
            return self._file(name, kind, root, url)
        except MissingExtra:
            raise
        except (OSError, UserError) as error:
            if not alone:
                return UnreadableSource(name, getattr(error, "strerror", None) or str(error))
            if isinstance(error, UserError):
                raise
            raise UserError(
                f"cannot read {name}: {error.strerror or error}; check the path and its permissions"
            ) from error

    def _kind_of(self, name: str) -> str:
        if self.kind is not None:
            return self.kind
        path = Path(file_and_table(name)[0])
        kind = kind_of_name(path.name, self.kinds)
        if path.is_dir():
            return "parquet" if kind == "parquet" else "html"
        if kind is not None:
            return kind
        if path.name.lower().endswith(DUCKDB):
            raise duckdb_refused(path)
        if without_compression(path.name).lower().endswith(ARC):
            raise arc_refused(path)
        if self.otherwise is not None:
            return self.otherwise
        raise UserError(
            f"cannot tell the kind of {name} by its name; known are {_known(self.kinds)} "
            f"(each also with .gz or .zst); else name the kind with --input-format {'|'.join(self.kinds)}"
        )

    def _file(self, name: str, kind: str, root: Path, directory: str | None = None) -> Source:
        """Open a file; ``directory`` is the URL of the directory that the user named, if it is in one."""
        file_name, table = file_and_table(name)
        path = Path(file_name)
        if not path.is_file():
            raise UserError(f"{path} is not a regular file; redirect it to standard input and name -")
        with path.open("rb") as opened:  # fails now if the file is not readable
            if kind == "sqlite" and opened.read(12)[8:] == b"DUCK":
                raise duckdb_refused(path)
        place = Path(_absolute(path)).as_uri()
        maker = RecordMaker(self.names, self.limit, place, directory)
        if kind in SEEKED:
            return self._seeked(path, kind, table, maker, f"{place}/")
        relative = None
        if kind in SINGLE_PAGES:
            relative = os.path.relpath(_absolute(path), root)
            place = self._base(root) + quote(os.fsencode(relative))
        return self._stream(InputFile.from_path(path), kind, place, relative, maker)

    def _seeked(self, path: Path, kind: str, table: str | None, maker: RecordMaker, root: str) -> Source:
        """Open a file of a kind that is not read in one go; ``root`` is the URL of an archive's root."""
        if kind == "sqlite":
            return SqliteSource(path, maker, table)
        if kind == "parquet":
            from detemplate.io.sources.parquet import ParquetSource

            return ParquetSource(path, maker)
        if kind == "arrow":
            from detemplate.io.sources.arrow import ArrowSource

            return ArrowSource(path, maker)
        from detemplate.io.sources.archives import ZipSource, wacz_source

        if kind == "wacz":
            return wacz_source(path, max_page_bytes=self.limit)
        return ZipSource(path, base_url=self.base_url or root, max_page_bytes=self.limit)

    def _stream(
        self, file: InputFile, kind: str, place: str, relative: str | None, maker: RecordMaker
    ) -> Source:
        """Open what is read in one go, from its beginning; ``place`` is its URL."""
        if kind in SINGLE_PAGES:
            return PageFile(file, kind, url=place, relative=relative, max_page_bytes=self.limit)
        if kind == "warc":
            return WarcSource(file, max_page_bytes=self.limit)
        if kind == "tar":
            from detemplate.io.sources.archives import TarSource

            return TarSource(file, base_url=self.base_url or f"{place}/", max_page_bytes=self.limit)
        return (CsvSource if kind == "csv" else JsonlSource)(file, maker)

    def _directory(self, path: Path, kind: str, *, alone: bool) -> list[Source]:
        """Open a directory of HTML files and of files with records, or of files of a kind that is said."""
        place = Path(_absolute(path)).as_uri()
        if kind != "html":
            files = sorted(
                file
                for file in path.rglob("*")
                if is_record_file(file.name, self.kinds[kind]) and file.is_file()
            )
            if not files:
                raise UserError(
                    f"{path} holds no {kind} files (names ending in {', '.join(self.kinds[kind])})"
                )
            return [
                self._attempt(str(file), kind, path, place, alone=alone and len(files) == 1) for file in files
            ]
        try:
            os.scandir(path).close()
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}; check its permissions") from error
        suffixes = () if self.kind is not None else _suffixes_in(path)
        pages = HtmlDirectory(path, base_url=self.base_url, max_page_bytes=self.limit, leave=suffixes)
        inputs = [
            self._attempt(entry.path, self._kind_of(entry.path), path, place, alone=False)
            for _, entry in (files_below(path) if suffixes else ())
            if isinstance(entry, os.DirEntry) and is_record_file(entry.name, suffixes)
        ]
        return [pages, *inputs]

    def _base(self, directory: Path) -> str:
        return self.base_url or Path(_absolute(directory)).as_uri().rstrip("/") + "/"

    def _stdin(self) -> Source:
        if sys.stdin is None:
            raise UserError("standard input is closed; name files")
        raw: BinaryIO = sys.stdin.buffer
        stream = InputStream(raw, track_members=True)
        kind = kind_of_stream(stream, self.kind, self.otherwise or "jsonl")
        if kind != "warc":
            stream.forget_members()
        file = InputFile(STDIN, lambda _track: stream, rereadable=False)
        place = "file:///stdin"
        maker = RecordMaker(self.names, self.limit, place)
        url = self.base_url if self.base_url is not None and kind in SINGLE_PAGES else place
        return self._stream(file, kind, url, None, maker)


def _absolute(path: Path) -> str:
    """Make a path absolute without resolving links, so that URLs show the names that the user gave."""
    return os.path.abspath(path)  # noqa: PTH100


def _suffixes_in(directory: Path) -> tuple[str, ...]:
    """Return the suffixes of the files with records that are read in a directory; none if it has none."""
    first = len(IN_DIRECTORIES)
    pages = False
    for name, entry in files_below(directory):
        if isinstance(entry, os.DirEntry):
            pages = pages or without_compression(name).lower().endswith(HTML_SUFFIXES)
            first = next(
                (place for place in range(first) if is_record_file(entry.name, IN_DIRECTORIES[place])), first
            )
    offered = first == len(IN_DIRECTORIES) - 1 and pages
    return () if offered or first == len(IN_DIRECTORIES) else IN_DIRECTORIES[first]


def _known(kinds: Mapping[str, tuple[str, ...]]) -> str:
    return ", ".join(suffix for suffixes in kinds.values() for suffix in suffixes)
