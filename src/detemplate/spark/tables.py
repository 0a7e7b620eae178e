"""The tables of a run on Spark: their columns, and how rows become Arrow batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.files.arrow import pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_LONGS: Final = pa.list_(pa.int64())
"""Type of a list of keys or sums."""

ASKS: Final = pa.schema(
    [
        ("file", pa.int32()),
        ("record", pa.int32()),
        ("url", pa.string()),
        ("url_key", pa.string()),
        ("source", pa.string()),
        ("position", pa.int64()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("rejected", pa.bool_()),
        ("learnt", pa.bool_()),
        ("site", pa.int64()),
        ("grouped", pa.int64()),
        ("prose", pa.int64()),
        ("long", pa.int64()),
        ("counted", _LONGS),
        ("asked", _LONGS),
        ("marks", _LONGS),
        ("fresh", _LONGS),
        ("signatures", _LONGS),
        ("slots", _LONGS),
        ("sums", _LONGS),
    ]
)
"""One row a record: the first pass's result.

``file`` and ``record`` are its place in the input. ``reason`` is null for a page; else it is that of a skip.
``url_key`` is a hash of the URL, for duplicates. ``learnt`` says that the site learns the page. ``site`` is a
hash of its name. The other columns are those of :class:`~detemplate.spark.questions.PageRow`.
"""

ANSWERS: Final = pa.schema([("pos", pa.int64()), ("key", pa.int64()), ("value", pa.int64())])
"""The number of pages that have a key, for a page that asks."""

SUMMARIES: Final = pa.schema(
    [(name, pa.int64()) for name in ("site", "key", "chunk", "end", "asking", "first", "last", "count")]
    + [("becomes", _LONGS)]
)
"""Rows of :func:`~detemplate.spark.counting.summaries`."""

JOINED: Final = pa.schema([(name, pa.int64()) for name in ("site", "key", "chunk", "value")])
"""Rows of :func:`~detemplate.spark.counting.joined`."""

REPEATED: Final = pa.schema([("pos", pa.int64())])
"""Rows of :func:`~detemplate.spark.lookback.repeated`."""

NEW: Final = pa.schema(
    [(name, pa.int64()) for name in ("site", "key", "chunk", "tick", "pos", "end", "several")]
)
"""Rows of :func:`~detemplate.spark.lookback.new`."""

LOST: Final = pa.schema(
    [
        ("url", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("source", pa.string()),
        ("position", pa.int64()),
    ]
)
"""One row a lost page, as in the file of ``clean --rejects``."""

_BATCH_VALUES: Final = 1 << 20
"""Values of an Arrow batch, about."""

_BATCH_ROWS: Final = 1_000
"""Most rows of an Arrow batch."""


def batches(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Make Arrow batches of rows; columns without a value in a row are null.

    Parameters
    ----------
    rows
        Values by column; those of list columns are arrays.
    schema
        The columns.
    """
    waiting: list[Mapping[str, Any]] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += sum(len(value) for value in row.values() if hasattr(value, "__len__"))
        if len(waiting) >= _BATCH_ROWS or size >= _BATCH_VALUES:
            yield _batch(waiting, schema)
            waiting, size = [], 0
    if waiting:
        yield _batch(waiting, schema)


def _batch(rows: list[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    arrays = [pa.array([row.get(field.name) for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def spark_schema(schema: pa.Schema) -> Any:  # noqa: ANN401  # pyspark is an extra
    """Return Spark's schema of an Arrow schema."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
