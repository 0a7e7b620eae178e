"""The first pass over inputs of commands that learn: each record becomes a row, or a skip with its reason."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import functions as F  # noqa: N812  # everyone's name for it

from detemplate.errors import UserError
from detemplate.files.arrow import pa
from detemplate.files.hadoop import Storage
from detemplate.io.record import Record, Skip
from detemplate.run.losses import Losses
from detemplate.spark.accumulators import Numbered
from detemplate.spark.asking import DUPLICATE, PIECES, items_of, pieces_in, skip_columns
from detemplate.spark.pieces import Piece, check_spans
from detemplate.spark.plan import duplicates_marked, position
from detemplate.spark.session import describe, show_counts
from detemplate.spark.tables import batches as batched
from detemplate.spark.tables import spark_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

    from pyspark.sql import DataFrame, SparkSession

    from detemplate.spark.reads import Reads

_RECORD: Final = [
    ("file", pa.int32()),
    ("record", pa.int32()),
    ("url_key", pa.string()),
    ("reason", pa.string()),
    ("detail", pa.string()),
    ("rejected", pa.bool_()),
]
"""Columns of every table of records."""


def record_schema(*own: tuple[str, Any]) -> pa.Schema:
    """Return the columns of a table of records.

    Parameters
    ----------
    own
        Names and types of the columns that :class:`RecordRows` makes of a record.
    """
    return pa.schema([*_RECORD, *own])


class RecordRows:
    """Makes a row of each record of pieces of inputs: a function on Arrow batches.

    Parameters
    ----------
    reads
        How inputs are read.
    made
        Makes the columns of a record, or a skip.
    schema
        From :func:`record_schema`.
    spans
        Spark's accumulator of the spans of pieces.
    """

    def __init__(
        self,
        reads: Reads,
        made: Callable[[Record], Mapping[str, Any] | Skip],
        schema: pa.Schema,
        spans: Any,  # noqa: ANN401  # pyspark has no type for it
    ) -> None:
        self._reads = reads
        self._made = made
        self._schema = schema
        self._spans = spans

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give a row for each record of the pieces that rows name."""
        return batched(self._rows(batches), self._schema)

    def _rows(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        for file, piece in pieces_in(batches):
            for record, item, url_key in items_of(piece, self._reads, partial(self._tell, file)):
                made = self._made(item) if isinstance(item, Record) else item
                row: dict[str, Any] = {"file": file, "record": record, "url_key": url_key}
                if isinstance(made, Skip):
                    yield row | skip_columns(made) | {"rejected": made.rejected}
                else:
                    yield row | dict(made)

    def _tell(self, file: int, span: tuple[int | None, int | None]) -> None:
        self._spans.add({file: tuple(span)})


class Tally(NamedTuple):
    """What the first pass counted.

    Attributes
    ----------
    skipped
        Number of skips by reason, in the order in which the reasons came first.
    rejected
        Those of them that should have been pages.
    pages
        Number of the other records.
    """

    skipped: Counter[str]
    rejected: int
    pages: int


def tally(records: DataFrame, max_bad: float) -> Tally:
    """Count the skips.

    Parameters
    ----------
    records
        Rows with ``file``, ``record``, ``duplicate``, ``reason``, ``rejected`` and ``detail``.
    max_bad
        Share of bad records that is accepted.

    Raises
    ------
    UserError
        Too many records are bad.
    """
    groups = records.groupBy("duplicate", "reason", "rejected").agg(
        F.count(F.lit(1)).alias("number"),
        F.min_by("detail", position()).alias("detail"),
        F.min(position()).alias("first"),
    )
    losses, skipped, rejected = Losses(max_bad), Counter[str](), 0
    for row in sorted(groups.collect(), key=lambda row: row["first"]):
        if row.reason is None and not row.duplicate:
            losses.pages += row.number
            continue
        skipped[DUPLICATE if row.duplicate else row.reason] += row.number
        if row.rejected and not row.duplicate:
            rejected += row.number
            losses.pages += row.number
            losses.swap(Skip("", row.reason, row.detail or "", rejected=True), row.number)
    show_counts(records.sparkSession, "read", {"pages": losses.pages, **skipped})
    losses.check()
    return Tally(skipped, rejected, losses.pages)


class WorkTables:
    """Tables between the passes, in a folder that is removed at the end.

    Parameters
    ----------
    spark
        The session.
    folder
        Where the folder is made: on a cluster, a place that all machines reach. None: the directory for
        temporary files, which does for one machine.
    tell
        Called with the name of a phase before it begins.

    Raises
    ------
    UserError
        Spark runs on several machines, and no folder is named; or nothing can be written there.
    """

    def __init__(self, spark: SparkSession, folder: str | None, tell: Callable[[str], object] = str) -> None:
        self.spark = spark
        self._tell = tell
        if folder is None and not (spark.sparkContext.master or "").startswith("local"):
            raise UserError("name a folder that all machines reach for the tables between the passes: --temp")
        self._storage = Storage.temporary(spark, folder, "detemplate-learning-")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._storage.remove()
        self.spark.sparkContext.setJobDescription(None)  # type: ignore[arg-type]  # None takes it away

    def say(self, phase: str) -> None:
        """Tell what is done now, here and in Spark's user interface."""
        self._tell(phase)
        describe(self.spark, phase)

    def written(self, name: str, rows: DataFrame) -> DataFrame:
        """Write a table, and return it as it is read again."""
        path = f"{self._storage.url}/{name}"
        rows.write.parquet(path)
        return self.spark.read.parquet(path)

    def records(
        self,
        pieces: Sequence[Piece],
        reads: Reads,
        made: Callable[[Record], Mapping[str, Any] | Skip],
        schema: pa.Schema,
    ) -> DataFrame:
        """Read all inputs, a task a piece: write the table of records, and return it.

        Parameters
        ----------
        pieces, reads
            What is read, and how.
        made, schema
            As for :class:`RecordRows`.

        Returns
        -------
        DataFrame
            It has a column ``duplicate`` beside those of ``schema``.
        """
        self.say(f"reading {len(pieces):,} files")
        spans = self.spark.sparkContext.accumulator({}, Numbered())
        tasks = piece_tasks(self.spark, pieces)
        rows = self.written(
            "read", tasks.mapInArrow(RecordRows(reads, made, schema, spans), spark_schema(schema))
        )
        check_spans(pieces, spans.value)
        marks = duplicates_marked(
            rows.select("file", "record", "url_key", position().alias("pos")), reads.versions
        )
        return rows.join(marks.select("file", "record", "duplicate"), ["file", "record"])


def piece_tasks(spark: SparkSession, pieces: Sequence[Piece], numbers: range | None = None) -> DataFrame:
    """Return a table of numbered pieces, with a partition for each.

    Parameters
    ----------
    spark
        The session.
    pieces
        All pieces.
    numbers
        Those that are taken; None: all.
    """
    numbers = range(len(pieces)) if numbers is None else numbers
    columns = "file int, path string, begin bigint, end bigint, name string"
    rows = spark.createDataFrame([(number, *pieces[number]) for number in numbers], columns)
    # One task a piece: however long it takes, no other piece waits for it.
    return rows.select(*PIECES).repartitionById(len(numbers), F.col("file") - numbers.start)
