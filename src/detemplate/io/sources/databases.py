"""Sources of database tables: DuckDB and SQLite files, opened read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import OVER, PlacedSource, broken
from detemplate.io.sources.duckdbfile import open_duckdb
from detemplate.io.sources.fieldnames import listed
from detemplate.io.sources.sqlitefile import open_sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.base import Place
    from detemplate.io.sources.fieldnames import FieldNames
    from detemplate.io.sources.fields import RecordMaker


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
        self._open = open_duckdb if kind == "duckdb" else open_sqlite
        self._limit = maker.limit
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
