"""SQLite files, opened read-only."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from detemplate.errors import UserError
from detemplate.io.sources.base import one_line
from detemplate.io.sources.database import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.database import Database, Rows

SQLITE_MAGIC: Final = b"SQLite format 3\0"
"""First bytes of a SQLite file."""

_SQLITE_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_FUNCTION}
)
"""What SQLite may do."""


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
            name: [row[1] for row in self._connection.execute(f"PRAGMA table_info({quoted(name)})")]
            for name in sorted(found)
        }
        return {
            table: [name if isinstance(name, str) else name.decode("utf-8", "replace") for name in names]
            for table, names in columns.items()
        }

    def rows(self, table: str, limit: int, first: int) -> Iterator[tuple[int, Rows]]:
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * limit + (1 << 20))
        select = f"SELECT * FROM {quoted(table)} LIMIT"
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
def open_sqlite(path: Path) -> Iterator[Database]:
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
