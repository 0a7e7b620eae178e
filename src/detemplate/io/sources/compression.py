"""Decompressed streams of gzip, zstd and plain files; damage ends a stream but raises nothing.

All bytes before the damage can be read, and the stream tells what the damage is.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import zstandard
    from typing_extensions import Buffer


GZIP_MAGIC: Final = b"\x1f\x8b"
"""First bytes of a gzip member."""

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""First bytes of a zstd frame."""

ZSTD_DICTIONARY_MAGIC: Final = b"\x5d\x2a\x4d\x18"
"""First bytes of the skippable frame of a ``.warc.zst`` that holds the dictionary of all later frames.

See https://iipc.github.io/warc-specifications/specifications/warc-zstd/.
"""

MAX_ZSTD_WINDOW: Final = 1 << 27
"""Largest zstd window that is accepted, in bytes."""

_MAX_DICTIONARY: Final = 1 << 26  # largest zstd dictionary that is accepted, in bytes
_OUTPUT: Final = 1 << 17  # decompressed bytes per chunk; zstd chunks can be larger

SLICE: Final = 1 << 10
"""Stored bytes per call of the zstd decoder, and for a first look at a member.

A zstd block takes at least 4 bytes and holds at most 128 KiB, so a slice decompresses to 32 MiB at most.
Slicing costs nothing measurable on real files.
"""

_READ: Final = 1 << 16  # stored bytes per read


class Stored:
    """Reads a file's bytes; notes where its members begin, and what is wrong with it."""

    def __init__(self, raw: BinaryIO, *, track: bool) -> None:
        self._raw = raw
        # On a pipe, ``read`` waits for all bytes requested; ``read1`` returns what is there.
        self._read: Callable[[int], bytes | None] = getattr(raw, "read1", raw.read)
        self.track = track
        self._drop = 0
        self.position = 0  # bytes read
        self.produced = 0  # decompressed bytes
        self.members: deque[tuple[int, int]] = deque()  # first decompressed and first stored byte of each
        self.broken: str | None = None
        self.broken_at = 0  # offset of the member that is broken
        self.rest = b""  # bytes in hand when it broke

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

    def at_least(self, size: int) -> bytes:
        """Read so many bytes or some more; fewer at the end."""
        parts = []
        while size > 0 and (more := self.more()):
            parts.append(more)
            size -= len(more)
        return b"".join(parts)

    def can_go_back(self) -> bool:
        """Tell whether bytes can be read again."""
        return self._raw.seekable()

    def go_to(self, offset: int) -> None:
        """Read on from an offset, in the same blocks as ever: what is decoded of damage depends on them."""
        self._drop = offset % _READ
        self._raw.seek(offset - self._drop - self.position, io.SEEK_CUR)
        self.position = offset - self._drop

    def begin(self, start: int, ahead: int = 0) -> None:
        """Note that a member begins at an offset, after ``ahead`` bytes that ``produced`` lacks yet."""
        if self.track:
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


class Gzip:
    """Decodes and finds gzip members."""

    magic = GZIP_MAGIC + b"\x08"

    def __init__(self, stored: Stored) -> None:
        self._stored = stored

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the data of the members in some stored bytes and in those that follow."""
        stored = self._stored
        while data:
            start = stored.position - len(data)
            stored.begin(start)
            decoder = zlib.decompressobj(wbits=31)
            while not decoder.eof:
                try:
                    chunk = decoder.decompress(data, _OUTPUT)
                except zlib.error as error:
                    stored.breaks(f"the gzip data is corrupt ({error})", start, data)
                    return
                yield chunk
                data = decoder.unconsumed_tail
                if not data and not decoder.eof and len(chunk) < _OUTPUT and not (data := stored.more()):
                    stored.breaks("the gzip data ends in the middle", start)
                    return
            # Zero bytes after a member are padding (tapes, block devices).
            data = decoder.unused_data.lstrip(b"\0")
            while len(data) < 2 and (more := stored.more()):
                data = (data + more).lstrip(b"\0")
            if data and not data.startswith(GZIP_MAGIC):
                at = stored.position - len(data)
                stored.breaks("something that is not gzip follows the gzip data", at, data)
                return

    def begins(self, data: bytes, start: bytes) -> bool:
        """Tell whether bytes begin a member whose data begin like this."""
        try:
            return zlib.decompressobj(wbits=31).decompress(data[:SLICE], len(start)) == start
        except zlib.error:
            return False


class Zstd:
    """Decodes and finds zstd frames."""

    magic = ZSTD_MAGIC

    def __init__(self, stored: Stored, dictionary: zstandard.ZstdCompressionDict | None) -> None:
        import zstandard

        self._stored = stored
        self._context = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=MAX_ZSTD_WINDOW)

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield the data of the frames in some stored bytes and in those that follow."""
        import zstandard

        stored = self._stored
        decoder: Any = None
        start = 0
        while data or (data := stored.more()):
            chunks: list[bytes] = []
            size = 0
            at = 0
            view = memoryview(data)
            while at < len(view) and size < _OUTPUT:
                if decoder is None:
                    decoder = self._context.decompressobj()
                    start = stored.position - (len(view) - at)
                    stored.begin(start, size)
                piece = view[at : at + SLICE]
                try:
                    chunk = decoder.decompress(piece)
                except zstandard.ZstdError as error:
                    stored.breaks(f"the zstd data is corrupt ({error})", start, bytes(view[at:]))
                    yield b"".join(chunks)
                    return
                at += len(piece)
                if decoder.eof:
                    at -= len(decoder.unused_data)
                    decoder = None
                chunks.append(chunk)
                size += len(chunk)
            yield b"".join(chunks)
            data = bytes(view[at:])
        if decoder is not None:
            stored.breaks("the zstd data ends in the middle", start)

    def begins(self, data: bytes, start: bytes) -> bool:
        """Tell whether bytes begin a frame whose data begin like this."""
        import zstandard

        decoder = self._context.decompressobj()
        found = b""
        try:
            for at in range(0, len(data), SLICE):
                found += decoder.decompress(data[at : at + SLICE])
                if len(found) >= len(start) or decoder.eof:
                    break
        except zstandard.ZstdError:
            return False
        return found.startswith(start)


def zstd_dictionary(stored: Stored, data: bytes) -> tuple[zstandard.ZstdCompressionDict | None, bytes]:
    """Read the dictionary frame; return the dictionary and the bytes after the frame."""
    import zstandard

    data += stored.at_least(8 - len(data))
    size = struct.unpack_from("<I", data, 4)[0] if len(data) >= 8 else 0
    if size > _MAX_DICTIONARY:
        stored.breaks(f"its zstd dictionary is larger than {_MAX_DICTIONARY} bytes")
        return None, b""
    data += stored.at_least(8 + size - len(data))
    if len(data) < max(8 + size, 8):
        stored.breaks("the zstd data ends in the middle")
        return None, b""
    raw, rest = data[8 : 8 + size], data[8 + size :]
    try:
        if raw.startswith(ZSTD_MAGIC):
            packed = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW).stream_reader(raw)
            raw = packed.read(_MAX_DICTIONARY)
        return zstandard.ZstdCompressionDict(raw), rest
    except (zstandard.ZstdError, ValueError) as error:
        stored.breaks(f"its zstd dictionary is corrupt ({error})")
        return None, b""


__all__ = ["SUFFIXES", "ZSTD_DICTIONARY_MAGIC", "ZSTD_MAGIC", "InputFile", "InputStream"]

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
