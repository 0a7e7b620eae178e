"""Table engines: SQL over tables that are directories of Parquet files.

:class:`DuckEngine` is an engine on DuckDB, :class:`~detemplate.links.sparkengine.SparkEngine` one on Spark.
Both run the same queries, with the same results:

- names without quotes, in lower case; ``FROM``, ``JOIN … ON``, ``LEFT JOIN``, ``GROUP BY``,
  ``HAVING``, ``DISTINCT``, ``UNION ALL``, ``CASE``, ``coalesce``, ``least``, ``greatest``, and
  ``row_number() OVER (…)`` filtered from outside;
- signed 64-bit integers: a sum or a row number is ``CAST(… AS BIGINT)``, since DuckDB widens it and Spark
  narrows it;
- no ``QUALIFY``, no lists, no recursion, no ``USING KEY``, no functions that hash.
"""

from __future__ import annotations

import glob
import shutil
import tempfile
from abc import ABC, abstractmethod
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.errors import MissingExtra, UserError
from detemplate.files.atomic import AtomicDirectory, writing
from detemplate.files.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TYPES: Final = {
    "bigint": "64-bit integers",
    "integer": "32-bit integers",
    "int": "32-bit integers",
    "varchar": "text",
    "string": "text",
}


class TableEngine(ABC):
    """Holds tables by name, in a work directory that is removed when the engine is closed.

    A name has lower-case letters, digits and underscores. A new table of a name replaces the old one; the
    query that makes it may read the old one.
    """

    @abstractmethod
    def source(self, name: str, path: str | Path) -> None:
        """Open an existing table under a name.

        ``name``: the table's name in queries.
        ``path``: a directory of Parquet files.
        Raises UserError: the table does not exist or cannot be read.
        """

    @abstractmethod
    def sql(self, out: str, query: str) -> None:
        """Run a query and store its result as a table.

        ``out``: name of the new table.
        ``query``: one ``SELECT`` in the dialect that :mod:`detemplate.links.engine` describes.
        Raises UserError: a file cannot be read, or memory or disk space runs out.
        """

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result; raises UserError as :meth:`sql` does."""

    @abstractmethod
    def store(self, crawl: Path | str, names: list[str]) -> None:
        """Write tables into a crawl, one by one.

        ``crawl``: the directory with one directory of Parquet files per table. Existing tables of these names
            are replaced.
        ``names``: names of tables that this engine made.
        Raises UserError: the crawl cannot be written.
        """

    @abstractmethod
    def close(self) -> None:
        """Remove the work directory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def source_crawl(engine: TableEngine, path: Path | str, needed: Mapping[str, Mapping[str, str]]) -> None:
    """Open the tables of a crawl under their own names, and check their columns.

    ``engine``: the engine that will read them.
    ``path``: a directory with one directory of Parquet files per table; for Spark also the URL of such a
        directory.
    ``needed``: the columns that will be read, with their types, by table. A type is ``"bigint"``, ``"int"``
        or ``"string"``.
    Raises UserError: the crawl, a table or a column does not exist, or a column has another type.
    """
    if not is_remote(str(path)):
        if not Path(path).exists():
            raise UserError(f"there is no {path}: make it with 'detemplate graph tables'")
        if not Path(path).is_dir():
            raise UserError(
                f"{path} is no directory of Parquet tables: make one with 'detemplate graph tables'"
            )
    for table, columns in needed.items():
        engine.source(table, f"{str(path).rstrip('/')}/{table}")
        types = {row[0]: row[1].lower() for row in engine.rows(f"DESCRIBE {table}")}
        for column, kind in columns.items():
            if column not in types:
                raise UserError(
                    f"table {table} of {path} has no column {column}: make it with 'detemplate graph tables'"
                )
            if _TYPES.get(types[column]) != _TYPES[kind]:
                raise UserError(
                    f"column {column} of table {table} of {path} is {types[column]}, not {_TYPES[kind]}; "
                    "make the table with 'detemplate graph tables'"
                )


def has_table(engine: TableEngine, path: Path | str, name: str) -> bool:
    """Open an optional table of a crawl; return False if the crawl does not have it."""
    try:
        engine.source(name, f"{str(path).rstrip('/')}/{name}")
    except UserError:
        return False
    return True


def numbers(rows: Iterable[tuple[Any, ...]]) -> tuple[int, ...]:
    """Return the only row of a result as integers; NULL, the sum over no rows, is 0."""
    [row] = rows
    return tuple(int(value or 0) for value in row)


def parquet_files(directory: str | Path) -> str:
    """Return the SQL relation of a directory of Parquet files."""
    return f"read_parquet({literal(glob.escape(str(directory)) + '/*.parquet')})"


def literal(value: str | Path) -> str:
    """Return a text as an SQL literal."""
    return "'" + str(value).replace("'", "''") + "'"


def first_line(error: Exception) -> str:
    """Return the first line of an error's message."""
    return str(error).partition("\n")[0]


class DuckEngine(TableEngine):
    """A table engine on DuckDB: one process, out of core.

    ``memory``: DuckDB's memory limit, for example ``"4GB"``; beyond it, DuckDB spills to disk. The process
        itself takes some 100 MB more.
    ``threads``: number of threads; by default one per core.
    ``directory``: where the work directory is made; by default the system's directory for temporary files.
        The work directory holds all intermediate tables and spilled data.
    ``connection``: DuckDB's.
    Raises MissingExtra: DuckDB is not installed.
    Raises UserError: the work directory cannot be made, or DuckDB rejects a setting.
    """

    def __init__(
        self, *, memory: str = "4GB", threads: int | None = None, directory: str | Path | None = None
    ) -> None:
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtra("working on a crawl's tables", "tables") from error
        try:
            self._work = Path(tempfile.mkdtemp(prefix="detemplate-tables-", dir=directory))
        except OSError as error:
            raise UserError(
                f"cannot work in {error.filename}: {error.strerror}; name another directory with --temp"
            ) from error
        self._versions = count()
        self._files: dict[str, Path] = {}
        config: dict[str, Any] = {
            "memory_limit": memory,
            "temp_directory": str(self._work / "spill"),
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            **({} if threads is None else {"threads": threads}),
        }
        try:
            self.connection = duckdb.connect(config=config)
        except duckdb.Error as error:
            shutil.rmtree(self._work, ignore_errors=True)
            raise UserError(f"cannot start DuckDB with memory {memory}: {first_line(error)}") from error

    def source(self, name: str, path: str | Path) -> None:
        """Open a directory of Parquet files under a name."""
        path = Path(path)
        if not any(path.glob("*.parquet")):
            raise UserError(f"there are no Parquet files in {path}: make them with 'detemplate graph tables'")
        self._view(name, path)

    def sql(self, out: str, query: str) -> None:
        """Run a query and store its result as a table."""
        target = self._work / f"{out}.{next(self._versions)}"
        with self._user_errors():
            self.connection.execute(
                f"COPY ({query}) TO {literal(target)} "
                "(FORMAT parquet, COMPRESSION lz4_raw, PER_THREAD_OUTPUT)"
            )
        self._view(out, target)
        self._files[out] = target

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        with self._user_errors():
            return self.connection.execute(query).fetchall()

    def close(self) -> None:
        """Close the connection and remove the work directory."""
        self.connection.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def store(self, crawl: Path | str, names: list[str]) -> None:
        """Write tables into a crawl, one by one; each appears whole or not at all."""
        directories: list[AtomicDirectory] = []
        try:
            for name in names:
                directory = AtomicDirectory(str(Path(crawl) / name), overwrite=True)
                directories.append(directory)
                with writing(directory.output):
                    shutil.copytree(self._files[name], directory.path, dirs_exist_ok=True)
            for directory in directories:
                directory.close()
        finally:
            for directory in directories:
                directory.abort()

    def _view(self, name: str, directory: Path) -> None:
        """Name a directory's files in queries; this engine's files of that name go."""
        import duckdb

        try:
            self.connection.execute(f"CREATE OR REPLACE VIEW {name} AS FROM {parquet_files(directory)}")
        except duckdb.Error as error:
            raise UserError(f"cannot read table {name} in {directory}: {first_line(error)}") from error
        old = self._files.pop(name, None)
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)

    @contextmanager
    def _user_errors(self) -> Iterator[None]:
        """Turn DuckDB's errors about files, memory and disk into a UserError."""
        import duckdb

        try:
            yield
        except duckdb.OutOfMemoryException as error:
            raise UserError(f"out of memory or disk; give more with --memory: {first_line(error)}") from error
        except (duckdb.IOException, duckdb.InvalidInputException, OSError) as error:
            raise UserError(f"cannot read or write a table: {first_line(error)}") from error
