"""Forests as bytes: compact, checked, the same on every machine."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

MOST_COLUMNS: Final = 2**16
"""Columns that a table may have."""

MOST_SLOTS: Final = 2**20
"""Inner nodes and leaves that a forest may have."""

_HEAD: Final = struct.Struct("<4sBBHIIII")
_CHECK: Final = struct.Struct("<I")
_MAGIC: Final = b"dtgf"
_VERSION: Final = 1
_EXPECTED, _HALF_VALUE, _HALF_EXPECTED = 1, 2, 4


class ForestColumns(NamedTuple):
    """What is stored of a forest; see :class:`detemplate.algorithms.forest.Forest`."""

    shape: npt.NDArray[np.bool_]
    feature: npt.NDArray[np.uint16]
    threshold: Floats
    value: Floats
    features: int
    expected: Floats | None


def packed(forest: ForestColumns) -> bytes:
    """Give a forest as bytes, little-endian and compressed.

    The shape takes a bit a slot. The thresholds of each column are stored once, sorted, and the nodes
    have their numbers. Values that float16 holds exactly are stored as float16. Numbers are stored byte
    by byte: all first bytes, then all second ones, which compresses better.
    """
    # A node's column and threshold as one number, so that the different ones come sorted.
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
    flags = half * _HALF_VALUE
    if forest.expected is not None:
        expected, half = _halved(forest.expected)
        parts.append(_planes(expected))
        flags |= _EXPECTED | half * _HALF_EXPECTED
    sizes = (forest.features, len(forest.shape), len(forest.feature), len(known))
    data = _HEAD.pack(_MAGIC, _VERSION, flags, 0, *sizes) + zlib.compress(b"".join(parts), 9)
    return data + _CHECK.pack(zlib.crc32(data))


def unpacked(data: bytes) -> ForestColumns:
    """Give back to the bit what :func:`packed` was given; whether it is a forest is not looked into.

    Raises
    ------
    ValueError
        The bytes are damaged, or of another version. Memory stays within what the largest forest takes.
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
    feature, number, counts, bits, value, expected = columns
    if (
        (feature >= features).any()
        or counts.sum(dtype=np.int64) != known
        or (number >= counts[feature]).any()
    ):
        raise ValueError("the forest's bytes are damaged: a number out of range")
    first = np.cumsum(counts, dtype=np.int64) - counts
    threshold = bits[first[feature] + number].astype(np.uint32).view(np.float32)
    return ForestColumns(
        shape,
        feature.astype(np.uint16),
        threshold,
        value.astype(np.float32),
        features,
        expected.astype(np.float32) if flags & _EXPECTED else None,
    )


def _halved(values: Floats) -> tuple[npt.NDArray[np.floating[Any]], bool]:
    """Give values as float16 if nothing is lost, and whether it was so."""
    with np.errstate(over="ignore"):
        half = values.astype("<f2")
    exact = bool((half.astype(np.float32).view(np.uint32) == values.view(np.uint32)).all())
    return (half, True) if exact else (values.astype("<f4"), False)


def _planes(column: npt.NDArray[Any]) -> bytes:
    """Give numbers as bytes, all first ones first."""
    little = column.astype(column.dtype.newbyteorder("<"))
    return little.view(np.uint8).reshape(len(little), little.itemsize).T.tobytes()


def _from_planes(body: bytes, at: int, kind: str, count: int) -> npt.NDArray[Any]:
    width = np.dtype(kind).itemsize
    planes = np.frombuffer(body, np.uint8, width * count, at).reshape(width, count)
    return np.ascontiguousarray(planes.T).view(kind).ravel()


def _inflated(data: bytes, size: int) -> bytes:
    """Decompress to exactly so many bytes: never to more."""
    stream = zlib.decompressobj()
    try:
        body = stream.decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError("the forest's bytes are damaged: not decompressible") from error
    if len(body) != size or not stream.eof or stream.unused_data:
        raise ValueError("the forest's bytes are damaged: wrong length")
    return body
