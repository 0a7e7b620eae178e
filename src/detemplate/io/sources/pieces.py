"""Files of this machine and of others, read in pieces, each by another process.

A WARC file is split by stored bytes: a piece has the records that begin in its range. This works for plain
files, and for gzip files with a member a record; of other gzip files the first piece has all records. A
Parquet file is split by its row groups. All other files are one piece.

A page may hold bytes that look like the beginning of a record. So each piece of a WARC file also tells where
the record after its last one begins; :func:`check_spans` compares that with the next piece.
"""

from __future__ import annotations

import io
import re
import zlib
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from detemplate.errors import MissingExtra, UserError
from detemplate.files.remote import (
    filesystem,
    folder_url,
    is_remote,
    local_parquet,
    local_path,
    opened,
    stored_size,
)
from detemplate.io.sources.base import UnreadableSource
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.decoders import GZIP_MAGIC, ZSTD_DICTIONARY_MAGIC, ZSTD_MAGIC
from detemplate.io.sources.fields import FieldNames, RecordMaker
from detemplate.io.sources.jsonl import JsonlSource
from detemplate.io.sources.kinds import KINDS, expanded, kind_of_name, listed
from detemplate.io.sources.pagefiles import files_below
from detemplate.io.sources.parquet import ParquetSource, group_spans
from detemplate.io.sources.warc import WarcSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from detemplate.io.record import Record, Skip


_START: Final = b"WARC/"  # first bytes of a record
_BEFORE: Final = b"\r\n\r\n"  # what ends the record before, in a file that is not compressed
_READ: Final = 1 << 20  # bytes per read
_LOOK: Final = 1 << 10  # stored bytes of a gzip member that show how its data begin
_HEAD: Final = 1 << 20  # largest WARC headers, in bytes

_LENGTH: Final = re.compile(rb"\r?\nContent-Length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
"""The header with the number of bytes of a record's block."""

_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")  # the end of a record's headers


def record_start(raw: BinaryIO, begin: int) -> int | None:
    """Return the offset of the first record at or after a place.

    Of a gzip file, that is the first member whose data begin like a record. Of a plain file, it is the first
    place that begins like a record, after the end of another one, and where another record, or the file's
    end, follows after as many bytes as its headers state.

    ``raw``: the stored file, which can seek.
    ``begin``: the place, in bytes.
    Returns: None if there is no such record.
    """
    raw.seek(0)
    if raw.read(2) == GZIP_MAGIC:
        mark = GZIP_MAGIC + b"\x08"
        return next((at for at in _marks(raw, mark, begin) if _is_member(raw, at)), None)
    mark = _BEFORE + _START
    found = (at + len(_BEFORE) for at in _marks(raw, mark, max(begin - len(_BEFORE), 0)))
    return next((at for at in found if _is_record(raw, at)), None)


def _marks(raw: BinaryIO, mark: bytes, begin: int) -> Iterator[int]:
    """Yield the offsets of some bytes, from a place on."""
    data, offset = b"", begin
    while True:
        raw.seek(offset + len(data))
        more = raw.read(_READ)
        if not more:
            return
        data += more
        at = data.find(mark)
        while at >= 0:
            yield offset + at
            at = data.find(mark, at + 1)
        kept = len(mark) - 1
        offset += max(len(data) - kept, 0)
        data = data[-kept:]


def _is_member(raw: BinaryIO, at: int) -> bool:
    """Tell whether a gzip member begins at an offset, whose data begin with a record."""
    raw.seek(at)
    try:
        return zlib.decompressobj(wbits=31).decompress(raw.read(_LOOK), len(_START)) == _START
    except zlib.error:
        return False


def _is_record(raw: BinaryIO, at: int) -> bool:
    """Tell whether a record begins at an offset, and another one, or the file's end, follows it."""
    raw.seek(at)
    head = raw.read(_HEAD)
    end = _HEAD_END.search(head)
    length = _LENGTH.search(head, 0, end.end() if end else 0)
    if end is None or length is None:
        return False
    after = at + end.end() + int(length[1])
    raw.seek(0, io.SEEK_END)
    if after > raw.tell():
        return False
    raw.seek(after)
    return raw.read(64).lstrip(b"\r\n").startswith(_START) or raw.tell() <= after + len(_BEFORE)


READ: Final = ("warc", "jsonl", "parquet")
"""Kinds of input that are read."""


class Piece(NamedTuple):
    """What one process reads of an input.

    ``path``, ``name``: the file, its path absolute, and as the user named it.
    ``begin``, ``end``: of WARC, offsets between which its records begin; of Parquet, numbers of row groups.
        ``end`` is None for a whole file.
    """

    path: str
    name: str
    begin: int = 0
    end: int | None = None


def input_files(inputs: Sequence[str], kind: str | None) -> list[str]:
    """Return the files that inputs name, in the order in which one machine reads them.

    ``inputs``: files, directories, patterns, or ``@FILE``, here or, with a scheme (``s3://``), on other
        machines.
    ``kind``: kind of all inputs; None: by their names.
    Raises UserError: nothing is named, or there is no such file, or it is of a kind that is not read here.
    """
    if kind is not None and kind not in READ:
        raise UserError(f"input format {kind!r} is not read on Spark; known are {', '.join(READ)}")
    names = [name for given in inputs for name in listed(given)]
    files = list(dict.fromkeys(file for name in names for file in _files_of(name, kind)))
    if not files:
        raise UserError("no input; name files, directories or patterns")
    for file in files:
        if (kind or kind_of_name(file, KINDS)) not in READ:
            raise UserError(
                f"{file} is not read on Spark, which reads {', '.join(READ)}; if it is one of these, say "
                "which with --input-format"
            )
    return files


def _files_of(name: str, kind: str | None) -> Iterator[str]:
    """Give the files of one name; of a directory, those that are read."""
    if not is_remote(name):
        for path in [local_path(name)] if name.startswith("file:") else expanded(name):
            if not Path(path).is_dir():
                yield path
                continue
            below = (getattr(entry, "path", None) for _, entry in files_below(Path(path)))
            found = [each for each in below if each is not None and _is_input(each, path, kind)]
            if not found:
                raise UserError(f"{path} holds no WARC, JSON Lines or Parquet files")
            yield from found
        return
    system, path = filesystem(name)
    try:
        found = sorted(system.glob(path) if any(mark in path for mark in "*?[") else system.find(path))
    except OSError as error:
        raise UserError(f"cannot read {name}: {error}") from error
    found = [each for each in found if each == path or _is_input(each, path, kind)]
    if not found:
        raise UserError(f"nothing is at {name}; check the path")
    yield from map(system.unstrip_protocol, found)


def _is_input(path: str, directory: str, kind: str | None) -> bool:
    """Tell whether a file in a directory is read: no marks of Spark's, no hidden files."""
    inner = path.removeprefix(directory.rstrip("/")).strip("/").split("/")
    found = kind_of_name(inner[-1], KINDS)
    return found in ([kind] if kind else READ) and not any(part.startswith(("_", ".")) for part in inner)


def pieces_of(files: Sequence[str], kind: str | None, size: int) -> list[Piece]:
    """Return the pieces of the files of :func:`input_files`.

    ``files``, ``kind``: the files, and the kind of all of them; None: by their names.
    ``size``: stored bytes of a piece, about; 0: each file is one.
    """
    return [piece for file in files for piece in _split(file, kind or kind_of_name(file, KINDS), size)]


def _split(name: str, kind: str | None, size: int) -> list[Piece]:
    """Split a file; one that cannot be read is one piece: who reads it tells what is wrong."""
    path, bounds = local_path(folder_url(name)), [0]
    try:
        total = stored_size(path) if size else 0
        if total > size and kind == "warc":
            with opened(path) as raw:
                if not raw.read(4).startswith((ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC)):
                    number = -(-total // size)
                    bounds = [total * part // number for part in range(number + 1)]
        elif total > size and kind == "parquet":
            with local_parquet(path, lambda _: ()) as copy:
                spans, begin = list(group_spans(copy)), 0
            for number, (_, end) in enumerate(spans, 1):
                if end - begin >= size or number == len(spans):
                    bounds.append(number)
                    begin = end
    except OSError:
        bounds = [0]
    return [Piece(path, name, *span) for span in pairwise(bounds)] or [Piece(path, name)]


class PieceItems:
    """The records and the skips of a piece.

    ``piece``: what is read.
    ``kind``, ``names``, ``max_page_bytes``: as for :func:`~detemplate.io.sources.open.open_sources`.
    ``span``: of a piece of a WARC file, after its last item: offsets of the first record at or after the
        begin of the piece, and at or after its end; None where there is none.
    """

    def __init__(self, piece: Piece, kind: str | None, names: FieldNames, max_page_bytes: int) -> None:
        self._piece = piece
        self._kind = kind or kind_of_name(piece.path, KINDS)
        place = piece.path if is_remote(piece.path) else Path(piece.path).as_uri()
        self._maker = RecordMaker(names, max_page_bytes, place)
        self.span: tuple[int | None, int | None] | None = None

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the piece."""
        try:
            for item in self._parquet() if self._kind == "parquet" else self._stream():
                if item.source is not None:
                    item.source.path = self._piece.name
                yield item
        except MissingExtra:
            raise
        except (UserError, OSError) as error:
            yield from UnreadableSource(self._piece.name, str(error))

    def _parquet(self) -> Iterator[Record | Skip]:
        path, _, begin, end = self._piece
        if end is None:
            with local_parquet(path) as copy:
                yield from ParquetSource(copy, self._maker)
            return
        with local_parquet(path, lambda footer: islice(group_spans(footer), begin, end)) as copy:
            yield from ParquetSource(copy, self._maker, (begin, end))

    def _stream(self) -> Iterator[Record | Skip]:
        path, _, begin, end = self._piece
        if self._kind != "warc":
            yield from JsonlSource(_file(path), self._maker)
            return
        if end is None:
            yield from WarcSource(_file(path), max_page_bytes=self._maker.limit)
            return
        with opened(path) as raw:
            first = record_start(raw, begin) if begin else 0
        if first is None or first >= end:
            self.span = first, first
            return
        self.span = first, None
        for item in WarcSource(_file(path, first), max_page_bytes=self._maker.limit):
            if item.source is not None:
                item.source.position += first
                if item.source.position >= end:
                    self.span = first, item.source.position
                    return
            yield item


def _file(path: str, first: int = 0) -> InputFile:
    """Return a file whose stream begins at an offset."""

    def stream(track_members: bool) -> InputStream:
        raw = opened(path)
        raw.seek(first)
        return InputStream(raw, track_members=track_members)

    return InputFile(path, stream, stored_size(path))


def check_spans(pieces: Sequence[Piece], spans: Mapping[int, Any]) -> None:
    """Raise UserError where a piece of a WARC file does not begin where the one before it ends."""
    for number, (one, other) in enumerate(pairwise(pieces)):
        before, after = spans[number], spans[number + 1]
        if one.path == other.path and before and after and before[1] != after[0]:
            raise UserError(
                f"{one.path} cannot be split near byte {other.begin:,}, where a page holds what looks like a "
                "record: read it as a whole with --split-size 0"
            )


def schema_of(files: Sequence[str], kind: str | None) -> Any:  # noqa: ANN401  # pyarrow has no types
    """Return the columns of the first Parquet file; none if there is none, or it cannot be read."""
    from detemplate.files.arrow import pa, pq

    try:
        for path in files:
            if (kind or kind_of_name(path, KINDS)) == "parquet":
                with local_parquet(path, lambda _: ()) as copy:
                    return pq.read_schema(copy)
    except (OSError, pa.ArrowException):
        pass  # who reads it tells what is wrong
    return pa.schema([])
