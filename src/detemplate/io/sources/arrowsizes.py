"""How large the record batches of an Arrow file or stream are, before any is decompressed.

The metadata of a batch, a FlatBuffer, say where its buffers are; each compressed buffer begins with its own
size without compression. pyarrow allocates as much as stands there. It shows neither, so both are read here
(format: https://arrow.apache.org/docs/format/Columnar.html, https://flatbuffers.dev/internals/).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

_DICTIONARY: Final = "dictionary"
"""A kind of messages, as pyarrow names it: values that record batches refer to."""

_KINDS: Final = ("record batch", _DICTIONARY)
"""Kinds of messages that hold data."""

_HEADER: Final = 2
"""Field of a message: its content."""

_DATA: Final = 1
"""Field of a dictionary: the record batch with its values."""

_BUFFERS, _COMPRESSION = 2, 3
"""Fields of a record batch: where its buffers are, and how they are compressed."""

_PREFIX: Final = 8
"""Bytes before a compressed buffer: its size without compression."""


def unpacked_sizes(source: Any) -> Iterator[tuple[bool, int, int]]:  # noqa: ANN401  # pyarrow has no types
    """Give the sizes of the batches and dictionaries of a stream.

    Parameters
    ----------
    source
        A readable file of pyarrow's, at the beginning of the stream.

    Yields
    ------
    tuple
        Whether it is a dictionary; its bytes as stored; the bytes that are allocated to read it: 0 if it is
        not compressed. What is damaged ends the sizes.
    """
    from detemplate.files.arrow import pa

    messages = pa.ipc.MessageReader.open_stream(source)
    while True:
        try:
            message = messages.read_next_message()
        except (StopIteration, pa.ArrowException, OSError, ValueError):
            return
        if message.type not in _KINDS:
            continue
        dictionary = message.type == _DICTIONARY
        try:
            size = _unpacked(memoryview(message.metadata), memoryview(message.body), dictionary=dictionary)
        except (struct.error, IndexError, ValueError):
            return
        yield dictionary, message.body.size, size


def _unpacked(metadata: memoryview, body: memoryview, *, dictionary: bool) -> int:
    at = _field(metadata, _unsigned(metadata, 0), _HEADER)  # the root is as far away as the first bytes say
    if dictionary:
        at = _field(metadata, at, _DATA)
    if not at or not _field(metadata, at, _COMPRESSION):
        return 0
    vector = _field(metadata, at, _BUFFERS)
    if not vector:
        return 0
    count = _unsigned(metadata, vector)
    buffers = np.frombuffer(metadata, "<i8", 2 * count, vector + 4).reshape(-1, 2)
    total = 0
    for start, length in buffers.tolist():
        if length >= _PREFIX and 0 <= start <= len(body) - _PREFIX:
            size = struct.unpack_from("<q", body, start)[0]
            total += size if size >= 0 else length  # -1: this buffer is not compressed
    return total


def _unsigned(data: memoryview, at: int) -> int:
    found: int = struct.unpack_from("<I", data, at)[0]
    return found


def _field(data: memoryview, table: int, number: int) -> int:
    """Return where the object is that a field of a table points to; 0 if the table lacks the field."""
    shape = table - struct.unpack_from("<i", data, table)[0]
    entry = 4 + 2 * number
    if table <= 0 or shape < 0 or entry >= struct.unpack_from("<H", data, shape)[0]:
        return 0
    offset = struct.unpack_from("<H", data, shape + entry)[0]
    if not offset:
        return 0
    at = table + offset
    return int(at + _unsigned(data, at))
