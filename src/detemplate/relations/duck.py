"""Tables on DuckDB: one process, out of core."""

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
from detemplate.relations.engine import checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa  # type: ignore[import-untyped]

    from detemplate.relations.engine import Batches

_BATCH: Final = 1_000  # rows; a page's HTML may have a megabyte
_GROUP_ROWS: Final = 100_000
_GROUP_BYTES: Final = 64 << 20


class DuckEngine:
    """A :class:`~detemplate.relations.engine.TableEngine` on DuckDB.

    Parameters
    ----------
    memory
        What DuckDB may use, for example ``"4GB"``; beyond it, it spills to disk. The process itself
        needs some 100 MB more.
    threads
        How many; by default one a core.
    directory
        Where the work directory is made; by default where the system keeps temporary files. It holds
        all intermediate tables and what is spilled.

    Raises
    ------
    UserError
        DuckDB is not installed, or a setting makes no sense.
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
            raise UserError(f"cannot work in {error.filename}: {error.strerror}; name another") from error
        self._versions = count()
        self._own: dict[str, Path] = {}
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
        """Give a name to a directory of Parquet files, or to the table of that name in a DuckDB file."""
        checked_name(name)
        path = Path(path)
        if path.is_dir():
            if not any(path.glob("*.parquet")):
                raise UserError(f"there are no Parquet files in {path}: make them with 'detemplate tables'")
            self._view(name, _reading(path), path)
        elif path.is_file():
            database = self._attach(path)
            there = self.rows(
                "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' "
                f"AND database_name = {_literal(database)} AND table_name = {_literal(name)}"
            )
            if not there:
                raise UserError(f"there is no table {name} in {path}: make it with 'detemplate tables'")
            self._view(name, f"{database}.main.{name}", path)
        else:
            raise UserError(f"there is no {path}: make it with 'detemplate tables'")

    def sql(self, out: str, query: str) -> None:
        """Run a query and keep its result as a table."""
        target = self._target(out)
        with self._telling():
            self._connection.execute(
                f"COPY ({query}) TO {_literal(target)} "
                "(FORMAT parquet, COMPRESSION lz4_raw, PER_THREAD_OUTPUT)"
            )
        self._replace(out, target)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Give the rows of a small result."""
        with self._telling():
            return self._connection.execute(query).fetchall()

    def map(self, out: str, src: str, fn: Batches, schema: pa.Schema) -> None:
        """Apply a function to a table, batch by batch, in this process."""
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        target = self._target(out)
        target.mkdir()
        # A cursor of its own: a function need not read to the end, and then its result stays open.
        with self._telling(), self._connection.cursor() as cursor:
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

    def store(self, crawl: Path, names: list[str]) -> None:
        """Put tables into a crawl: all or none into a DuckDB file, one by one into a directory.

        Parameters
        ----------
        crawl
            The DuckDB file, or the directory of directories of Parquet files. Tables of the same names
            that it has are replaced.
        names
            Tables of this engine; afterwards they are the crawl's.

        Raises
        ------
        UserError
            It cannot be written.
        """
        if crawl.is_dir():
            self._store_directories(crawl, names)
        else:
            self._store_tables(crawl, names)

    def _store_directories(self, crawl: Path, names: list[str]) -> None:
        from detemplate.files.atomic import AtomicDirectory, writing

        made: list[AtomicDirectory] = []
        try:
            for name in names:
                made.append(AtomicDirectory(str(crawl / checked_name(name)), overwrite=True))
                with writing(made[-1].output):
                    shutil.copytree(self._own[name], made[-1].path, dirs_exist_ok=True)
            for directory in made:
                directory.commit()
        finally:
            for directory in made:
                directory.discard()

    def _store_tables(self, crawl: Path, names: list[str]) -> None:
        path = Path(os.path.realpath(crawl))
        database = self._attached.pop(path, None)
        with self._telling():
            # A file is attached once: what reads it has to let go before it can be written.
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
                        f"SELECT * FROM {_reading(self._own[name])}"
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
        path = Path(os.path.realpath(path))
        if path not in self._attached:
            database = f"crawl_{len(self._attached)}"
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
        return self._work / f"{checked_name(out)}.{next(self._versions)}"

    def _replace(self, out: str, target: Path) -> None:
        self._view(out, _reading(target), target)
        self._own[out] = target

    def _forget(self, name: str) -> None:
        """Remove the files of a table whose name now means another."""
        old = self._own.pop(name, None)
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn what depends on the user's files and machine into errors that the user can mend."""
        try:
            yield
        except self._duckdb.OutOfMemoryException as error:
            raise UserError(
                f"out of memory or disk; give more with --memory: {_first_line(error)}"
            ) from error
        except (self._duckdb.IOException, self._duckdb.InvalidInputException, OSError) as error:
            raise UserError(f"cannot read or write a table: {_first_line(error)}") from error


def _grouped(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Join batches to row groups of a good size."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield pa.Table.from_batches(held, schema)
            held, rows, size = [], 0, 0
    if held:
        yield pa.Table.from_batches(held, schema)


def _reading(directory: Path) -> str:
    return f"read_parquet({_literal(glob.escape(str(directory)) + '/*.parquet')})"


def _literal(value: str | Path) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
