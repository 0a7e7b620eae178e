"""The inputs of a run on Spark, by name or URL; large files in pieces. Each piece is read by one task.

A WARC file is split by stored bytes: a piece has the records that begin in its range. This works for plain
files, and for gzip files with a member a record; of other gzip files the first piece has all records. A
Parquet file is split by its row groups. All other files are one piece.

A page may hold bytes that look like the beginning of a record. So each piece of a WARC file also tells where
the record after its last one begins; :func:`check_spans` compares that with the next piece.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from detemplate.errors import MissingExtra, UserError
from detemplate.files.arrow import pa, pq
from detemplate.files.hadoop import folder_url, is_remote, local_path
from detemplate.io.sources.base import UnreadableSource
from detemplate.io.sources.compression import ZSTD_DICTIONARY_MAGIC, ZSTD_MAGIC, InputFile, InputStream
from detemplate.io.sources.fields import FieldNames, RecordMaker
from detemplate.io.sources.htmlfiles import files_below
from detemplate.io.sources.inputnames import expanded, listed
from detemplate.io.sources.jsonl import JsonlSource
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.io.sources.parquet import ParquetSource, group_spans
from detemplate.io.sources.warc import WarcSource
from detemplate.io.sources.warcstarts import record_start
from detemplate.run.tablerecords import Columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from detemplate.io.record import Record, Skip
    from detemplate.io.sources.base import Source
    from detemplate.spark.job import SparkJob

READ: Final = ("warc", "jsonl", "parquet")
"""Kinds of input that are read."""

_BLOCK: Final = 8 << 20  # bytes that are read of a file at once
_TABLE_ROWS: Final = 16  # rows of a table that are read at once


class Piece(NamedTuple):
    """What one task reads of an input.

    Attributes
    ----------
    path, name
        The file, its path absolute, and as the user named it.
    begin, end
        WARC: offsets between which its records begin. Parquet: numbers of the first row group, and of the one
        after the last. ``end`` is None for a whole file.
    """

    path: str
    name: str
    begin: int = 0
    end: int | None = None


def input_files(inputs: Sequence[str], kind: str | None) -> list[str]:
    """Return the files that inputs name, in the order in which one machine reads them.

    Parameters
    ----------
    inputs
        Files, directories, patterns, or ``@FILE``; with a scheme (``s3://``, ``gs://``, ``hdfs://``) where
        they are not on this machine.
    kind
        Kind of all inputs; None: by their names.

    Raises
    ------
    UserError
        Nothing is named, or there is no such file, or it is of a kind that is not read here.
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


def _files_of(name: str, kind: str | None) -> list[str]:
    """Return the files of one name; of a directory those that are read, in the order of one machine."""
    if is_remote(name):
        system, path = _filesystem(name)
        try:
            found = sorted(system.glob(path) if any(mark in path for mark in "*?[") else system.find(path))
            found = [each for each in found if each == path or _is_input(each, path, kind)]
        except OSError as error:
            raise UserError(f"cannot read {name}: {error}") from error
        if not found:
            raise UserError(f"nothing is at {name}; check the path")
        return [system.unstrip_protocol(each) for each in found]
    files = []
    for path in [local_path(name)] if name.startswith("file:") else expanded(name):
        below = [path]
        if Path(path).is_dir():
            every = (getattr(entry, "path", "") for _, entry in files_below(Path(path)))
            below = [each for each in every if each and _is_input(each, path, kind)]
            if not below:
                raise UserError(f"{path} holds no WARC, JSON Lines or Parquet files")
        files += below
    return files


def _is_input(path: str, directory: str, kind: str | None) -> bool:
    """Tell whether a file in a directory is read: no marks of Spark's, no hidden files."""
    inner = path.removeprefix(directory.rstrip("/")).strip("/").split("/")
    found = kind_of_name(inner[-1], KINDS)
    return found in ([kind] if kind else READ) and not any(part.startswith(("_", ".")) for part in inner)


def pieces_of(files: Sequence[str], job: SparkJob) -> list[Piece]:
    """Return the pieces of the files of :func:`input_files`; files up to ``split_size`` are one piece."""
    return [piece for file in files for piece in _split(file, job)]


def _split(name: str, job: SparkJob) -> list[Piece]:
    """Split a file; one that cannot be read is one piece, whose task tells what is wrong."""
    path, bounds = local_path(folder_url(name)), [0]
    kind, least = job.kind or kind_of_name(path, KINDS), job.split_size
    try:
        total = _size(path) if least else 0
        if total > least and kind == "warc":
            with _opened(path) as raw:
                if not raw.read(4).startswith((ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC)):
                    number = -(-total // least)
                    bounds = [total * part // number for part in range(number + 1)]
        elif total > least and kind == "parquet":
            with _opened(path) as raw:
                footer = pq.read_metadata(raw)
            sizes = [footer.row_group(number).total_byte_size for number in range(footer.num_row_groups)]
            size = 0
            for number, each in enumerate(sizes, 1):
                size += each
                # The footer has sizes without compression.
                if size * total >= least * sum(sizes) or number == len(sizes):
                    bounds.append(number)
                    size = 0
    except (OSError, pa.ArrowException):
        bounds = [0]
    return [Piece(path, name, *span) for span in pairwise(bounds)] or [Piece(path, name)]


class PieceItems:
    """The records and the skips of a piece.

    Parameters
    ----------
    piece, job
        What is read, and how.

    Attributes
    ----------
    span : tuple or None
        Of a piece of a WARC file, after its last item: offsets of the first record at or after the begin of
        the piece, and at or after its end; None where there is none.
    """

    def __init__(self, piece: Piece, job: SparkJob) -> None:
        self._piece, self._job = piece, job
        self.span: tuple[int | None, int | None] | None = None

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the piece."""
        job, kind = self._job, self._job.kind or kind_of_name(self._piece.path, KINDS)
        read = self._table if job.table is not None else self._parquet if kind == "parquet" else self._stream
        try:
            for item in read(kind):
                if item.source is not None:
                    item.source.path = self._piece.name
                yield item
        except MissingExtra:
            raise
        except (UserError, OSError) as error:
            yield from UnreadableSource(self._piece.name, str(error))

    def _stream(self, kind: str | None) -> Iterator[Record | Skip]:
        """Read JSON Lines, or a WARC file, or the records of that which begin in a range."""
        path, _, begin, end = self._piece
        file = InputFile(path, lambda track: InputStream(_opened(path), track_members=track), _size(path))
        if kind != "warc":
            yield from JsonlSource(file, self._maker())
            return
        source: Source = WarcSource(file, max_page_bytes=self._job.max_page_bytes)
        if end is not None:
            with _opened(path) as raw:
                first = record_start(raw, begin) if begin else 0
            self.span = first, first
            if first is None or first >= end:
                return
            source.start_at([[first, first, 0, 0, 0], 0, 0])
            self.span = first, None
        for item in source:
            at = item.source.position if item.source is not None else 0
            if end is not None and at >= end:
                self.span = first, at
                return
            yield item

    def _parquet(self, _: str | None) -> Iterator[Record | Skip]:
        """Read a Parquet file, or some of its row groups."""
        path, _, begin, end = self._piece
        groups = None if end is None else (begin, end)
        with _copied(path, groups) as copy:
            yield from ParquetSource(Path(copy), self._maker(), groups)

    def _table(self, _: str | None) -> Iterator[Record]:
        """Read the rows of a table that Spark wrote; each record carries its row."""
        with _copied(self._piece.path) as copy, pq.ParquetFile(copy) as file:
            columns = Columns(file.schema_arrow.names, *(self._job.table or ()))
            rows = (row for batch in file.iter_batches(_TABLE_ROWS) for row in batch.to_pylist())
            for number, row in enumerate(rows):
                record = columns.record(row, number)
                record.carried = row
                yield record

    def _maker(self) -> RecordMaker:
        job, path = self._job, self._piece.path
        names = FieldNames(job.url, job.html, job.id)
        return RecordMaker(names, job.max_page_bytes, path if is_remote(path) else Path(path).as_uri())


def check_spans(pieces: Sequence[Piece], spans: Mapping[int, Any]) -> None:
    """Check that each piece of a WARC file begins where the one before it ends; ``spans`` by piece number.

    Raises
    ------
    UserError
        One does not.
    """
    for number, (one, other) in enumerate(pairwise(pieces)):
        before, after = spans[number], spans[number + 1]
        if one.path == other.path and before and after and before[1] != after[0]:
            raise UserError(
                f"{one.path} cannot be split near byte {other.begin:,}, where a page holds what looks like a "
                "record: read it as a whole with --split-size 0"
            )


def first_schema(pieces: Sequence[Piece], job: SparkJob) -> pa.Schema:
    """Return the columns of the first Parquet input; none if there is none, or it cannot be read."""
    for piece in pieces:
        if (job.kind or kind_of_name(piece.path, KINDS)) == "parquet":
            try:
                with _opened(piece.path) as raw:
                    return pq.read_schema(raw)
            except (OSError, pa.ArrowException):
                break  # its task tells what is wrong
    return pa.schema([])


@contextmanager
def _copied(path: str, groups: tuple[int, int] | None = None) -> Iterator[str]:
    """Give the path of a Parquet file, or of a copy of a remote one, which has holes for other row groups."""
    if not is_remote(path):
        yield path
        return
    system, name = _filesystem(path)
    with tempfile.TemporaryDirectory(prefix="detemplate-") as folder:
        copy, size = Path(folder) / "input.parquet", _size(path)
        with copy.open("wb") as target:

            def take(begin: int, end: int) -> None:
                target.seek(begin)
                for at in range(begin, end, _BLOCK):
                    target.write(system.cat_file(name, at, min(at + _BLOCK, end)))
                target.flush()

            footer = int.from_bytes(system.cat_file(name, max(size - 8, 0), size)[:4], "little")
            take(max(size - 8 - footer, 0) if groups else 0, size)
            for span in list(group_spans(copy))[slice(*groups)] if groups else ():
                take(*span)
        yield str(copy)


def _size(path: str) -> int:
    system, name = _filesystem(path)
    return int(system.size(name) or 0)


def _opened(path: str) -> BinaryIO:
    """Open the stored bytes of a file."""
    system, name = _filesystem(path)
    found: BinaryIO = system.open(name, "rb", block_size=_BLOCK)
    return found


def _filesystem(name: str) -> tuple[Any, str]:
    """Return the file system of a path or URL, and the path in it (fsspec)."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra("reading files on Spark", "spark") from error
    try:
        return fsspec.core.url_to_fs(name)  # type: ignore[no-any-return]
    except (ValueError, ImportError) as error:
        raise UserError(f"cannot read {name}: {error}") from error
