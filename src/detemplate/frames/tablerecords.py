"""The pages of a table or of dicts that are rows, as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from detemplate.errors import UserError
from detemplate.io.columnnames import html_column, url_column
from detemplate.io.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.frames.tables import Table


class Columns:
    """The columns of a table that hold a page.

    Parameters
    ----------
    names
        The table's column names.
    url, html
        Columns of URLs and of markup; None: guessed from their names (:mod:`detemplate.io.columnnames`).

    Attributes
    ----------
    read : list
        The columns to read.

    Raises
    ------
    UserError
        There is no such column, or none that is likely to hold markup.
    """

    def __init__(self, names: Iterable[Any], url: str | None, html: str | None) -> None:
        given = list(names)
        known = f"the columns are {', '.join(map(repr, given)) or 'none'}"
        texts = [name for name in given if isinstance(name, str)]
        for name in (url, html):
            if name is not None and name not in given:
                raise UserError(f"there is no column {name!r}; {known}")
        self._url = url_column(texts) if url is None else url
        self._html = html_column(texts) if html is None else html
        self._site = "site" if "site" in texts else None
        if self._html is None:
            raise UserError(f"no column is known to hold markup: name it with html='…'; {known}")
        self.read = [name for name in (self._url, self._html, self._site) if name is not None]

    def record(self, values: Mapping[Any, Any], row: int) -> Record:
        """Make a record of a row's values by column; without a URL, it is named by the row's number."""
        url, site = _present(values.get(self._url)), _present(values.get(self._site))
        if isinstance(url, bytes):
            url = url.decode("utf-8", "replace")
        return Record(f"row:{row}" if url is None else url, _present(values.get(self._html)), site=site)


class TableRecords:
    """The pages of a table, which may be iterated more than once.

    Parameters
    ----------
    table
        The table.
    columns
        Its columns that hold a page.
    first
        Number of its first row.
    """

    def __init__(self, table: Table, columns: Columns, first: int = 0) -> None:
        self._table = table
        self._columns = columns
        self._first = first

    def __iter__(self) -> Iterator[Record]:
        """Go through the rows."""
        for number, values in enumerate(self._table.rows(self._columns.read), self._first):
            yield self._columns.record(values, number)


class RowRecords:
    """The pages of dicts that are rows; each record carries its whole row.

    Parameters
    ----------
    rows
        The dicts. The names of a sequence's columns are the keys of all of them; of other rows, those of the
        first.
    url, html
        As for :class:`Columns`.
    """

    def __init__(self, rows: Iterable[Mapping[Any, Any]], url: str | None, html: str | None) -> None:
        self._rows = rows
        self._given = url, html
        self._columns: Columns | None = None

    def __iter__(self) -> Iterator[Record]:
        """Go through the rows; raises :class:`~detemplate.errors.UserError` for what is no dict."""
        for number, row in enumerate(self._rows):
            if not isinstance(row, Mapping):
                raise UserError(f"row {number} is {type(row).__name__}, and not a dict as the first one")
            if self._columns is None:
                rows = self._rows if isinstance(self._rows, Sequence) else [row]
                names = dict.fromkeys(chain.from_iterable(each for each in rows if isinstance(each, Mapping)))
                self._columns = Columns(names, *self._given)
            record = self._columns.record(row, number)
            record.carried = dict(row)
            yield record


def renamed(names: Iterable[Any], added: Iterable[str]) -> dict[Any, str]:
    """Give new names to columns whose names are those of added ones: ``source_…``."""
    known = {*names}
    taken, new_names = known.union(added), {}
    for name in known.intersection(added):
        new = f"source_{name}"
        while new in taken:
            new = f"source_{new}"
        taken.add(new)
        new_names[name] = new
    return new_names


def _present(value: Any) -> Any:  # noqa: ANN401  # a cell
    """Give a cell's value; None where the library has another sign for nothing: NaN, NaT, pandas.NA."""
    if isinstance(value, str | bytes) or value is None:
        return value
    missing = type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, float) and value != value)  # noqa: PLR0124
    return None if missing else value
