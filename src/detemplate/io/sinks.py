"""Opening an output by name: what the command and the Python interface call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from detemplate.errors import DetemplateError, UserError
from detemplate.io.compression import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from detemplate.io.record import Record

STDOUT = "-"
# The formats of a page's text: the row's key that holds it, its media type and its file suffix.
FORMATS: dict[str, tuple[str, str]] = {
    "text": ("text/plain", ".txt"),
    "html": ("text/html", ".html"),
    "markdown": ("text/markdown", ".md"),
}
_KNOWN = "-, .jsonl, .ndjson or .warc (each also with .gz or .zst), .parquet, or a directory (ending in /)"


class OutputClosed(DetemplateError):  # noqa: N818  # no error: the reader has seen enough
    """Whoever reads the output has stopped reading (``| head``); a normal end of a run."""


class Sink(Protocol):
    """Where results go.

    As a context manager, a sink is closed at the end of the block, or aborted when an exception
    leaves it.
    """

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write one page's result.

        Parameters
        ----------
        row
            ``url``, ``site``, ``title``, the text under the name of the format,
            ``template_share``, ``segments``, ``template_segments``, ``method``, perhaps
            ``removed``, then whatever the record carried.
        record
            The page that the result is of.

        Raises
        ------
        UserError
            The output cannot be written.
        OutputClosed
            Nobody reads it any more.
        """

    def close(self) -> None:
        """Make the output whole; it takes its name only now."""

    def abort(self) -> None:
        """Leave nothing behind."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_sink(output: str, *, format: str, overwrite: bool = False, command: str | None = None) -> Sink:  # noqa: A002
    """Open an output; its name says what it is.

    Parameters
    ----------
    output
        ``-`` for JSON Lines on standard output; a file ``.jsonl``, ``.ndjson`` or ``.warc``, each
        also with ``.gz``, ``.zst`` or ``.zstd``; a file ``.parquet``; or a directory: one that
        exists or a name with ``/`` at its end.
    format
        ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds its text.
    overwrite
        Replace a directory that is not empty. (A file is always replaced, once the new one is whole.)
    command
        The command line of the run, for the description of the run that a WARC begins with.

    Raises
    ------
    UserError
        The name says nothing known, or the output cannot be created there.
    """
    if format not in FORMATS:
        raise UserError(f"unknown output format {format!r}; known are {', '.join(FORMATS)}")
    if output == STDOUT:
        from detemplate.io.sink_jsonl import StdoutSink

        return StdoutSink()
    if not output:
        raise UserError(f"the output has no name; possible are {_KNOWN}")
    if output.endswith("/") or Path(output).is_dir():
        from detemplate.io.sink_files import FilesSink

        return FilesSink(output, format=format, overwrite=overwrite)
    return _open_file(output, format, command)


def _open_file(output: str, text_format: str, command: str | None) -> Sink:
    name = Path(output).name.lower()
    compression = next((suffix for suffix in SUFFIXES if name.endswith(suffix)), "")
    name = name.removesuffix(compression)
    if name.endswith((".jsonl", ".ndjson")):
        from detemplate.io.sink_jsonl import JsonlSink

        return JsonlSink(output, compression=compression)
    if name.endswith(".warc"):
        from detemplate.io.sink_warc import WarcSink

        return WarcSink(output, format=text_format, compression=compression, command=command)
    if name.endswith(".parquet") and not compression:
        from detemplate.io.sink_parquet import ParquetSink

        return ParquetSink(output, format=text_format)
    raise UserError(f"cannot tell from its name what to write to {output}; possible are {_KNOWN}")
