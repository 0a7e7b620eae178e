"""Where records of a WARC file begin, from any place in the file."""

from __future__ import annotations

import io
import re
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final

from detemplate.io.sources.decoders import GZIP_MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterator

_START: Final = b"WARC/"  # first bytes of a record
_BEFORE: Final = b"\r\n\r\n"  # what ends the record before, in a file that is not compressed
_READ: Final = 1 << 20  # bytes per read
_LOOK: Final = 1 << 10  # stored bytes of a gzip member that show how its data begin
_HEAD: Final = 1 << 20  # largest WARC headers, in bytes

_LENGTH: Final = re.compile(rb"\r?\nContent-Length:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
"""The header with the number of bytes of a record's block."""

_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")  # the end of a record's headers


def record_start(raw: BinaryIO, begin: int) -> int | None:
    """Return the offset of the first record at or after a place.

    Of a gzip file, that is the first member whose data begin like a record. Of a plain file, it is the first
    place that begins like a record, after the end of another one, and where another record, or the file's
    end, follows after as many bytes as its headers state.

    ``raw``: the stored file, which can seek.
    ``begin``: the place, in bytes.
    Returns: None if there is no such record.
    """
    raw.seek(0)
    if raw.read(2) == GZIP_MAGIC:
        mark = GZIP_MAGIC + b"\x08"
        return next((at for at in _marks(raw, mark, begin) if _is_member(raw, at)), None)
    mark = _BEFORE + _START
    found = (at + len(_BEFORE) for at in _marks(raw, mark, max(begin - len(_BEFORE), 0)))
    return next((at for at in found if _is_record(raw, at)), None)


def _marks(raw: BinaryIO, mark: bytes, begin: int) -> Iterator[int]:
    """Yield the offsets of some bytes, from a place on."""
    data, offset = b"", begin
    while True:
        raw.seek(offset + len(data))
        more = raw.read(_READ)
        if not more:
            return
        data += more
        at = data.find(mark)
        while at >= 0:
            yield offset + at
            at = data.find(mark, at + 1)
        kept = len(mark) - 1
        offset += max(len(data) - kept, 0)
        data = data[-kept:]


def _is_member(raw: BinaryIO, at: int) -> bool:
    """Tell whether a gzip member begins at an offset, whose data begin with a record."""
    raw.seek(at)
    try:
        return zlib.decompressobj(wbits=31).decompress(raw.read(_LOOK), len(_START)) == _START
    except zlib.error:
        return False


def _is_record(raw: BinaryIO, at: int) -> bool:
    """Tell whether a record begins at an offset, and another one, or the file's end, follows it."""
    raw.seek(at)
    head = raw.read(_HEAD)
    end = _HEAD_END.search(head)
    length = _LENGTH.search(head, 0, end.end() if end else 0)
    if end is None or length is None:
        return False
    after = at + end.end() + int(length[1])
    raw.seek(0, io.SEEK_END)
    if after > raw.tell():
        return False
    raw.seek(after)
    return raw.read(64).lstrip(b"\r\n").startswith(_START) or raw.tell() <= after + len(_BEFORE)
