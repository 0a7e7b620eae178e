"""The tables of a crawl, a directory of Parquet directories, opened read-only."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.errors import UserError
from detemplate.links.engine import DuckEngine, first_line, literal, source_crawl

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import pyarrow as pa  # type: ignore[import-untyped]

_COLUMNS: Final = {
    "pages": {
        "page_key": "bigint", "url": "string", "title": "string", "page_shingle": "bigint", "text": "string",
    },
    "pagelets": {
        "page_key": "bigint", "pagelet_serial": "int", "pagelet_shingle": "bigint", "text": "string",
    },
    "links": {
        "src_page_key": "bigint", "src_pagelet_serial": "int", "link_serial": "int",
        "dest_page_key": "bigint", "dest_url": "string", "context": "string",
    },
}  # fmt: skip
_TEMPLATES: Final = {"template_pagelets": {"page_key": "bigint", "pagelet_serial": "int"}}

MOST_SECONDS: Final = 600.0
"""Time that one statement may take, in seconds."""


class Crawl:
    """A crawl, opened read-only; a context manager.

    ``connection``: a DuckDB connection with the tables. Results go to its temporary tables.
    ``name``: the crawl's name in error messages.
    ``searched``: terms of the query whose matches are in the temporary table ``_matching``
        (:mod:`detemplate.links.baseset`); None without one.
    ``has_templates``: whether the crawl has the table ``template_pagelets``.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str = "the crawl") -> None:
        self.connection = connection
        self.name = name
        self.searched: object = None
        self._opened = ExitStack()
        self._opened.callback(connection.close)
        tables = {table for (table,) in self.rows("SELECT table_name FROM duckdb_columns()")}
        self.has_templates = not tables.isdisjoint(_TEMPLATES)

    @classmethod
    def open(cls, path: str | Path, *, memory: str = "2GB") -> Self:
        """Open a crawl. Queries read its files and no other, and nothing from the network.

        ``path``: a directory with one directory of Parquet files per table.
        ``memory``: DuckDB's memory limit; beyond it, DuckDB uses temporary files.
        Raises UserError: the path does not exist, or a table or a column is missing or has another type.
        Raises MissingExtra: DuckDB is not installed.
        """
        has_templates = any(Path(path).glob("template_pagelets/*.parquet"))
        needed = _COLUMNS | (_TEMPLATES if has_templates else {})
        with ExitStack() as stack:
            engine = stack.enter_context(DuckEngine(memory=memory))
            source_crawl(engine, path, needed)
            # DuckDB checks the pattern of the files, too.
            folders = [str(Path(path) / table) for table in needed]
            allowed = ", ".join(literal(name) for each in folders for name in (each, escape(each)))
            for setting in (
                f"allowed_directories = [{allowed}]",
                "enable_external_access = false",
                "lock_configuration = true",
            ):
                engine.connection.execute(f"SET {setting}")
            crawl = cls(engine.connection, str(path))
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
