"""Sources of Arrow IPC files and streams, read record batch by record batch.

The metadata of a batch, a FlatBuffer, say where its buffers are; each compressed buffer begins with its own
size without compression. pyarrow allocates as much as stands there. It shows neither, so both are read here
before a batch is decompressed (https://arrow.apache.org/docs/format/Columnar.html,
https://flatbuffers.dev/internals/).
"""

from __future__ import annotations

import itertools
import struct
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.errors import UserError
from detemplate.files.arrow import pa
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import broken, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.fields import RecordMaker


class ColumnarSource:
    """The base of sources of the rows of one file that pyarrow reads.

    What cannot be read ends the file: it yields everything before, then one ``Skip("truncated")``.

    ``path``: the file, as the user named it.
    ``maker``: makes records of rows.
    Raises UserError: the file is of another format, or no column may hold a page.
    Raises MissingExtra: pyarrow is not installed.
    """

    rereadable = True

    def __init__(self, path: Path, maker: RecordMaker) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self.bytes_read = 0
        self._path = path
        self._maker = maker
        self._row = 0  # number of the next row
        self._column = maker.names.columns(self._columns(), str(path))

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file."""
        self.bytes_read = self._row = 0
        try:
            yield from self._items()
        except (pa.ArrowException, OSError, MemoryError, ValueError, UserError) as error:
            yield broken(str(self._path), self._row, f"broke at row {self._row}: {one_line(error)}")

    def _columns(self) -> list[str]:
        """Return the names of the columns."""
        raise NotImplementedError

    def _items(self) -> Iterator[Record | Skip]:
        """Yield the items of all batches, and count the rows and the stored bytes."""
        raise NotImplementedError

    def _unreadable(self, error: Exception, kind: str) -> UserError:
        """Return the error of a file that is not of this kind."""
        return UserError(
            f"{self._path} cannot be read as {kind}: {one_line(error)}; "
            "if it is something else, say what with --input-format"
        )

    def _records(self, batch: Any) -> Iterator[Record | Skip]:  # noqa: ANN401  # pyarrow has no types
        """Make records of the rows of a record batch."""
        # Dates beyond year 9999, unknown time zones, texts that are no UTF-8, values nested too deeply …
        odd = (pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
        longest = 6 * self._maker.limit + (1 << 20)  # as long as a line of JSON may be
        large = _large_rows(batch, longest)
        pages = batch.column(self._column)
        others = batch.drop_columns(self._column)
        types = {field.name: field.type for field in others.schema}
        try:
            rows = others.to_pylist() if large is None else [None] * batch.num_rows
        except odd:
            rows = [None] * batch.num_rows  # some row is broken: convert each row by itself below
        for number, fields in enumerate(rows):
            source = SourceRef(str(self._path), self._row + number, types=types)
            where = f"row {source.position}"
            if large is not None and large[number]:
                detail = f"{where}: a row of over {longest} bytes"
                yield Skip("", "too large", detail, source, rejected=True)
                continue
            try:
                values = fields if fields is not None else others.slice(number, 1).to_pylist()[0]
                values[self._column] = pages[number].as_py()
            except odd as error:
                yield Skip("", "bad record", f"{where}: {one_line(error)}", source, rejected=True)
                continue
            yield self._maker.record(values, source, where)
        self._row += batch.num_rows


def _large_rows(batch: Any, most: int) -> list[bool] | None:  # noqa: ANN401
    """Tell which rows are larger than this, in bytes; None if the batch is not. Dictionaries do not count."""
    columns = [column for column in batch.columns if not pa.types.is_dictionary(column.type)]
    if sum(column.nbytes for column in columns) <= most:
        return None
    return [
        sum(column.slice(number, 1).nbytes for column in columns) > most for number in range(batch.num_rows)
    ]


_MAGIC: Final = b"ARROW1"  # first bytes of an Arrow file; a stream has none
_STREAM_START: Final = 8  # where the stream in an Arrow file begins
_ROWS: Final = 16  # rows that are converted at a time
_MOST_BATCH: Final = 256 << 20  # bytes that any compressed batch may have without compression

_MOST_RATIO: Final = 64
"""Times its stored size that a larger one may have. Batches of pages of one site, in zstd, have up to 20."""


class ArrowSource(ColumnarSource):
    """A source of the pages of one Arrow IPC file or stream, in row order.

    Which columns are the page and its URL, :class:`~detemplate.io.sources.fields.RecordMaker` says. The file
    is mapped into memory; of compressed files, one record batch is decompressed at a time.

    The parameters and the errors are those of :class:`~detemplate.io.sources.arrow.ColumnarSource`.
    """

    def _columns(self) -> list[str]:
        with self._open() as (_, columns):
            return columns

    def _items(self) -> Iterator[Record | Skip]:
        with self._open() as (batches, _):
            for batch in batches:
                if isinstance(batch, Skip):
                    yield batch
                    return  # how many rows there are is not known
                batch.validate(full=True)  # hostile offsets would point outside the data
                for start in range(0, batch.num_rows, _ROWS):
                    yield from self._records(batch.slice(start, _ROWS))

    @contextmanager
    def _open(self) -> Iterator[tuple[Iterator[Any], list[str]]]:
        """Yield the record batches and the columns' names."""
        try:
            with self._path.open("rb") as raw:
                start = _STREAM_START if raw.read(len(_MAGIC)) == _MAGIC else 0
            mapped = pa.memory_map(str(self._path))
            wanted: int | None = None
            if start:
                with suppress(pa.ArrowException, OSError):  # without its end, a file has no index
                    wanted = pa.ipc.open_file(mapped).num_record_batches
            # A file is read as the stream in it: its index could point to what was not measured.
            mapped.seek(start)
            reader = pa.ipc.open_stream(mapped)
            columns = list(reader.schema.names)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._unreadable(error, "an Arrow file or stream") from error
        with mapped:
            yield self._measured(reader, mapped, start, wanted), columns

    def _measured(self, reader: Any, mapped: Any, start: int, wanted: int | None) -> Iterator[Any]:  # noqa: ANN401
        """Yield the batches up to the first that is too large; ``wanted`` is their number, if it is known."""
        sizes = self._sizes(start)
        for number in itertools.count():
            for dictionary, why in sizes:
                if why is not None:
                    what = "a dictionary" if dictionary else f"batch {number}"
                    source = SourceRef(str(self._path))
                    yield Skip("", "too large", f"{what} of {why}", source, rejected=True)
                    return
                if not dictionary:
                    break
            batch = next(reader, None)
            if batch is None:
                break
            self.bytes_read = mapped.tell()
            yield batch
        if wanted is not None and number < wanted:
            raise ValueError(f"only {number} of {wanted} record batches could be read")
        if wanted is None and self.total_bytes is not None and mapped.tell() < self.total_bytes:
            raise ValueError(f"the stream ends at byte {mapped.tell()} of {self.total_bytes}")
        self.bytes_read = self.total_bytes or 0

    def _sizes(self, start: int) -> Iterator[tuple[bool, str | None]]:
        """Yield for each message whether it is a dictionary, and why it is not read, if so."""
        with pa.memory_map(str(self._path)) as mapped:
            mapped.seek(start)
            for dictionary, stored, size in _unpacked_sizes(mapped):
                large = size > max(_MOST_BATCH, _MOST_RATIO * stored)
                yield dictionary, f"{stored} bytes that would unfold to {size}" if large else None


_DICTIONARY: Final = "dictionary"
"""A kind of messages, as pyarrow names it: values that record batches refer to."""

_KINDS: Final = ("record batch", _DICTIONARY)  # kinds of messages that hold data
_HEADER: Final = 2  # field of a message: its content
_DATA: Final = 1  # field of a dictionary: the record batch with its values
_BUFFERS, _COMPRESSION = 2, 3  # fields of a record batch: where its buffers are, and how they are compressed
_PREFIX: Final = 8  # bytes before a compressed buffer: its size without compression


def _unpacked_sizes(source: Any) -> Iterator[tuple[bool, int, int]]:  # noqa: ANN401  # pyarrow has no types
    """Yield of each batch: whether it is a dictionary, its stored bytes, its unpacked bytes (0: the same)."""
    messages = pa.ipc.MessageReader.open_stream(source)
    while True:
        try:
            message = messages.read_next_message()
        except (StopIteration, pa.ArrowException, OSError, ValueError):
            return
        if message.type not in _KINDS:
            continue
        dictionary = message.type == _DICTIONARY
        try:
            size = _unpacked(memoryview(message.metadata), memoryview(message.body), dictionary=dictionary)
        except (struct.error, IndexError, ValueError):
            return
        yield dictionary, message.body.size, size


def _unpacked(metadata: memoryview, body: memoryview, *, dictionary: bool) -> int:
    at = _field(metadata, _unsigned(metadata, 0), _HEADER)  # the root is as far away as the first bytes say
    if dictionary:
        at = _field(metadata, at, _DATA)
    if not at or not _field(metadata, at, _COMPRESSION):
        return 0
    vector = _field(metadata, at, _BUFFERS)
    if not vector:
        return 0
    count = _unsigned(metadata, vector)
    buffers = np.frombuffer(metadata, "<i8", 2 * count, vector + 4).reshape(-1, 2)
    total = 0
    for start, length in buffers.tolist():
        if length >= _PREFIX and 0 <= start <= len(body) - _PREFIX:
            size = struct.unpack_from("<q", body, start)[0]
            total += size if size >= 0 else length  # -1: this buffer is not compressed
    return total


def _unsigned(data: memoryview, at: int) -> int:
    found: int = struct.unpack_from("<I", data, at)[0]
    return found


def _field(data: memoryview, table: int, number: int) -> int:
    """Return where the object is that a field of a table points to; 0 if the table lacks the field."""
    shape = table - struct.unpack_from("<i", data, table)[0]
    entry = 4 + 2 * number
    if table <= 0 or shape < 0 or entry >= struct.unpack_from("<H", data, shape)[0]:
        return 0
    offset = struct.unpack_from("<H", data, shape + entry)[0]
    if not offset:
        return 0
    at = table + offset
    return int(at + _unsigned(data, at))
