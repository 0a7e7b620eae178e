"""A source of Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.arrowrows import batch_records, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.fields import RecordMaker

_BATCH_BYTES: Final = 16 << 20
"""Approximate size of a batch of rows, in bytes."""

_BATCH_ROWS: Final = 16
"""Maximum number of rows of a batch. Rows may share a page's HTML (dictionary encoding); each gets a copy."""

_BUFFER: Final = 1 << 20
"""Bytes per read."""


class ParquetSource:
    """A source of the pages of one Parquet file, in row order.

    Which columns are the page (text or bytes) and its URL,
    :class:`~detemplate.io.sources.fields.RecordMaker` says; the other columns are carried as Python values.
    Rows are read in batches of about 16 MiB, not by whole row groups. pyarrow decompresses whole data pages,
    mostly of 1 MB.

    Parameters
    ----------
    path
        The file, as the user named it.
    maker
        Makes records of rows.

    Raises
    ------
    UserError
        The file is not Parquet, or no column may hold a page.
    MissingExtra
        pyarrow is not installed.
    """

    rereadable = True

    def __init__(self, path: Path, maker: RecordMaker) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self._path = path
        self._maker = maker
        self._bytes_read = 0
        with self._open() as file:
            self._column = maker.names.columns(file.schema_arrow.names, str(path))

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
            with self._open() as file:
                rows = file.metadata.num_rows
                for number in range(file.num_row_groups):
                    size = _batch_rows(file.metadata.row_group(number))
                    # One group at a time, so that no batch mixes rows of a sound and of a corrupt group.
                    for batch in file.iter_batches(size, row_groups=[number], use_threads=False):
                        yield from batch_records(
                            batch, row, str(self._path), page=self._column, maker=self._maker
                        )
                        row += batch.num_rows
                        self._bytes_read = (self.total_bytes or 0) * row // max(rows, 1)
        except (pa.ArrowException, OSError, ValueError, UserError) as error:
            detail = f"broke at row {row}: {one_line(error)}"
            yield Skip("", "truncated", detail, SourceRef(str(self._path), row), rejected=True)

    def _open(self) -> Any:  # noqa: ANN401  # pyarrow has no types
        from detemplate.files.arrow import pa, pq

        try:
            # Without a buffer size, pyarrow reads every column of a row group whole.
            return pq.ParquetFile(self._path, buffer_size=_BUFFER, pre_buffer=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise UserError(
                f"{self._path} cannot be read as Parquet: {one_line(error)}; "
                "if it is something else, say what with --input-format"
            ) from error


def _batch_rows(group: Any) -> int:  # noqa: ANN401
    """Return the number of rows of a batch, by the size that the row group states.

    What a group states about its columns is not read: where that is damaged, pyarrow ends the process.
    """
    rows: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1, min(_BATCH_ROWS, rows))
