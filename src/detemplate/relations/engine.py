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

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from detemplate.errors import UserError
from detemplate.files.remote import is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TYPES: Final = {
    "bigint": "64-bit integers",
    "integer": "32-bit integers",
    "int": "32-bit integers",
    "varchar": "text",
    "string": "text",
}


class TableEngine(ABC):
    """Holds tables by name, in a work directory that is removed when the engine is closed.

    A name has lower-case letters, digits and underscores. A new table of a name replaces the old one; the
    query that makes it may read the old one.
    """

    @abstractmethod
    def source(self, name: str, path: str | Path) -> None:
        """Open an existing table under a name.

        ``name``: the table's name in queries.
        ``path``: a directory of Parquet files.
        Raises UserError: the table does not exist or cannot be read.
        """

    @abstractmethod
    def sql(self, out: str, query: str) -> None:
        """Run a query and store its result as a table.

        ``out``: name of the new table.
        ``query``: one ``SELECT`` in the dialect that :mod:`detemplate.relations.engine` describes.
        Raises UserError: a file cannot be read, or memory or disk space runs out.
        """

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result; raises UserError as :meth:`sql` does."""

    @abstractmethod
    def store(self, crawl: Path | str, names: list[str]) -> None:
        """Write tables into a crawl, one by one.

        ``crawl``: the directory with one directory of Parquet files per table. Existing tables of these names
            are replaced.
        ``names``: names of tables that this engine made.
        Raises UserError: the crawl cannot be written.
        """

    @abstractmethod
    def close(self) -> None:
        """Remove the work directory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


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
        if not Path(path).exists():
            raise UserError(f"there is no {path}: make it with 'detemplate graph tables'")
        if not Path(path).is_dir():
            raise UserError(
                f"{path} is no directory of Parquet tables: make one with 'detemplate graph tables'"
            )
    for table, columns in needed.items():
        engine.source(table, f"{str(path).rstrip('/')}/{table}")
        types = {row[0]: row[1].lower() for row in engine.rows(f"DESCRIBE {table}")}
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
