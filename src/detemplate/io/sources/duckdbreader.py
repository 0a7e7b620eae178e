"""The process that reads a DuckDB file: DuckDB may crash on a damaged one, or loop without end.

    python -m detemplate.io.sources.duckdbreader PATH SECONDS

Requests come as pickles on standard input, ``("tables",)`` and ``("rows", table, first)``, and answers go to
standard output: ``("value", value)``, ``("error", message)`` and, after all rows, ``("end", None)``.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import duckdb

from detemplate.io.sources.database import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROWS: Final = 64
"""Rows that are fetched at a time."""

_VECTOR: Final = 2048
"""Rows that DuckDB reads at a time."""


_SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
    "threads": 1,
    "memory_limit": "2GB",
}
"""Settings of DuckDB: a file's contents reach no other file and no network."""


class OpenFile:
    """An open DuckDB file.

    Parameters
    ----------
    connection
        DuckDB's connection to it.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._selected: dict[str, tuple[str, str]] = {}

    def tables(self) -> dict[str, list[str]]:
        """Give the columns of each table, by its name; not of views."""
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

    def rows(self, table: str, first: int) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
        """Give the rows of a table from a row on, some at a time, with the first row of their query."""
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


def serve(path: str, seconds: int, send: Callable[[str, object], None]) -> None:
    """Answer the requests on standard input until it ends.

    Parameters
    ----------
    path
        The file.
    seconds
        Processor time that the system allows from one answer to the next.
    send
        Sends an answer.
    """
    _allow(seconds)
    try:
        with duckdb.connect(path, read_only=True, config=_SETTINGS) as connection:
            file = OpenFile(connection)
            while True:
                kind, *given = pickle.load(sys.stdin.buffer)
                _allow(seconds)
                if kind == "tables":
                    send("value", file.tables())
                    continue
                for rows in file.rows(*given):
                    send("value", rows)
                    _allow(seconds)
                send("end", None)
    except EOFError:
        return
    except (duckdb.Error, MemoryError) as error:
        send("error", str(error).partition("\n")[0] or type(error).__name__)


def _allow(seconds: int) -> None:
    """Let the system end this process when it has used so many more seconds of processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(
        resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard)
    )


def main(path: str, seconds: str) -> None:
    """Read a file for the process that has started this one."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # these are for the other process, whose end ends this one
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(os.dup(1), "wb") as out, open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 1)  # nothing that DuckDB might print comes between the answers

        def send(kind: str, value: object) -> None:
            pickle.dump((kind, value), out, pickle.HIGHEST_PROTOCOL)
            out.flush()

        with suppress(BrokenPipeError):
            serve(path, int(seconds), send)


if __name__ == "__main__":
    main(*sys.argv[1:])
