"""A source of Arrow IPC files and streams, as data sets are cached."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.arrowrows import batch_records, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.fields import RecordMaker

_MAGIC: Final = b"ARROW1"
"""First bytes of an Arrow file; a stream has none."""

_STREAM_START: Final = 8
"""Where the stream in an Arrow file begins."""

_ROWS: Final = 16
"""Rows that are converted at a time."""


class ArrowSource:
    """A source of the pages of one Arrow IPC file or stream, in row order.

    Which columns are the page and its URL, :class:`~detemplate.io.sources.fields.RecordMaker` says. The file
    is mapped into memory; of compressed files, one record batch is decompressed at a time.

    Parameters
    ----------
    path
        The file, as the user named it.
    maker
        Makes records of rows.

    Raises
    ------
    UserError
        The file is not Arrow, or no column may hold a page.
    MissingExtra
        pyarrow is not installed.
    """

    rereadable = True

    def __init__(self, path: Path, maker: RecordMaker) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self._path = path
        self._maker = maker
        self._bytes_read = 0
        with self._open() as (_, columns):
            self._column = maker.names.columns(columns, str(path))

    @property
    def bytes_read(self) -> int:
        """Approximate number of stored bytes that the current pass has read."""
        return self._bytes_read

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file from its beginning."""
        from detemplate.files.arrow import pa

        self._bytes_read = 0
        row = 0
        try:
            with self._open() as (batches, _):
                for batch, position in batches:
                    batch.validate(full=True)  # hostile offsets would point outside the data
                    for start in range(0, batch.num_rows, _ROWS):
                        rows = batch.slice(start, _ROWS)
                        yield from batch_records(
                            rows, row, str(self._path), page=self._column, maker=self._maker
                        )
                        row += rows.num_rows
                    self._bytes_read = position
        except (pa.ArrowException, OSError, MemoryError, ValueError, UserError) as error:
            detail = f"broke at row {row}: {one_line(error)}"
            yield Skip("", "truncated", detail, SourceRef(str(self._path), row), rejected=True)

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
            raise UserError(
                f"{self._path} cannot be read as an Arrow file or stream: {one_line(error)}; "
                "if it is something else, say what with --input-format"
            ) from error
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
