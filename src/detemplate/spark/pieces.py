"""Pieces of inputs: a large file is read by several tasks.

A WARC file is split by stored bytes: a piece has the records that begin in its range. This works where a
record can be found from any place: in plain files, and in gzip files with a member for each record. Of other
gzip files the first piece has all records. A Parquet file is split by its row groups. All other files are one
piece.

Where the first record of a piece begins is found by how records begin. A page may hold bytes that look like
that. So each piece also tells where the record after its last one begins, and :func:`check_spans` compares
that with the next piece.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from detemplate.errors import UserError
from detemplate.files.hadoop import is_remote, local_path
from detemplate.io.sources.base import UnreadableSource
from detemplate.io.sources.compression import ZSTD_DICTIONARY_MAGIC, ZSTD_MAGIC, InputFile, InputStream
from detemplate.io.sources.fields import RecordMaker
from detemplate.io.sources.parquet import ParquetSource, group_spans
from detemplate.io.sources.warc import WarcSource
from detemplate.io.sources.warcstarts import record_start
from detemplate.spark.copies import filesystem, part_copy
from detemplate.spark.inputs import located, moved, opened
from detemplate.spark.reads import Reads, field_names, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from detemplate.io.record import Record, Skip
    from detemplate.io.sources.base import Source

_FIRST: Final = 4
"""First bytes of a file, which tell how it is compressed."""


_LEAST_SIZE: Final = 1 << 10
"""Smallest size of a piece, in bytes."""


class Piece(NamedTuple):
    """What one task reads of an input.

    Attributes
    ----------
    path
        The file.
    begin, end
        WARC: offsets of the first byte, and of the one after the last, at which its records begin. Parquet:
        numbers of the first row group, and of the one after the last. ``end`` is None for a whole file.
    name
        The file, as the user named it; empty: by its path.
    """

    path: str
    begin: int = 0
    end: int | None = None
    name: str = ""


class Span(NamedTuple):
    """Which records a piece of a WARC file has had.

    Attributes
    ----------
    first
        Offset of the first record at or after the begin of the piece; None if there is none.
    after
        Offset of the first record at or after its end; None if there is none.
    """

    first: int | None
    after: int | None


def check_split(size: int) -> None:
    """Refuse sizes of pieces that are no sizes; raises :class:`~detemplate.errors.UserError`."""
    if size and size < _LEAST_SIZE:
        raise UserError(
            f"pieces of large files have at least {_LEAST_SIZE:,} bytes, not {size:,}; 0: files are not split"
        )


def pieces_of(files: Sequence[str], reads: Reads, size: int) -> list[Piece]:
    """Split large files.

    Parameters
    ----------
    files
        From :func:`~detemplate.spark.inputs.input_files`.
    reads
        How they are read.
    size
        Stored bytes of a piece, about; 0: no file is split.
    """
    return [piece._replace(name=file) for file in files for piece in _split(located(file), reads, size)]


def _split(path: str, reads: Reads, size: int) -> list[Piece]:
    """Split a file; what cannot be read is one piece, whose task tells what is wrong."""
    kind = kind_of(path, reads)
    if not size or kind not in {"warc", "parquet"}:
        return [Piece(path)]
    try:
        total = _size(path)
        if total <= size:
            return [Piece(path)]
        bounds = _groups(path, size) if kind == "parquet" else _offsets(path, total, size)
    except OSError:
        return [Piece(path)]
    return [Piece(path, begin, end) for begin, end in pairwise(bounds)] or [Piece(path)]


def _offsets(path: str, total: int, size: int) -> list[int]:
    """Return the offsets at which a WARC file is split; none for one that is compressed with zstd."""
    with _raw(path) as raw:
        if raw.read(_FIRST).startswith((ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC)):
            return []
    number = -(-total // size)
    return [total * part // number for part in range(number + 1)]


def _groups(path: str, size: int) -> list[int]:
    """Return the numbers of the row groups at which a Parquet file is split."""
    bounds, begun = [0], 0
    with part_copy(path, None) as copy:
        spans = list(group_spans(Path(copy)))
    for number, (begin, end) in enumerate(spans):
        begun = begin if number == bounds[-1] else begun
        if end - begun >= size or number == len(spans) - 1:
            bounds.append(number + 1)
    return bounds


class PieceItems:
    """The records and the skips of a piece.

    Parameters
    ----------
    piece
        What is read.
    reads
        How.

    Attributes
    ----------
    span : Span or None
        Of a piece of a WARC file, after the last item.
    """

    def __init__(self, piece: Piece, reads: Reads) -> None:
        self._piece = piece
        self._reads = reads
        self.span: Span | None = None

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the piece."""
        for item in self._items():
            if self._piece.name and item.source is not None:
                item.source.path = self._piece.name
            yield item

    def _items(self) -> Iterator[Record | Skip]:
        piece, reads = self._piece, self._reads
        if piece.end is None:
            return iter(opened(piece.path, reads))
        if kind_of(piece.path, reads) == "parquet":
            return self._rows(piece.begin, piece.end)
        return self._records(piece.begin, piece.end)

    def _records(self, begin: int, end: int) -> Iterator[Record | Skip]:
        """Read the records of a WARC file that begin in a range."""
        path = self._piece.path
        after: int | None = None
        first: int | None = None
        try:
            with _raw(path) as raw:
                first = record_start(raw, begin) if begin else 0
            if first is None or first >= end:
                self.span = Span(first, first)
                return
            start = first

            def opener(track_members: bool) -> InputStream:
                raw = _raw(path)
                raw.seek(start)
                return InputStream(raw, track_members=track_members)

            source: Source = WarcSource(
                InputFile(local_path(path), opener), max_page_bytes=self._reads.max_page_bytes
            )
        except (OSError, UserError) as error:
            source = UnreadableSource(local_path(path), str(error))
            start = 0
        for item in source:
            at = start + (item.source.position if item.source is not None else 0)
            if at >= end:
                after = at
                break
            yield moved(item, local_path(path), at)
        self.span = Span(first, after)

    def _rows(self, begin: int, end: int) -> Iterator[Record | Skip]:
        """Read the rows of some row groups of a Parquet file."""
        path, reads = self._piece.path, self._reads
        with part_copy(path, (begin, end)) as copy:
            maker = RecordMaker(
                field_names(reads),
                reads.max_page_bytes,
                Path(local_path(path)).as_uri() if not is_remote(path) else path,
            )
            try:
                source: Source = ParquetSource(Path(copy), maker, (begin, end))
            except (OSError, UserError) as error:
                source = UnreadableSource(local_path(path), str(error))
            for item in source:
                yield moved(item, local_path(path), None)


def check_spans(pieces: Sequence[Piece], spans: Mapping[int, Iterable[Any]]) -> None:
    """Compare where the pieces of each WARC file end and begin.

    Parameters
    ----------
    pieces
        All pieces, in their order.
    spans
        What they told, by their numbers.

    Raises
    ------
    UserError
        A piece begins where the one before it does not end.
    """
    for number, (one, other) in enumerate(pairwise(pieces)):
        if one.path != other.path or number not in spans or number + 1 not in spans:
            continue
        before, after = Span(*spans[number]), Span(*spans[number + 1])
        if before.after != after.first:
            raise UserError(
                f"{one.path} cannot be split near byte {other.begin:,}, where a page holds what looks like a "
                "record: read it as a whole with --split-size 0"
            )


def _size(path: str) -> int:
    """Return the stored size of a file."""
    if not is_remote(path):
        return Path(local_path(path)).stat().st_size
    system, name = filesystem(path)
    return int(system.size(name) or 0)


def _raw(path: str) -> BinaryIO:
    """Open the stored bytes of a file."""
    if not is_remote(path):
        return Path(local_path(path)).open("rb")
    system, name = filesystem(path)
    found: BinaryIO = system.open(name, "rb", block_size=8 << 20)
    return found
