"""Pages from Parquet files with the columns ``url`` and ``html``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.errors import UserError
from detemplate.io.jsonl import record_from_fields
from detemplate.io.record import Record, Skip, SourceRef

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BATCH_BYTES = 16 << 20
_BATCH_ROWS = 1000
_BUFFER = 1 << 20


class ParquetSource:
    """The pages of one Parquet file, in row order.

    Columns ``url`` (text) and ``html`` (text or bytes), and, where there is one, ``site``; all
    other columns are carried as Python values. Rows are read in batches of about 16 MiB, never a
    row group whole.

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
                for batch in file.iter_batches(batch_size=_batch_rows(file.metadata), use_threads=False):
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
            metadata = pq.read_metadata(self._path)
            return pq.ParquetFile(
                self._path,
                metadata=metadata,
                # Without a buffer size, pyarrow reads every column of a row group whole.
                buffer_size=_BUFFER,
                pre_buffer=False,
                # A page that is stored once for many rows must not be unfolded for all of them.
                read_dictionary=["html"] if _has_dictionary(metadata, "html") else None,
            )
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


def _has_dictionary(metadata: Any, name: str) -> bool:  # noqa: ANN401
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for index in range(group.num_columns):
            column = group.column(index)
            if column.path_in_schema == name and column.has_dictionary_page:
                return True
    return False


def _batch_rows(metadata: Any) -> int:  # noqa: ANN401
    """How many rows make a batch: about `_BATCH_BYTES`, by the row groups' own figures."""
    widest = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        widest = max(widest, group.total_byte_size // max(group.num_rows, 1))
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(widest, 1)))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
