"""A sink that writes Parquet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from detemplate.files.atomicparquet import BufferedParquet
from detemplate.io.sinks.arrowrows import ArrowRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.io.record import Record


class ParquetSink(BufferedParquet):
    """A zstd-compressed Parquet file with one row per page, its columns as of :class:`ArrowRows`.

    A row group has at most 10,000 rows or about 32 MiB.

    Parameters
    ----------
    output
        The file.
    formats
        ``"text"``, ``"html"``, ``"markdown"``: the columns that hold the pages' texts.

    Raises
    ------
    UserError
        The file cannot be created.
    MissingExtra
        pyarrow is not installed.
    """

    def __init__(self, output: str, *, formats: Sequence[str]) -> None:
        self._rows = ArrowRows(formats, storable=_storable)
        super().__init__(output)

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Add one row; raises UserError if a row group cannot be written."""
        if self._rows.add(row, record):
            self._flush()

    def _flush(self) -> None:
        self._file.write(self._rows.take())


def _storable(kind: Any) -> bool:  # noqa: ANN401  # pyarrow is not typed
    """Return whether Parquet can hold an Arrow type; it has no unions, for example."""
    from detemplate.files.arrow import pa, pq

    try:
        pq.write_table(pa.schema([("x", kind)]).empty_table(), io.BytesIO())
    except (pa.ArrowException, NotImplementedError, ValueError):
        return False
    return True
