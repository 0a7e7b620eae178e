"""Parquet files that are written whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from detemplate.files.atomic import AtomicFile, Closing, writing


class AtomicParquet(AtomicFile):
    """A Parquet file, written row group by row group, that takes its name when it is whole."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self._writer: Any = None

    def write(self, table: Any) -> None:  # noqa: ANN401  # pyarrow is not typed
        """Write an Arrow table as a zstd-compressed row group; raises UserError if that fails.

        The first table gives the file its schema. A table without rows makes no row group.
        """
        from detemplate.files.arrow import pq

        with writing(self.output):
            if self._writer is None:
                self._writer = pq.ParquetWriter(self.file, table.schema, compression="zstd")
            if len(table):
                self._writer.write_table(table)

    def commit(self) -> None:
        """Close the file and give it its name; raises UserError if that fails.

        At least one table, perhaps without rows, must have been written.
        """
        with writing(self.output):
            self._writer.close()
        super().commit()

    def discard(self) -> None:
        """Remove what was written."""
        if self._writer is not None:
            with suppress(Exception):  # the disk that failed before fails again
                self._writer.close()
        super().discard()


class BufferedParquet(Closing):
    """The base of outputs that collect rows and write them as row groups of one Parquet file.

    Parameters
    ----------
    output
        The file.

    Raises
    ------
    UserError
        The file cannot be created.
    """

    def __init__(self, output: str) -> None:
        self._file = AtomicParquet(output)

    def _flush(self) -> None:
        """Write the collected rows as a row group; an empty one if there are no rows."""
        raise NotImplementedError

    def close(self) -> None:
        """Write the last row group and give the file its name; raises UserError if that fails."""
        self._flush()
        self._file.commit()

    def abort(self) -> None:
        """Remove what was written."""
        self._file.discard()
