"""Sources of database tables: DuckDB and SQLite files, opened read-only."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import quote

from detemplate.errors import MissingExtra, UserError
from detemplate.files.duckdbprobe import check_opens
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import OVER, PlacedSource, broken, one_line
from detemplate.io.sources.fieldnames import listed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.base import Place
    from detemplate.io.sources.fieldnames import FieldNames
    from detemplate.io.sources.fields import RecordMaker

SQLITE_MAGIC: Final = b"SQLite format 3\0"
"""First bytes of a SQLite file."""

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

_SQLITE_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_FUNCTION}
)
"""What SQLite may do."""


Rows = list[tuple[Any, ...] | None]
"""Values of rows."""


class _Database(Protocol):
    """An open database."""

    def tables(self) -> dict[str, list[str]]:
        """Give the columns of each table, by its name; not of views."""

    def rows(self, table: str, limit: int, first: int) -> Iterator[tuple[int, Rows]]:
        """Give the rows of a table, some at a time; None for one with a value far beyond the limit.

        With them comes the place of the query that gave them. ``first`` is that of the first query.
        """


class TableSource(PlacedSource):
    """A source of the pages of one table of a DuckDB or SQLite file, in the table's order.

    Views are refused: reading one runs what the file's author wrote. Which columns are the page and its URL,
    :class:`~detemplate.io.sources.fields.RecordMaker` says; the others are carried as Python values.

    Parameters
    ----------
    path
        The file, as the user named it.
    maker
        Makes records of rows.
    kind
        ``"duckdb"`` or ``"sqlite"``.
    table
        Name of the table, in DuckDB with or without its schema. None: the only table that may hold pages.

    Raises
    ------
    UserError
        The file is no such database or has no such table, several tables may hold pages and none is named,
        or no column may hold a page.
    MissingExtra
        DuckDB is not installed.
    """

    rereadable = True

    def __init__(self, path: Path, maker: RecordMaker, *, kind: str, table: str | None) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self.bytes_read = 0
        self._path = path
        self._open = _duckdb if kind == "duckdb" else _sqlite
        self._limit = maker.limit
        if kind == "duckdb":
            check_opens(path, _DUCKDB)
        with self._open(path) as database:
            tables = database.tables()
        self._table = _chosen(tables, table, maker.names, path)
        self._columns = tables[self._table]
        self._maker = maker.within(self._table)

    def _read_from(self, start: Place) -> Iterator[Record | Skip]:
        """Read the table; a place is a query's, the number of its first row, and the rows of it before."""
        self.bytes_read = 0
        if start == OVER:
            return
        query, first, given = start or (0, 0, 0)
        row = first
        name = f"{self._path}:{self._table}"
        try:
            with self._open(self._path) as database:
                for place, rows in database.rows(self._table, self._limit, query):
                    if place != query:
                        query, first, given = place, row, 0
                    for values in rows:
                        self._place = [query, first, row + 1 - first]
                        if row >= first + given:
                            yield self._record(values, row, SourceRef(name, row))
                        row += 1
        except UserError as error:
            self._place = OVER
            yield broken(name, row, f"broke at row {row}: {error}")
        self.bytes_read = self.total_bytes or 0

    def _record(self, values: tuple[Any, ...] | None, row: int, source: SourceRef) -> Record | Skip:
        if values is None:
            return Skip("", "too large", f"row {row}: over {self._limit} bytes", source, rejected=True)
        result = self._maker.record(dict(zip(self._columns, values, strict=True)), source)
        if isinstance(result, Skip) and result.reason == "bad record":
            result.detail = f"row {row}: {result.detail}"
        return result


def _chosen(tables: dict[str, list[str]], table: str | None, names: FieldNames, path: Path) -> str:
    """Give the table to read; raises UserError if there is no such table, or several."""
    if table is not None:
        found = [name for name in tables if name in {table, table.removeprefix("main.")}]
        if not found:
            raise UserError(
                f"{path} has no table {table!r} (views are not read); its tables are {listed(tables)}"
            )
        names.columns(tables[found[0]], f"table {found[0]} of {path}")
        return found[0]
    fitting = []
    for name, columns in tables.items():
        try:
            names.columns(columns, name)
        except UserError:
            continue
        fitting.append(name)
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise UserError(
            f"{path} has no table with a column for HTML; its tables are {listed(tables)}: name one, as in "
            f"{path}:TABLE, and its column with --html-column"
        )
    raise UserError(
        f"{path} has several tables that may hold pages ({listed(fitting)}): name one, as in "
        f"{path}:{fitting[0]}"
    )


class _Sqlite:
    """An open SQLite file."""

    def __init__(self, connection: sqlite3.Connection, missing: int) -> None:
        self._connection = connection
        self._missing = missing

    def tables(self) -> dict[str, list[str]]:
        rows = self._connection.execute("PRAGMA table_list").fetchall()
        # Names that are no UTF-8 are bytes; tables of such names are not read.
        found = [
            name for schema, name, kind, *_ in rows
            if (schema, kind) == ("main", "table") and isinstance(name, str) and name[:7] != "sqlite_"
        ]  # fmt: skip
        columns = {
            name: [row[1] for row in self._connection.execute(f"PRAGMA table_info({_quoted(name)})")]
            for name in sorted(found)
        }
        return {
            table: [name if isinstance(name, str) else name.decode("utf-8", "replace") for name in names]
            for table, names in columns.items()
        }

    def rows(self, table: str, limit: int, first: int) -> Iterator[tuple[int, Rows]]:
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * limit + (1 << 20))
        select = f"SELECT * FROM {_quoted(table)} LIMIT"
        row = first
        while True:
            try:
                cursor = self._connection.execute(f"{select} -1 OFFSET {row}")
                while values := cursor.fetchone():
                    row += 1
                    yield row - 1, [values]
                break
            except sqlite3.DataError:
                # A value that is too long ends a query, one row before its own: the next begins after it.
                yield row, [self._row(f"{select} 1 OFFSET {row}")]
                row += 1
        if self._missing:
            raise sqlite3.DatabaseError(f"the last {self._missing} bytes of the file are missing")

    def _row(self, query: str) -> tuple[Any, ...] | None:
        """Give the only row of a query; None if a value in it is too long."""
        try:
            row: tuple[Any, ...] | None = self._connection.execute(query).fetchone()
        except sqlite3.DataError:
            row = None
        return row


@contextmanager
def _sqlite(path: Path) -> Iterator[_Database]:
    """Open a SQLite file. Nothing but reading is allowed, and its schema may call no function of note."""
    try:
        uri = f"file:{quote(str(path.resolve()))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.text_factory = _text
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA cell_size_check = ON")
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _SQLITE_READS else sqlite3.SQLITE_DENY
            )
            yield _Sqlite(connection, _missing_bytes(path))
    except (sqlite3.Error, ValueError, MemoryError) as error:  # a damaged name is no UTF-8
        raise UserError(f"{path} cannot be read as SQLite: {one_line(error) or 'it is damaged'}") from error


def _missing_bytes(path: Path) -> int:
    """Give the bytes by which a SQLite file is shorter than its header says; SQLite overlooks a few."""
    with path.open("rb") as file:
        header = file.read(100)
    page, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
    # The number of pages is right if it was written with the file's last change.
    known = header[24:28] == header[92:96]
    return max(0, (65536 if page == 1 else page) * pages - path.stat().st_size) if known else 0


def _text(data: bytes) -> str | bytes:
    """Decode text; give it as bytes if it is no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


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
            cell = f"CAST({_quoted(column)} AS VARCHAR)" if "TIME ZONE" in kind else _quoted(column)
            cells.setdefault(name, []).append(cell)
            self._selected[name] = (", ".join(cells[name]), f"{_quoted(schema)}.{_quoted(table)}")
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
def _duckdb(path: Path) -> Iterator[_Database]:
    """Open a DuckDB file. Its contents reach no other file and no network."""
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtra("reading DuckDB files", "tables") from error
    try:
        with duckdb.connect(str(path), read_only=True, config=_DUCKDB) as connection:
            yield _DuckDB(connection)
    except duckdb.Error as error:
        raise UserError(f"{path} cannot be read as DuckDB: {str(error).partition(chr(10))[0]}") from error


def _quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'
