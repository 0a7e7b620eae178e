"""The interface of table engines: SQL that each engine accepts.

Each table is a directory of Parquet files. :class:`~detemplate.relations.duck.DuckEngine` is an engine on
DuckDB, :class:`~detemplate.relations.spark.SparkEngine` one on Spark. Both run the same queries, with the
same results:

- names without quotes, in lower case; ``FROM``, ``JOIN … ON``, ``LEFT JOIN``, ``GROUP BY``,
  ``HAVING``, ``DISTINCT``, ``UNION ALL``, ``CASE``, ``coalesce``, ``least``, ``greatest``, and
  ``row_number() OVER (…)`` filtered from outside;
- signed 64-bit integers: a sum or a row number is ``CAST(… AS BIGINT)``, since DuckDB widens it and Spark
  narrows it;
- no ``QUALIFY``, no lists, no recursion, no ``USING KEY``, no functions that hash.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from detemplate.errors import UserError
from detemplate.files.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")  # names of tables that all engines accept
_TYPES: Final = {
    "bigint": "64-bit integers",
    "integer": "32-bit integers",
    "int": "32-bit integers",
    "varchar": "text",
    "string": "text",
}


class TableEngine(Protocol):
    """Holds tables by name, in a work directory that is removed when the engine is closed.

    A name has lower-case letters, digits and underscores. A new table of a name replaces the old one; the
    query that makes it may read the old one.
    """

    def source(self, name: str, path: str | Path) -> None:
        """Open an existing table under a name.

        ``name``: the table's name in queries.
        ``path``: a directory of Parquet files.
        Raises UserError: the table does not exist or cannot be read.
        """

    def sql(self, out: str, query: str) -> None:
        """Run a query and store its result as a table.

        ``out``: name of the new table.
        ``query``: one ``SELECT`` in the dialect that :mod:`detemplate.relations.engine` describes.
        Raises UserError: a file cannot be read, or memory or disk space runs out.
        """

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result; raises UserError as :meth:`sql` does."""

    def store(self, crawl: Path | str, names: list[str]) -> None:
        """Write tables of these names into a crawl; existing ones are replaced."""

    def close(self) -> None:
        """Remove the work directory."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


def checked_name(name: str) -> str:
    """Return a table's name; raises ValueError if some engine would not accept it."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no table name: use lower-case letters, digits and underscores")
    return name


def check_crawl(path: Path | str) -> None:
    """Raise UserError if a path is not a directory, as the tables of a crawl are."""
    if not Path(path).exists():
        raise UserError(f"there is no {path}: make it with 'detemplate graph tables'")
    if not Path(path).is_dir():
        raise UserError(f"{path} is no directory of Parquet tables: make one with 'detemplate graph tables'")


def source_crawl(engine: TableEngine, path: Path | str, needed: Mapping[str, Mapping[str, str]]) -> None:
    """Open the tables of a crawl under their own names, and check their columns.

    ``engine``: the engine that will read them.
    ``path``: a directory with one directory of Parquet files per table; for Spark also the URL of such a
        directory.
    ``needed``: the columns that will be read, with their types, by table. A type is ``"bigint"``, ``"int"``
        or ``"string"``.
    Raises UserError: the crawl, a table or a column does not exist, or a column has another type.
    """
    if not is_remote(str(path)):
        check_crawl(path)
    for table, columns in needed.items():
        engine.source(table, f"{str(path).rstrip('/')}/{table}")
        types = {row[0]: row[1].lower() for row in engine.rows(f"DESCRIBE {checked_name(table)}")}
        for column, kind in columns.items():
            if column not in types:
                raise UserError(
                    f"table {table} of {path} has no column {column}: make it with 'detemplate graph tables'"
                )
            if _TYPES.get(types[column]) != _TYPES[kind]:
                raise UserError(
                    f"column {column} of table {table} of {path} is {types[column]}, not {_TYPES[kind]}; "
                    "make the table with 'detemplate graph tables'"
                )


def has_table(engine: TableEngine, path: Path | str, name: str) -> bool:
    """Open an optional table of a crawl; return False if the crawl does not have it."""
    try:
        engine.source(name, f"{str(path).rstrip('/')}/{name}")
    except UserError:
        return False
    return True


def numbers(rows: Iterable[tuple[Any, ...]]) -> tuple[int, ...]:
    """Return the only row of a result as integers; NULL, the sum over no rows, is 0."""
    [row] = rows
    return tuple(int(value or 0) for value in row)
