"""The stored bytes of an input, as they are read, and what is known of them."""

from __future__ import annotations

import io
from collections import deque
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_READ: Final = 1 << 16
"""Stored bytes per read."""


class Stored:
    """Reads a file's bytes; notes where its members begin, and what is wrong with it.

    Parameters
    ----------
    raw
        The file.
    track
        Remember where gzip members or zstd frames begin.

    Attributes
    ----------
    position
        Number of bytes read so far.
    produced
        Number of decompressed bytes so far.
    members
        Of each member that is remembered: its first decompressed byte, and its first stored one.
    broken
        What is wrong; None if nothing is.
    broken_at
        Offset of the member that is broken.
    rest
        Bytes in hand when it broke.
    """

    def __init__(self, raw: BinaryIO, *, track: bool) -> None:
        self._raw = raw
        # On a pipe, ``read`` waits for all bytes requested; ``read1`` returns what is there.
        self._read: Callable[[int], bytes | None] = getattr(raw, "read1", raw.read)
        self._track = track
        self._drop = 0
        self.position = 0
        self.produced = 0
        self.members: deque[tuple[int, int]] = deque()
        self.broken: str | None = None
        self.broken_at = 0
        self.rest = b""

    def more(self) -> bytes:
        """Read the next bytes; empty at the end of the file or at a read error."""
        try:
            data = self._read(_READ) or b""
        except OSError as error:
            self.broken = f"it cannot be read: {error.strerror or error}"
            return b""
        self.position += len(data)
        if self._drop:
            data, self._drop = data[self._drop :], 0
        return data

    def can_go_back(self) -> bool:
        """Tell whether bytes can be read again."""
        return self._raw.seekable()

    def go_to(self, offset: int) -> None:
        """Read on from an offset.

        Reads begin at the same offsets as ever: of damaged data, it depends on these how much is decoded.
        """
        self._drop = offset % _READ
        self._raw.seek(offset - self._drop - self.position, io.SEEK_CUR)
        self.position = offset - self._drop

    def more_from(self, offset: int, data: bytes) -> bytes:
        """Give the bytes from an offset on, as :meth:`more` does; ``data`` are those read last."""
        if self.can_go_back():
            self.go_to(offset)
            return self.more()
        while self.position <= offset and data:
            data = self.more()
        return data[max(0, len(data) - (self.position - offset)) :]

    def begin(self, start: int, ahead: int = 0) -> None:
        """Note that a member begins at an offset.

        Parameters
        ----------
        start
            The offset.
        ahead
            Decompressed bytes before it that :attr:`produced` does not count yet.
        """
        if self._track:
            first = self.produced + ahead
            if self.members and self.members[-1][0] == first:
                self.members.pop()  # the member before is empty
            self.members.append((first, start))

    def breaks(self, why: str, at: int = 0, rest: bytes = b"") -> None:
        """Note what is wrong, where, and the bytes in hand."""
        self.broken = self.broken or why  # a read error comes first and causes the cut that follows
        self.broken_at = at
        self.rest = rest

    def close(self) -> None:
        """Close the file."""
        self._raw.close()
