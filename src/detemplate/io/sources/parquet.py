"""A source of the rows of Parquet files.

A data page is decompressed whole, and a small file can hold pages of gigabytes. Their sizes stand in their
headers, which pyarrow does not show; and where what it shows of columns is damaged, it ends the process. So
the footer and the headers, which are Thrift structures, are read here before a row group. Damage is not
reported here: pyarrow does that.
"""

from __future__ import annotations

import os
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any, Final

from detemplate.files.arrow import pa, pq
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.arrow import ColumnarSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.fields import RecordMaker


_DEEPEST: Final = 32  # deepest nesting of a structure


class Struct:
    """A structure.

    ``data``: bytes that begin with it.
    ``at``: number of bytes read so far.
    Raises IndexError: reading: it is cut.
    Raises ValueError: reading: it is none.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def items(self, wanted: int) -> Iterator[Any]:
        """Yield the items of a list, a field of this structure, one at a time."""
        for field, kind in self._fields():
            if field == wanted and kind == 9:
                yield from self._list(1)
            else:
                self._value(kind, 1)

    def struct(self, depth: int) -> dict[int, Any]:
        """Return the fields of a structure by their numbers."""
        return {field: self._value(kind, depth + 1) for field, kind in self._fields()}

    def _fields(self) -> Iterator[tuple[int, int]]:
        field = 0
        while kind := self._byte():
            step = kind >> 4
            field = field + step if step else self._signed()
            yield field, kind & 15

    def _list(self, depth: int) -> Iterator[Any]:
        head = self._byte()
        count = head >> 4
        if count == 15:
            count = self._unsigned()
        if count > len(self._data):
            raise ValueError("a list that is longer than the file")
        for _ in range(count):
            yield self._byte() if head & 15 in {1, 2} else self._value(head & 15, depth)

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        value: Any = None  # of texts and fractions, and of truth values, which have no bytes
        if kind == 3:
            value = self._byte()
        elif kind in {4, 5, 6}:
            value = self._signed()
        elif kind in {7, 8}:
            self._skip(8 if kind == 7 else self._unsigned())
        elif kind in {9, 10}:
            value = list(self._list(depth + 1))
        elif kind == 12:
            value = self.struct(depth)
        elif kind not in {1, 2}:
            raise ValueError(f"unknown type {kind}")  # maps do not occur in Parquet
        return value

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self._data):
            raise IndexError(self.at)

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)


_BATCH_BYTES: Final = 16 << 20  # approximate size of a batch of rows, in bytes

_BATCH_ROWS: Final = 16
"""Maximum number of rows of a batch. Rows may share a page's HTML (dictionary encoding); each gets a copy."""

_UNFOLDED_BYTES: Final = 256 << 20  # maximum size of a batch in bytes whose rows share a value

_MOST_PAGE: Final = 256 << 20
"""Largest data page that is read, decompressed, in bytes.

Writers mostly make pages of 1 MB, and of 1,024 rows where these are longer.
"""

_MOST_PAGES: Final = 1 << 30
"""Largest sum of the largest data pages of all columns, decompressed, in bytes: they are read together."""

_BUFFER: Final = 1 << 20  # bytes per read


class ParquetSource(ColumnarSource):
    """A source of the pages of one Parquet file, in row order.

    Which columns are the page (text or bytes) and its URL,
    :class:`~detemplate.io.sources.fields.RecordMaker` says; the other columns are carried as Python values.
    Rows are read in batches of about 16 MiB, not by whole row groups. pyarrow decompresses whole data pages,
    mostly of 1 MB; a row group with a page of over 256 MiB, or whose columns together have pages of over
    1 GiB, yields ``Skip("too large")``.

    The errors are those of :class:`~detemplate.io.sources.arrow.ColumnarSource`.

    ``path``, ``maker``: as for ColumnarSource.
    ``groups``: row groups that are read: numbers of the first one and of the one after the last. None: all.
    """

    def __init__(self, path: Path, maker: RecordMaker, groups: tuple[int, int] | None = None) -> None:
        super().__init__(path, maker)
        self._groups = groups

    def _columns(self) -> list[str]:
        with self._open() as file:
            names: list[str] = file.schema_arrow.names
            return names

    def _items(self) -> Iterator[Record | Skip]:
        with self._open() as file:
            rows = file.metadata.num_rows
            begin, end = self._groups or (0, file.num_row_groups)
            self._row = sum(file.metadata.row_group(before).num_rows for before in range(begin))
            largest = chain(largest_pages(self._path), repeat((0, 0)))
            for number, (page, pages) in islice(enumerate(largest), begin, min(end, file.num_row_groups)):
                group = file.metadata.row_group(number)
                if page > _MOST_PAGE or pages > _MOST_PAGES:
                    what = f"a data page of {page} bytes"
                    if page <= _MOST_PAGE:
                        what = f"data pages of {pages} bytes, in {group.num_columns} columns"
                    why = f"rows {self._row} to {self._row + group.num_rows - 1}: {what}"
                    source = SourceRef(str(self._path), self._row)
                    yield Skip("", "too large", why, source, rejected=True)
                    self._row += group.num_rows
                    continue
                size = _batch_rows(group, pages)
                # One group at a time, so that no batch mixes rows of a sound and of a corrupt group.
                for batch in file.iter_batches(size, row_groups=[number], use_threads=False):
                    yield from self._records(batch)
                    self.bytes_read = (self.total_bytes or 0) * self._row // max(rows, 1)

    def _open(self) -> Any:  # noqa: ANN401  # pyarrow has no types
        try:
            # Without a buffer size, pyarrow reads every column of a row group whole.
            return pq.ParquetFile(self._path, buffer_size=_BUFFER, pre_buffer=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._unreadable(error, "Parquet") from error


def _batch_rows(group: Any, pages: int) -> int:  # noqa: ANN401
    """Return the number of rows of a batch, by the size that the row group states and its largest data pages.

    All rows may hold values as large as these pages, those of dictionaries. What a group states about its
    columns is not read: where that is damaged, pyarrow ends the process.
    """
    rows: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1, min(_BATCH_ROWS, rows, _UNFOLDED_BYTES // max(pages, 1)))


_HEADER: Final = 1 << 12  # bytes in which the header of a page is looked for first

_LONGEST_HEADER: Final = 1 << 24
"""Longest header of a page that is read, in bytes: it may hold the least and the greatest value."""

_ROW_GROUPS, _COLUMNS, _METADATA = 4, 1, 3
"""Fields: the footer's row groups, a group's columns, and a column's metadata."""

_STORED_SIZE, _DATA_AT, _DICTIONARY_AT = 7, 9, 11
"""Fields of a column's metadata: size in bytes, and offsets of the first data page and of the dictionary."""

_UNPACKED, _PACKED = 2, 3  # fields of a page's header: its size without and with compression, in bytes


def largest_pages(path: Path) -> Iterator[tuple[int, int]]:
    """Yield sizes of data pages of each row group, decompressed, in bytes.

    ``path``: the Parquet file. What is damaged counts as 0.
    Yields: the size of the group's largest page; the sum of the largest ones of all columns, which are in
        memory together.
    """
    for opened, size, columns in _groups(path):
        largest = [_largest(opened, column, size) for column in columns]
        yield max(largest, default=0), sum(largest)


def group_spans(path: Path) -> Iterator[tuple[int, int]]:
    """Yield the stored bytes of each row group: the offsets of the first one and of the one after the last.

    ``path``: the Parquet file, of which only the footer is read. It ends where that is damaged.
    """
    for _, size, columns in _groups(path):
        spans = [_span(column, size) for column in columns]
        yield min((begin for begin, _ in spans), default=size), max((end for _, end in spans), default=size)


def _groups(path: Path) -> Iterator[tuple[int, int, list[dict[int, Any]]]]:
    """Yield the open file, its size and the metadata of the columns of each row group."""
    opened = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(opened).st_size
        length = int.from_bytes(os.pread(opened, 4, size - 8), "little")
        footer = Struct(os.pread(opened, length, size - 8 - length) if length < size else b"")
        for group in footer.items(_ROW_GROUPS):
            yield opened, size, _columns(group)
    except (ValueError, IndexError):
        return
    finally:
        os.close(opened)


def _columns(group: Any) -> list[dict[int, Any]]:  # noqa: ANN401  # whatever the file holds
    """Return the metadata of a group's columns."""
    columns = group.get(_COLUMNS) if isinstance(group, dict) else None
    if not isinstance(columns, list):
        return []
    found = [column.get(_METADATA) for column in columns if isinstance(column, dict)]
    return [metadata for metadata in found if isinstance(metadata, dict)]


def _largest(opened: int, metadata: dict[int, Any], size: int) -> int:
    """Return the size of a column's largest page in bytes."""
    at, end = _span(metadata, size)
    largest = 0
    while 0 < at < end:
        header, length = _header(opened, at)
        unpacked, packed = header.get(_UNPACKED), header.get(_PACKED)
        if not (isinstance(unpacked, int) and isinstance(packed, int)) or packed < 0:
            break
        largest = max(largest, unpacked)
        at += length + packed
    return largest


def _span(metadata: dict[int, Any], size: int) -> tuple[int, int]:
    """Return the stored bytes of a column of a row group; the file's end where it does not say."""
    offsets = [metadata.get(field) for field in (_DATA_AT, _DICTIONARY_AT)]
    at = min((offset for offset in offsets if isinstance(offset, int) and offset > 0), default=size)
    stored = metadata.get(_STORED_SIZE)
    return at, min(size, at + stored) if isinstance(stored, int) else size


def _header(opened: int, at: int) -> tuple[dict[int, Any], int]:
    """Read the header of a page; give its fields and its length. Empty, if it is damaged."""
    size = _HEADER
    while size <= _LONGEST_HEADER:
        data = os.pread(opened, size, at)
        reader = Struct(data)
        try:
            return reader.struct(0), reader.at
        except ValueError:
            break
        except IndexError:
            if len(data) < size:
                break
        size *= 8
    return {}, 0
