"""Members of compressed files: gzip members and zstd frames, decoded one after another.

The libraries' own readers drop bytes that were already decoded when the data is corrupt, or end silently
when a file is cut. Here all bytes before the damage are given, and the damage is noted.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import zstandard

    from detemplate.io.sources.stored import Stored

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

MAX_DICTIONARY: Final = 1 << 26
"""Largest zstd dictionary that is accepted, in bytes."""

_OUTPUT: Final = 1 << 17
"""Decompressed bytes per chunk; zstd chunks can be larger."""

SLICE: Final = 1 << 10
"""Stored bytes per call of the zstd decoder, and for a first look at a member.

A zstd block takes at least 4 bytes and holds at most 128 KiB, so a slice decompresses to 32 MiB at most.
Slicing costs nothing measurable on real files.
"""


@dataclass(frozen=True, slots=True)
class Packing:
    """How the members of a file are decoded, and found.

    Attributes
    ----------
    magic
        First bytes of a member.
    decode
        Decodes stored bytes that begin with a member, and those that follow them.
    begins
        Tells whether bytes begin with a member whose data begin as said.
    """

    magic: bytes
    decode: Callable[[bytes], Iterator[bytes]]
    begins: Callable[[bytes, bytes], bool]


def packing_of(stored: Stored, data: bytes) -> tuple[Packing | None, bytes]:
    """Tell how a file is compressed.

    Parameters
    ----------
    stored
        The file.
    data
        Its first bytes, at least four if it has so many.

    Returns
    -------
    packing : Packing or None
        None for a file that is not compressed, or that is broken already.
    data : bytes
        The bytes in hand before its first member's end.
    """
    if data.startswith(GZIP_MAGIC):
        return Packing(GZIP_MAGIC + b"\x08", partial(_gzip, stored), _gzip_begins), data
    if not data.startswith((ZSTD_MAGIC, ZSTD_DICTIONARY_MAGIC)):
        return None, data
    import zstandard

    dictionary: zstandard.ZstdCompressionDict | None = None
    if data.startswith(ZSTD_DICTIONARY_MAGIC):
        dictionary, data = _dictionary(stored, data)
        if stored.broken:
            return None, b""
    context = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=MAX_ZSTD_WINDOW)
    frames, begins = partial(_frames, stored, context=context), partial(_zstd_begins, context=context)
    return Packing(ZSTD_MAGIC, frames, begins), data


def _gzip(stored: Stored, data: bytes) -> Iterator[bytes]:
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
            if not data and not decoder.eof and len(chunk) < _OUTPUT:
                data = stored.more()
                if not data:
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


def _frames(stored: Stored, data: bytes, context: zstandard.ZstdDecompressor) -> Iterator[bytes]:
    import zstandard

    decoder: Any = None
    start = 0
    while True:
        chunks: list[bytes] = []
        size = 0
        at = 0
        view = memoryview(data)
        while at < len(view) and size < _OUTPUT:
            if decoder is None:
                decoder = context.decompressobj()
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
            if chunk:
                chunks.append(chunk)
                size += len(chunk)
        yield b"".join(chunks)
        data = bytes(view[at:])
        if not data:
            data = stored.more()
            if not data:
                if decoder is not None:
                    stored.breaks("the zstd data ends in the middle", start)
                return


def _dictionary(stored: Stored, data: bytes) -> tuple[zstandard.ZstdCompressionDict | None, bytes]:
    """Read the dictionary frame; return the dictionary and the bytes after the frame."""
    import zstandard

    while len(data) < 8 and (more := stored.more()):
        data += more
    size = struct.unpack_from("<I", data, 4)[0] if len(data) >= 8 else 0
    if size > MAX_DICTIONARY:
        stored.breaks(f"its zstd dictionary is larger than {MAX_DICTIONARY} bytes")
        return None, b""
    parts, length = [data], len(data)
    while length < 8 + size and (more := stored.more()):
        parts.append(more)
        length += len(more)
    data = b"".join(parts)
    if len(data) < 8 + size or len(data) < 8:
        stored.breaks("the zstd data ends in the middle")
        return None, b""
    raw, rest = data[8 : 8 + size], data[8 + size :]
    try:
        if raw.startswith(ZSTD_MAGIC):
            packed = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW).stream_reader(raw)
            raw = packed.read(MAX_DICTIONARY)
        return zstandard.ZstdCompressionDict(raw), rest
    except (zstandard.ZstdError, ValueError) as error:
        stored.breaks(f"its zstd dictionary is corrupt ({error})")
        return None, b""


def _gzip_begins(data: bytes, start: bytes) -> bool:
    try:
        return zlib.decompressobj(wbits=31).decompress(data[:SLICE], len(start)) == start
    except zlib.error:
        return False


def _zstd_begins(data: bytes, start: bytes, context: zstandard.ZstdDecompressor) -> bool:
    import zstandard

    decoder = context.decompressobj()
    found = b""
    try:
        for at in range(0, len(data), SLICE):
            found += decoder.decompress(data[at : at + SLICE])
            if len(found) >= len(start) or decoder.eof:
                break
    except zstandard.ZstdError:
        return False
    return found.startswith(start)
