"""Rows that are collected until there are enough of them to be written together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

EXTRA: Final = "extra"
"""Name of the column for values that have no column of their own, as one JSON object per row."""

GROUP_ROWS: Final = 10_000
"""Maximum number of rows of a group."""

MOST_COLUMNS: Final = 1_000
"""Maximum number of columns, own and carried ones; later keys are in :data:`EXTRA`."""

_GROUP_BYTES: Final = 32 << 20
"""Approximate maximum size of a group, in bytes."""


class RowGroup:
    """Collected rows.

    Parameters
    ----------
    most
        Maximum number of rows.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def add(self, row: dict[str, Any]) -> bool:
        """Add a row; return whether the group is full: it has the most rows, or about 32 MiB."""
        self._rows.append(row)
        self._bytes += _weight(row)
        return len(self._rows) >= (self._most or GROUP_ROWS) or self._bytes >= _GROUP_BYTES

    def take(self) -> list[dict[str, Any]]:
        """Return the rows; the group is empty then."""
        rows, self._rows, self._bytes = self._rows, [], 0
        return rows


def _weight(value: Any) -> int:  # noqa: ANN401
    """Return the approximate size of a value in bytes."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_weight(key) + _weight(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_weight, value)) + 8 * len(value)
    return 8
