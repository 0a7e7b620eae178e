"""Gradient-boosted regression trees, applied: sums of leaves.

No row walks through a tree. QuickScorer (Lucchese et al., SIGIR 2015) numbers a tree's leaves from left to
right. Each condition that the row fails strikes out the leaves to its left; the first leaf left over is the
row's. The vectorised form (Lucchese et al., SIGIR 2016) tries a condition on many rows at once. Both order
the conditions by column and threshold. So the conditions that none of these rows fails, or that all fail,
stand together and are not tried.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms import _forest
from detemplate.algorithms.forestlayout import heights, linked, planned
from detemplate.algorithms.foreststore import MOST_COLUMNS, MOST_SLOTS, ForestColumns, packed, unpacked

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.algorithms.forestlayout import Links

    Reals = npt.NDArray[np.float64]
    Floats = npt.NDArray[np.float32]

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
        """Write the forest as compact bytes with a checksum; :meth:`unpack` restores it to the last bit."""
        return packed(self._columns)

    @classmethod
    def unpack(cls, data: bytes) -> Forest:
        """Make a forest of the bytes that :meth:`pack` wrote.

        Raises ValueError: the bytes are damaged, or of another version. Memory stays within that of the
            largest forest.
        """
        return cls(*unpacked(data))

    @property
    def _columns(self) -> ForestColumns:
        """The forest's arrays."""
        return ForestColumns(self.shape, self.feature, self.threshold, self.value, self.features)

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
