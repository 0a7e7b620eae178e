"""Forests as bytes: compact, with a checksum, equal on all machines."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

MOST_COLUMNS: Final = 2**16
"""Maximum number of columns of a table."""

MOST_SLOTS: Final = 2**20
"""Maximum number of inner nodes and leaves of a forest."""

_HEAD: Final = struct.Struct("<4sBBHIIII")
"""Magic bytes, version, flags, 0, then how many columns, slots, inner nodes and different thresholds."""

_CHECK: Final = struct.Struct("<I")  # CRC-32 of all bytes before it
_MAGIC: Final = b"dtgf"  # first bytes of a forest
_VERSION: Final = 1  # version of the format
_EXPECTED: Final = 1  # flag: expected values of inner nodes are stored; they are not read
_HALF_VALUE: Final = 2  # flag: values are stored as float16
_HALF_EXPECTED: Final = 4  # flag: expected values are stored as float16


class ForestColumns(NamedTuple):
    """The arrays of a forest; :class:`~detemplate.algorithms.forest.Forest` describes and checks them.

    ``shape``: one entry a slot: True for an inner node, False for a leaf.
    ``feature``: column that each inner node tests.
    ``threshold``: threshold of each inner node.
    ``value``: value of each leaf.
    ``features``: number of columns of a table.
    """

    shape: npt.NDArray[np.bool_]
    feature: npt.NDArray[np.uint16]
    threshold: Floats
    value: Floats
    features: int


def packed(forest: ForestColumns) -> bytes:
    """Write a forest as bytes, little-endian and compressed.

    The shape takes one bit a slot. The different thresholds of each column are stored once, sorted; nodes
    refer to them by number. Values that float16 holds exactly are stored as float16. Of all numbers, the
    first bytes are stored first, then the second bytes, and so on, which compresses better.
    """
    # Column and threshold of a node as one number: sorted by column, then by the threshold's bits.
    keys = forest.feature.astype(np.uint64) << np.uint64(32) | forest.threshold.view(np.uint32)
    known, number = np.unique(keys, return_inverse=True)
    counts = np.bincount((known >> np.uint64(32)).astype(np.int64), minlength=forest.features)
    number = number - (np.cumsum(counts) - counts)[forest.feature]
    value, half = _halved(forest.value)
    parts = [
        np.packbits(forest.shape).tobytes(),
        _planes(forest.feature),
        _planes(number.astype("<u4")),
        _planes(counts.astype("<u4")),
        _planes((known & np.uint64(0xFFFFFFFF)).astype("<u4")),
        _planes(value),
    ]
    sizes = (forest.features, len(forest.shape), len(forest.feature), len(known))
    data = _HEAD.pack(_MAGIC, _VERSION, half * _HALF_VALUE, 0, *sizes) + zlib.compress(b"".join(parts), 9)
    return data + _CHECK.pack(zlib.crc32(data))


def unpacked(data: bytes) -> ForestColumns:
    """Read the bytes that :func:`packed` wrote, to the last bit. Whether they are a forest is not checked.

    Raises ValueError: the bytes are damaged, or of another version. Memory stays within that of the largest
        forest.
    """
    if len(data) < _HEAD.size + _CHECK.size:
        raise ValueError("these bytes are no forest: too few")
    magic, version, flags, _, features, slots, nodes, known = _HEAD.unpack_from(data)
    if magic != _MAGIC or version != _VERSION:
        raise ValueError("these bytes are no forest, or one of another version")
    data, check = data[: -_CHECK.size], data[-_CHECK.size :]
    if _CHECK.pack(zlib.crc32(data)) != check:
        raise ValueError("the forest's bytes are damaged: wrong checksum")
    if slots > MOST_SLOTS or nodes > slots or known > nodes or features > MOST_COLUMNS:
        raise ValueError("the forest's bytes are damaged: too large")
    kinds = [
        ("<u2", nodes),
        ("<u4", nodes),
        ("<u4", features),
        ("<u4", known),
        ("<f2" if flags & _HALF_VALUE else "<f4", slots - nodes),
        ("<f2" if flags & _HALF_EXPECTED else "<f4", nodes if flags & _EXPECTED else 0),
    ]
    size = (slots + 7) // 8 + sum(np.dtype(kind).itemsize * count for kind, count in kinds)
    body = _inflated(data[_HEAD.size :], size)
    at = (slots + 7) // 8
    shape = np.unpackbits(np.frombuffer(body, np.uint8, at), count=slots).astype(np.bool_)
    columns = []
    for kind, count in kinds:
        columns.append(_from_planes(body, at, kind, count))
        at += np.dtype(kind).itemsize * count
    feature, number, counts, bits, value, _ = columns
    if (
        (feature >= features).any()
        or counts.sum(dtype=np.int64) != known
        or (number >= counts[feature]).any()
    ):
        raise ValueError("the forest's bytes are damaged: a number out of range")
    first = np.cumsum(counts, dtype=np.int64) - counts
    threshold = bits[first[feature] + number].astype(np.uint32).view(np.float32)
    return ForestColumns(shape, feature.astype(np.uint16), threshold, value.astype(np.float32), features)


def _halved(values: Floats) -> tuple[npt.NDArray[np.floating[Any]], bool]:
    """Return values as float16 if that loses nothing, else as float32; tell which."""
    with np.errstate(over="ignore"):
        half = values.astype("<f2")
    exact = bool((half.astype(np.float32).view(np.uint32) == values.view(np.uint32)).all())
    return (half, True) if exact else (values.astype("<f4"), False)


def _planes(column: npt.NDArray[Any]) -> bytes:
    """Write the first bytes of all numbers, then all second bytes, and so on."""
    little = column.astype(column.dtype.newbyteorder("<"))
    return little.view(np.uint8).reshape(len(little), little.itemsize).T.tobytes()


def _from_planes(body: bytes, at: int, kind: str, count: int) -> npt.NDArray[Any]:
    """Read ``count`` numbers of a type that :func:`_planes` wrote."""
    width = np.dtype(kind).itemsize
    planes = np.frombuffer(body, np.uint8, width * count, at).reshape(width, count)
    return np.ascontiguousarray(planes.T).view(kind).ravel()


def _inflated(data: bytes, size: int) -> bytes:
    """Decompress to exactly ``size`` bytes; stop as soon as there are more."""
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError("the forest's bytes are damaged: not decompressible") from error
    if len(body) != size or not stream.eof or stream.unused_data:
        raise ValueError("the forest's bytes are damaged: wrong length")
    return body
