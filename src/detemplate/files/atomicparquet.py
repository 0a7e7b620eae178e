"""Parquet files that appear whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from detemplate.files.atomic import AtomicFile, writing


class AtomicParquet(AtomicFile):
    """A Parquet file, written row group by row group, that takes its name only when it is whole."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self._writer: Any = None

    def write(self, table: Any) -> None:  # noqa: ANN401  # pyarrow is not typed
        """Write an Arrow table as a row group, zstd-compressed; raises UserError when the disk refuses it.

        The first one gives the file its schema; one without rows gives nothing else.
        """
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        with writing(self.output):
            if self._writer is None:
                self._writer = pq.ParquetWriter(self.file, table.schema, compression="zstd")
            if len(table):
                self._writer.write_table(table)

    def commit(self) -> None:
        """Close the file, which has its schema, and give it its name; raises UserError when that fails."""
        with writing(self.output):
            self._writer.close()
        super().commit()

    def discard(self) -> None:
        """Remove what was written."""
        if self._writer is not None:
            with suppress(Exception):  # the disk that failed before fails again
                self._writer.close()
        super().discard()
