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

from detemplate.files.arrow import pa
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.columnar import ColumnarSource

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    The parameters and the errors are those of :class:`~detemplate.io.sources.columnar.ColumnarSource`.
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
