"""Sinks that write JSON Lines: to a file, or to standard output."""

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
    """A file with one JSON object per line, in UTF-8; plain, gzip or zstd.

    Equal rows give equal bytes.

    Parameters
    ----------
    output
        The file.
    compression
        ``""``, ``".gz"``, ``".zst"`` or ``".zstd"``.

    Raises
    ------
    UserError
        The file cannot be created.
    """

    def __init__(self, output: str, *, compression: str = "") -> None:
        self._atomic = AtomicFile(output)
        self._out = _compressed(self._atomic.file, compression)

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write one line; raises UserError if that fails."""
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
        with suppress(Exception):  # else a compressor writes its end when it is collected
            self._out.close()
        self._atomic.discard()


def _compressed(file: BinaryIO, compression: str) -> BinaryIO:
    if compression == ".gz":
        # No name and no time in the header, so that equal rows give equal files.
        return cast("BinaryIO", gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0))
    if compression:
        import zstandard

        return cast("BinaryIO", zstandard.ZstdCompressor(level=3).stream_writer(file))
    return file


class StdoutSink(Closing):
    """One JSON object per line on standard output, in UTF-8; each line is flushed."""

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write one line; raises OutputClosed if the pipe is closed, UserError if writing fails otherwise."""
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
        """Do nothing: all lines are written."""

    def abort(self) -> None:
        """Do nothing: written lines cannot be removed."""


def _silence_stdout() -> None:
    """Redirect standard output to nothing, so that the interpreter's last flush does not fail."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
