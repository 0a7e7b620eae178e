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

    from detemplate.io.sources.base import Place
    from detemplate.io.sources.compression import InputFile, InputStream
    from detemplate.io.sources.fields import RecordMaker

_BUFFER: Final = 1 << 18  # bytes per read

_DELIMITERS: Final = ",;\t|"
"""Characters that may part cells; the one that occurs most in the first line does."""


class CsvSource(FileSource):
    """A source of the pages of one CSV or TSV file, in row order.

    The first row names the columns. Cells are parted by comma, semicolon, tab or ``|``, whichever occurs most
    in it, and quoted by ``"``. Text is UTF-8, or UTF-16 with a byte-order mark; cells that are no UTF-8 stay
    bytes. Which columns are the page and its URL, :class:`~detemplate.io.sources.fields.RecordMaker` says.
    A row with bad quoting, or with more or fewer cells than columns, yields ``Skip("bad record")``.

    Parameters
    ----------
    file
        The file, which may be compressed with gzip or zstd.
    maker
        Makes records of rows. Its limit is the longest cell in characters, too.

    Raises
    ------
    UserError
        No column may hold a page. For standard input, reading raises it.
    """

    track_members = True

    def __init__(self, file: InputFile, maker: RecordMaker) -> None:
        super().__init__(file)
        self._maker = maker
        if file.rereadable:
            with file.open() as stream:
                _Rows(stream, self._maker, file.name)

    def _read(self, stream: InputStream, start: Place) -> Iterator[Record | Skip]:
        if start is None or isinstance(start, int):
            rows = _Rows(stream, self._maker, self._file.name)
        else:
            with self._file.open() as head:
                rows = _Rows(head, self._maker, self._file.name)
            rows.go_on(stream, start)
        if rows.sized:
            yield from self._rows(stream, rows)
        else:
            yield from self._after(start, self._rows(stream, rows))

    def _rows(self, stream: InputStream, rows: _Rows) -> Iterator[Record | Skip]:
        for item in rows:
            if rows.sized:
                self._place = rows.place()
            yield item if isinstance(item, Skip) else self._record(*item)
            self.bytes_read = stream.raw_position
        if stream.broken:
            self._over = True
            detail = f"{stream.broken}: broke at byte {stream.raw_position} in or after line {rows.line}"
            yield broken(self._file.name, rows.line, detail)

    def _record(self, fields: dict[str, object], source: SourceRef) -> Record | Skip:
        result = self._maker.record(fields, source)
        if isinstance(result, Skip) and result.reason == "bad record":
            result.detail = f"line {source.position}: {result.detail}"
        return result


class _Rows:
    """The rows of a stream, and skips for those that cannot be read.

    Attributes
    ----------
    line
        Number of the line that was read last, from 1.
    sized
        Whether it is known how many bytes a line has.
    """

    def __init__(self, stream: InputStream, maker: RecordMaker, name: str) -> None:
        # The limit is the process's, not the reader's; it is only ever raised.
        csv.field_size_limit(max(csv.field_size_limit(), maker.limit))
        self.line = 0
        self._open_line = False
        self._at = 0
        self._stream = stream
        self._name = name
        self._limit = maker.limit
        start = stream.peek(4)
        utf16 = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        self.sized = not utf16
        self._at = len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0
        self._text = self._opened("utf-16" if utf16 else "utf-8-sig")
        first = self._text.readline(_BUFFER)
        self._delimiter = max(_DELIMITERS, key=first.count)
        self._rows = self._parsed(first)
        try:
            self._columns = next(self._rows, [])
        except csv.Error as error:
            raise UserError(f"the first row of {name} cannot be read as CSV: {error}") from error
        if self._columns or not stream.broken:
            maker.names.columns(self._columns, f"{name} (its first row)")

    def _opened(self, encoding: str) -> io.TextIOWrapper:
        return io.TextIOWrapper(
            io.BufferedReader(self._stream, _BUFFER),
            encoding=encoding,
            errors="surrogateescape" if self.sized else "replace",
            newline="",
        )

    def _parsed(self, line: str) -> Iterator[list[str]]:
        return csv.reader(self._lines(line), delimiter=self._delimiter, strict=True)

    def place(self) -> Place:
        """Give the line that was read last, whether it goes on, and where what follows begins."""
        return [self.line, self._open_line, self._stream.place(self._at)]

    def go_on(self, stream: InputStream, place: Place) -> None:
        """Read on in another stream over the file, from a place on."""
        self._stream = stream
        self.line, self._open_line, where = place
        stream.start_at(where)
        self._at = stream.tell()
        self._text = self._opened("utf-8")
        self._rows = self._parsed(self._text.readline(self._limit + 1))

    def __iter__(self) -> Iterator[tuple[dict[str, object], SourceRef] | Skip]:
        while True:
            first = self.line + 1
            source = SourceRef(self._name, first)
            try:
                row = next(self._rows, None)
            except csv.Error as error:
                if self._cut:
                    return
                where = f"line {first}" if self.line == first else f"lines {first} to {self.line}"
                large = "field larger" in str(error)
                why = f"a cell of over {self._limit} characters" if large else str(error)
                reason = "too large" if large else "bad record"
                yield Skip("", reason, f"{where}: {why}", source, rejected=True)
                continue
            if row is None or self._cut:
                return
            if len(row) == len(self._columns):
                yield dict(zip(self._columns, map(_decoded, row), strict=True)), source
            elif row:
                why = f"line {first}: {len(row)} cells for {len(self._columns)} columns"
                yield Skip("", "bad record", why, source, rejected=True)

    @property
    def _cut(self) -> bool:
        """Whether the present row is cut, since the stream is; the source reports it."""
        return self._open_line and self._stream.broken is not None

    def _lines(self, line: str) -> Iterator[str]:
        """Give the lines, from the first on; of one that is too long, pieces."""
        while line:
            self.line += not self._open_line
            self._open_line = not line.endswith(("\n", "\r"))
            if self.sized:
                self._at += len(line) if line.isascii() else len(line.encode("utf-8", "surrogateescape"))
            yield line
            line = self._text.readline(self._limit + 1)


def _decoded(cell: str) -> str | bytes:
    """Give a cell; as bytes, if it is no UTF-8."""
    try:
        cell.encode()
    except UnicodeEncodeError:
        return cell.encode("utf-8", "surrogateescape")
    return cell
