"""The tables of a crawl, a directory of Parquet directories, opened read-only."""

from __future__ import annotations

import tempfile
import threading
from contextlib import ExitStack, contextmanager
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.errors import UserError
from detemplate.relations.duck import connect, first_line, literal, parquet_files
from detemplate.relations.engine import check_crawl

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

_STORED: Final = "template_pagelets"  # name of the optional table of template pagelets

MOST_SECONDS: Final = 600.0
"""Time that one statement may take, in seconds."""


class Crawl:
    """A crawl, opened read-only; a context manager.

    ``connection``: a DuckDB connection with the tables. Results go to its temporary tables.
    ``name``: the crawl's name in error messages.
    ``connection``, ``name``: as above.
    ``searched``: terms of the query whose matches are in the temporary table ``_matching``
        (:mod:`detemplate.links.baseset`); None without one.
    ``has_templates``: whether the crawl has the table ``template_pagelets``.
    Raises UserError: a table or a column is missing.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str = "the crawl") -> None:
        self.connection = connection
        self.name = name
        self.searched: object = None
        self._opened = ExitStack()
        self._opened.callback(connection.close)
        for table, columns in TABLES.items():
            self._check(table, columns)
        self.has_templates = bool(self._columns(_STORED))
        if self.has_templates:
            self._check(_STORED, ("page_key", "pagelet_serial"))

    @classmethod
    def open(cls, path: str | Path, *, memory: str = "2GB") -> Self:
        """Open a crawl. Queries read its files and no other, and nothing from the network.

        ``path``: a directory with one directory of Parquet files per table.
        ``memory``: DuckDB's memory limit; beyond it, DuckDB uses temporary files.
        Raises UserError: the path does not exist, or is no crawl.
        Raises MissingExtra: DuckDB is not installed.
        """
        check_crawl(path)
        with ExitStack() as stack:
            spill = stack.enter_context(tempfile.TemporaryDirectory(prefix="detemplate-"))
            connection = connect(memory, spill)
            stack.callback(connection.close)
            _view_tables(connection, Path(path))
            crawl = cls(connection, str(path))
            crawl._opened = stack.pop_all()
        return crawl

    def close(self) -> None:
        """Close the connection and remove the temporary files."""
        self._opened.close()

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
            raise UserError(f"{self.name} cannot be read: {first_line(error)}") from error
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


def _view_tables(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Make a view of each table that a crawl has, and let nothing else be read."""
    import duckdb

    folders = {table: path / table for table in (*TABLES, _STORED) if any((path / table).glob("*.parquet"))}
    try:
        # DuckDB checks the pattern of the files, too.
        allowed = ", ".join(literal(name) for each in folders.values() for name in (each, escape(str(each))))
        connection.execute(f"SET allowed_directories = [{allowed}]")
        for table, folder in folders.items():
            connection.execute(f"CREATE VIEW {table} AS FROM {parquet_files(folder)}")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        raise UserError(f"{path} cannot be read as a crawl: {first_line(error)}") from None
