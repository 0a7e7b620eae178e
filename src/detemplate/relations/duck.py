"""DuckDB in memory, over tables that are directories of Parquet files; the table engine on it."""

from __future__ import annotations

import glob
import shutil
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from detemplate.errors import MissingExtra, UserError
from detemplate.files.atomic import AtomicDirectory, writing
from detemplate.relations.engine import TableEngine

if TYPE_CHECKING:
    from collections.abc import Iterator


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
