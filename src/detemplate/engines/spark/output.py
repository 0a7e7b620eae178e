"""The output of a run on Spark: one row a page, in columns that are known before the first page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import xxhash

from detemplate.engines.limits import rejection
from detemplate.engines.spark.asking import skip_columns
from detemplate.engines.spark.inputs import local_copy
from detemplate.engines.spark.judging import Judging
from detemplate.errors import PageError
from detemplate.files.arrow import pa, pq
from detemplate.io.columnnames import URL_NAMES, html_column, named
from detemplate.io.sinks.arrowrows import ArrowRows, fixed_columns
from detemplate.io.sinks.base import METADATA
from detemplate.io.sinks.rowgroup import EXTRA
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.output.result import carry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.engines.spark.job import SparkJob
    from detemplate.engines.spark.judging import Outcome

PLACE: Final = "input_place"
"""Column with the place of a page in the input: the number of its file times 2**32, plus that of the record."""

BUCKET: Final = "bucket"
"""Column by which the output is partitioned."""

_ROWS: Final = 200
"""Most rows of a batch of the output."""


class Cleaning:
    """Makes output rows of pages: a function on Arrow batches.

    Parameters
    ----------
    job, paths
        As for :class:`~detemplate.engines.spark.judging.Judging`.
    columns
        From :func:`output_columns`.
    lost, counts
        Spark's accumulators: of the pages that are lost, and of what the summary counts.
    """

    def __init__(self, job: SparkJob, paths: Sequence[str], columns: Any, lost: Any, counts: Any) -> None:  # noqa: ANN401
        self._judging = Judging(job, paths)
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
    taken = {job.html or html_column(schema.names), job.url or next(iter(named(schema.names, URL_NAMES)), None)}
    return {
        field.name: field.type
        for field in schema
        if field.name not in taken | {"site"} and _is_spark_type(field.type)
    }


def _is_spark_type(kind: Any) -> bool:  # noqa: ANN401
    """Tell whether Spark gives an Arrow type back as it was."""
    from pyspark.errors import PySparkException
    from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type

    try:
        return bool(to_arrow_type(from_arrow_type(kind)) == kind)
    except PySparkException:
        return False


def bucket_of(site: str, buckets: int) -> int:
    """Return the partition of a site's pages in the output: from 0 to ``buckets - 1``."""
    return int(xxhash.xxh3_64_intdigest(site.encode("utf-8", "surrogatepass")) % buckets)
