"""Cleaning on Spark: pieces of the input are learned, the states of a site merged, and the pieces cleaned."""

from __future__ import annotations

import dataclasses
import json
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pyspark.accumulators import AccumulatorParam
from pyspark.errors import PySparkException
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812  # everyone's name for it
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type, to_arrow_type

from detemplate.errors import UserError
from detemplate.files.arrow import pa
from detemplate.files.remote import Storage, folder_url
from detemplate.io.record import Skip
from detemplate.io.sinks.columnar import fixed_columns
from detemplate.io.sinks.out import EXTRA, METADATA
from detemplate.io.sources.fields import html_column, url_column
from detemplate.io.sources.pieces import check_spans, pieces_of, schema_of
from detemplate.run.limits import Losses
from detemplate.run.summary import Summary
from detemplate.spark import tasks
from detemplate.spark.session import describe, prepare, show_counts
from detemplate.spark.tasks import BUCKET, FAN, LEARNT, LOST, MERGED, PLACE, URLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    from detemplate.io.sources.pieces import Piece
    from detemplate.spark.job import SparkJob

_WORK: Final = "_work"  # folder of the tables between the phases, in the output; it is removed at the end
_REJECTS: Final = "_rejects"  # table of the lost pages; readers of Parquet leave out what begins with "_"
_PART: Final = "part"  # column with the number of the pieces that one job works on
_SPREAD: Final = 256  # pieces to which one group of a join hands the state of a site


class SparkRun:
    """One run.

    ``spark``: the session.
    ``paths``, ``output``, ``job``: files (:func:`~detemplate.io.sources.pieces.input_files`), the folder of
        the output, how to clean.
    ``overwrite``: replace what the folder holds.
    ``tell``, ``phases``: called with the name of a phase before it begins; number of phases.
    Raises UserError: the folder holds something else, or the run of another command.
    """

    def __init__(
        self, spark: SparkSession, paths: list[str], output: str, job: SparkJob, *, overwrite: bool = False
    ) -> None:
        prepare(spark)
        self._spark, self._job = spark, job
        self.tell: Callable[[str], object] = str
        self._pieces = pieces_of(paths, job.kind, job.split_size)
        self._out = Storage(spark, folder_url(output))
        self._work = Storage(spark, f"{self._out.url}/{_WORK}")
        size, number = job.files_a_part, len(self._pieces)
        self._parts = [range(at, min(at + size, number)) for at in range(0, number, size)]
        self.phases = 2 * len(self._parts) + 2 + (job.versions != "keep")
        given = dataclasses.asdict(job) | {"options": job.settings.options}
        identity = json.loads(json.dumps({"inputs": self._pieces, "job": given}))
        if self._work.read("run.json") == identity:
            return  # an earlier run of this command was killed
        if self._out.exists():
            if not overwrite:
                raise UserError(
                    f"{output} exists, and is not of an unfinished run of this command; name another folder, "
                    "or replace it with --overwrite"
                )
            self._out.remove()
        self._work.write("run.json", identity)

    def go(self) -> Summary:
        """Do all phases that are still to be done; give the counts of the whole run.

        Raises UserError: too many records are bad, or a file cannot be split.
        """
        start = time.perf_counter()
        summary, losses = Summary(self._job.method, 2), Losses(self._job.max_bad)
        if self._job.versions != "keep" and not self._work.done("duplicates"):
            self._find_duplicates()
        spans = {}
        for report in self._each_part("learning", self._learn):
            summary.add(report["summary"])
            spans[report["task"]] = report["span"]
            for reason, (count, detail) in report["bad"].items():
                losses.pages += count
                losses.swap(Skip("", reason, detail, rejected=True), count)
        check_spans(self._pieces, spans)
        losses.pages += summary.pages
        show_counts(self._spark, "learned", {"pages": summary.pages, **summary.skipped})
        losses.check()
        if not self._work.exists("merged.json"):
            self._merge()
        summary.pages = 0
        lost = []
        for report in self._each_part("cleaning", self._clean):
            summary.add(report["summary"])
            lost += report["lost"]
            for row in report["lost"]:
                losses.swap(Skip("", row["reason"], row["detail"], rejected=True))
        reasons = Counter(row["reason"] for row in lost)
        show_counts(self._spark, "cleaned", {"pages": summary.pages, **reasons})
        losses.check()
        if self._job.table is None:
            self._say("rejects")
            self._write_lost(lost)
            rows = self._spark.read.schema("site string").parquet(self._out.url)
            summary.sites = rows.select("site").distinct().count()
        self._out.write("_SUCCESS", {})
        self._work.remove()
        summary.seconds = time.perf_counter() - start
        return summary

    def _each_part(self, what: str, work: Callable[[range, Any], None]) -> Iterator[Any]:
        """Do a phase for each part; give the reports of all tasks, in the order of the input."""
        for number, part in enumerate(self._parts):
            done = f"{what}-{number}.json"
            if not self._work.exists(done):
                self._say(f"{what} {len(part):,} files (part {number + 1} of {len(self._parts)})")
                reports = self._spark.sparkContext.accumulator([], _Reports())
                work(part, reports)
                self._work.write(done, sorted(reports.value, key=lambda report: int(report["task"])))
            yield from self._work.read(done)

    def _find_duplicates(self) -> None:
        """Write the records that another one with the same URL replaces, as rows of tasks."""
        self._say("duplicates")
        every = range(len(self._pieces))
        work = partial(tasks.urls, self._job, self._inputs(every))
        order = F.col("place").asc() if self._job.versions == "first" else F.col("place").desc()
        rows = _mapped(self._given(every), work, URLS)
        rows = rows.withColumn("number", F.row_number().over(Window.partitionBy("url_key").orderBy(order)))
        task, record = F.shiftright("place", 32).cast("int"), F.col("place").bitwiseAND(2**32 - 1)
        reason, detail = F.lit(tasks.DUPLICATE), F.lit("another version is taken")
        columns = {"task": task, "record": record, "reason": reason, "detail": detail}
        self._write(rows.where("number > 1").withColumns(columns).select(*columns), "duplicates")

    def _learn(self, part: range, reports: Any) -> None:  # noqa: ANN401  # an accumulator
        """Learn the pieces of a part."""
        rows = self._given(part, *self._left_out(part, "duplicates"))
        work = partial(tasks.learn, self._job, self._inputs(part), reports)
        self._write(_mapped(rows, work, LEARNT), f"learned/{_PART}={part.start // self._job.files_a_part}")

    def _merge(self) -> None:
        """Merge the states of each site: some neighbouring ones in a group, and so on until it has one."""
        self._say("merging")
        learned, of_site = self._read("learned").where("state IS NOT NULL"), Window.partitionBy("site")
        rank = F.row_number().over(of_site.orderBy("task")).cast("bigint") - 1
        pairs = learned.select("site", "task").withColumn("rank", rank)
        self._write(pairs.withColumn("states", F.count(F.lit(1)).over(of_site)), "pairs")
        rows, level = learned.join(self._read("pairs"), ["site", "task"]), 0
        told = self._read("pairs").agg(F.count(F.lit(1)), F.countDistinct("site"), F.max("states"))
        number, sites, most = told.first() or (0, 0, 0)
        while (most or 0) > FAN**level:
            describe(self._spark, f"merging round {level + 1}")
            group = F.floor(F.col("rank") / FAN)
            several = rows.where("states > 1").select(*MERGED.names, group.alias("group"))
            several = several.repartition("site", "group").sortWithinPartitions("site", "group", "rank")
            self._write(_mapped(several, tasks.merge, MERGED), f"merged/level={level}")
            rows, level = self._read(f"merged/level={level}"), level + 1
        self._work.write("merged.json", level)
        show_counts(self._spark, "merged", {f"states of {sites:,} sites": number})

    def _states(self, part: range) -> Iterator[DataFrame]:
        """Give the merged states of the sites of each task of a part."""
        names, pairs = ("task", "site", "pages", "state"), self._read("pairs").where(_inside(part))
        learned = self._read("learned").where(_inside(part) & F.col("state").isNotNull())
        yield learned.join(pairs.where("states = 1"), ["site", "task"]).select(*names)
        if self._work.read("merged.json"):
            # So that no group hands the state of a giant site to all pieces, several do.
            groups = F.sequence(F.lit(0).cast("bigint"), F.floor((F.col("states") - 1) / _SPREAD))
            firsts = self._read("pairs").where("rank = 0 AND states > 1")
            merged = self._read("merged").where("states = 1").select("site", "pages", "state")
            merged = merged.join(firsts.select("site", F.explode(groups).alias("group")), "site")
            several = pairs.where("states > 1").withColumn("group", F.floor(F.col("rank") / _SPREAD))
            yield merged.join(several.drop("states"), ["site", "group"]).select(*names)

    def _clean(self, part: range, reports: Any) -> None:  # noqa: ANN401
        """Clean the pieces of a part; only its own partitions are replaced, which a killed job has left."""
        left_out = [*self._left_out(part, "duplicates"), *self._left_out(part, "learned")]
        rows = self._given(part, *left_out, *self._states(part))
        columns = self.columns()
        work = partial(tasks.clean, self._job, self._inputs(part), reports, columns)
        done = rows.mapInArrow(work, from_arrow_schema(columns))
        done = done.withColumn(_PART, F.lit(part.start // self._job.files_a_part))
        folders = [BUCKET, _PART] if self._job.table is None else [_PART]
        done.write.mode("overwrite").partitionBy(folders).parquet(self._out.url)

    def _write_lost(self, lost: Iterable[dict[str, Any]]) -> None:
        """Write the table of the lost pages, those of the last phase among them."""
        rows = self._read("learned").where("reason IS NOT NULL").select(*LOST.names)
        later = self._spark.createDataFrame([tuple(row.values()) for row in lost], rows.schema)
        rows.unionByName(later).coalesce(1).write.mode("overwrite").parquet(f"{self._out.url}/{_REJECTS}")

    def columns(self) -> pa.Schema:
        """Return the columns of the output; those of the first Parquet input are among them."""
        job, how = self._job, self._job.rendering
        given = schema_of([piece.path for piece in self._pieces], job.kind)
        columns = fixed_columns(how.format) | {PLACE: pa.int64(), BUCKET: pa.int32()}
        for name in (*(() if how.metadata else METADATA[1:]), *(() if how.explain else ("removed",))):
            del columns[name]
        url = job.names.url or url_column(given.names)
        taken = {job.names.html or html_column(given.names), url, "site", EXTRA}
        for field in given:
            if field.name not in taken and _fits(field.type):
                key = field.name
                while key in columns:
                    key = f"source_{key}"
                columns[key] = field.type
        return pa.schema([*columns.items(), (EXTRA, pa.string())])

    def _inputs(self, part: range) -> dict[int, Piece]:
        return {task: self._pieces[task] for task in part}

    def _given(self, part: range, *rows: DataFrame) -> DataFrame:
        """Give each task a row of its own, then these rows, sorted: one task a piece, so that none waits."""
        given = self._spark.createDataFrame([(task, None) for task in part], "task int, record bigint")
        for each in rows:
            given = given.unionByName(each, allowMissingColumns=True)
        given = given.repartitionById(len(part), F.col("task") - part.start)
        return given.sortWithinPartitions("task", F.col("record").asc_nulls_first())

    def _left_out(self, part: range, table: str) -> list[DataFrame]:
        """Return the records of a part that are left out: duplicates, or those that were not learned."""
        if table == "duplicates" and self._job.versions == "keep":
            return []
        rows = self._read(table).where(_inside(part) & F.col("record").isNotNull())
        return [rows.select("task", "record", "reason", "detail")]

    def _write(self, rows: DataFrame, name: str) -> None:
        # A state may be large: Parquet's writer must not wait for more rows before it looks at their size.
        checks = {f"parquet.{what}.size.row.check.min": "1" for what in ("page", "block")}
        writer = rows.write.mode("overwrite").options(compression="zstd", **checks)
        writer.parquet(f"{self._work.url}/{name}")

    def _read(self, name: str) -> DataFrame:
        return self._spark.read.parquet(f"{self._work.url}/{name}")

    def _say(self, phase: str) -> None:
        """Tell what is done now, here and in Spark's user interface."""
        self.tell(phase)
        describe(self._spark, phase)


class _Reports(AccumulatorParam[list[Any]]):
    """Collects what tasks tell. Spark adds each task's value once, if the task ends well."""

    def zero(self, value: list[Any]) -> list[Any]:  # noqa: ARG002
        return []

    def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:  # noqa: N802
        value1 += value2
        return value1


def _inside(part: range) -> Any:  # noqa: ANN401  # a condition
    return F.col("task").between(part.start, part.stop - 1)


def _mapped(rows: DataFrame, work: Callable[[Any], Any], schema: pa.Schema) -> DataFrame:
    """Apply a function on rows within each partition."""
    return rows.mapInArrow(partial(tasks.on_batches, work, schema), from_arrow_schema(schema))


def _fits(kind: Any) -> bool:  # noqa: ANN401
    """Tell whether Spark gives values of an Arrow type back as they were."""
    try:
        return bool(to_arrow_type(from_arrow_type(kind), timezone="UTC") == kind)
    except (PySparkException, TypeError, ValueError):
        return False
