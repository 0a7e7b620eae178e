"""Open an output by name, as a sink."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from detemplate.errors import UserError
from detemplate.io.sinks.base import FORMATS, STDOUT, Sink
from detemplate.io.sinks.files import FilesSink
from detemplate.io.sinks.jsonl import JsonlSink, StdoutSink
from detemplate.io.sinks.parquet import ParquetSink
from detemplate.io.sinks.warc import WarcSink
from detemplate.io.sources.compression import SUFFIXES

_KNOWN: Final = (
    "-, .jsonl, .ndjson or .warc (each also with .gz or .zst), .parquet, or a directory (ending in /)"
)
"""The outputs that error messages list."""


def open_sink(output: str, *, format: str, overwrite: bool = False, command: str | None = None) -> Sink:  # noqa: A002
    """Open an output; its name tells its kind.

    Parameters
    ----------
    output
        ``-`` for JSON Lines on standard output; a file ``.jsonl``, ``.ndjson`` or ``.warc``, each also with
        ``.gz``, ``.zst`` or ``.zstd``; a file ``.parquet``; or a directory, which exists or whose name
        ends in ``/``.
    format
        ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds the page's text.
    overwrite
        Replace a directory that is not empty. (A file is always replaced, when the new one is whole.)
    command
        The command line of the run; a WARC file states it in its first record.

    Returns
    -------
    Sink
        The output, to be used as a context manager.

    Raises
    ------
    UserError
        The name is of no known kind, or the output cannot be created.
    """
    if format not in FORMATS:
        raise UserError(f"unknown output format {format!r}; known are {', '.join(FORMATS)}")
    if output == STDOUT:
        return StdoutSink()
    if not output:
        raise UserError(f"the output has no name; possible are {_KNOWN}")
    if output.endswith("/") or Path(output).is_dir():
        return FilesSink(output, format=format, overwrite=overwrite)
    return _open_file(output, format, command)


def _open_file(output: str, text_format: str, command: str | None) -> Sink:
    name = Path(output).name.lower()
    compression = next((suffix for suffix in SUFFIXES if name.endswith(suffix)), "")
    name = name.removesuffix(compression)
    if name.endswith((".jsonl", ".ndjson")):
        return JsonlSink(output, compression=compression)
    if name.endswith(".warc"):
        return WarcSink(output, format=text_format, compression=compression, command=command)
    if name.endswith(".parquet") and not compression:
        return ParquetSink(output, format=text_format)
    raise UserError(f"cannot tell by its name what to write to {output}; possible are {_KNOWN}")
