"""A table engine on DuckDB: one process, out of core."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.errors import MissingExtra, UserError
from detemplate.files.atomic import AtomicDirectory, writing
from detemplate.files.duckdbprobe import check_opens
from detemplate.relations.engine import checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa  # type: ignore[import-untyped]

    from detemplate.relations.engine import Batches

_BATCH: Final = 1_000
"""Rows per batch of :meth:`DuckEngine.map`; the text of a page may have a megabyte."""

_GROUP_ROWS: Final = 100_000
"""Rows from which a row group is full."""

_GROUP_BYTES: Final = 64 << 20
"""Bytes from which a row group is full."""


class DuckEngine:
    """A :class:`~detemplate.relations.engine.TableEngine` on DuckDB.

    Parameters
    ----------
    memory
        DuckDB's memory limit, for example ``"4GB"``; beyond it, DuckDB spills to disk. The process itself
        takes some 100 MB more.
    threads
        Number of threads; by default one per core.
    directory
        Where the work directory is made; by default the system's directory for temporary files. The work
        directory holds all intermediate tables and spilled data.

    Raises
    ------
    MissingExtra
        DuckDB is not installed.
    UserError
        The work directory cannot be made, or DuckDB rejects a setting.
    """

    def __init__(
        self, *, memory: str = "4GB", threads: int | None = None, directory: str | Path | None = None
    ) -> None:
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtra("working on tables", "tables") from error
        self._duckdb = duckdb
        try:
            self._work = Path(tempfile.mkdtemp(prefix="detemplate-tables-", dir=directory))
        except OSError as error:
            raise UserError(
                f"cannot work in {error.filename}: {error.strerror}; name another directory with --temp"
            ) from error
        self._versions = count()
        self._files: dict[str, Path] = {}
        self._attached: dict[Path, str] = {}
        try:
            self._connection = duckdb.connect(
                config={
                    "memory_limit": memory,
                    "temp_directory": str(self._work / "spill"),
                    "preserve_insertion_order": False,
                    "autoinstall_known_extensions": False,
                    "autoload_known_extensions": False,
                    **({} if threads is None else {"threads": threads}),
                }
            )
        except duckdb.Error as error:
            shutil.rmtree(self._work, ignore_errors=True)
            raise UserError(f"cannot start DuckDB with memory {memory}: {_first_line(error)}") from error

    def source(self, name: str, path: str | Path) -> None:
        """Open a directory of Parquet files, or the table of this name in a DuckDB file, under a name."""
        checked_name(name)
        path = Path(path)
        if path.is_dir():
            if not any(path.glob("*.parquet")):
                raise UserError(f"there are no Parquet files in {path}: make them with 'detemplate tables'")
            self._view(name, _parquet_files(path), path)
        elif path.is_file():
            database = self._attach(path)
            tables = self.rows(
                "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' "
                f"AND database_name = {_literal(database)} AND table_name = {_literal(name)}"
            )
            if not tables:
                raise UserError(f"there is no table {name} in {path}: make it with 'detemplate tables'")
            self._view(name, f"{database}.main.{name}", path)
        else:
            raise UserError(f"there is no {path}: make it with 'detemplate tables'")

    def sql(self, out: str, query: str) -> None:
        """Run a query and store its result as a table."""
        target = self._target(out)
        with self._user_errors():
            self._connection.execute(
                f"COPY ({query}) TO {_literal(target)} "
                "(FORMAT parquet, COMPRESSION lz4_raw, PER_THREAD_OUTPUT)"
            )
        self._replace(out, target)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        with self._user_errors():
            return self._connection.execute(query).fetchall()

    def map(self, out: str, src: str, fn: Batches, schema: pa.Schema) -> None:
        """Apply a function to a table, batch by batch, in this process."""
        from detemplate.files.arrow import pq

        target = self._target(out)
        target.mkdir()
        # A cursor of its own: if the function does not read to the end, the result stays open.
        with self._user_errors(), self._connection.cursor() as cursor:
            reader: Any = cursor.sql(f"SELECT * FROM {checked_name(src)}").to_arrow_reader(_BATCH)
            with pq.ParquetWriter(target / "part-0.parquet", schema) as writer:
                for group in _grouped(fn(iter(reader)), schema):
                    writer.write_table(group)
            del reader
        self._replace(out, target)

    def close(self) -> None:
        """Close the connection and remove the work directory."""
        self._connection.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def store(self, crawl: Path | str, names: list[str]) -> None:
        """Write tables into a crawl: into a DuckDB file all or none, into a directory one by one.

        Parameters
        ----------
        crawl
            The DuckDB file, or the directory with one directory of Parquet files per table. Existing
            tables of these names are replaced.
        names
            Names of tables that this engine made.

        Raises
        ------
        UserError
            The crawl cannot be written.
        """
        crawl = Path(crawl)
        if crawl.is_dir():
            self._store_directories(crawl, names)
        else:
            self._store_tables(crawl, names)

    def _store_directories(self, crawl: Path, names: list[str]) -> None:
        directories: list[AtomicDirectory] = []
        try:
            for name in names:
                directory = AtomicDirectory(str(crawl / checked_name(name)), overwrite=True)
                directories.append(directory)
                with writing(directory.output):
                    shutil.copytree(self._files[name], directory.path, dirs_exist_ok=True)
            for directory in directories:
                directory.commit()
        finally:
            for directory in directories:
                directory.discard()

    def _store_tables(self, crawl: Path, names: list[str]) -> None:
        path = Path(os.path.realpath(crawl))
        database = self._attached.pop(path, None)
        with self._user_errors():
            # DuckDB attaches a file once: it is detached from reading before it is attached for writing.
            if database is not None:
                self._connection.execute(f"DETACH {database}")
            try:
                self._connection.execute(f"ATTACH {_literal(path)} AS crawl_out")
            except self._duckdb.Error as error:
                raise UserError(f"cannot write {crawl}: {_first_line(error)}") from error
            try:
                self._connection.execute("BEGIN")
                for name in names:
                    self._connection.execute(
                        f"CREATE OR REPLACE TABLE crawl_out.main.{checked_name(name)} AS "
                        f"SELECT * FROM {_parquet_files(self._files[name])}"
                    )
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            finally:
                self._connection.execute("DETACH crawl_out")
                if database is not None:
                    self._connection.execute(f"ATTACH {_literal(path)} AS {database} (READ_ONLY)")
                    self._attached[path] = database

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _attach(self, path: Path) -> str:
        """Attach a DuckDB file for reading; return its name in queries."""
        path = Path(os.path.realpath(path))
        if path not in self._attached:
            database = f"crawl_{len(self._attached)}"
            check_opens(path)
            try:
                self._connection.execute(f"ATTACH {_literal(path)} AS {database} (READ_ONLY)")
            except self._duckdb.Error as error:
                raise UserError(f"cannot read {path} as a DuckDB file: {_first_line(error)}") from error
            self._attached[path] = database
        return self._attached[path]

    def _view(self, name: str, relation: str, path: Path) -> None:
        try:
            self._connection.execute(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM {relation}")
        except self._duckdb.Error as error:
            raise UserError(f"cannot read table {name} in {path}: {_first_line(error)}") from error
        self._forget(name)

    def _target(self, out: str) -> Path:
        """Return a new path in the work directory for a table's files."""
        return self._work / f"{checked_name(out)}.{next(self._versions)}"

    def _replace(self, out: str, target: Path) -> None:
        self._view(out, _parquet_files(target), target)
        self._files[out] = target

    def _forget(self, name: str) -> None:
        """Remove the files of a table whose name was given to another."""
        old = self._files.pop(name, None)
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)

    @contextmanager
    def _user_errors(self) -> Iterator[None]:
        """Turn DuckDB's errors about files, memory and disk into a UserError."""
        try:
            yield
        except self._duckdb.OutOfMemoryException as error:
            raise UserError(
                f"out of memory or disk; give more with --memory: {_first_line(error)}"
            ) from error
        except (self._duckdb.IOException, self._duckdb.InvalidInputException, OSError) as error:
            raise UserError(f"cannot read or write a table: {_first_line(error)}") from error


def _grouped(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Join batches into row groups."""
    from detemplate.files.arrow import pa

    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        group.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield pa.Table.from_batches(group, schema)
            group, rows, size = [], 0, 0
    if group:
        yield pa.Table.from_batches(group, schema)


def _parquet_files(directory: Path) -> str:
    """Return the SQL relation of a directory of Parquet files."""
    return f"read_parquet({_literal(glob.escape(str(directory)) + '/*.parquet')})"


def _literal(value: str | Path) -> str:
    """Return a text as an SQL literal."""
    return "'" + str(value).replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
