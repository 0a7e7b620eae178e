"""Importance of the nodes of a Site Style Tree (Yi, Liu, Li: KDD 2003), in tables.

A row is a style node: an element of the merged tree together with one of the sequences of children that
pages show below it. The tables are sorted; added rows wait and are joined in bulk (:class:`Tally`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]
    Ints = npt.NDArray[np.int32]
    Reals = npt.NDArray[np.float64]
    Column = npt.NDArray[Any]

_WAITING: Final = 1 << 16  # rows that may wait even if the table has fewer


class Tally:
    """A table of counts, sorted by key.

    Rows that are added wait. They are joined when more rows wait than the table has, or when it is read. A
    join sorts the table, so adding costs O(log n) a row on average. What is read does not depend on when rows
    were joined.

    ``keys``: number of columns of the key: the first ones, unsigned 64-bit, compared in their order.
    ``types``: types of all columns. The last is the count, which adds up. In those between, rows of the same
        key are equal.
    ``most``: maximum number of rows that agree in the first column: the first ones in key order are kept.
        Such a row is among the first of any subset that contains it. So the rows kept were never dropped
        before, and their counts are right.
    """

    def __init__(self, keys: int, *types: type, most: int | None = None) -> None:
        self._keys = keys
        self._most = most
        self._rows: tuple[Column, ...] = tuple(np.zeros(0, kind) for kind in types)
        self._waiting: list[tuple[Column, ...]] = []
        self._waits = 0

    def add(self, *columns: Column) -> None:
        """Add rows, counts included."""
        self._waiting.append(
            tuple(new.astype(old.dtype, copy=False) for new, old in zip(columns, self._rows, strict=True))
        )
        self._waits += len(columns[0])
        if self._waits > max(_WAITING, len(self._rows[0])):
            self.columns()

    def columns(self) -> tuple[Column, ...]:
        """Return the table: one row a key, in key order."""
        if self._waiting:
            parts = zip(self._rows, *self._waiting, strict=True)
            self._rows = self._joined(tuple(np.concatenate(part) for part in parts))
            self._waiting, self._waits = [], 0
        return self._rows

    def replace(self, *columns: Column) -> None:
        """Replace the table by another, which is sorted and has one row a key."""
        self._rows, self._waiting, self._waits = columns, [], 0

    def _joined(self, rows: tuple[Column, ...]) -> tuple[Column, ...]:
        """Sort rows, and add up the counts of equal keys."""
        order = np.lexsort(rows[self._keys - 1 :: -1])
        rows = tuple(column[order] for column in rows)
        new = np.ones(len(order), np.bool_)
        new[1:] = False
        for key in rows[: self._keys]:
            new[1:] |= key[1:] != key[:-1]
        starts = np.flatnonzero(new)
        counts = np.add.reduceat(rows[-1], starts, dtype=rows[-1].dtype) if len(starts) else rows[-1]
        if self._most is not None:
            few = ranks(rows[0][starts]) < self._most
            starts, counts = starts[few], counts[few]
        return (*(column[starts] for column in rows[:-1]), counts)

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(column.nbytes for rows in (self._rows, *self._waiting) for column in rows)


def ranks(groups: Column) -> npt.NDArray[np.int64]:
    """Give each row its number, from 0, among the rows of its value in an ascending column."""
    return np.arange(len(groups)) - np.searchsorted(groups, groups)


class StyleNodes(NamedTuple):
    """The style nodes of a tree, one row each.

    ``key``: hash of the style node's element and its sequence of children. Ascending, each once.
    ``pages``: number of pages that show it.
    """

    key: Hashes
    pages: Ints


def rows_of(keys: Hashes, wanted: Hashes) -> npt.NDArray[np.int64]:
    """Find the rows of keys in an ascending column; -1 for keys that are not in it."""
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)


def leaf_importance(nodes: StyleNodes, leaf: Hashes, df: Ints) -> Reals:
    """Compute the importance of the content of leaves.

    ``1 - Σ H(a_i) / l`` over the l features a_i of the content that m pages show in the leaf. A page's
    content has a feature or not, so on each of its df pages the feature has probability 1 / df, and
    ``H(a_i) = log_m df``. A leaf on one page has importance 1. A leaf without content is the same on all
    pages: its importance is 0.

    ``leaf``, ``df``: one row a feature of a leaf's content: the key of the leaf's style node, and the number
        of pages whose content there has the feature.
    """
    rows = rows_of(nodes.key, leaf)
    least = np.log(np.maximum(nodes.pages, 2))
    entropy = np.bincount(rows, np.log(df) / least[rows], len(nodes.key))
    features = np.bincount(rows, minlength=len(nodes.key))
    varied = np.where(features > 0, 1 - entropy / np.maximum(features, 1), 0)
    return np.where(nodes.pages == 1, 1, np.clip(varied, 0, 1))
