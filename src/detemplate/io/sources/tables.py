"""Sources of tables of rows: CSV and TSV files, and the tables of SQLite files, opened read-only."""

from __future__ import annotations

import codecs
import csv
import io
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource, broken, one_line
from detemplate.io.sources.fields import listed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.compression import InputFile, InputStream
    from detemplate.io.sources.fields import FieldNames, RecordMaker

    Row = tuple[Any, ...] | None

_BUFFER: Final = 1 << 18  # bytes per read

_DELIMITERS: Final = ",;\t|"
"""Characters that may separate cells; the one that occurs most in the first line does."""


class CsvSource(FileSource):
    """A source of the pages of one CSV or TSV file, in row order.

    The first row names the columns. Cells are separated by comma, semicolon, tab or ``|``, whichever occurs
    most in it, and quoted by ``"``. Text is UTF-8, or UTF-16 with a byte-order mark; cells that are no UTF-8
    stay bytes. Which columns are the page and its URL, :class:`~detemplate.io.sources.fields.RecordMaker`
    says. A row with bad quoting, or with more or fewer cells than columns, yields ``Skip("bad record")``.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``maker``: makes records of rows. Its limit is the longest cell in characters, too.
    Raises UserError: no column may hold a page. For standard input, reading raises it.
    """

    def __init__(self, file: InputFile, maker: RecordMaker) -> None:
        super().__init__(file)
        self._maker = maker
        # The limit is the process's, not the reader's; it is only ever raised.
        csv.field_size_limit(max(csv.field_size_limit(), maker.limit))
        if file.rereadable:
            with file.open() as stream:
                self._table(stream)

    def _table(self, stream: InputStream) -> tuple[_Lines, Iterator[list[str]], list[str]]:
        """Return the lines, the rows after the first one, and the columns, which the first one names."""
        lines = _Lines(stream, self._maker.limit)
        rows = csv.reader(lines, delimiter=max(_DELIMITERS, key=lines.first.count), strict=True)
        try:
            columns = next(rows, [])
        except csv.Error as error:
            raise UserError(f"the first row of {self._file.name} cannot be read as CSV: {error}") from error
        if columns or not stream.broken:
            self._maker.names.columns(columns, f"{self._file.name} (its first row)")
        return lines, rows, columns

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        lines, rows, columns = self._table(stream)
        while True:
            number = lines.number + 1
            source = SourceRef(self._file.name, number)
            row, problem = None, None
            try:
                row = next(rows, None)
            except csv.Error as error:
                problem = str(error)
            if (row is None and problem is None) or (lines.open and stream.broken):
                break  # a row that is cut: the skip after it reports it
            if problem is not None:
                where = f"line {number}" if lines.number == number else f"lines {number} to {lines.number}"
                reason = "bad record"
                if "field larger" in problem:
                    reason, problem = "too large", f"a cell of over {self._maker.limit} characters"
                yield Skip("", reason, f"{where}: {problem}", source, rejected=True)
            elif row and len(row) == len(columns):
                fields: dict[str, object] = dict(zip(columns, map(_decoded, row), strict=True))
                yield self._maker.record(fields, source, f"line {number}")
            elif row:
                detail = f"line {number}: {len(row)} cells for {len(columns)} columns"
                yield Skip("", "bad record", detail, source, rejected=True)
            self.bytes_read = stream.raw_position
        if stream.broken:
            where = f"broke at byte {stream.raw_position} in or after line {lines.number}"
            yield broken(self._file.name, lines.number, f"{stream.broken}: {where}")


class _Lines:
    """The lines of a stream; one that is too long comes in pieces.

    ``first`` is the first line, ``number`` that of the last line that was read, from 1, and ``open`` tells
    whether the last one goes on.
    """

    def __init__(self, stream: InputStream, longest: int) -> None:
        utf16 = stream.peek(4).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._text = io.TextIOWrapper(
            io.BufferedReader(stream, _BUFFER),
            encoding="utf-16" if utf16 else "utf-8-sig",
            errors="replace" if utf16 else "surrogateescape",
            newline="",
        )
        self._longest = longest
        self.number = 0
        self.open = False
        self.first = self._text.readline(_BUFFER)

    def __iter__(self) -> Iterator[str]:
        line = self.first
        while line:
            self.number += not self.open
            self.open = not line.endswith(("\n", "\r"))
            yield line
            line = self._text.readline(self._longest + 1)


def _decoded(cell: str) -> str | bytes:
    """Return a cell; as bytes, if it is no UTF-8."""
    try:
        cell.encode()
    except UnicodeEncodeError:
        return cell.encode("utf-8", "surrogateescape")
    return cell


_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_FUNCTION}
)
"""What SQLite may do."""


class SqliteSource:
    """A source of the pages of one table of a SQLite file, in the table's order.

    Views are refused: reading one runs what the file's author wrote. Which columns are the page and its URL,
    :class:`~detemplate.io.sources.fields.RecordMaker` says; the others are carried as Python values.

    ``path``: the file, as the user named it.
    ``maker``: makes records of rows.
    ``table``: name of the table. None: the only table that may hold pages.
    Raises UserError: the file is no such database or has no such table, several tables may hold pages and
        none is named, or no column may hold a page.
    """

    rereadable = True

    def __init__(self, path: Path, maker: RecordMaker, table: str | None) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self.bytes_read = 0
        self._path = path
        self._limit = maker.limit
        with _opened(path) as connection:
            tables = _tables(connection)
        self._table = _chosen(tables, table, maker.names, path)
        self._columns = tables[self._table]
        self._maker = maker.within(self._table)

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the table."""
        self.bytes_read = 0
        row = 0
        name = f"{self._path}:{self._table}"
        try:
            with _opened(self._path) as connection:
                for values in _rows(connection, self._table, self._limit):
                    source = SourceRef(name, row)
                    if values is None:
                        detail = f"row {row}: over {self._limit} bytes"
                        yield Skip("", "too large", detail, source, rejected=True)
                    else:
                        fields = dict(zip(self._columns, values, strict=True))
                        yield self._maker.record(fields, source, f"row {row}")
                    row += 1
            missing = _missing_bytes(self._path)
            error = f"the last {missing} bytes of the file are missing" if missing else ""
        except UserError as broke:
            error = str(broke)
        if error:
            yield broken(name, row, f"broke at row {row}: {error}")
        self.bytes_read = self.total_bytes or 0


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a SQLite file. Nothing but reading is allowed, and its schema may call no function of note."""
    try:
        uri = f"file:{quote(str(path.resolve()))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.text_factory = _text
            for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
                connection.execute(f"PRAGMA {setting}")
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY
            )
            yield connection
    except (sqlite3.Error, ValueError, MemoryError) as error:  # a damaged name is no UTF-8
        raise UserError(f"{path} cannot be read as SQLite: {one_line(error) or 'it is damaged'}") from error


def _tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of each table, by its name; not of views."""
    rows = connection.execute("PRAGMA table_list").fetchall()
    # Names that are no UTF-8 are bytes; tables of such names are not read.
    found = [
        name for schema, name, kind, *_ in rows
        if (schema, kind) == ("main", "table") and isinstance(name, str) and name[:7] != "sqlite_"
    ]  # fmt: skip
    columns = {
        name: [row[1] for row in connection.execute(f"PRAGMA table_info({_quoted(name)})")]
        for name in sorted(found)
    }
    return {
        table: [name if isinstance(name, str) else name.decode("utf-8", "replace") for name in names]
        for table, names in columns.items()
    }


def _rows(connection: sqlite3.Connection, table: str, limit: int) -> Iterator[Row]:
    """Yield the rows of a table; None for one with a value far beyond the limit."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * limit + (1 << 20))
    select = f"SELECT * FROM {_quoted(table)} LIMIT"
    row = 0
    while True:
        try:
            for values in connection.execute(f"{select} -1 OFFSET {row}"):
                row += 1
                yield values
        except sqlite3.DataError:
            # A value that is too long ends a query, one row before its own: the next begins after it.
            try:
                yield connection.execute(f"{select} 1 OFFSET {row}").fetchone()
            except sqlite3.DataError:
                yield None
            row += 1
        else:
            return


def _missing_bytes(path: Path) -> int:
    """Return the bytes by which a SQLite file is shorter than its header says; SQLite overlooks a few."""
    with path.open("rb") as file:
        header = file.read(100)
    page, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
    # The number of pages is right if it was written with the file's last change.
    known = header[24:28] == header[92:96]
    return max(0, (65536 if page == 1 else page) * pages - path.stat().st_size) if known else 0


def _chosen(tables: dict[str, list[str]], table: str | None, names: FieldNames, path: Path) -> str:
    """Return the table to read; raises UserError if there is no such table, or several."""
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


def _quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(data: bytes) -> str | bytes:
    """Decode text; return it as bytes if it is no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
