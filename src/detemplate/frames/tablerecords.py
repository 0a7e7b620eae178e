"""The pages of a table or of dicts that are rows, as records."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.io.sources.fields import html_column, url_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from detemplate.frames.tables import Table

Given = TypeVar("Given")


class Columns:
    """The columns of a table that hold a page: those that are named, or those with the usual names.

    ``read`` are the columns to read.

    Raises UserError: there is no such column, or none that is likely to hold markup
        (:mod:`detemplate.io.sources.fields`).
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
        if row == 1 and self._url is None and self._site is None:
            warnings.warn(
                "no column is known to hold URLs, so all pages are one site: name it with url='…'",
                stacklevel=2,
            )
        url, site = _present(values.get(self._url)), _present(values.get(self._site))
        if isinstance(url, bytes):
            url = url.decode("utf-8", "replace")
        return Record(f"row:{row}" if url is None else url, _present(values.get(self._html)), site=site)


class Again(Generic[Given]):
    """An iterable that calls a function for each iteration."""

    def __init__(self, begin: Callable[[], Iterator[Given]]) -> None:
        self._begin = begin

    def __iter__(self) -> Iterator[Given]:
        """Begin once more."""
        return self._begin()


def table_records(table: Table, columns: Columns, first: int) -> Iterator[Record]:
    """Yield the pages of a table; ``first`` is the number of its first row."""
    for number, values in enumerate(table.rows(columns.read), first):
        yield columns.record(values, number)


def row_records(rows: Iterable[Mapping[Any, Any]], url: str | None, html: str | None) -> Iterator[Record]:
    """Yield the pages of dicts that are rows; each record carries its whole row.

    The names of a sequence's columns are the keys of all rows; of other rows, those of the first. Raises
    :class:`~detemplate.errors.UserError` for what is no dict.
    """
    columns: Columns | None = None
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise UserError(f"row {number} is {type(row).__name__}, and not a dict as the first one")
        if columns is None:
            known = rows if isinstance(rows, Sequence) else [row]
            names = dict.fromkeys(chain.from_iterable(each for each in known if isinstance(each, Mapping)))
            columns = Columns(names, url, html)
        record = columns.record(row, number)
        record.carried = dict(row)
        yield record


def renamed(names: Iterable[Any], added: Iterable[str]) -> dict[Any, str]:
    """Return new names, ``source_…``, for columns that are called like added ones."""
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
    """Return a cell's value; None for NaN, NaT and pandas.NA."""
    if isinstance(value, str | bytes) or value is None:
        return value
    missing = type(value).__name__ in {"NAType", "NaTType"} or (isinstance(value, float) and value != value)  # noqa: PLR0124
    return None if missing else value
