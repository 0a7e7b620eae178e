"""Write the tables of a crawl to a directory of Parquet files or to a DuckDB file, whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from detemplate.errors import MissingExtra, UserError
from detemplate.files.arrow import pa, pq
from detemplate.files.atomic import AtomicDirectory, AtomicFile, Closing, writing
from detemplate.relations.schema import INFO, INFO_SCHEMA, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from detemplate.relations.extract import Tables

MEMORY: Final = "1GB"
"""DuckDB's memory limit while it writes."""

_TYPES: Final = {"int64": "BIGINT", "int32": "INTEGER", "string": "VARCHAR"}
"""DuckDB's types by Arrow's names."""


class TableWriter(Protocol):
    """Writes tables batch by batch.

    As a context manager, it gives the output its name at the end, or removes it after an exception.
    """

    def describe(self, settings: Mapping[str, int]) -> None:
        """Write the settings of the build into the table ``crawl_info``; call it before the first batch."""

    def write(self, tables: Tables) -> None:
        """Write one batch; raises UserError if that fails."""

    def known_links(self) -> int:
        """Return the number of links to pages in the tables; call it after the last batch."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_tables(output: str, *, overwrite: bool = False) -> TableWriter:
    """Open the output for tables.

    Parameters
    ----------
    output
        ``NAME.duckdb`` for a DuckDB file with the tables ``pages``, ``pagelets`` and ``links``, which
        replaces an existing file; or a directory, which exists or whose name ends in ``/``, with one
        directory of Parquet files per table.
    overwrite
        Replace a directory that is not empty.

    Returns
    -------
    TableWriter
        The output, to be used as a context manager.

    Raises
    ------
    UserError
        The name is neither, or the output cannot be created.
    MissingExtra
        DuckDB is not installed, for a DuckDB file.
    """
    if output.endswith(".duckdb"):
        return DuckTables(output)
    if output.endswith("/") or Path(output).is_dir():
        return ParquetTables(output, overwrite=overwrite)
    raise UserError(f"cannot write tables to {output}: name a .duckdb file, or a directory (ending in /)")


class ParquetTables(Closing):
    """A directory with one directory per table: ``pages/part-0.parquet`` and so on, zstd-compressed."""

    def __init__(self, output: str, *, overwrite: bool = False) -> None:
        self._directory = AtomicDirectory(output, overwrite=overwrite)
        self._writers: dict[str, Any] = {}
        try:
            with writing(output):
                for name, schema in TABLES.items():
                    (self._directory.path / name).mkdir()
                    self._writers[name] = pq.ParquetWriter(self._path(name), schema, compression="zstd")
        except BaseException:
            self.abort()
            raise

    def _path(self, name: str) -> Path:
        return self._directory.path / name / "part-0.parquet"

    def describe(self, settings: Mapping[str, int]) -> None:
        """Write the settings as a table of their own."""
        rows = {"key": list(settings), "value": [str(value) for value in settings.values()]}
        with writing(self._directory.output):
            self._path(INFO).parent.mkdir()
            pq.write_table(pa.table(rows, INFO_SCHEMA), self._path(INFO))

    def write(self, tables: Tables) -> None:
        """Write one row group per table."""
        with writing(self._directory.output):
            for name, batch in tables._asdict().items():
                self._writers[name].write_batch(batch)

    def known_links(self) -> int:
        """Return the number of links to pages in the tables; the keys are read again."""
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        self._finish()
        pages = pq.read_table(self._path("pages"), columns=["page_key"])["page_key"].combine_chunks()
        links = pq.ParquetFile(self._path("links"))
        count = 0
        for batch in links.iter_batches(1 << 20, columns=["dest_page_key"]):
            known = pc.is_in(batch.column(0), value_set=pages)
            count += pc.sum(known.cast(pa.int64())).as_py() or 0
        links.close()
        return count

    def _finish(self) -> None:
        with writing(self._directory.output):
            for writer in self._writers.values():
                writer.close()

    def close(self) -> None:
        """Finish the files and give the directory its name."""
        self._finish()
        self._directory.commit()

    def abort(self) -> None:
        """Remove what was written."""
        for writer in self._writers.values():
            with suppress(Exception):  # the disk that failed before fails again
                writer.close()
        self._directory.discard()


class DuckTables(Closing):
    """A DuckDB file with the three tables."""

    def __init__(self, output: str) -> None:
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtra("writing a DuckDB file", "tables") from error
        self._errors = duckdb.Error
        self._atomic = AtomicFile(output)
        # DuckDB creates its files itself; those of a partial are removed with it.
        self._path = self._atomic.path.with_name(self._atomic.path.name + ".duckdb")
        self._connection: duckdb.DuckDBPyConnection | None = None
        try:
            with self._user_errors():
                self._connection = duckdb.connect(
                    str(self._path),
                    config={
                        "memory_limit": MEMORY,
                        "temp_directory": f"{self._path}.tmp",
                        "autoinstall_known_extensions": False,
                        "autoload_known_extensions": False,
                    },
                )
                for name, schema in TABLES.items():
                    columns = ", ".join(
                        f"{field.name} {_TYPES[str(field.type)]}{'' if field.nullable else ' NOT NULL'}"
                        for field in schema
                    )
                    self._connection.execute(f"CREATE TABLE {name} ({columns})")
        except BaseException:
            self.abort()
            raise

    @contextmanager
    def _user_errors(self) -> Iterator[None]:
        """Turn DuckDB's errors into a UserError."""
        with writing(self._atomic.output):
            try:
                yield
            except self._errors as error:
                why = str(error).partition("\n")[0]
                raise UserError(f"cannot write {self._atomic.output}: {why}") from error

    def describe(self, settings: Mapping[str, int]) -> None:
        """Insert the settings into a table of their own."""
        assert self._connection is not None
        with self._user_errors():
            self._connection.execute(f"CREATE TABLE {INFO} (key VARCHAR NOT NULL, value VARCHAR NOT NULL)")
            for key, value in settings.items():
                self._connection.execute(f"INSERT INTO {INFO} VALUES (?, ?)", [key, str(value)])

    def write(self, tables: Tables) -> None:
        """Insert the rows."""
        assert self._connection is not None
        with self._user_errors():
            for name, batch in tables._asdict().items():
                self._connection.register("batch", pa.Table.from_batches([batch]))
                self._connection.execute(f"INSERT INTO {name} SELECT * FROM batch")
                self._connection.unregister("batch")

    def known_links(self) -> int:
        """Return the number of links to pages in the tables."""
        assert self._connection is not None
        with self._user_errors():
            row = self._connection.execute(
                "SELECT count(*) FROM links SEMI JOIN pages ON dest_page_key = page_key"
            ).fetchone()
        return int(row[0]) if row else 0

    def close(self) -> None:
        """Close the database and give the file its name."""
        assert self._connection is not None
        with self._user_errors():
            self._connection.execute("CHECKPOINT")
            self._connection.close()
            self._path.replace(self._atomic.path)
        self._atomic.commit()

    def abort(self) -> None:
        """Remove what was written."""
        if self._connection is not None:
            with suppress(Exception):  # the disk that failed before fails again
                self._connection.close()
        self._atomic.discard()
