"""A source of Parquet files with the columns ``url`` and ``html``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.jsonl import record_from_fields

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BATCH_BYTES: Final = 16 << 20
"""Approximate size of a batch of rows, in bytes."""

_BATCH_ROWS: Final = 1000
"""Maximum number of rows of a batch."""

_BATCH_ROWS_SHARED: Final = 16
"""Maximum number of rows of a batch where rows may share a page's HTML (dictionary encoding)."""

_BUFFER: Final = 1 << 20
"""Bytes per read."""


class ParquetSource:
    """A source of the pages of one Parquet file, in row order.

    The columns are ``url`` (text), ``html`` (text or bytes) and optionally ``site``. All other columns are
    carried as Python values. Rows are read in batches of about 16 MiB, not by whole row groups. pyarrow
    decompresses whole data pages, mostly of 1 MB.

    Parameters
    ----------
    path
        The file, as the user named it.
    max_page_bytes
        The largest page in bytes. A larger one yields ``Skip("too large")``.

    Raises
    ------
    UserError
        The file is not Parquet, or one of these columns is missing.
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
                        yield from self._batch(batch, row)
                        row += batch.num_rows
                        self._bytes_read = (self.total_bytes or 0) * row // max(rows, 1)
        except (pa.ArrowException, OSError, UserError) as error:
            detail = f"broke at row {row}: {_one_line(error)}"
            yield Skip("", "truncated", detail, SourceRef(str(self._path), row), rejected=True)

    def _open(self) -> Any:  # noqa: ANN401  # pyarrow has no types
        from detemplate.files.arrow import pa, pq

        try:
            # Without a buffer size, pyarrow reads every column of a row group whole.
            return pq.ParquetFile(self._path, buffer_size=_BUFFER, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise UserError(
                f"{self._path} cannot be read as Parquet: {_one_line(error)}; "
                "if it is something else, say what with --input-format"
            ) from error

    def _batch(self, batch: Any, first: int) -> Iterator[Record | Skip]:  # noqa: ANN401
        from detemplate.files.arrow import pa

        pages = batch.column("html")
        others = batch.drop_columns("html")
        types = {field.name: field.type for field in others.schema}
        try:
            rows: list[dict[str, Any] | None] = others.to_pylist()
        except (UnicodeDecodeError, pa.ArrowException, ValueError):
            rows = [None] * batch.num_rows  # some row is broken: convert each row by itself below
        for number, fields in enumerate(rows):
            source = SourceRef(str(self._path), first + number, types=types)
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
    """Return the number of rows of a batch, by the sizes that the row group states."""
    rows: int = min(_BATCH_ROWS, _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1))
    columns = map(group.column, range(group.num_columns))
    if any(column.path_in_schema == "html" and column.has_dictionary_page for column in columns):
        # The stated size counts a shared page once; reading gives each row a copy.
        rows = min(rows, _BATCH_ROWS_SHARED)
    return max(1, rows)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
