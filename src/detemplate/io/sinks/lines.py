"""Sinks of lines: JSON Lines, CSV and TSV."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from detemplate.files.jsonvalues import plain, to_json, without_surrogates
from detemplate.io.sinks.out import EXTRA, MOST_COLUMNS, OutSink, RowGroup, own_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.io.record import Record
    from detemplate.io.sinks.out import Out


class JsonlSink(OutSink):
    """One JSON object per line, in UTF-8. Equal rows give equal bytes.

    ``out``: where the lines go.
    """

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write one line; raises what :meth:`~detemplate.io.sinks.out.Out.write` raises."""
        self._out.write(to_json(dict(row)).encode("utf-8") + b"\n")


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a text begins with that spreadsheets may take for a formula."""


class CsvSink(OutSink):
    r"""A header, then one row per page, in UTF-8, as RFC 4180 has it: lines end in ``\r\n``.

    Cells with delimiters, quotes or line breaks are in double quotes. Text is written as it is; null is an
    empty cell; numbers and truth values are written as in JSON, dates and times in ISO 8601, lists and
    objects as JSON.

    The columns are the keys of the first rows, at most 1,000. Further keys, and a carried key ``extra``, are
    in the last column, ``extra``, as one JSON object per row.

    ``out``: where the lines go.
    ``formats``: ``"text"``, ``"html"``, ``"markdown"``: those that rows have; columns of an output without
        rows.
    ``delimiter``: ``","`` or a tab.
    ``head``: number of first rows whose keys are the columns; they are held back until then. None: 10,000.
    ``spreadsheet``: whether texts that a spreadsheet would take for formulas get an apostrophe before them.
    """

    def __init__(
        self,
        out: Out,
        *,
        formats: Sequence[str],
        delimiter: str,
        head: int | None = None,
        spreadsheet: bool = False,
    ) -> None:
        super().__init__(out)
        self._formats = formats
        self._guarded = _FORMULA if spreadsheet else ()
        self._first = RowGroup(head)
        self._columns: dict[str, None] | None = None
        self._line = io.StringIO(newline="")
        self._writer = csv.writer(self._line, delimiter=delimiter)

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write one row; raises what :meth:`~detemplate.io.sinks.out.Out.write` raises."""
        if self._columns is not None:
            self._write_row(self._columns, row)
        elif self._first.add(dict(row)):
            self._begin()

    def _begin(self) -> None:
        """Choose the columns by the first rows, and write these."""
        rows = self._first.take()
        keys = [key for row in rows for key in row] if rows else own_keys(self._formats)
        found = (key for key in dict.fromkeys(keys) if key != EXTRA)
        self._columns = dict.fromkeys(islice(found, MOST_COLUMNS))
        self._write_cells([*map(self._cell, self._columns), EXTRA])
        for row in rows:
            self._write_row(self._columns, row)

    def _write_row(self, columns: dict[str, None], row: Mapping[str, object]) -> None:
        extra = {key: value for key, value in row.items() if key not in columns}
        self._write_cells([*(self._cell(row.get(key)) for key in columns), to_json(extra) if extra else ""])

    def _write_cells(self, cells: list[str]) -> None:
        self._writer.writerow(cells)
        self._out.write(self._line.getvalue().encode("utf-8"))
        self._line.seek(0)
        self._line.truncate()

    def _cell(self, value: object) -> str:
        """Return a value as the text of a cell."""
        simple: Any = plain(value)
        if simple is None:
            return ""
        if not isinstance(simple, str):
            return to_json(simple)
        return ("'" if simple.startswith(self._guarded) else "") + without_surrogates(simple)

    def close(self) -> None:
        """Write rows that were held back, and finish the output."""
        if self._columns is None:
            self._begin()
        super().close()
