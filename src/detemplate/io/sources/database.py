"""What a source of database tables asks of an open database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = list[tuple[Any, ...] | None]
"""Values of rows."""


class Database(Protocol):
    """An open database."""

    def tables(self) -> dict[str, list[str]]:
        """Give the columns of each table, by its name; not of views."""

    def rows(self, table: str, limit: int, first: int) -> Iterator[tuple[int, Rows]]:
        """Give the rows of a table, some at a time; None for one with a value far beyond the limit.

        With them comes the place of the query that gave them. ``first`` is that of the first query.
        """


def quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'
