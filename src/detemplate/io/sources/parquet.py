"""Pages from Parquet files with the columns ``url`` and ``html``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.jsonl import record_from_fields

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BATCH_BYTES = 16 << 20
_BATCH_ROWS = 1000
_BATCH_ROWS_SHARED = 16
_BUFFER = 1 << 20


class ParquetSource:
    """The pages of one Parquet file, in row order.

    Columns ``url`` (text) and ``html`` (text or bytes), and, where there is one, ``site``; all
    other columns are carried as Python values. Rows are read in batches of about 16 MiB, never a
    row group whole; the library decompresses a data page (of the file, mostly 1 MB) whole.

    Parameters
    ----------
    path
        What to read; its text is the name under which records point back at it.
    max_page_bytes
        The largest page in bytes; larger ones give ``Skip("too large")``.

    Raises
    ------
    UserError
        The file is not Parquet, or has no such columns.
    """

    rereadable = True

    def __init__(self, path: Path, *, max_page_bytes: int) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self._path = path
        self._limit = max_page_bytes
        self._bytes_read = 0
        with self._open() as file:
            columns = file.schema_arrow.names
            missing = [name for name in ("url", "html") if name not in columns]
            if missing:
                raise UserError(
                    f"{path} has no column {' and no column '.join(map(repr, missing))}; "
                    f"its columns are {', '.join(map(repr, columns)) or 'none'}; rename them first"
                )

    @property
    def bytes_read(self) -> int:
        """About how many of the stored bytes were read in the current pass."""
        return self._bytes_read

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file from its beginning."""
        import pyarrow as pa  # type: ignore[import-untyped]

        self._bytes_read = 0
        row = 0
        try:
            with self._open() as file:
                rows = file.metadata.num_rows
                for number in range(file.num_row_groups):
                    size = _batch_rows(file.metadata.row_group(number))
                    # One group at a time: no batch holds rows of a good and of a corrupt one.
                    for batch in file.iter_batches(size, row_groups=[number], use_threads=False):
                        yield from self._batch(batch, row)
                        row += batch.num_rows
                        self._bytes_read = (self.total_bytes or 0) * row // max(rows, 1)
        except (pa.ArrowException, OSError, UserError) as error:
            detail = f"broke at row {row}: {_one_line(error)}"
            yield Skip("", "truncated", detail, SourceRef(str(self._path), row), rejected=True)

    def _open(self) -> Any:  # noqa: ANN401  # pyarrow has no types
        import pyarrow as pa
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        try:
            # Without a buffer size, pyarrow reads every column of a row group whole.
            return pq.ParquetFile(self._path, buffer_size=_BUFFER, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise UserError(
                f"{self._path} cannot be read as Parquet: {_one_line(error)}; "
                "if it is something else, say what with --input-format"
            ) from error

    def _batch(self, batch: Any, first: int) -> Iterator[Record | Skip]:  # noqa: ANN401
        import pyarrow as pa

        pages = batch.column("html")
        others = batch.drop_columns("html")
        try:
            rows: list[dict[str, Any] | None] = others.to_pylist()
        except (UnicodeDecodeError, pa.ArrowException, ValueError):
            rows = [None] * batch.num_rows  # one of them is broken: convert each by itself
        for number, fields in enumerate(rows):
            source = SourceRef(str(self._path), first + number)
            try:
                values = fields if fields is not None else others.slice(number, 1).to_pylist()[0]
                for name in ("url", "site"):
                    if isinstance(values.get(name), bytes):
                        values[name] = values[name].decode("utf-8")
                values["html"] = pages[number].as_py()
            except (UnicodeDecodeError, pa.ArrowException, ValueError) as error:
                detail = f"row {first + number}: {_one_line(error)}"
                yield Skip("", "bad record", detail, source, rejected=True)
                continue
            result = record_from_fields(values, self._limit, source)
            if isinstance(result, Skip) and result.reason == "bad record":
                result.detail = f"row {first + number}: {result.detail}"
            yield result


def _batch_rows(group: Any) -> int:  # noqa: ANN401
    """How many rows make a batch: about `_BATCH_BYTES`, by the row group's own figures."""
    rows: int = min(_BATCH_ROWS, _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1))
    columns = map(group.column, range(group.num_columns))
    if any(column.path_in_schema == "html" and column.has_dictionary_page for column in columns):
        # The figures count a page that many rows share once; read, it is there for each of them.
        rows = min(rows, _BATCH_ROWS_SHARED)
    return max(1, rows)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
