"""What runs an algorithm over tables: SQL that every engine accepts, and functions on Arrow batches.

Every table is a Parquet directory. There is an engine on DuckDB
(:class:`~detemplate.relations.duck.DuckEngine`); one on Spark runs the same strings, so they keep to
what both accept verbatim and mean alike:

- names without quotes, in lower case; ``FROM``, ``JOIN … ON``, ``LEFT JOIN``, ``GROUP BY``,
  ``HAVING``, ``DISTINCT``, ``UNION ALL``, ``CASE``, ``coalesce``, ``least``, ``greatest``, and
  ``row_number() OVER (…)`` filtered from outside;
- 64-bit integers: a sum or a row number is ``CAST(… AS BIGINT)``, since one engine widens it and the
  other narrows it; there are no unsigned ones;
- no ``QUALIFY``, no lists, no recursion, no ``USING KEY``, no functions that hash.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa  # type: ignore[import-untyped]

    Batches = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    """What :meth:`TableEngine.map` applies."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")
_TYPES: Final = {
    "bigint": "64-bit integers",
    "integer": "32-bit integers",
    "int": "32-bit integers",
    "varchar": "text",
    "string": "text",
}


class TableEngine(Protocol):
    """Holds tables by name, in a work directory of its own that goes when the engine is closed.

    A name is lower-case letters, digits and underscores. It can be given again, also by a query that
    reads the old table, which is gone afterwards.
    """

    def source(self, name: str, path: str | Path) -> None:
        """Give a name to a table that is there already.

        Parameters
        ----------
        name
            The table's name in queries.
        path
            A directory of Parquet files, or a DuckDB file that has a table of that name (where the
            engine can read one).

        Raises
        ------
        UserError
            There is no such table, or it cannot be read.
        """

    def sql(self, out: str, query: str) -> None:
        """Run a query and keep its result as a table.

        Parameters
        ----------
        out
            The table's name.
        query
            One ``SELECT`` in the common dialect; see :mod:`detemplate.relations.engine`.

        Raises
        ------
        UserError
            A file cannot be read, or memory or disk space run out.
        """

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Give the rows of a small result; raises as :meth:`sql`."""

    def map(self, out: str, src: str, fn: Batches, schema: pa.Schema) -> None:
        """Apply a function to a table, batch by batch.

        Parameters
        ----------
        out, src
            The names of the new table and of the old one.
        fn
            Takes an iterator over batches of ``src`` and gives batches of ``schema``. An engine may
            apply it to parts of the table, in any order and in several processes.
        schema
            The new table's schema.
        """

    def close(self) -> None:
        """Remove the work directory."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


def checked_name(name: str) -> str:
    """Return a table's name; raises ValueError if it is none that every engine takes."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no table name: use lower-case letters, digits and underscores")
    return name


def source_crawl(engine: TableEngine, path: Path, needed: Mapping[str, Mapping[str, str]]) -> None:
    """Open the tables of a crawl under their own names, and check that they can be used.

    Parameters
    ----------
    engine
        What will read them.
    path
        A DuckDB file, or a directory with one directory of Parquet files a table.
    needed
        For each table, the columns that will be read, with their types: ``"bigint"``, ``"int"`` or
        ``"string"``.

    Raises
    ------
    UserError
        Nothing is there, or a table or a column is missing or of another type.
    """
    if not path.exists():
        raise UserError(f"there is no {path}: make it with 'detemplate tables'")
    for table, columns in needed.items():
        engine.source(table, path / table if path.is_dir() else path)
        there = {row[0]: row[1].lower() for row in engine.rows(f"DESCRIBE {checked_name(table)}")}
        for column, kind in columns.items():
            if column not in there:
                raise UserError(
                    f"table {table} of {path} has no column {column}: make it with 'detemplate tables'"
                )
            if _TYPES.get(there[column]) != _TYPES[kind]:
                raise UserError(
                    f"column {column} of table {table} of {path} is {there[column]}, not {_TYPES[kind]}"
                )


def has_table(engine: TableEngine, path: Path, name: str) -> bool:
    """Open a table that a crawl may have or not, and tell whether it has it."""
    try:
        engine.source(name, path / name if path.is_dir() else path)
    except UserError:
        return False
    return True


def numbers(rows: Iterable[tuple[Any, ...]]) -> tuple[int, ...]:
    """Give the only row of a result of sums and counts; a sum over nothing is 0."""
    [row] = rows
    return tuple(int(value or 0) for value in row)
