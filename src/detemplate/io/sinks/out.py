"""Where the bytes of a sink go: a file that appears when it is whole, or standard output."""

from __future__ import annotations

import gzip
import os
import sys
from contextlib import suppress
from typing import BinaryIO, cast

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.io.sinks.base import OutputClosed


class Out(Closing):
    """Takes the bytes of an output, in order."""

    def write(self, data: bytes) -> None:
        """Write bytes; raises UserError if that fails, OutputClosed if the reader has stopped reading."""
        raise NotImplementedError


class FileOut(Out):
    """A file; plain, gzip or zstd. Equal contents give equal files.

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

    def __init__(self, output: str, compression: str = "") -> None:
        self._atomic = AtomicFile(output)
        self._out = _compressed(self._atomic.file, compression)

    def write(self, data: bytes) -> None:
        """Write bytes; raises UserError if that fails."""
        with writing(self._atomic.output):
            self._out.write(data)

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

    Raises
    ------
    UserError
        It is closed.
    """

    def __init__(self) -> None:
        if sys.stdout is None:
            raise UserError("standard output is closed; name a file with -o")

    def write(self, data: bytes) -> None:
        """Write bytes; raises OutputClosed if the pipe is closed, UserError if writing fails otherwise."""
        try:
            with writing("to standard output"):
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
        except Exception as error:
            if isinstance(error.__cause__, BrokenPipeError):
                silence_stdout()
                raise OutputClosed("standard output was closed") from error
            raise

    def close(self) -> None:
        """Do nothing: all is written."""

    def abort(self) -> None:
        """Do nothing: what is written cannot be removed."""


def silence_stdout() -> None:
    """Redirect standard output to nothing, so that the interpreter's last flush does not fail."""
    if sys.stdout is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError):  # a stream of Python's own has no number
        os.dup2(null, sys.stdout.fileno())
    os.close(null)
