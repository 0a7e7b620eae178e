"""Runs on Spark and on one machine, and whether they give the same rows."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.support.sparktasks import processor_seconds
from detemplate.engines.job import Job
from detemplate.engines.run import run
from detemplate.engines.spark.inputs import input_files
from detemplate.engines.spark.output import BUCKET, PLACE
from detemplate.engines.spark.run import SparkRun
from detemplate.io.sources.open import open_sources
from detemplate.io.sources.selection import SelectedSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from pyspark.sql import SparkSession

    from detemplate.engines.spark.job import SparkJob
    from detemplate.engines.summary import Summary
    from detemplate.io.record import Record

Rows = list[dict[str, Any]]


class Comparison(NamedTuple):
    """One input, cleaned on one machine and on Spark.

    Attributes
    ----------
    single, spark
        Output rows, in the order of the input.
    summary
        What the run on Spark counted.
    seconds
        Wall-clock time of the two runs.
    processor
        Processor time of the two runs, in seconds, with that of Spark's processes (Linux).
    """

    single: Rows
    spark: Rows
    summary: Summary
    seconds: tuple[float, float]
    processor: tuple[float, float]

    @property
    def different(self) -> int:
        """Number of rows that are not equal, or that one of the two lacks."""
        pairs = zip(self.single, self.spark, strict=False)
        return abs(len(self.single) - len(self.spark)) + sum(one != other for one, other in pairs)


def compared(spark: SparkSession, inputs: Sequence[str], job: SparkJob, folder: Path) -> Comparison:
    """Clean inputs on one machine and on Spark."""
    start, start_work = time.perf_counter(), processor_seconds()
    single = single_rows(inputs, job)
    middle, middle_work = time.perf_counter(), processor_seconds()
    summary = SparkRun(spark, input_files(inputs, job.kind), str(folder / "out"), job).go()
    end, end_work = time.perf_counter(), processor_seconds()
    return Comparison(
        single,
        spark_rows(folder / "out"),
        summary,
        (middle - start, end - middle),
        (middle_work - start_work, end_work - middle_work),
    )


def single_rows(inputs: Sequence[str], job: SparkJob, *, workers: int = 0) -> Rows:
    """Clean inputs on one machine, in two passes; give the rows."""
    sink = _Rows()
    names = ("method", "options", "site_by", "threshold", "formats", "explain", "max_page_bytes")
    given = {name: getattr(job, name) for name in names}
    metadata = "basic" if job.metadata else "none"
    source = open_sources(inputs, kind=job.kind, max_page_bytes=job.max_page_bytes)
    run(
        SelectedSource(source, max_bad=job.max_bad, versions=job.versions),
        sink,
        Job(**given, metadata=metadata, workers=workers),
    )
    return sink.rows


def spark_rows(output: Path) -> Rows:
    """Read an output of Spark, in the order of the input; keys without a column are in the rows again."""
    import pyarrow.dataset as ds  # type: ignore[import-untyped]

    table = ds.dataset(output, format="parquet", partitioning="hive").to_table().sort_by(PLACE)
    rows: Rows = table.to_pylist()
    for row in rows:
        for name in (PLACE, BUCKET, "part"):
            del row[name]
        row.update(json.loads(row.pop("extra") or "{}"))
        for removed in row.get("removed") or ():
            removed["causes"] = json.loads(removed["causes"])  # Parquet has them as JSON
    return rows


class _Rows:
    """A sink that keeps the rows."""

    def __init__(self) -> None:
        self.rows: Rows = []

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002  # as of any sink
        self.rows.append(dict(row))

    def __enter__(self) -> Self:
        return self

    def close(self) -> None:
        pass

    def abort(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass
