"""Cleaning files on Spark: the phases of a run, each of which is skipped if it was done before."""

from __future__ import annotations

import json
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pyspark.sql import functions as F  # noqa: N812  # everyone's name for it

from detemplate.errors import UserError
from detemplate.files.hadoop import Storage, folder_url
from detemplate.io.record import Skip
from detemplate.run.summary import Summary
from detemplate.spark.accumulators import Numbered, Rows, Sums
from detemplate.spark.asking import Asking
from detemplate.spark.inputs import located
from detemplate.spark.judging import COUNT, PAGE, SLOT
from detemplate.spark.output import BUCKET, Cleaning, TableCleaning, output_columns
from detemplate.spark.pieces import check_spans, pieces_of
from detemplate.spark.plan import Plan, chosen_records
from detemplate.spark.reading import piece_tasks, tally
from detemplate.spark.session import describe, prepare, show_counts
from detemplate.spark.tables import ASKS, LOST, spark_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame, SparkSession

    from detemplate.spark.job import SparkJob

WORK: Final = "_work"
"""Folder of the tables between the passes, in the output; it is removed at the end."""

REJECTS: Final = "_rejects"
"""Table of the lost pages, in the output. Readers of Parquet leave folders out that begin with ``_``."""

_PART: Final = "part"
"""Column by which tables between the passes are partitioned: a number of input files each."""


class SparkRun:
    """One run.

    Parameters
    ----------
    spark
        The session.
    paths
        The inputs, from :func:`~detemplate.spark.inputs.input_files`.
    output
        The folder of the output.
    job
        How to clean.
    overwrite
        Replace what the folder holds.

    Attributes
    ----------
    tell
        Called with the name of a phase before it begins; it does nothing at first.
    phases
        Number of phases.
    cleaning, partitions
        The function of the second pass, and the columns by which its output is partitioned.

    Raises
    ------
    UserError
        The folder holds something else, or the run of another command.
    """

    cleaning: ClassVar[type[Cleaning | TableCleaning]] = Cleaning
    partitions: ClassVar[tuple[str, ...]] = (BUCKET,)

    def __init__(
        self,
        spark: SparkSession,
        paths: Sequence[str],
        output: str,
        job: SparkJob,
        *,
        overwrite: bool = False,
    ) -> None:
        prepare(spark)
        self._spark = spark
        self._pieces = pieces_of(paths, job, job.split_size)
        self._paths = [located(path) for path in paths]
        self._job = job
        self.tell: Callable[[str], object] = str
        self._out = Storage(spark, folder_url(output))
        self._work = Storage(spark, f"{self._out.url}/{WORK}")
        self._begin(output, overwrite=overwrite)
        self._plan = Plan(job.form, job.chunk)
        size = job.files_a_part
        self._parts = [
            range(at, min(at + size, len(self._pieces))) for at in range(0, len(self._pieces), size)
        ]
        self.phases = 2 * len(self._parts) + 4

    def _begin(self, output: str, *, overwrite: bool) -> None:
        """Go on with an earlier run of the same command, or begin."""
        identity = {
            "inputs": [list(piece[:3]) for piece in self._pieces],
            "job": _plain(self._job.identity()),
        }
        if self._work.read("run.json") == identity:
            return
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

        Raises
        ------
        UserError
            Too many records are bad.
        """
        start = time.perf_counter()
        for number in range(len(self._parts)):
            self._ask(number)
        self._check_pieces()
        asks = self._read("asks")
        self._table("records", lambda: chosen_records(asks, self._job.versions), "duplicates")
        records = self._read("records")
        summary = self._count(records)
        self._table("pages", lambda: self._plan.pages(asks, records), "places of pages in their sites")
        pages = self._read("pages")
        self._table(
            "answers", lambda: self._with_parts(self._plan.answers(asks, pages)), "counts of keys", _PART
        )
        summary.sites = pages.select("site").distinct().count()
        kinds: dict[int, int] = dict(self._read("answers").groupBy("kind").count().collect())
        known = {"keys": kinds.get(COUNT, 0), "slots": kinds.get(SLOT, 0)}
        show_counts(self._spark, "counted", {"pages": kinds.get(PAGE, 0), "sites": summary.sites, **known})
        columns = self._columns()
        for number in range(len(self._parts)):
            self._clean(number, columns, summary)
        self._finish(asks, records)
        self._out.write("_SUCCESS", {})
        self._work.remove()
        summary.seconds = time.perf_counter() - start
        return summary

    def _ask(self, number: int) -> None:
        """Do the first pass over the files of one part."""
        name = f"asks/{_PART}={number}"
        if self._work.exists(f"asked/{number}.json"):
            return
        part = self._parts[number]
        self._say(f"reading and parsing {len(part):,} files (part {number + 1} of {len(self._parts)})")
        spans = self._spark.sparkContext.accumulator({}, Numbered())
        tasks = piece_tasks(self._spark, self._pieces, part)
        rows = tasks.mapInArrow(Asking(self._job, spans), spark_schema(ASKS))
        rows.write.mode("overwrite").parquet(f"{self._work.url}/{name}")
        self._work.write(f"asked/{number}.json", spans.value)

    def _check_pieces(self) -> None:
        """Check that each piece of a file begins where the one before it ends."""
        parts = [self._work.read(f"asked/{number}.json") for number in range(len(self._parts))]
        check_spans(self._pieces, {int(piece): span for part in parts for piece, span in part.items()})

    def _clean(self, number: int, columns: Any, summary: Summary) -> None:  # noqa: ANN401  # an Arrow schema
        """Do the second pass over the files of one part."""
        done = f"cleaned/{number}.json"
        found = self._work.read(done)
        if found is None:
            part = self._parts[number]
            self._say(f"cleaning the pages of {len(part):,} files (part {number + 1} of {len(self._parts)})")
            context = self._spark.sparkContext
            lost = context.accumulator([], Rows())
            counts = context.accumulator({}, Sums())
            answers = self._spark.read.parquet(f"{self._work.url}/answers").where(F.col(_PART) == number)
            file = F.shiftright("pos", 32).cast("int").alias("file")
            record = F.col("pos").bitwiseAND(2**32 - 1).cast("int").alias("record")
            rows = answers.select(file, record, "kind", "key", "value", "sums")
            if self._job.table is not None:  # also files without a page that can be cleaned are read again
                rows = rows.unionByName(self._all_files(part))
            tasks = rows.repartitionById(len(part), F.col("file") - part.start)
            ordered = tasks.sortWithinPartitions("file", "record", "kind")
            cleaning = self.cleaning(self._job, self._pieces, columns, lost, counts)
            cleaned = ordered.mapInArrow(cleaning, spark_schema(columns)).withColumn(_PART, F.lit(number))
            # Only the partitions of this part are replaced: those of a job that was killed.
            cleaned.write.mode("overwrite").partitionBy(*self.partitions, _PART).parquet(self._out.url)
            found = {"counts": counts.value, "lost": lost.value}
            self._work.write(done, found)
            reasons = Counter(row["reason"] for row in found["lost"])
            show_counts(self._spark, "cleaned", {"pages": found["counts"].get("pages", 0), **reasons})
        for name, count in found["counts"].items():
            setattr(summary, name, getattr(summary, name) + count)
        for row in found["lost"]:
            summary.skip(Skip(row["url"], row["reason"], row["detail"], rejected=True))

    def _all_files(self, part: range) -> DataFrame:
        """Return a row for each file, before those of its pages."""
        columns = "file int, record int, kind int, key bigint, value bigint, sums array<bigint>"
        return self._spark.createDataFrame([(file, -1, PAGE, 0, 0, None) for file in part], columns)

    def _columns(self) -> pa.Schema:
        """Return the columns of the output."""
        return output_columns(self._job, self._paths)

    def _finish(self, asks: DataFrame, records: DataFrame) -> None:
        """Write the table of the lost pages."""
        self._say("rejects")
        duplicates = records.where("duplicate").select("file", "record")
        first = asks.where("rejected").join(duplicates, ["file", "record"], "left_anti")
        schema = spark_schema(LOST)
        later = [
            tuple(row[name] for name in LOST.names)
            for number in range(len(self._parts))
            for row in self._work.read(f"cleaned/{number}.json")["lost"]
        ]
        lost = first.select(*LOST.names).unionByName(self._spark.createDataFrame(later, schema))
        lost.coalesce(1).write.mode("overwrite").parquet(f"{self._out.url}/{REJECTS}")

    def _count(self, records: DataFrame) -> Summary:
        """Count the records; raises UserError if too many of them are bad."""
        summary = Summary(self._job.method, 2)
        told = tally(records, self._job.max_bad)
        summary.skipped += told.skipped
        summary.rejected += told.rejected
        return summary

    def _with_parts(self, answers: DataFrame) -> DataFrame:
        """Add the number of the part to rows of pages."""
        part = F.floor(F.shiftright("pos", 32) / self._job.files_a_part).cast("int")
        return answers.withColumn(_PART, part)

    def _table(self, name: str, made: Callable[[], DataFrame], say: str, *partition: str) -> None:
        """Write a table between the passes, if it is not there."""
        if not self._work.done(name):
            self._say(say)
            made().write.mode("overwrite").option("partitionOverwriteMode", "static").partitionBy(
                *partition
            ).parquet(f"{self._work.url}/{name}")

    def _read(self, name: str) -> DataFrame:
        return self._spark.read.parquet(f"{self._work.url}/{name}")

    def _say(self, phase: str) -> None:
        """Tell what is done now, here and in Spark's user interface."""
        self.tell(phase)
        describe(self._spark, phase)


def _plain(value: dict[str, object]) -> Any:  # noqa: ANN401  # as JSON has it
    return json.loads(json.dumps(value))
