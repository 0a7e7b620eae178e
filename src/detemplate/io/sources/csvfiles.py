"""A source of CSV and TSV files."""

from __future__ import annotations

import codecs
import csv
import io
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import FileSource, broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.compression import InputFile, InputStream
    from detemplate.io.sources.fields import RecordMaker

_BUFFER: Final = 1 << 18  # bytes per read

_DELIMITERS: Final = ",;\t|"
"""Characters that may separate cells; the one that occurs most in the first line does."""


class CsvSource(FileSource):
    """A source of the pages of one CSV or TSV file, in row order.

    The first row names the columns. Cells are separated by comma, semicolon, tab or ``|``, whichever occurs
    most in it, and quoted by ``"``. Text is UTF-8, or UTF-16 with a byte-order mark; cells that are no UTF-8
    stay bytes. Which columns are the page and its URL, :class:`~detemplate.io.sources.fields.RecordMaker`
    says. A row with bad quoting, or with more or fewer cells than columns, yields ``Skip("bad record")``.

    ``file``: the file, which may be compressed with gzip or zstd.
    ``maker``: makes records of rows. Its limit is the longest cell in characters, too.
    Raises UserError: no column may hold a page. For standard input, reading raises it.
    """

    def __init__(self, file: InputFile, maker: RecordMaker) -> None:
        super().__init__(file)
        self._maker = maker
        # The limit is the process's, not the reader's; it is only ever raised.
        csv.field_size_limit(max(csv.field_size_limit(), maker.limit))
        if file.rereadable:
            with file.open() as stream:
                self._table(stream)

    def _table(self, stream: InputStream) -> tuple[_Lines, Iterator[list[str]], list[str]]:
        """Return the lines, the rows after the first one, and the columns, which the first one names."""
        lines = _Lines(stream, self._maker.limit)
        rows = csv.reader(lines, delimiter=max(_DELIMITERS, key=lines.first.count), strict=True)
        try:
            columns = next(rows, [])
        except csv.Error as error:
            raise UserError(f"the first row of {self._file.name} cannot be read as CSV: {error}") from error
        if columns or not stream.broken:
            self._maker.names.columns(columns, f"{self._file.name} (its first row)")
        return lines, rows, columns

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        lines, rows, columns = self._table(stream)
        while True:
            number = lines.number + 1
            source = SourceRef(self._file.name, number)
            row, problem = None, None
            try:
                row = next(rows, None)
            except csv.Error as error:
                problem = str(error)
            if (row is None and problem is None) or (lines.open and stream.broken):
                break  # a row that is cut: the skip after it reports it
            if problem is not None:
                where = f"line {number}" if lines.number == number else f"lines {number} to {lines.number}"
                reason = "bad record"
                if "field larger" in problem:
                    reason, problem = "too large", f"a cell of over {self._maker.limit} characters"
                yield Skip("", reason, f"{where}: {problem}", source, rejected=True)
            elif row and len(row) == len(columns):
                fields: dict[str, object] = dict(zip(columns, map(_decoded, row), strict=True))
                yield self._maker.record(fields, source, f"line {number}")
            elif row:
                detail = f"line {number}: {len(row)} cells for {len(columns)} columns"
                yield Skip("", "bad record", detail, source, rejected=True)
            self.bytes_read = stream.raw_position
        if stream.broken:
            where = f"broke at byte {stream.raw_position} in or after line {lines.number}"
            yield broken(self._file.name, lines.number, f"{stream.broken}: {where}")


class _Lines:
    """The lines of a stream; one that is too long comes in pieces.

    ``first`` is the first line, ``number`` that of the last line that was read, from 1, and ``open`` tells
    whether the last one goes on.
    """

    def __init__(self, stream: InputStream, longest: int) -> None:
        utf16 = stream.peek(4).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self._text = io.TextIOWrapper(
            io.BufferedReader(stream, _BUFFER),
            encoding="utf-16" if utf16 else "utf-8-sig",
            errors="replace" if utf16 else "surrogateescape",
            newline="",
        )
        self._longest = longest
        self.number = 0
        self.open = False
        self.first = self._text.readline(_BUFFER)

    def __iter__(self) -> Iterator[str]:
        line = self.first
        while line:
            self.number += not self.open
            self.open = not line.endswith(("\n", "\r"))
            yield line
            line = self._text.readline(self._longest + 1)


def _decoded(cell: str) -> str | bytes:
    """Return a cell; as bytes, if it is no UTF-8."""
    try:
        cell.encode()
    except UnicodeEncodeError:
        return cell.encode("utf-8", "surrogateescape")
    return cell
