"""Decoders of gzip members and zstd frames, and the stored bytes that they read."""

from __future__ import annotations

import io
import struct
import zlib
from collections import deque
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import zstandard


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
