"""Gradient-boosted regression trees: sums of leaves, and forests as bytes.

No row walks through a tree. QuickScorer (Lucchese et al., SIGIR 2015) numbers a tree's leaves from left to
right. Each condition that the row fails strikes out the leaves to its left; the first leaf left over is the
row's. The vectorised form (Lucchese et al., SIGIR 2016) tries a condition on many rows at once. Both order
the conditions by column and threshold. So the conditions that none of these rows fails, or that all fail,
stand together and are not tried.
"""

from __future__ import annotations

import importlib
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms import _forest
from detemplate.algorithms.forestlayout import heights, linked, planned

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.forestlayout import Links

    Reals = npt.NDArray[np.float64]
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

MOST_LEAVES: Final = 1024
"""Maximum number of leaves of a tree."""

WIDE: Final = {"_avx512": "AVX512_SKX", "_avx2": "AVX2"}
"""Ends of the names of the kernel's builds for wide vectors, and what numpy calls such vectors; the widest
first. ``setup.py`` has the builds' flags."""


def _widest() -> Any:  # noqa: ANN401  # kernels carry C types, which no stub repeats
    """Import the kernel: the build for the widest vectors that the processor has."""
    with suppress(ImportError, AttributeError):  # numpy has moved the table
        processor = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
        for suffix, needed in WIDE.items():
            if processor.get(needed):
                with suppress(ImportError):  # built for another kind of processor
                    return importlib.import_module(f"detemplate.algorithms._forest{suffix}")
    return _forest


_KERNEL: Final = _widest()  # the kernel of this processor


@dataclass(frozen=True, eq=False)
class Forest:
    """Regression trees whose leaves are summed. Splits are numeric: left if ``x <= threshold``, else right.

    The trees are written one after the other, in *slots*: each inner node stands before its left subtree, and
    that before its right subtree. The shape alone says where children are. So no index can point to a wrong
    place: every shape whose last tree is complete is a forest.

    ``shape``: one entry a slot: True for an inner node, False for a leaf.
    ``feature``: one entry an inner node: the column that it tests.
    ``threshold``: one entry an inner node; not NaN.
    ``value``: one entry a leaf; finite.
    ``features``: number of columns of a table.
    Raises ValueError: the arrays are not a forest. They are checked once and copied; the copies are
        read-only.
    """

    shape: npt.NDArray[np.bool_]
    feature: npt.NDArray[np.uint16]
    threshold: Floats
    value: Floats
    features: int

    def __post_init__(self) -> None:
        if not 0 <= self.features <= MOST_COLUMNS:
            raise ValueError("a forest has 65,536 columns at most")
        for name, kind in (
            ("shape", np.bool_),
            ("feature", np.uint16),
            ("threshold", np.float32),
            ("value", np.float32),
        ):
            column = np.array(getattr(self, name), order="C")
            if column.ndim != 1 or column.dtype != kind:
                message = f"{name} must be a column of {np.dtype(kind).name}"
                raise ValueError(message)
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        nodes = int(self.shape.sum())
        if len(self.shape) > MOST_SLOTS:
            raise ValueError("a forest has 2**20 nodes at most")
        if not nodes == len(self.feature) == len(self.threshold) == len(self.shape) - len(self.value):
            raise ValueError("a forest's columns have the wrong lengths")
        height = heights(self.shape)
        if len(height) and height[-1] >= height[:-1].min(initial=0):
            raise ValueError("a forest's last tree is not complete")
        if (self.feature >= self.features).any():
            raise ValueError("a forest tests a column that its tables do not have")
        if np.isnan(self.threshold).any():
            raise ValueError("a forest's thresholds must be numbers")
        if not np.isfinite(self.value).all():
            raise ValueError("a forest's values must be finite")
        sizes = np.diff(self._links.root, append=len(self.shape))
        if (sizes >= 2 * MOST_LEAVES).any():
            raise ValueError("a tree has 1,024 leaves at most")

    @property
    def trees(self) -> int:
        """Number of trees."""
        return len(self._links.root)

    def sums(self, table: npt.NDArray[np.floating[Any]]) -> Reals:
        """Sum the values of the leaves that each row comes to.

        ``table``: any number of rows × ``features`` columns. A contiguous float32 table is read in place; any
            other is copied. Infinite numbers compare as usual. NaN is at most nothing, so it goes right
            everywhere.
        Returns: one sum a row, added up tree after tree in float64: equal to the last bit on all machines.
        Raises ValueError: the table does not have ``features`` columns.
        """
        rows = np.ascontiguousarray(table, np.float32)
        if np.ndim(table) != 2 or rows.shape[1] != self.features:
            message = f"the table must have {self.features} columns, not the shape {np.shape(table)}"
            raise ValueError(message)
        sums: Reals = self._planned.sums(rows)
        return sums

    def pack(self) -> bytes:
        """Write the forest as bytes, little-endian, compressed, with a checksum; equal on all machines.

        The shape takes one bit a slot. The different thresholds of each column are stored once, sorted; nodes
        refer to them by number. Values that float16 holds exactly are stored as float16. Of all numbers, the
        first bytes are stored first, then the second bytes, and so on, which compresses better.
        """
        # Column and threshold of a node as one number: sorted by column, then by the threshold's bits.
        keys = self.feature.astype(np.uint64) << np.uint64(32) | self.threshold.view(np.uint32)
        known, number = np.unique(keys, return_inverse=True)
        counts = np.bincount((known >> np.uint64(32)).astype(np.int64), minlength=self.features)
        number = number - (np.cumsum(counts) - counts)[self.feature]
        value, half = _halved(self.value)
        parts = [
            np.packbits(self.shape).tobytes(),
            _planes(self.feature),
            _planes(number.astype("<u4")),
            _planes(counts.astype("<u4")),
            _planes((known & np.uint64(0xFFFFFFFF)).astype("<u4")),
            _planes(value),
        ]
        sizes = (self.features, len(self.shape), len(self.feature), len(known))
        data = _HEAD.pack(_MAGIC, _VERSION, half * _HALF_VALUE, 0, *sizes) + zlib.compress(b"".join(parts), 9)
        return data + _CHECK.pack(zlib.crc32(data))

    @classmethod
    def unpack(cls, data: bytes) -> Forest:
        """Make a forest of the bytes that :meth:`pack` wrote, equal to the last bit.

        Raises ValueError: the bytes are damaged, or of another version. Memory stays within that of the
            largest forest.
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
        return cls(shape, feature.astype(np.uint16), threshold, value.astype(np.float32), features)

    @cached_property
    def _links(self) -> Links:
        return linked(self.shape)

    @cached_property
    def _plan(self) -> tuple[npt.NDArray[Any], ...]:
        """What the kernel reads."""
        return planned(self.shape, self.feature, self.threshold, self.value, self._links)

    @cached_property
    def _planned(self) -> Any:  # noqa: ANN401
        """The same as the kernel has it: ready, since its columns take longer to check than to hand over."""
        return _KERNEL.Plan(*self._plan)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_planned"}


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
