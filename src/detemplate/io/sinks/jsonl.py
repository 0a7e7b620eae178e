"""Results as JSON Lines, in a file or on standard output."""

from __future__ import annotations

import gzip
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast

from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.files.jsonvalues import to_json
from detemplate.io.sinks.base import OutputClosed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record


class JsonlSink(Closing):
    """One object a line, UTF-8, in a file: plain, gzip or zstd.

    The same rows make the same bytes, whenever and wherever they are written.

    Parameters
    ----------
    output
        The file.
    compression
        ``""``, ``".gz"``, ``".zst"`` or ``".zstd"``.

    Raises
    ------
    UserError
        The file cannot be created there.
    """

    def __init__(self, output: str, *, compression: str = "") -> None:
        self._atomic = AtomicFile(output)
        self._out = _compressed(self._atomic.file, compression)

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write one line; raises UserError when the disk refuses it."""
        line = to_json(dict(row)).encode("utf-8")
        with writing(self._atomic.output):
            self._out.write(line + b"\n")

    def close(self) -> None:
        """Finish the compression and give the file its name."""
        with writing(self._atomic.output):
            self._out.close()
        self._atomic.commit()

    def abort(self) -> None:
        """Remove what was written."""
        with suppress(Exception):  # a compressor would write its end when it is collected
            self._out.close()
        self._atomic.discard()


def _compressed(file: BinaryIO, compression: str) -> BinaryIO:
    if compression == ".gz":
        # No name and no time in the header, so that equal rows make equal files.
        return cast("BinaryIO", gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0))
    if compression:
        import zstandard

        return cast("BinaryIO", zstandard.ZstdCompressor(level=3).stream_writer(file))
    return file


class StdoutSink(Closing):
    """One object a line, UTF-8, on standard output, each line at once."""

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write one line; raises OutputClosed when the pipe is closed."""
        line = to_json(dict(row)).encode("utf-8")
        try:
            with writing("to standard output"):
                sys.stdout.buffer.write(line + b"\n")
                sys.stdout.buffer.flush()
        except Exception as error:
            if isinstance(error.__cause__, BrokenPipeError):
                _silence_stdout()
                raise OutputClosed("standard output was closed") from error
            raise

    def close(self) -> None:
        """Do nothing: every line is out already."""

    def abort(self) -> None:
        """Do nothing: what is out is out."""


def _silence_stdout() -> None:
    """Keep the interpreter from complaining when it flushes standard output at its end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
