"""Runs on Spark and on one machine: their rows, their tasks and their time."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import urlopen

from benchmarks.support.processes import all_work
from detemplate.io.sinks.out import Sink
from detemplate.io.sources.base import SelectedSource
from detemplate.io.sources.open import open_sources
from detemplate.io.sources.pieces import input_files
from detemplate.run.job import Job
from detemplate.run.run import run
from detemplate.spark.run import SparkRun
from detemplate.spark.tasks import BUCKET, PLACE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from detemplate.io.record import Record
    from detemplate.run.summary import Summary
    from detemplate.spark.job import SparkJob

Rows = list[dict[str, Any]]


class Step(NamedTuple):
    """A step of a run on Spark: its name, seconds and processor seconds, and the bytes that it shuffled."""

    name: str
    seconds: float
    processor: float
    shuffled: int


class Comparison(NamedTuple):
    """One input cleaned alone and on Spark: rows, counts, (processor) seconds of both, Spark's steps."""

    single: Rows
    spark: Rows
    summary: Summary
    seconds: tuple[float, float]
    processor: tuple[float, float]
    steps: list[Step]

    @property
    def different(self) -> int:
        """Number of rows that are not equal, or that one of the two lacks."""
        pairs = zip(self.single, self.spark, strict=False)
        return abs(len(self.single) - len(self.spark)) + sum(one != other for one, other in pairs)


def compared(spark: SparkSession, inputs: Sequence[str], job: SparkJob, folder: Path) -> Comparison:
    """Clean files on one machine and on Spark, into an empty folder."""
    start, start_work = time.perf_counter(), all_work()
    single = single_rows(inputs, job)
    marks = [("start", time.perf_counter(), all_work(), shuffled(spark)[0])]
    run = SparkRun(spark, input_files(inputs, job.kind), str(folder / "out"), job)
    run.tell = lambda name: marks.append((name, time.perf_counter(), all_work(), shuffled(spark)[0]))
    summary = run.go()
    run.tell("end")
    seconds = marks[0][1] - start, marks[-1][1] - marks[0][1]
    processor = marks[0][2] - start_work, marks[-1][2] - marks[0][2]
    steps = [
        Step(begun[0].partition(" ")[0], over[1] - begun[1], over[2] - begun[2], over[3] - begun[3])
        for begun, over in pairwise(marks)
    ]
    return Comparison(single, spark_rows(folder / "out"), summary, seconds, processor, steps)


def shuffled(spark: SparkSession) -> tuple[int, int]:
    """Return the bytes and the rows that all stages so far have written for shuffles."""
    context: Any = spark.sparkContext
    none = context._jvm.java.util.ArrayList()
    no_quantiles = context._gateway.new_array(context._jvm.double, 0)
    found = context._jsc.sc().statusStore().stageList(none, False, False, no_quantiles, none)
    each = [found.apply(number) for number in range(found.size())]
    size = sum(int(stage.shuffleWriteBytes()) for stage in each)
    return size, sum(int(stage.shuffleWriteRecords()) for stage in each)


def single_rows(inputs: Sequence[str], job: SparkJob) -> Rows:
    """Clean inputs on one machine, in two passes; return the rows."""
    sink = _Rows()
    names = ("method", "options", "site_by", "threshold", "max_page_bytes", "rendering")
    given = {name: getattr(job, name) for name in names}
    source = open_sources(inputs, kind=job.kind, max_page_bytes=job.max_page_bytes)
    selected = SelectedSource(source, max_bad=job.max_bad, versions=job.versions)
    run(selected, sink, Job(**given))
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


class _Rows(Sink):
    """A sink that keeps the rows."""

    def __init__(self) -> None:
        self.rows: Rows = []

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002  # as of any sink
        self.rows.append(dict(row))

    def close(self) -> None:
        """Keep the rows."""

    abort = close


class Stage(NamedTuple):
    """A stage: its number, the description of its job, and of each task rows read of shuffles and seconds."""

    number: int
    name: str
    rows: list[int]
    seconds: list[float]


def from_interface(spark: SparkSession, what: str) -> Any:  # noqa: ANN401  # JSON
    """Ask the REST interface of Spark's user interface."""
    context = spark.sparkContext
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{what}"
    with urlopen(url, timeout=60) as answer:
        return json.load(answer)


def stages(spark: SparkSession, after: int = -1) -> list[Stage]:
    """Return the finished stages with a number above ``after``, in their order."""
    found = []
    for stage in from_interface(spark, "stages?status=complete&details=true"):
        if stage["stageId"] > after:
            done = [task for task in stage["tasks"].values() if task["status"] == "SUCCESS"]
            rows = [task["taskMetrics"]["shuffleReadMetrics"]["recordsRead"] for task in done]
            seconds = [task["taskMetrics"]["executorRunTime"] / 1000 for task in done]
            found.append(Stage(stage["stageId"], stage.get("description") or stage["name"], rows, seconds))
    return sorted(found)
