"""Files to which bytes are appended, and of which only a length counts that something else has noted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from detemplate.run.pieces import MOST, unwritten

if TYPE_CHECKING:
    from collections.abc import Sequence

    Piece = bytes | memoryview
    """What is appended."""


class AppendedFile:
    """A file that grows at its end.

    Parameters
    ----------
    path
        The file. It is made if it does not exist.
    size
        Its bytes that count; what an earlier process appended to them is cut off.

    Attributes
    ----------
    name : str
        Its name.
    size : int
        Its bytes, with those that wait.

    Raises
    ------
    OSError
        It cannot be opened.
    ValueError
        It is shorter than ``size``.
    """

    def __init__(self, path: str, size: int) -> None:
        self.name = Path(path).name
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            if os.fstat(self._file).st_size < size:
                raise ValueError(f"the end of {self.name} is missing")
            os.ftruncate(self._file, size)
        except BaseException:
            self.close()
            raise
        self.size = size
        self._synced = size
        self._waiting = bytearray()

    def add(self, data: bytes) -> None:
        """Append bytes; they wait in memory."""
        self._waiting += data
        self.size += len(data)

    def write(self) -> None:
        """Write what waits; raises OSError."""
        if self._waiting:
            self._write([bytes(self._waiting)])
            self._waiting.clear()

    def append(self, pieces: Sequence[Piece]) -> None:
        """Append bytes and write them, without a copy of them; raises OSError."""
        self.write()
        self.size += sum(map(len, pieces))
        self._write(pieces)

    def _write(self, pieces: Sequence[Piece]) -> None:
        left: Sequence[memoryview] = [memoryview(piece) for piece in pieces]
        at = self.size - sum(map(len, left))
        while left:
            written = os.pwritev(self._file, left[:MOST], at)
            left = unwritten(left, written)
            at += written

    def sync(self) -> int:
        """Bring all to disk that was appended; return the file's bytes, which count then."""
        self.write()
        if self._synced < self.size:
            getattr(os, "fdatasync", os.fsync)(self._file)  # macOS lacks the first
            self._synced = self.size
        return self.size

    def clear(self) -> None:
        """Forget all bytes."""
        self._waiting.clear()
        os.ftruncate(self._file, 0)
        self.size = self._synced = 0

    def read(self, at: int, size: int) -> bytes:
        """Read bytes; fewer at the end."""
        self.write()
        return os.pread(self._file, size, at)

    def close(self) -> None:
        """Close the file; what waits is lost."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
