"""Decompressed streams of gzip, zstd and plain files; damage ends a stream but raises nothing.

All bytes before the damage can be read, and the stream tells what the damage is.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final

from detemplate.io.sources.decoders import (
    GZIP_MAGIC,
    SLICE,
    ZSTD_DICTIONARY_MAGIC,
    ZSTD_MAGIC,
    Gzip,
    Stored,
    Zstd,
    zstd_dictionary,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from typing_extensions import Buffer


SUFFIXES: Final = (".gz", ".zst", ".zstd")
"""File name suffixes of compressed files."""

_LOOK_AHEAD: Final = (128 << 10) + 64
"""Stored bytes within which a member shows how its data begin: zstd shows a block only when it is whole."""

_SEARCH: Final = 64 << 20
"""Stored bytes that may be read again, beside those that were read once, to find members after damage."""


class InputStream(io.RawIOBase):
    """The decompressed bytes of a gzip, zstd or uncompressed file; its first bytes tell which.

    Damage never raises: the stream ends after the last readable byte, and ``broken`` says what is
    wrong. It can go on with a later gzip member or zstd frame (:meth:`resume`). Memory is bounded at any
    compression ratio.

    ``raw``: the stored file. It is closed with the stream.
    ``track_members``: remember where gzip members or zstd frames begin, for :meth:`member_start`. Call that
        method regularly: it also forgets members that have passed.
    """

    def __init__(self, raw: BinaryIO, *, track_members: bool = False) -> None:
        super().__init__()
        self._stored = Stored(raw, track=track_members)
        self._position = 0
        self._pending = memoryview(b"")
        self._chunks = self._decode()
        self._packing: Gzip | Zstd | None = None
        self._searched = 0
        self._resumed_at = 0

    @property
    def broken(self) -> str | None:
        """Why the stream ended before the end of the data; None if it did not."""
        return self._stored.broken

    @property
    def broken_at(self) -> int:
        """Stored offset of the gzip member or zstd frame that is broken."""
        return self._stored.broken_at

    @property
    def raw_position(self) -> int:
        """Number of stored bytes read so far."""
        return self._stored.position

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill ``buffer`` with decompressed bytes and return their number; 0 at the end or at damage."""
        target = memoryview(buffer).cast("B")
        if not self._pending and not self._fill():
            return 0
        taken = min(len(target), len(self._pending))
        target[:taken] = self._pending[:taken]
        self._pending = self._pending[taken:]
        self._position += taken
        return taken

    def read(self, size: int = -1) -> bytes:
        """Return at most ``size`` bytes (all bytes, if negative); empty at the end."""
        if size < 0:
            return self.readall() or b""
        if not self._pending and not self._fill():
            return b""
        data = bytes(self._pending[:size])
        self._pending = self._pending[size:]
        self._position += len(data)
        return data

    def peek(self, size: int) -> bytes:
        """Return at most ``size`` of the next bytes without consuming them."""
        while len(self._pending) < size:
            start = bytes(self._pending)
            self._pending = memoryview(b"")
            more = self._fill()
            self._pending = memoryview(start + bytes(self._pending))
            if not more:
                break
        return bytes(self._pending[:size])

    def tell(self) -> int:
        """Return the position in the decompressed bytes, from 0."""
        return self._position

    def close(self) -> None:
        """Close the stream and the stored file."""
        if not self.closed:
            self._stored.close()
        super().close()

    def forget_members(self) -> None:
        """Do not remember members any more: nobody asks for them."""
        self._stored.track = False
        self._stored.members.clear()

    def member_start(self, position: int) -> int:
        """Return the stored offset of the member that holds a decompressed position.

        For an uncompressed file, this is the position itself. Positions must not decrease from call to
        call.
        """
        if not self._stored.members:
            return position
        while len(self._stored.members) > 1 and self._stored.members[1][0] <= position:
            self._stored.members.popleft()
        return self._stored.members[0][1]

    def next_member(self) -> int | None:
        """Return the stored offset of the member after the one asked for last; None if unknown."""
        return self._stored.members[1][1] if len(self._stored.members) > 1 else None

    def resume(self, start: bytes, after: int) -> bool:
        """Go on with the next gzip member or zstd frame.

        The work of all calls is linear in the file's size: where too much of it would be read again, of a
        hostile file, the search ends.

        ``start``: how the member's data must begin.
        ``after``: stored offset of the member that is broken.
        Returns: whether there is such a member. The stream is not broken any more, and reads its data next.
        """
        if self._packing is None:
            return False
        data = self._stored.rest[1:]
        begin = max(after, self._resumed_at) + 1
        again = self.raw_position - begin
        if self._stored.can_go_back() and self._searched + again <= self.raw_position + _SEARCH:
            self._searched += again
            self._stored.go_to(begin)
            data = b""
        elif self.broken is None:
            return False  # a pipe, and what follows was decoded already
        return self._search(data, start, self._packing)

    def _search(self, data: bytes, start: bytes, packing: Gzip | Zstd) -> bool:
        """Look for a member in stored bytes, and in those that follow them."""
        at = 0
        while True:
            at = data.find(packing.magic, at)
            if at < 0:
                data = data[-len(packing.magic) + 1 :]
                at = 0
                if not (more := self._stored.more()):
                    return False
                data += more
                continue
            while len(data) - at < _LOOK_AHEAD and (more := self._stored.more()):
                data += more
            if packing.begins(data[at : at + _LOOK_AHEAD], start):
                break
            self._searched += SLICE
            if self._searched > self.raw_position + _SEARCH:
                return False
            at += 1
        self._stored.broken = None
        self._pending = memoryview(b"")
        self._position = self._stored.produced
        self._resumed_at = self.raw_position - len(data) + at
        self._chunks = packing.decode(data[at:])
        return True

    def _fill(self) -> bool:
        """Decode the next chunk that is not empty; return False at the end."""
        for chunk in self._chunks:
            if chunk:
                self._pending = memoryview(chunk)
                self._stored.produced += len(chunk)
                return True
        return False

    def _decode(self) -> Iterator[bytes]:
        stored = self._stored
        data = stored.more()
        data += stored.at_least(4 - len(data)) if data else b""
        if data.startswith(GZIP_MAGIC):
            self._packing = Gzip(stored)
        elif data.startswith((ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC)):
            dictionary = None
            if data.startswith(ZSTD_DICTIONARY_MAGIC):
                dictionary, data = zstd_dictionary(stored, data)
                if stored.broken:
                    return
            self._packing = Zstd(stored, dictionary)
        if self._packing is not None:
            yield from self._packing.decode(data)
            return
        while data:
            yield data
            data = stored.more()


@dataclass(slots=True)
class InputFile:
    """One input that can be opened as a stream: a file, or standard input (once only).

    ``name``: the input as the user named it.
    ``opener``: opens the stream; takes ``track_members`` of :class:`InputStream`.
    ``size``: stored size in bytes; None if unknown.
    ``rereadable``: whether it can be opened more than once.
    """

    name: str
    opener: Callable[[bool], InputStream]
    size: int | None = None
    rereadable: bool = True

    @classmethod
    def from_path(cls, path: Path) -> InputFile:
        """Describe a file on disk; raises OSError if it does not exist."""

        def opener(track_members: bool) -> InputStream:
            return InputStream(path.open("rb", buffering=0), track_members=track_members)

        return cls(str(path), opener, size=path.stat().st_size)

    def open(self, *, track_members: bool = False) -> InputStream:
        """Open the input at its beginning; raises OSError if that fails."""
        return self.opener(track_members)
