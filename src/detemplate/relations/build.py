"""Build the tables of a crawl in one pass over its pages, as a directory of Parquet files."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from detemplate.errors import UserError, counted
from detemplate.files.arrow import pa, pq
from detemplate.files.atomic import AtomicDirectory, Closing, writing
from detemplate.io.record import skipped_lines
from detemplate.relations.extract import INFO, INFO_SCHEMA, TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from detemplate.relations.extract import Tables


@dataclass(slots=True)
class TableSummary:
    """What a build wrote.

    ``pages``, ``pagelets``, ``links``: number of rows of each table.
    ``known_links``: number of links to pages that are in the tables.
    ``skipped``: number of skips by reason.
    ``seconds``: wall-clock time of the build.
    """

    pages: int = 0
    pagelets: int = 0
    links: int = 0
    known_links: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def lines(self) -> list[str]:
        """Return the counts as lines of text for people."""
        rate = self.pages / self.seconds if self.seconds else 0.0
        lines = [
            f"{counted(self.pages, 'page')}, {counted(self.pagelets, 'pagelet')}, "
            f"{counted(self.links, 'link')} ({self.known_links:,} to pages that are there), "
            f"{self.seconds:.1f} s ({rate:,.0f} pages/s)"
        ]
        return lines + skipped_lines(self.skipped)


class TableWriter(Closing):
    """Writes tables batch by batch: ``pages/part-0.parquet`` and so on, zstd-compressed.

    As a context manager, it gives the output its name at the end, or removes it after an exception.

    ``output``: a directory, which exists or whose name ends in ``/``.
    ``overwrite``: replace a directory that is not empty.
    Raises UserError: for all methods: the name is none of a directory, or the output cannot be written.
    """

    def __init__(self, output: str, *, overwrite: bool = False) -> None:
        if not (output.endswith("/") or os.path.isdir(output)):  # noqa: PTH112  # a name of any length
            name = output.removesuffix(".duckdb")
            raise UserError(f"tables are a directory of Parquet files: end its name in /, as in {name}/")
        self._directory = AtomicDirectory(output, overwrite=overwrite)
        self._writers: dict[str, Any] = {}
        try:
            with writing(output):
                for name, schema in TABLES.items():
                    self._writers[name] = pq.ParquetWriter(self._path(name), schema, compression="zstd")
        except BaseException:
            self.abort()
            raise

    def _path(self, name: str) -> Path:
        """Return a table's only file, in a directory that is made."""
        folder = self._directory.path / name
        folder.mkdir(exist_ok=True)
        return folder / "part-0.parquet"

    def describe(self, settings: Mapping[str, int]) -> None:
        """Write the settings of the build into the table ``crawl_info``."""
        rows = {"key": list(settings), "value": [str(value) for value in settings.values()]}
        with writing(self._directory.output):
            pq.write_table(pa.table(rows, INFO_SCHEMA), self._path(INFO))

    def write(self, tables: Tables) -> None:
        """Write one batch, a row group per table."""
        with writing(self._directory.output):
            for name, batch in tables._asdict().items():
                self._writers[name].write_batch(batch)

    def known_links(self) -> int:
        """Return the number of links to pages in the tables; call it after the last batch."""
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        self._finish()
        pages = pq.read_table(self._path("pages"), columns=["page_key"])["page_key"].combine_chunks()
        count = 0
        with pq.ParquetFile(self._path("links")) as links:
            for batch in links.iter_batches(1 << 20, columns=["dest_page_key"]):
                count += pc.sum(pc.is_in(batch.column(0), value_set=pages)).as_py() or 0
        return count

    def _finish(self) -> None:
        with writing(self._directory.output):
            for writer in self._writers.values():
                writer.close()

    def close(self) -> None:
        """Finish the files and give the directory its name."""
        self._finish()
        self._directory.close()

    def abort(self) -> None:
        """Remove what was written."""
        for writer in self._writers.values():
            with suppress(Exception):  # the disk that failed before fails again
                writer.close()
        self._directory.abort()
