"""Gradient-boosted regression trees, applied: sums of leaves, and what each column adds to them.

A row's way through a tree is not walked. QuickScorer (Lucchese et al., SIGIR 2015) numbers the leaves from
left to right and strikes out the leaves to the left of every condition that the row fails: the first one
left is the row's leaf. Its vectorised form (Lucchese et al., SIGIR 2016) tries a condition on many rows at
once. Here the conditions stand tree by tree, not column by column, so that nothing is written per condition.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.algorithms.forestlayout import heights, linked, ordered, planned, rounded_down
from detemplate.algorithms.foreststore import MOST_COLUMNS, MOST_SLOTS, ForestColumns, packed, unpacked
from detemplate.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from detemplate.algorithms.forestlayout import Links

    Reals = npt.NDArray[np.float64]
    Floats = npt.NDArray[np.float32]
    Rows = npt.NDArray[np.int64]
    Numbers = Sequence[float] | npt.NDArray[np.floating[Any] | np.integer[Any]]

MOST_LEAVES: Final = 1024
"""Leaves that a tree may have."""

_BLOCK: Final = 1024  # the reference's rows at a time


class Tree(NamedTuple):
    """A tree as training gives it, its nodes and leaves in any order.

    Attributes
    ----------
    feature
        Column that each inner node looks at.
    threshold
        A row goes left if its number is at most this, and right otherwise.
    left, right
        Children of each inner node: an inner node, or ``~leaf`` (below 0). Node 0 is the root.
    value
        Values of the leaves, one more than inner nodes.
    expected
        Expected value at each inner node; None: the mean of the leaves below.
    """

    feature: Sequence[int] | npt.NDArray[np.integer[Any]]
    threshold: Numbers
    left: Sequence[int] | npt.NDArray[np.integer[Any]]
    right: Sequence[int] | npt.NDArray[np.integer[Any]]
    value: Numbers
    expected: Numbers | None = None


@dataclass(frozen=True, eq=False)
class Forest:
    """Regression trees whose leaves are summed: numeric splits, left if ``x <= threshold``, else right.

    A forest is what stands in ``shape`` order: tree after tree, each node before its left and that before
    its right subtree. So any shape that closes is a forest, and there is nothing in it that could point
    to the wrong place. :meth:`grown` makes one of trees in any other order.

    Attributes
    ----------
    shape : array of bool
        One slot a node: True is an inner node, False a leaf.
    feature : array of uint16
        One an inner node: the column that it looks at.
    threshold : array of float32
        One an inner node; no NaN.
    value : array of float32
        One a leaf; finite.
    features : int
        Columns that a table must have.
    expected : array of float32, optional
        One an inner node, finite: its expected value. None: the mean of the leaves below.

    Raises
    ------
    ValueError
        The arrays are not a forest. It is checked once, and the arrays are copies that cannot be written.
    """

    shape: npt.NDArray[np.bool_]
    feature: npt.NDArray[np.uint16]
    threshold: Floats
    value: Floats
    features: int
    expected: Floats | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.features <= MOST_COLUMNS:
            raise ValueError("a forest has 65,536 columns at most")
        for name, kind in (
            ("shape", np.bool_),
            ("feature", np.uint16),
            ("threshold", np.float32),
            ("value", np.float32),
            ("expected", np.float32),
        ):
            given = getattr(self, name)
            if given is not None:
                column = np.array(given, order="C")
                if column.ndim != 1 or column.dtype != kind:
                    message = f"{name} must be a column of {np.dtype(kind).name}"
                    raise ValueError(message)
                column.flags.writeable = False
                object.__setattr__(self, name, column)
        nodes = int(self.shape.sum())
        if len(self.shape) > MOST_SLOTS:
            raise ValueError("a forest has 2**20 nodes at most")
        if not (
            nodes == len(self.feature) == len(self.threshold) == len(self.shape) - len(self.value)
            and (self.expected is None or nodes == len(self.expected))
        ):
            raise ValueError("a forest's columns have the wrong lengths")
        height = heights(self.shape)
        if len(height) and height[-1] >= height[:-1].min(initial=0):
            raise ValueError("a forest's last tree is not complete")
        if (self.feature >= self.features).any():
            raise ValueError("a forest looks at a column that there is not")
        if np.isnan(self.threshold).any():
            raise ValueError("a forest's thresholds must be numbers")
        if not np.isfinite(self.value).all() or not (
            self.expected is None or np.isfinite(self.expected).all()
        ):
            raise ValueError("a forest's values must be finite")
        sizes = np.diff(self._links.root, append=len(self.shape))
        if (sizes >= 2 * MOST_LEAVES).any():
            raise ValueError("a tree has 1,024 leaves at most")

    @classmethod
    def grown(cls, trees: Iterable[Tree], features: int) -> Forest:
        """Make a forest of trees as training gives them.

        Parameters
        ----------
        trees
            Either all have ``expected`` or none has. Thresholds are rounded down to float32, so that
            numbers of a float32 table go where they would with the thresholds given. Values are rounded
            to the nearest float32.
        features
            Columns that a table must have.

        Raises
        ------
        ValueError
            A node or leaf that is not reached exactly once; or see :class:`Forest`.
        """
        shape: list[bool] = []
        columns: list[npt.NDArray[Any]] = []
        for tree in trees:
            if not (
                len(tree.feature) == len(tree.threshold) == len(tree.left) == len(tree.right)
                and len(tree.value) == len(tree.feature) + 1
            ):
                raise ValueError("a tree's columns have the wrong lengths")
            slots, nodes, leaves = ordered(np.asarray(tree.left).tolist(), np.asarray(tree.right).tolist())
            shape += slots
            feature = np.asarray(tree.feature, np.int64)[nodes]
            if ((feature < 0) | (feature >= features)).any():
                raise ValueError("a tree looks at a column that there is not")
            known = None if tree.expected is None else np.asarray(tree.expected, np.float64)
            if known is not None and known.shape != feature.shape:
                raise ValueError("a tree's columns have the wrong lengths")
            columns.append(feature)
            columns.append(np.asarray(tree.threshold, np.float64)[nodes])
            columns.append(np.asarray(tree.value, np.float64)[leaves])
            columns.append(np.full(len(nodes), np.nan) if known is None else known[nodes])
        feature, threshold, value, expected = (
            np.concatenate([np.zeros(0), *columns[place::4]]) for place in range(4)
        )
        blank = np.isnan(expected)
        if blank.any() and not blank.all():
            raise ValueError("either all trees have expected values or none has")
        with np.errstate(over="ignore"):
            return cls(
                np.array(shape, np.bool_),
                feature.astype(np.uint16),
                rounded_down(threshold),
                value.astype(np.float32),
                features,
                None if blank.all() else expected.astype(np.float32),
            )

    @property
    def trees(self) -> int:
        """Trees there are."""
        return len(self._links.root)

    def sums(self, table: npt.NDArray[np.floating[Any]]) -> Reals:
        """Sum the values of the leaves that each row comes to.

        Parameters
        ----------
        table
            One row a row, one column a feature: any number of rows. It is read in place if it is
            float32 with rows that follow each other; otherwise it is copied. Infinite numbers compare as
            usual; NaN is not at most anything, so it goes right everywhere.

        Returns
        -------
        array of float64
            One sum a row, added up tree after tree in float64: the same to the last bit wherever it runs.

        Raises
        ------
        ValueError
            Not a table of ``features`` columns.
        """
        rows = np.ascontiguousarray(table, np.float32)
        if np.ndim(table) != 2 or rows.shape[1] != self.features:
            message = f"the table must have {self.features} columns, not the shape {np.shape(table)}"
            raise ValueError(message)
        return KERNEL.sums(rows, *self._plan) if KERNEL is not None else reference_sums(self, rows)

    def contributions(self, row: npt.NDArray[np.floating[Any]]) -> Reals:
        """Tell what each column adds to a row's sum (Saabas: Interpreting random forests, 2014).

        On the row's way through each tree, the change of the expected value from a node to its child is
        credited to the node's column. All of it together is the row's sum less :attr:`base`.

        Parameters
        ----------
        row
            One number a column.

        Returns
        -------
        array of float64
            One number a column.

        Raises
        ------
        ValueError
            Not a row of ``features`` numbers.
        """
        numbers = np.asarray(row, np.float32)
        if numbers.shape != (self.features,):
            message = f"the row must have {self.features} numbers, not the shape {numbers.shape}"
            raise ValueError(message)
        links, credit, expected = self._links, np.zeros(self.features), self._expected
        at = links.root[self.shape[links.root]]
        while len(at):
            node = links.item[at]
            to = np.where(numbers[self.feature[node]] <= self.threshold[node], at + 1, links.right[node])
            np.add.at(credit, self.feature[node], expected[to] - expected[at])
            at = to[self.shape[to]]
        return credit

    @cached_property
    def base(self) -> float:
        """The sum that is expected of a row of which nothing is known: that of the roots."""
        return float(self._expected[self._links.root].sum())

    def rounded(self) -> Forest:
        """Give the forest with its values, but not its thresholds, rounded to float16: half to store.

        Raises
        ------
        ValueError
            A value is beyond the range of float16.
        """
        with np.errstate(over="ignore"):
            value = self.value.astype(np.float16).astype(np.float32)
            expected = None if self.expected is None else self.expected.astype(np.float16).astype(np.float32)
        return Forest(self.shape, self.feature, self.threshold, value, self.features, expected)

    def pack(self) -> bytes:
        """Give the forest as bytes, compact and checked; :meth:`unpack` gives it back to the last bit."""
        return packed(
            ForestColumns(self.shape, self.feature, self.threshold, self.value, self.features, self.expected)
        )

    @classmethod
    def unpack(cls, data: bytes) -> Forest:
        """Make a forest of what :meth:`pack` gave.

        Raises
        ------
        ValueError
            The bytes are damaged, or of another version. Memory stays within what the largest forest takes.
        """
        return cls(*unpacked(data))

    @cached_property
    def _links(self) -> Links:
        return linked(self.shape)

    @cached_property
    def _plan(self) -> tuple[npt.NDArray[Any], ...]:
        return planned(self.shape, self.feature, self.threshold, self.value, self._links)

    @cached_property
    def _expected(self) -> Reals:
        """Give each slot's expected value."""
        links, slots = self._links, np.empty(len(self.shape))
        slots[~self.shape] = self.value
        if self.expected is not None:
            slots[self.shape] = self.expected
        else:
            sums = np.append(0, np.cumsum(self.value, dtype=np.float64))
            slots[self.shape] = (sums[links.end] - sums[links.leaf]) / (links.end - links.leaf)
        return slots


def reference_sums(forest: Forest, table: Floats) -> Reals:
    """Sum the leaves of each row: the uncompiled reference, which walks through all trees at once."""
    links, totals = forest._links, np.zeros(len(table))
    for first in range(0, len(table), _BLOCK):
        block = table[first : first + _BLOCK]
        at = np.repeat(links.root[:, None], len(block), axis=1).ravel()
        row = np.tile(np.arange(len(block)), len(links.root))
        going = np.flatnonzero(forest.shape[at])
        while len(going):
            node = links.item[at[going]]
            left = block[row[going], forest.feature[node]] <= forest.threshold[node]
            at[going] = np.where(left, at[going] + 1, links.right[node])
            going = going[forest.shape[at[going]]]
        for leaves in forest.value[links.item[at]].reshape(-1, len(block)):  # tree after tree
            totals[first : first + _BLOCK] += leaves
    return totals


def _kernel() -> Any:  # noqa: ANN401
    """Give the kernel; that built for AVX2, where the processor has it."""
    plain = compiled("detemplate.algorithms._forest")
    try:
        features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
        wide = plain and features["AVX2"] and compiled("detemplate.algorithms._forest_avx2")
    except (ImportError, AttributeError, KeyError):  # numpy has moved it, or other machines
        return plain
    return wide or plain


KERNEL: Final[Any] = _kernel()
