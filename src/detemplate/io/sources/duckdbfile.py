"""DuckDB files, opened read-only."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.files.duckdbprobe import check_opens
from detemplate.io.sources.database import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.database import Database, Rows

DUCKDB_MAGIC: Final = b"DUCK"
"""Bytes of a DuckDB file from byte 8 on."""

_ROWS: Final = 64
"""Rows that are fetched at a time."""

_VECTOR: Final = 2048
"""Rows that DuckDB reads at a time."""

_DUCKDB: Final[dict[str, str | bool | int | float | list[str]]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
    "threads": 1,
    "memory_limit": "2GB",
}
"""Settings of DuckDB: a file's contents reach no other file and no network."""


class _DuckDB:
    """An open DuckDB file."""

    def __init__(self, connection: Any) -> None:  # noqa: ANN401  # DuckDB is optional
        self._connection = connection
        self._selected: dict[str, tuple[str, str]] = {}

    def tables(self) -> dict[str, list[str]]:
        rows = self._connection.execute(
            "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() "
            "SEMI JOIN duckdb_tables() USING (database_oid, schema_oid, table_oid) "
            "WHERE NOT internal AND database_name = current_database() ORDER BY table_oid, column_index"
        ).fetchall()
        tables: dict[str, list[str]] = {}
        cells: dict[str, list[str]] = {}
        for schema, table, column, kind in rows:
            name = table if schema == "main" else f"{schema}.{table}"
            tables.setdefault(name, []).append(column)
            # DuckDB needs another package to give times with a zone as Python values.
            cell = f"CAST({quoted(column)} AS VARCHAR)" if "TIME ZONE" in kind else quoted(column)
            cells.setdefault(name, []).append(cell)
            self._selected[name] = (", ".join(cells[name]), f"{quoted(schema)}.{quoted(table)}")
        return tables

    def rows(self, table: str, _limit: int, first: int) -> Iterator[tuple[int, Rows]]:
        if not self._selected:
            self.tables()
        cells, name = self._selected[table]
        [(last,)] = self._connection.execute(f"SELECT max(rowid) FROM {name}").fetchall()
        # A query holds its whole result, so each reads the rows of one vector.
        for start in range(first, (last or 0) + 1, _VECTOR):
            self._connection.execute(
                f"SELECT {cells} FROM {name} WHERE rowid >= {start} AND rowid < {start + _VECTOR}"
            )
            while rows := self._connection.fetchmany(_ROWS):
                yield start, rows


@contextmanager
def open_duckdb(path: Path) -> Iterator[Database]:
    """Open a DuckDB file. Its contents reach no other file and no network."""
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtra("reading DuckDB files", "tables") from error
    check_opens(path, _DUCKDB)
    try:
        with duckdb.connect(str(path), read_only=True, config=_DUCKDB) as connection:
            yield _DuckDB(connection)
    except duckdb.Error as error:
        raise UserError(f"{path} cannot be read as DuckDB: {str(error).partition(chr(10))[0]}") from error
