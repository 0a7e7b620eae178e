"""The base of all sinks, and files and standard output as they write them."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from detemplate.errors import DetemplateError, UserError
from detemplate.files.atomic import AtomicFile, Closing, is_stream, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.io.record import Record


class Out(Closing):
    """Takes the bytes of an output, in order."""

    def write(self, data: bytes) -> None:
        """Write bytes; raises UserError if that fails, OutputClosed if the reader has stopped reading."""
        raise NotImplementedError


class FileOut(Out):
    """A file or a stream; plain, gzip or zstd. Equal contents give equal files.

    ``output``: the file. What is written to a stream is flushed.
    ``compression``: ``""``, ``".gz"``, ``".zst"`` or ``".zstd"``.
    Raises UserError: the file cannot be created.
    """

    def __init__(self, output: str, compression: str = "") -> None:
        self._atomic = AtomicFile(output)
        self._out = _compressed(self._atomic.file, compression)
        self._live = not compression and is_stream(output)

    def write(self, data: bytes) -> None:
        """Write bytes; raises UserError if that fails, OutputClosed if nobody reads the stream."""
        with _ending(), writing(self._atomic.output):
            self._out.write(data)
            if self._live:
                self._out.flush()

    def close(self) -> None:
        """Finish the compression and give the file its name."""
        with writing(self._atomic.output):
            self._out.close()
        self._atomic.commit()

    def abort(self) -> None:
        """Remove what was written."""
        with suppress(Exception):  # else a compressor writes its end when it is collected
            self._out.close()
        self._atomic.discard()


def _compressed(file: BinaryIO, compression: str) -> BinaryIO:
    if compression == ".gz":
        # No name and no time in the header, so that equal contents give equal files.
        return cast("BinaryIO", gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0))
    if compression:
        import zstandard

        return cast("BinaryIO", zstandard.ZstdCompressor(level=3).stream_writer(file))
    return file


class StdoutOut(Out):
    """Standard output; what is written is flushed.

    Raises UserError: it is closed.
    """

    def __init__(self) -> None:
        if sys.stdout is None:
            raise UserError("standard output is closed; name a file with -o")

    def write(self, data: bytes) -> None:
        """Write bytes; raises OutputClosed if the pipe is closed, UserError if writing fails otherwise."""
        try:
            with _ending(), writing("to standard output"):
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
        except OutputClosed:
            silence_stdout()
            raise

    def close(self) -> None:
        """Do nothing: all is written."""

    def abort(self) -> None:
        """Do nothing: what is written cannot be removed."""


@contextmanager
def _ending() -> Iterator[None]:
    """Turn the error of a pipe that nobody reads any more into OutputClosed."""
    try:
        yield
    except UserError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            raise OutputClosed("the reader of the output has stopped reading") from error
        raise


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
