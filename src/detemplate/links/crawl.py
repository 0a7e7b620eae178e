"""A crawl's tables, opened for reading: a DuckDB file, or a folder of Parquet directories."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.errors import MissingExtra, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pyarrow as pa  # type: ignore[import-untyped]

TABLES: Final = {
    "pages": ("page_key", "url", "title", "page_shingle", "text"),
    "pagelets": ("page_key", "pagelet_serial", "pagelet_shingle", "text"),
    "links": ("src_page_key", "src_pagelet_serial", "link_serial", "dest_page_key", "dest_url", "context"),
}
"""The tables that a crawl must have, and their columns that are read here."""

STORED: Final = "template_pagelets"
"""The table of template pagelets, which a crawl may have."""

_STORED_COLUMNS: Final = ("page_key", "pagelet_serial")


class Crawl:
    """A crawl, read-only; also a context manager.

    Parameters
    ----------
    connection
        A DuckDB connection that sees the tables. What is computed goes to its temporary tables.
    name
        How errors call the crawl.

    Raises
    ------
    UserError
        A table or a column is missing.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str = "the crawl") -> None:
        self.connection = connection
        self.name = name
        self.searched: object = None
        """What the temporary table of found pages holds (:mod:`detemplate.links.baseset`)."""
        self._spill: tempfile.TemporaryDirectory[str] | None = None
        for table, columns in TABLES.items():
            self._check(table, columns)
        self.has_templates = bool(self._columns(STORED))
        if self.has_templates:
            self._check(STORED, _STORED_COLUMNS)

    @classmethod
    def open(cls, path: str | Path, *, memory: str = "2GB") -> Self:
        """Open a crawl.

        Parameters
        ----------
        path
            A DuckDB file, or a folder with a folder of Parquet files for each table.
        memory
            DuckDB's limit of memory; what is larger goes to temporary files.

        Raises
        ------
        UserError
            There is nothing, or no crawl.
        MissingExtra
            DuckDB is not installed.
        """
        try:
            import duckdb
        except ImportError:
            raise MissingExtra("reading a crawl's tables", "tables") from None
        path = Path(path)
        if not path.exists():
            raise UserError(f"{path}: there is no such crawl")
        spill = tempfile.TemporaryDirectory(prefix="detemplate-")
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": memory,
            "temp_directory": spill.name,
            "autoinstall_known_extensions": False,
        }
        try:
            if path.is_dir():
                connection = duckdb.connect(config=config)
                for table in (*TABLES, STORED):
                    if any((path / table).glob("*.parquet")):
                        files = str(path / table / "*.parquet").replace("'", "''")
                        connection.execute(f"CREATE VIEW {table} AS FROM read_parquet('{files}')")
            else:
                connection = duckdb.connect(path, read_only=True, config=config)
            crawl = cls(connection, str(path))
        except duckdb.Error as error:
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
        """Execute a statement; like the others, raises :class:`~detemplate.errors.UserError` if it fails."""
        self.rows(statement, *values)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401
        """Give the rows of a small result."""
        with self._told():
            return self.connection.execute(query, values).fetchall()

    def arrow(self, query: str) -> pa.Table:
        """Give a result as an Arrow table."""
        with self._told():
            return self.connection.sql(query).to_arrow_table()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Make one line of what DuckDB says: a broken file, a column of another type, no more room."""
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            raise UserError(f"{self.name} cannot be read: {str(error).splitlines()[0]}") from error

    def _columns(self, table: str) -> set[str]:
        found = "SELECT column_name FROM duckdb_columns() WHERE table_name = ?"
        return {name for (name,) in self.rows(found, table)}

    def _check(self, table: str, columns: tuple[str, ...]) -> None:
        there = self._columns(table)
        if not there:
            raise UserError(f"{self.name} is no crawl: it has no table {table!r}")
        missing = [column for column in columns if column not in there]
        if missing:
            raise UserError(f"{self.name} is no crawl: table {table!r} has no column {missing[0]!r}")
