"""The output of a run on Spark: one row a page, in columns that are known before the first page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import xxhash

from detemplate.errors import PageError
from detemplate.files.arrow import pa, pq
from detemplate.files.jsonvalues import without_surrogates
from detemplate.frames.tablerecords import renamed
from detemplate.frames.tables import NUMBERS
from detemplate.io.columnnames import URL_NAMES, html_column, named
from detemplate.io.sinks.columnar import EXTRA, ArrowRows, fixed_columns
from detemplate.io.sinks.out import METADATA
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.output.result import carry
from detemplate.run.limits import rejection
from detemplate.spark.asking import skip_columns
from detemplate.spark.copies import local_copy
from detemplate.spark.judging import Judging
from detemplate.spark.tables import batches as batched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.spark.job import SparkJob
    from detemplate.spark.judging import Outcome
    from detemplate.spark.pieces import Piece

PLACE: Final = "input_place"
"""Column with a page's place in the input: the number of its file times 2**32, plus that of the record."""

BUCKET: Final = "bucket"
"""Column by which the output is partitioned."""

_ROWS: Final = 200
"""Most rows of a batch of the output."""


class Cleaning:
    """Makes output rows of pages: a function on Arrow batches.

    Parameters
    ----------
    job, pieces
        As for :class:`~detemplate.spark.judging.Judging`.
    columns
        From :func:`output_columns`.
    lost, counts
        Spark's accumulators: of the pages that are lost, and of what the summary counts.
    """

    def __init__(self, job: SparkJob, pieces: Sequence[Piece], columns: Any, lost: Any, counts: Any) -> None:  # noqa: ANN401
        self._judging = Judging(job, pieces)
        self._columns = columns
        self._lost = lost
        self._counts = counts

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give rows of the output; the arguments are those of :meth:`Judging.outcomes`."""
        job = self._judging.job
        inner = pa.schema(field for field in self._columns if field.name not in (PLACE, BUCKET))
        rows = ArrowRows(job.formats, schema=inner)
        places: list[int] = []
        buckets: list[int] = []

        def taken() -> Iterator[pa.RecordBatch]:
            table = rows.take().append_column(PLACE, pa.array(places, pa.int64()))
            yield from table.append_column(BUCKET, pa.array(buckets, pa.int32())).to_batches()
            places.clear()
            buckets.clear()

        for outcome in self._judging.outcomes(batches):
            if isinstance(outcome.result, PageError):
                self._lose(outcome)
                continue
            done = outcome.result
            row = dict(done.row)
            carry(row, outcome.record.carried)
            full = rows.add(row, outcome.record)
            places.append((outcome.place.file << 32) + outcome.place.record)
            buckets.append(bucket_of(done.site, job.buckets))
            self._counts.add(
                {"pages": 1, "chars": done.chars, "template_chars": done.template_chars,
                 "segments": done.segments, "template_segments": done.template_segments}
            )  # fmt: skip
            if full or len(places) >= _ROWS:
                yield from taken()
        if places:
            yield from taken()

    def _lose(self, outcome: Outcome) -> None:
        lost = skip_columns(rejection(outcome.record, outcome.result))
        self._lost.add([lost])


class TableCleaning:
    """Makes the rows of a table again, with the columns that cleaning adds; parameters as of Cleaning."""

    def __init__(self, job: SparkJob, pieces: Sequence[Piece], columns: Any, lost: Any, counts: Any) -> None:  # noqa: ANN401, ARG002
        self._judging = Judging(job, pieces)
        self._columns = columns
        self._counts = counts

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give all rows of the table; the arguments are those of :meth:`Judging.outcomes`."""
        return batched(self._rows(batches), self._columns)

    def _rows(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        added = added_columns(self._judging.job)
        for outcome in self._judging.outcomes(batches):
            names = renamed(outcome.record.carried, added)
            row = {names.get(name, name): value for name, value in outcome.record.carried.items()}
            if isinstance(outcome.result, PageError):
                yield row | {"error": outcome.result.found}
                continue
            self._counts.add({"pages": 1})
            texts = {name: outcome.result.row[name] for name in added if name != "error"}
            yield row | {
                name: without_surrogates(value) if isinstance(value, str) else value
                for name, value in texts.items()
            }


def added_columns(job: SparkJob) -> dict[str, Any]:
    """Return the types of the columns that a table gets, by name."""
    names = (*job.formats, "title", "template_share", "method", "error")
    return {name: pa.float64() if name in NUMBERS else pa.string() for name in names}


def output_columns(job: SparkJob, paths: Sequence[str]) -> pa.Schema:
    """Return the columns of the output.

    The columns of Parquet inputs are those of the first file. Other keys of input records go, as JSON, to the
    column ``extra``.

    Parameters
    ----------
    job
        What is written.
    paths
        The inputs.
    """
    columns = fixed_columns(job.formats)
    if not job.metadata:
        columns = {name: kind for name, kind in columns.items() if name not in METADATA[1:]}
    if not job.explain:
        del columns["removed"]
    for name, kind in _carried(job, paths).items():
        key = name
        while key in columns:
            key = f"source_{key}"
        columns[key] = kind
    columns.pop(EXTRA, None)
    return pa.schema([*columns.items(), (EXTRA, pa.string()), (PLACE, pa.int64()), (BUCKET, pa.int32())])


def _carried(job: SparkJob, paths: Sequence[str]) -> dict[str, Any]:
    """Return the columns of the first Parquet input that records carry, if Spark has their types."""
    first = next((path for path in paths if (job.kind or kind_of_name(path, KINDS)) == "parquet"), None)
    if first is None:
        return {}
    try:
        with local_copy(first) as path:
            schema = pq.read_schema(path)
    except (OSError, pa.ArrowException):
        return {}  # its task tells what is wrong
    taken = {
        job.html or html_column(schema.names),
        job.url or next(iter(named(schema.names, URL_NAMES)), None),
    }
    return {
        field.name: field.type
        for field in schema
        if field.name not in taken | {"site"} and _is_spark_type(field.type)
    }


def _is_spark_type(kind: Any) -> bool:  # noqa: ANN401
    """Tell whether Spark gives values of an Arrow type back as they were."""
    types = pa.types
    if types.is_struct(kind):
        return bool(kind.num_fields) and all(_is_spark_type(field.type) for field in kind)
    if types.is_list(kind):
        return _is_spark_type(kind.value_type)
    if types.is_timestamp(kind):
        return str(kind.unit) == "us"
    plain = (types.is_boolean, types.is_signed_integer, types.is_string, types.is_binary, types.is_date32)
    return bool(types.is_float32(kind) or types.is_float64(kind) or any(holds(kind) for holds in plain))


def bucket_of(site: str, buckets: int) -> int:
    """Return the partition of a site's pages in the output: from 0 to ``buckets - 1``."""
    return int(xxhash.xxh3_64_intdigest(site.encode("utf-8", "surrogatepass")) % buckets)
