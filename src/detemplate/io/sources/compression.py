"""Compressed inputs as plain streams that end early, and say why, instead of raising.

The libraries' own readers drop what they had already decoded when they meet damage, or end
silently on a file that was cut. Here everything before the break comes out, and the break is known.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import zstandard
    from typing_extensions import Buffer  # in collections.abc from Python 3.12

SUFFIXES = (".gz", ".zst", ".zstd")
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# A skippable frame in front of a .warc.zst that holds the dictionary of all later frames
# (https://iipc.github.io/warc-specifications/specifications/warc-zstd/).
ZSTD_DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
MAX_ZSTD_WINDOW = 1 << 27
MAX_DICTIONARY = 1 << 26

_READ = 1 << 16
_OUTPUT = 1 << 17
# A zstd block makes at most 128 KiB and takes at least 4 bytes: a slice this small can swell to
# 32 MiB at worst, and slicing costs nothing measurable on real files.
_ZSTD_SLICE = 1 << 10


class InputStream(io.RawIOBase):
    """The decompressed bytes of a gzip, zstd or uncompressed file; the first bytes tell which.

    Damage never raises: the stream ends where the readable bytes end, and ``broken`` says what
    was wrong. Memory is bounded whatever the ratio of compression.

    Parameters
    ----------
    raw
        The file as stored; it is closed with the stream.
    track_members
        Remember where the members (gzip) or frames (zstd) begin, for `member_start`. Whoever asks
        for it must call `member_start` from time to time, because this is also what forgets.

    Attributes
    ----------
    broken
        None, or why the stream ended before the file was whole.
    raw_position
        Bytes of the stored file that were read so far.
    """

    def __init__(self, raw: BinaryIO, *, track_members: bool = False) -> None:
        super().__init__()
        self.broken: str | None = None
        self.raw_position = 0
        self._raw = raw
        # A pipe's ``read`` waits until it has everything that was asked for, ``read1`` does not.
        self._read_raw: Callable[[int], bytes | None] = getattr(raw, "read1", raw.read)
        self._track = track_members
        self._members: deque[tuple[int, int]] = deque()
        self._produced = 0
        self._position = 0
        self._pending = memoryview(b"")
        self._chunks = self._decode()

    def readable(self) -> bool:
        """Tell that the stream can be read (always)."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill ``buffer`` with decompressed bytes; 0 means the end, good or broken."""
        target = memoryview(buffer).cast("B")
        if not self._pending and not self._fill():
            return 0
        taken = min(len(target), len(self._pending))
        target[:taken] = self._pending[:taken]
        self._pending = self._pending[taken:]
        self._position += taken
        return taken

    def read(self, size: int = -1) -> bytes:
        """Return some bytes, at most ``size`` of them (all, if negative); none at the end."""
        if size < 0:
            return self.readall() or b""
        if not self._pending and not self._fill():
            return b""
        data = bytes(self._pending[:size])
        self._pending = self._pending[size:]
        self._position += len(data)
        return data

    def peek(self, size: int) -> bytes:
        """Return the next bytes, up to ``size`` of them, without consuming them."""
        while len(self._pending) < size:
            held = bytes(self._pending)
            self._pending = memoryview(b"")
            more = self._fill()
            self._pending = memoryview(held + bytes(self._pending))
            if not more:
                break
        return bytes(self._pending[:size])

    def tell(self) -> int:
        """Return the position in the decompressed bytes."""
        return self._position

    def close(self) -> None:
        """Close the stored file as well."""
        if not self.closed:
            self._raw.close()
        super().close()

    def member_start(self, position: int) -> int:
        """Return where, in the stored file, the member that holds a decompressed position begins.

        For an uncompressed file this is the position itself. Positions must not decrease from
        call to call.
        """
        if not self._members:
            return position
        while len(self._members) > 1 and self._members[1][0] <= position:
            self._members.popleft()
        return self._members[0][1]

    def _fill(self) -> bool:
        for chunk in self._chunks:
            if chunk:
                self._pending = memoryview(chunk)
                self._produced += len(chunk)
                return True
        return False

    def _stored(self) -> bytes:
        """Read the next stored bytes; empty at the end of the file or when it cannot be read."""
        try:
            data = self._read_raw(_READ) or b""
        except OSError as error:
            self.broken = f"it cannot be read: {error.strerror or error}"
            return b""
        self.raw_position += len(data)
        return data

    def _decode(self) -> Iterator[bytes]:
        data = self._stored()
        while 0 < len(data) < 4 and (more := self._stored()):
            data += more
        if data.startswith(GZIP_MAGIC):
            yield from self._gzip(data)
        elif data.startswith((ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC)):
            yield from self._zstd(data)
        else:
            while data:
                yield data
                data = self._stored()

    def _break(self, why: str) -> None:
        self.broken = self.broken or why  # a failure to read is the cause of the cut that follows

    def _begin_member(self, start: int) -> None:
        if self._track:
            self._members.append((self._produced, start))

    def _gzip(self, data: bytes) -> Iterator[bytes]:
        while data:
            self._begin_member(self.raw_position - len(data))
            decoder = zlib.decompressobj(wbits=31)
            while not decoder.eof:
                try:
                    chunk = decoder.decompress(data, _OUTPUT)
                except zlib.error as error:
                    self._break(f"the gzip data is corrupt ({error})")
                    return
                yield chunk
                data = decoder.unconsumed_tail
                if not data and not decoder.eof and len(chunk) < _OUTPUT:
                    data = self._stored()
                    if not data:
                        self._break("the gzip data ends in the middle")
                        return
            # Zero bytes after a member are padding (tapes, block devices).
            data = decoder.unused_data.lstrip(b"\0")
            while len(data) < 2 and (more := self._stored()):
                data = (data + more).lstrip(b"\0")
            if data and not data.startswith(GZIP_MAGIC):
                self._break("something that is not gzip follows the gzip data")
                return

    def _zstd(self, data: bytes) -> Iterator[bytes]:
        import zstandard

        dictionary: zstandard.ZstdCompressionDict | None = None
        if data.startswith(ZSTD_DICTIONARY_MAGIC):
            dictionary, data = self._dictionary(data)
            if self.broken:
                return
        context = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=MAX_ZSTD_WINDOW)
        decoder: Any = None
        while True:
            chunks: list[bytes] = []
            size = 0
            at = 0
            view = memoryview(data)
            while at < len(view) and size < _OUTPUT:
                if decoder is None:
                    decoder = context.decompressobj()
                    # Frames begin inside a run of chunks that was not counted yet.
                    if self._track:
                        start = self.raw_position - (len(view) - at)
                        self._members.append((self._produced + size, start))
                piece = view[at : at + _ZSTD_SLICE]
                try:
                    chunk = decoder.decompress(piece)
                except zstandard.ZstdError as error:
                    self._break(f"the zstd data is corrupt ({error})")
                    yield b"".join(chunks)
                    return
                at += len(piece)
                if decoder.eof:
                    at -= len(decoder.unused_data)
                    decoder = None
                if chunk:
                    chunks.append(chunk)
                    size += len(chunk)
            yield b"".join(chunks)
            data = bytes(view[at:])
            if not data:
                data = self._stored()
                if not data:
                    if decoder is not None:
                        self._break("the zstd data ends in the middle")
                    return

    def _dictionary(self, data: bytes) -> tuple[zstandard.ZstdCompressionDict | None, bytes]:
        import zstandard

        while len(data) < 8 and (more := self._stored()):
            data += more
        size = struct.unpack_from("<I", data, 4)[0] if len(data) >= 8 else 0
        if size > MAX_DICTIONARY:
            self._break(f"its zstd dictionary is larger than {MAX_DICTIONARY} bytes")
            return None, b""
        parts, have = [data], len(data)
        while have < 8 + size and (more := self._stored()):
            parts.append(more)
            have += len(more)
        data = b"".join(parts)
        if len(data) < 8 + size or len(data) < 8:
            self._break("the zstd data ends in the middle")
            return None, b""
        raw, rest = data[8 : 8 + size], data[8 + size :]
        try:
            if raw.startswith(ZSTD_MAGIC):
                packed = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW).stream_reader(raw)
                raw = packed.read(MAX_DICTIONARY)
            return zstandard.ZstdCompressionDict(raw), rest
        except (zstandard.ZstdError, ValueError) as error:
            self._break(f"its zstd dictionary is corrupt ({error})")
            return None, b""


@dataclass(slots=True)
class InputFile:
    """One input that can be opened as a stream: a file, or standard input (which opens once).

    ``name`` is the input as the user named it, ``size`` its stored size in bytes.
    """

    name: str
    opener: Callable[[bool], InputStream]
    size: int | None = None
    rereadable: bool = True

    @classmethod
    def from_path(cls, path: Path) -> InputFile:
        """Describe a file on disk; raises OSError when it isn't there."""

        def opener(track_members: bool) -> InputStream:
            return InputStream(path.open("rb", buffering=0), track_members=track_members)

        return cls(str(path), opener, size=path.stat().st_size)

    def open(self, *, track_members: bool = False) -> InputStream:
        """Open the input from its beginning; raises OSError when it cannot be opened."""
        return self.opener(track_members)
