"""Open an output by name, as a sink."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.files.atomic import is_stream
from detemplate.io.sinks.files import FilesSink, PageSink
from detemplate.io.sinks.out import FORMATS, CsvSink, JsonlSink, Out, Sink, is_stdout
from detemplate.io.sinks.warc import WarcSink
from detemplate.io.sources.compression import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS: Final[dict[str, tuple[str, ...]]] = {
    "jsonl": (".jsonl", ".ndjson"),
    "csv": (".csv",),
    "tsv": (".tsv",),
    "spreadsheet": (),
    "parquet": (".parquet",),
    "arrow": (".arrow",),
    "warc": (".warc",),
    "text": (".txt",),
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"),
}
"""Kinds of files, and the suffixes that tell them. The last three hold the text of one page."""

_DIRECTORY: Final = "directory"
_COMPRESSED: Final = ("jsonl", "csv", "tsv", "spreadsheet", "warc")  # files that may be compressed as a whole
_STREAMS: Final = (
    "jsonl",
    "csv",
    "tsv",
    "spreadsheet",
    "arrow",
    *FORMATS,
)  # kinds that standard output can be
_DELIMITERS: Final = {"csv": ",", "tsv": "\t", "spreadsheet": ","}  # delimiters of cells

_KNOWN: Final = (
    "-, .jsonl, .ndjson, .csv, .tsv or .warc (each also with .gz or .zst), .parquet, .arrow, "
    ".txt, .md or .html for one page, or a directory (ending in /, or without a suffix)"
)
"""The outputs that error messages list."""


def own_format(output: str, kind: str | None = None) -> str:
    """Return the format of pages' texts that an output's kind or name tells; ``text`` if neither does.

    ``output``, ``kind``: as for :func:`open_sink`.
    """
    if kind is None and not is_stdout(output):
        kind = _kind_of(output)[0]
    return kind if kind in FORMATS else "text"


def open_sink(
    output: str,
    *,
    format: str | Sequence[str],  # noqa: A002
    kind: str | None = None,
    overwrite: bool = False,
    explain: bool = False,
) -> Sink:
    """Open an output.

    ``output``: ``-`` for standard output; a file, whose name tells its kind: ``.jsonl``, ``.ndjson``,
        ``.csv``, ``.tsv`` or ``.warc``, each also with ``.gz``, ``.zst`` or ``.zstd``; ``.parquet``;
        ``.arrow``; ``.txt``, ``.md`` or ``.html`` for one page; or a directory, which exists or whose name
        ends in ``/`` or has no dot.
    ``format``: ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds the page's text; or
        several of them. A directory, a WARC file and a file for one page take one.
    ``kind``: a key of :data:`KINDS`, whatever the name says; None: as the name says, JSON Lines on standard
        output and on other streams (devices, pipes) of which it says nothing. A stream of one format has
        page after page.
    ``overwrite``: replace a directory that is not empty. (A file is always replaced, when the new one is
        whole.)
    ``explain``: rows say what was removed; a file of one page cannot hold that.
    Returns: the output, to be used as a context manager.
    Raises UserError: the name is of no known kind, the output cannot be created, or cannot hold these
        formats.
    Raises MissingExtra: Parquet or Arrow is to be written, and pyarrow is not installed.
    """
    formats = (format,) if isinstance(format, str) else tuple(format)
    _check_formats(formats)
    if kind is not None and kind not in KINDS:
        raise UserError(f"unknown kind of output {kind!r} (choose from {', '.join(KINDS)})")
    if is_stdout(output):
        found, compression = kind or "jsonl", ""
        if found not in _STREAMS:
            raise UserError(
                f"standard output cannot be {kind} (choose from {', '.join(_STREAMS)}); name a file with -o"
            )
        if kind == "arrow" and sys.stdout is not None and sys.stdout.isatty():
            raise UserError(
                "Arrow is nothing for a terminal: send it to a program or a file, or name one with -o"
            )
    else:
        found, compression = _kind_of(output, kind)
    if found in {"warc", _DIRECTORY, *FORMATS} and len(formats) > 1:
        raise UserError(
            f"{output} holds one format of a page, not {' and '.join(formats)}: name one, or write .jsonl, "
            ".csv, .parquet or .arrow"
        )
    if found in FORMATS and formats != (found,):
        raise UserError(f"{output} is a file of {found}, not of {formats[0]}: name one of both otherwise")
    if found in FORMATS and explain:
        raise UserError(
            f"{output} holds the {found} of a page, not what was removed from it: write .jsonl, .csv, "
            ".parquet, .arrow or a directory, or leave --explain out"
        )
    if found == _DIRECTORY:
        return FilesSink(output, format=formats[0], overwrite=overwrite)
    if found == "warc":
        return WarcSink(Out(output), format=formats[0], compression=compression)
    return _one_out(output, compression, found, formats)


def _one_out(output: str, compression: str, kind: str, formats: Sequence[str]) -> Sink:
    """Open an output of bytes that follow each other."""
    piped = is_stdout(output) or is_stream(output)
    if kind in FORMATS:
        return PageSink(Out(output), output, format=kind, several=piped)
    if kind in {"parquet", "arrow"}:
        from detemplate.io.sinks.columnar import ArrowSink

        kind = "stream" if kind == "arrow" and piped else kind
        return ArrowSink(Out(output), formats=formats, kind=kind)
    out = Out(output, compression)
    if kind == "jsonl":
        return JsonlSink(out)
    # A reader of a pipe gets each row at once.
    head, spreadsheet = 1 if piped else None, kind == "spreadsheet"
    return CsvSink(out, formats=formats, delimiter=_DELIMITERS[kind], head=head, spreadsheet=spreadsheet)


def _kind_of(output: str, kind: str | None = None) -> tuple[str, str]:
    """Return the kind of an output, and the suffix of its compression; raises UserError if nothing tells."""
    if not output:
        raise UserError(f"the output has no name; possible are {_KNOWN}")
    if kind is None and (output.endswith("/") or os.path.isdir(output)):  # noqa: PTH112  # of any length
        return _DIRECTORY, ""
    name = Path(output).name.lower()
    compression = next((suffix for suffix in SUFFIXES if name.endswith(suffix)), "")
    name = name.removesuffix(compression)
    found = kind or next((kind for kind, suffixes in KINDS.items() if name.endswith(suffixes)), None)
    if found is None and not compression and is_stream(output):
        found = "jsonl"
    elif found is None and "." not in name:
        found = _DIRECTORY
    if found is None or (compression and found not in _COMPRESSED):
        raise UserError(f"cannot tell by its name what to write to {output}; possible are {_KNOWN}")
    return found, compression


def _check_formats(formats: Sequence[str]) -> None:
    for name in formats:
        if name not in FORMATS:
            raise UserError(f"unknown output format {name!r}; known are {', '.join(FORMATS)}")
    if not formats:
        raise UserError(f"no output format; known are {', '.join(FORMATS)}")
