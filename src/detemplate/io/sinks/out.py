"""The base of all sinks, where their bytes go, and the sinks of lines: JSON Lines, CSV and TSV."""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from detemplate.errors import DetemplateError, UserError
from detemplate.files.atomic import AtomicFile, Closing, is_stream, writing
from detemplate.files.jsonvalues import plain, to_json, without_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.io.record import Record


class Out(Closing):
    """Takes the bytes of an output, in order: a file, a stream or standard output; plain, gzip or zstd.

    Equal contents give equal files. What is written to a stream is flushed.

    ``output``: the output.
    ``compression``: ``""``, ``".gz"``, ``".zst"`` or ``".zstd"``.
    Raises UserError: the file cannot be created, or standard output is closed.
    """

    def __init__(self, output: str, compression: str = "") -> None:
        self._atomic: AtomicFile | None = None
        self._live = not compression and (is_stdout(output) or is_stream(output))
        if not is_stdout(output):
            self._name = output
            self._atomic = AtomicFile(output)
            self._out = _compressed(self._atomic.file, compression)
            return
        self._name = "to standard output"
        if sys.stdout is None:
            raise UserError("standard output is closed; name a file with -o")
        self._out = sys.stdout.buffer

    def write(self, data: bytes) -> None:
        """Write bytes; raises UserError if that fails, OutputClosed if the reader has stopped reading."""
        try:
            with writing(self._name):
                self._out.write(data)
                if self._live:
                    self._out.flush()
        except UserError as error:
            if not isinstance(error.__cause__, BrokenPipeError):
                raise
            if self._atomic is None:
                silence_stdout()
            raise OutputClosed("the reader of the output has stopped reading") from error

    def close(self) -> None:
        """Finish the compression and give a file its name."""
        if self._atomic is not None:
            with writing(self._name):
                self._out.close()
            self._atomic.close()

    def abort(self) -> None:
        """Remove what was written; of standard output, nothing can be removed."""
        if self._atomic is not None:
            with suppress(Exception):  # else a compressor writes its end when it is collected
                self._out.close()
            self._atomic.abort()


def _compressed(file: BinaryIO, compression: str) -> BinaryIO:
    if compression == ".gz":
        # No name and no time in the header, so that equal contents give equal files.
        return cast("BinaryIO", gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0))
    if compression:
        import zstandard

        return cast("BinaryIO", zstandard.ZstdCompressor(level=3).stream_writer(file))
    return file


def silence_stdout() -> None:
    """Redirect standard output to nothing, so that the interpreter's last flush does not fail."""
    if sys.stdout is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError):  # a stream of Python's own has no number
        os.dup2(null, sys.stdout.fileno())
    os.close(null)


STDOUT: Final = "-"
"""The name of standard output."""


def is_stdout(output: str) -> bool:
    """Tell whether a name is that of standard output."""
    return output in {STDOUT, "/dev/stdout", "/dev/fd/1"}


FORMATS: Final[dict[str, tuple[str, str]]] = {
    "text": ("text/plain", ".txt"),
    "html": ("text/html", ".html"),
    "markdown": ("text/markdown", ".md"),
}
"""Media type and file suffix by format of a page's text; a row holds the text under the format's name."""

METADATA: Final = (
    "title", "author", "published", "modified", "language", "site_name", "canonical_url", "description",
    "image", "page_type",
)  # fmt: skip
"""Keys of a row that hold the page's metadata, in the order in which they are written; texts or None."""


def own_keys(formats: Sequence[str]) -> list[str]:
    """Return the keys that every row has, in order, where it has the texts of these formats."""
    return ["url", "site", "title", *formats, "template_share", "segments", "template_segments", "method"]


class OutputClosed(DetemplateError):  # noqa: N818  # a normal end, not an error
    """The reader of the output has stopped reading (``| head``): a normal end of a run."""


class Sink(Closing):
    """An output for results: closed at the end of the block, or aborted after an exception."""

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write one page's result.

        ``row``: the result as an output record (:meth:`detemplate.output.result.Result.row`): ``url``,
            ``site``, ``title``, the other keys of :data:`METADATA` unless they are turned off, the text under
            the name of each format, ``template_share``, ``segments``, ``template_segments``, ``method``, with
            ``--explain`` also ``removed``, then the carried keys.
        ``record``: the input record of the page.
        Raises UserError: the output cannot be written.
        Raises OutputClosed: the reader has stopped reading.
        """
        raise NotImplementedError


class OutSink(Sink):
    """The base of sinks that write to one output.

    ``out``: where the bytes go.
    """

    def __init__(self, out: Out) -> None:
        self._out = out

    def close(self) -> None:
        """Finish the output."""
        self._out.close()

    def abort(self) -> None:
        """Remove what was written."""
        self._out.abort()


EXTRA: Final = "extra"
"""Name of the column for values that have no column of their own, as one JSON object per row."""

GROUP_ROWS: Final = 10_000
"""Maximum number of rows of a group."""

MOST_COLUMNS: Final = 1_000
"""Maximum number of columns, own and carried ones; later keys are in :data:`EXTRA`."""

_GROUP_BYTES: Final = 32 << 20  # approximate maximum size of a group, in bytes


class RowGroup:
    """Collected rows.

    ``most``: maximum number of rows.
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
