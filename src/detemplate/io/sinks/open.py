"""Opening an output by name: what the command and the Python interface call."""

from __future__ import annotations

from pathlib import Path

from detemplate.errors import UserError
from detemplate.io.sinks.base import FORMATS, STDOUT, Sink
from detemplate.io.sources.compression import SUFFIXES

_KNOWN = "-, .jsonl, .ndjson or .warc (each also with .gz or .zst), .parquet, or a directory (ending in /)"


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
        from detemplate.io.sinks.jsonl import StdoutSink

        return StdoutSink()
    if not output:
        raise UserError(f"the output has no name; possible are {_KNOWN}")
    if output.endswith("/") or Path(output).is_dir():
        from detemplate.io.sinks.files import FilesSink

        return FilesSink(output, format=format, overwrite=overwrite)
    return _open_file(output, format, command)


def _open_file(output: str, text_format: str, command: str | None) -> Sink:
    name = Path(output).name.lower()
    compression = next((suffix for suffix in SUFFIXES if name.endswith(suffix)), "")
    name = name.removesuffix(compression)
    if name.endswith((".jsonl", ".ndjson")):
        from detemplate.io.sinks.jsonl import JsonlSink

        return JsonlSink(output, compression=compression)
    if name.endswith(".warc"):
        from detemplate.io.sinks.warc import WarcSink

        return WarcSink(output, format=text_format, compression=compression, command=command)
    if name.endswith(".parquet") and not compression:
        from detemplate.io.sinks.parquet import ParquetSink

        return ParquetSink(output, format=text_format)
    raise UserError(f"cannot tell from its name what to write to {output}; possible are {_KNOWN}")
