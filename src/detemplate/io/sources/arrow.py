"""A source of Arrow IPC files and streams, as data sets are cached."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from detemplate.io.sources.columnar import ColumnarSource

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC: Final = b"ARROW1"
"""First bytes of an Arrow file; a stream has none."""

_STREAM_START: Final = 8
"""Where the stream in an Arrow file begins."""

_ROWS: Final = 16
"""Rows that are converted at a time."""


class ArrowSource(ColumnarSource):
    """A source of the pages of one Arrow IPC file or stream, in row order.

    Which columns are the page and its URL, :class:`~detemplate.io.sources.fields.RecordMaker` says. The file
    is mapped into memory; of compressed files, one record batch is decompressed at a time.

    The parameters and the errors are those of :class:`~detemplate.io.sources.columnar.ColumnarSource`.
    """

    def _columns(self) -> list[str]:
        with self._open() as (_, columns):
            return columns

    def _batches(self) -> Iterator[tuple[Any, int]]:
        with self._open() as (batches, _):
            for batch, position in batches:
                batch.validate(full=True)  # hostile offsets would point outside the data
                for start in range(0, batch.num_rows, _ROWS):
                    yield batch.slice(start, _ROWS), position

    @contextmanager
    def _open(self) -> Iterator[tuple[Iterator[tuple[Any, int]], list[str]]]:
        """Give the record batches, each with the number of bytes read so far, and the columns' names."""
        from detemplate.files.arrow import pa

        try:
            with self._path.open("rb") as raw:
                is_file = raw.read(len(_MAGIC)) == _MAGIC
            mapped = pa.memory_map(str(self._path))
            try:
                reader = (pa.ipc.open_file if is_file else pa.ipc.open_stream)(mapped)
            except (pa.ArrowException, OSError):
                if not is_file:
                    raise
                # Without its end, a file has no index; but it is a stream, from here on.
                is_file = False
                mapped.seek(_STREAM_START)
                reader = pa.ipc.open_stream(mapped)
            columns = list(reader.schema.names)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._unreadable(error, "an Arrow file or stream") from error
        with mapped:
            yield (self._of_file(reader) if is_file else self._of_stream(reader, mapped)), columns

    def _of_file(self, reader: Any) -> Iterator[tuple[Any, int]]:  # noqa: ANN401
        count = reader.num_record_batches
        for number in range(count):
            yield reader.get_batch(number), (self.total_bytes or 0) * (number + 1) // count

    def _of_stream(self, reader: Any, mapped: Any) -> Iterator[tuple[Any, int]]:  # noqa: ANN401
        for batch in reader:
            yield batch, mapped.tell()
        if self.total_bytes is not None and mapped.tell() < self.total_bytes:
            raise ValueError(f"the stream ends at byte {mapped.tell()} of {self.total_bytes}")
