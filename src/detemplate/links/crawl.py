"""The tables of a crawl, opened read-only: a DuckDB file, or a directory of Parquet directories."""

from __future__ import annotations

import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.errors import MissingExtra, UserError
from detemplate.files.duckdbprobe import check_opens

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pyarrow as pa  # type: ignore[import-untyped]

TABLES: Final = {
    "pages": ("page_key", "url", "title", "page_shingle", "text"),
    "pagelets": ("page_key", "pagelet_serial", "pagelet_shingle", "text"),
    "links": ("src_page_key", "src_pagelet_serial", "link_serial", "dest_page_key", "dest_url", "context"),
}
"""The tables that a crawl must have, with the columns that are read."""

STORED: Final = "template_pagelets"
"""Name of the optional table of template pagelets."""

_STORED_COLUMNS: Final = ("page_key", "pagelet_serial")
"""The columns of that table that are read."""


MOST_SECONDS: Final = 600.0
"""Time that one statement may take, in seconds."""


class Crawl:
    """A crawl, opened read-only; a context manager.

    Parameters
    ----------
    connection
        A DuckDB connection with the tables. Results go to its temporary tables.
    name
        The crawl's name in error messages.

    Attributes
    ----------
    connection, name
        As above.
    searched
        Terms of the query whose matches are in the temporary table ``_matching``
        (:mod:`detemplate.links.baseset`); None without one.
    has_templates
        Whether the crawl has the table ``template_pagelets``.

    Raises
    ------
    UserError
        A table or a column is missing.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str = "the crawl") -> None:
        self.connection = connection
        self.name = name
        self.searched: object = None
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        for table, columns in TABLES.items():
            self._check(table, columns)
        self.has_templates = bool(self._columns(STORED))
        if self.has_templates:
            self._check(STORED, _STORED_COLUMNS)

    @classmethod
    def open(cls, path: str | Path, *, memory: str = "2GB") -> Self:
        """Open a crawl. Nothing in it reaches another file or the network, and views in it are not read.

        Parameters
        ----------
        path
            A DuckDB file, or a directory with one directory of Parquet files per table.
        memory
            DuckDB's memory limit; beyond it, DuckDB uses temporary files.

        Raises
        ------
        UserError
            The path does not exist, or is no crawl.
        MissingExtra
            DuckDB is not installed.
        """
        try:
            import duckdb
        except ImportError:
            raise MissingExtra("reading a crawl's tables", "tables") from None
        path = Path(path)
        if not path.exists():
            raise UserError(f"{path}: there is no such crawl; make it with 'detemplate tables'")
        spill = tempfile.TemporaryDirectory(prefix="detemplate-")
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory,
            "temp_directory": spill.name,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        connection = duckdb.connect(config=config)
        try:
            for table, relation in _relations(connection, path).items():
                connection.execute(f"CREATE VIEW {table} AS FROM {relation}")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            crawl = cls(connection, str(path))
        except duckdb.Error as error:
            connection.close()
            spill.cleanup()
            raise UserError(f"{path} cannot be read as a crawl: {str(error).splitlines()[0]}") from None
        except UserError:
            connection.close()
            spill.cleanup()
            raise
        crawl._spill = spill
        return crawl

    def close(self) -> None:
        """Close the connection and remove the temporary files."""
        self.connection.close()
        if self._spill is not None:
            self._spill.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, statement: str, *values: Any) -> None:  # noqa: ANN401  # whatever SQL takes
        """Execute a statement; raises :class:`~detemplate.errors.UserError` if it fails."""
        self.rows(statement, *values)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401
        """Return the rows of a small result; raises UserError if the query fails."""
        with self._user_errors():
            return self.connection.execute(query, values).fetchall()

    def arrow(self, query: str) -> pa.Table:
        """Return a result as an Arrow table; raises UserError if the query fails."""
        with self._user_errors():
            return self.connection.sql(query).to_arrow_table()

    @contextmanager
    def _user_errors(self) -> Iterator[None]:
        """Turn DuckDB's errors (a broken file, a column of another type, a full disk) into a UserError."""
        import duckdb

        timer = threading.Timer(MOST_SECONDS, self.connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        except duckdb.InterruptException as error:
            raise UserError(
                f"{self.name} takes too long: over {MOST_SECONDS:g} s for one statement"
            ) from error
        except duckdb.Error as error:
            raise UserError(f"{self.name} cannot be read: {str(error).splitlines()[0]}") from error
        finally:
            timer.cancel()

    def _columns(self, table: str) -> set[str]:
        query = (
            "SELECT column_name FROM duckdb_columns() "
            "WHERE table_name = ? AND database_name = current_database()"
        )
        return {name for (name,) in self.rows(query, table)}

    def _check(self, table: str, columns: tuple[str, ...]) -> None:
        existing = self._columns(table)
        if not existing:
            raise UserError(f"{self.name} is no crawl: it has no table {table!r}")
        missing = [column for column in columns if column not in existing]
        if missing:
            raise UserError(f"{self.name} is no crawl: table {table!r} has no column {missing[0]!r}")


def _relations(connection: duckdb.DuckDBPyConnection, path: Path) -> dict[str, str]:
    """Give the SQL relation of each table that a crawl has, and let only them be read."""
    if path.is_dir():
        found = [table for table in (*TABLES, STORED) if any((path / table).glob("*.parquet"))]
        folders = {table: str(path / table).replace("'", "''") for table in found}
        connection.execute(
            "SET allowed_directories = [" + ", ".join(f"'{f}'" for f in folders.values()) + "]"
        )
        return {table: f"read_parquet('{folder}/*.parquet')" for table, folder in folders.items()}
    check_opens(path)
    name = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{name}' AS crawl_file (READ_ONLY)")
    rows = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'crawl_file' AND schema_name = 'main'"
    ).fetchall()
    return {table: f"crawl_file.main.{table}" for (table,) in rows if table in {*TABLES, STORED}}
