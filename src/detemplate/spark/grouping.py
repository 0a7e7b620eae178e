"""Groups of sorted rows: whole groups of Arrow batches as columns, and columns as Arrow batches again.

A *group* is the rows of one (site, key, chunk); Spark has sorted the rows by it. A chunk holds the pages of a
site from one number to another, so that no group is larger than a chunk, however large the site and however
frequent the key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt
    import pyarrow as pa  # type: ignore[import-untyped]

    Numbers = npt.NDArray[np.int64]
    Columns = dict[str, Numbers]

GROUP: Final = ("site", "key", "chunk")
"""Columns of a group."""


def groups(batches: Iterable[pa.RecordBatch], names: Sequence[str] = GROUP) -> Iterator[dict[str, Any]]:
    """Give the rows of whole groups, as columns; at least one batch's at a time.

    Parameters
    ----------
    batches
        Sorted rows.
    names
        Columns of a group.

    Yields
    ------
    dict
        Arrays by column; columns of lists as lists.
    """
    waiting: list[dict[str, Any]] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        rows = _columns(batch)
        starts = starts_of(rows, names)
        continues = waiting and all(waiting[-1][name][-1] == rows[name][0] for name in names)
        cut = int(starts[-1])
        if continues and cut == 0:
            waiting.append(rows)
            continue
        whole = [*waiting, {name: column[:cut] for name, column in rows.items()}]
        yield _concatenated(whole)
        waiting = [{name: column[cut:] for name, column in rows.items()}]
    if waiting:
        yield _concatenated(waiting)


def starts_of(rows: dict[str, Any], names: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the first row of each group.

    Parameters
    ----------
    rows
        Sorted rows.
    names
        Columns of a group.
    """
    size = len(rows[names[0]])
    if not size:
        return np.zeros(0, np.intp)
    begins = np.ones(size, np.bool_)
    begins[1:] = np.logical_or.reduce([rows[name][1:] != rows[name][:-1] for name in names])
    return np.flatnonzero(begins)


def _columns(batch: pa.RecordBatch) -> dict[str, Any]:
    """Return a batch's columns: numbers as arrays, lists as lists."""
    found: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        numeric = str(column.type) in {"int64", "int32", "int8"}
        found[name] = (
            column.to_numpy(zero_copy_only=False).astype(np.int64) if numeric else column.to_pylist()
        )
    return found


def _concatenated(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Join columns of several batches."""
    if len(parts) == 1:
        return parts[0]
    return {
        name: [item for part in parts for item in part[name]]
        if isinstance(parts[0][name], list)
        else np.concatenate([part[name] for part in parts])
        for name in parts[0]
    }


def arrow(columns: Callable[[Iterator[Any]], Iterator[dict[str, Any]]], schema: pa.Schema) -> Any:  # noqa: ANN401
    """Make a function on Arrow batches, for Spark, of one that gives columns."""
    return _Arrow(columns, schema)


class _Arrow:
    """Turns columns into Arrow batches."""

    def __init__(
        self, columns: Callable[[Iterator[Any]], Iterator[dict[str, Any]]], schema: pa.Schema
    ) -> None:
        self._columns = columns
        self._schema = schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Apply the function."""
        from detemplate.files.arrow import pa

        for columns in self._columns(batches):
            arrays = [pa.array(columns[field.name], field.type) for field in self._schema]
            if len(arrays[0]):
                yield pa.RecordBatch.from_arrays(arrays, schema=self._schema)
