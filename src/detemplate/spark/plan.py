"""The tables between the two passes, as Spark's operations: joins, windows, aggregations, sorts.

No step brings the rows of a site to one machine. What is grouped is a file's pages, a key's pages within a
chunk of :attr:`~detemplate.spark.job.SparkJob.chunk` pages of a site, or one row for each chunk.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812  # everyone's name for it

from detemplate.detectors.auto.slotsums import COLUMNS
from detemplate.spark import counting, lookback
from detemplate.spark.counting import Rule
from detemplate.spark.grouping import GROUP, arrow
from detemplate.spark.job import CONTEXT
from detemplate.spark.judging import COUNT, PAGE, SLOT
from detemplate.spark.tables import ANSWERS, JOINED, NEW, REPEATED, SUMMARIES, spark_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import Column, DataFrame

    from detemplate.spark.forms import Form

SUMS: Final = len(COLUMNS)
"""Number of sums of a slot."""

_GROUP: Final = list(GROUP)
"""Columns of a group."""


class Numbering(NamedTuple):
    """Names of the columns that :func:`numbered` adds.

    Attributes
    ----------
    place
        Number of a page among those of its site that are numbered, from 1; 0 for others.
    total
        Number of these.
    """

    place: str
    total: str


LEARNT: Final = Numbering("place", "pages")
"""All pages that a site learns."""

COUNTED: Final = Numbering("tick", "end")
"""Those of them that are counted: no copies."""


def position() -> Column:
    """Return the place of a page in the input, as one number."""
    return F.shiftleft(F.col("file").cast("bigint"), 32) + F.col("record")


def chosen_records(asks: DataFrame, versions: str) -> DataFrame:
    """Return the first pass's rows without its arrays, with a column ``duplicate``.

    Of records with one URL, all but the first (or the last) are duplicates. A window that numbers sorted rows
    holds none of them.

    Parameters
    ----------
    asks
        Rows of the first pass; those whose URLs do not matter have no ``url_key``.
    versions
        As of :class:`~detemplate.spark.reads.Reads`.
    """
    rows = asks.select(
        "file", "record", "url_key", "reason", "rejected", "detail", "learnt", "site", "grouped", "prose",
        "long",
        position().alias("pos"),
    )  # fmt: skip
    return duplicates_marked(rows, versions)


def duplicates_marked(rows: DataFrame, versions: str) -> DataFrame:
    """Add a column ``duplicate`` to rows with ``url_key`` and ``pos``; see :func:`chosen_records`."""
    same = Window.partitionBy("url_key").orderBy(F.desc("pos") if versions == "last" else "pos")
    named = rows.where("url_key IS NOT NULL").withColumn("duplicate", F.row_number().over(same) > 1)
    return named.unionByName(rows.where("url_key IS NULL").withColumn("duplicate", F.lit(False)))


def numbered(pages: DataFrame, which: Column, names: Numbering, sums: tuple[str, ...] = ()) -> DataFrame:
    """Give the pages of each site numbers, in the order of the input.

    The pages of a site are numbered within each file, and the numbers of the files before are added: a site's
    windows have one row a file.

    Parameters
    ----------
    pages
        Rows with ``site``, ``file`` and ``pos``.
    which
        Which pages get a number.
    names
        Names of the new columns.
    sums
        Columns whose sums over the pages of the site replace them, as ``total_…``.
    """
    chosen = which.cast("int")
    in_file = Window.partitionBy("site", "file").orderBy("pos").rowsBetween(Window.unboundedPreceding, 0)
    local = pages.withColumn("local", F.sum(chosen).over(in_file))
    files = pages.groupBy("site", "file").agg(
        F.sum(chosen).alias("number"), *(F.sum(name).alias(name) for name in sums)
    )
    of_site = Window.partitionBy("site")
    before = of_site.orderBy("file").rowsBetween(Window.unboundedPreceding, -1)
    files = files.select(
        "site",
        "file",
        F.coalesce(F.sum("number").over(before), F.lit(0)).alias("before"),
        F.sum("number").over(of_site).alias(names.total),
        *(F.sum(name).over(of_site).alias(f"total_{name}") for name in sums),
    )
    placed = local.join(files, ["site", "file"])
    place = F.when(which, F.col("local") + F.col("before")).otherwise(0).cast("bigint")
    return placed.withColumn(names.place, place).drop("local", "before")


class Plan:
    """The tables between the passes.

    Parameters
    ----------
    form
        How the method counts.
    chunk
        Pages of a site whose keys one group may hold.
    """

    def __init__(self, form: Form, chunk: int) -> None:
        self._form = form
        self._chunk = chunk
        self._rule = Rule(form.lives, form.grouped)

    def pages(self, asks: DataFrame, records: DataFrame) -> DataFrame:
        """Return the pages that are judged, with their places in their sites.

        Parameters
        ----------
        asks
            Rows of the first pass.
        records
            From :func:`chosen_records`.
        """
        alive = records.where("reason IS NULL AND NOT duplicate")
        columns = ["file", "record", "pos", "site", "learnt", "grouped", "prose", "long"]
        pages = numbered(alive.select(*columns), F.col("learnt"), LEARNT, ("prose", "long"))
        pages = pages.drop("prose", "long").withColumnRenamed("total_prose", "prose")
        pages = pages.withColumnRenamed("total_long", "long")
        if not self._form.repeats:
            return pages.withColumn("tick", F.col("place")).withColumn("end", F.col("pages"))
        copies = self._copies(asks, pages).withColumn("copy", F.lit(True))
        marked = pages.join(copies, "pos", "left")
        return numbered(marked, F.col("learnt") & F.col("copy").isNull(), COUNTED).drop("copy")

    def answers(self, asks: DataFrame, pages: DataFrame) -> DataFrame:
        """Return what came back for each page: rows ``pos``, ``kind``, ``key``, ``value``, ``sums``.

        Parameters
        ----------
        asks
            Rows of the first pass.
        pages
            From :meth:`pages`.
        """
        rows = self._rows(asks, pages)
        several = pages.where(F.col("pages") > self._chunk).limit(1).count() > 0
        found = self._counted(rows, several=several)
        nothing = F.lit(None).cast("array<bigint>")
        answers = found.select("pos", F.lit(COUNT).alias("kind"), "key", "value", nothing.alias("sums"))
        totals = F.array(*(F.col(name).cast("bigint") for name in ("tick", "pages", "end", "prose", "long")))
        own = pages.select(
            "pos", F.lit(PAGE).alias("kind"), F.lit(0).cast("bigint").alias("key"),
            F.lit(0).cast("bigint").alias("value"), F.when(F.col("learnt"), totals).alias("sums"),
        )  # fmt: skip
        answers = answers.unionByName(own)
        return answers.unionByName(self._slots(asks, pages)) if self._form.repeats else answers

    def _rows(self, asks: DataFrame, pages: DataFrame) -> DataFrame:
        """Return a row for each key that a page asks for, as :func:`counting.answers` takes them."""
        names = ["counted", "asked"] if self._form.repeats else ["counted"]
        asking = asks.select("file", "record", *names).join(self._chunked(pages), ["file", "record"])
        columns = ["site", "chunk", "tick", "pos", "end", "several"]
        if self._form.grouped:
            asking = asking.withColumn("tick", F.col("grouped"))
        rows = asking.select(*columns, F.explode("counted").alias("key"))
        if not self._form.repeats:
            return rows
        only = asking.withColumn("tick", F.lit(0).cast("bigint"))
        rows = rows.unionByName(only.select(*columns, F.explode("asked").alias("key")))
        return rows.unionByName(self._new(asks, pages).select(*columns, "key"))

    def _chunked(self, pages: DataFrame) -> DataFrame:
        """Return the learnt pages with the number of their chunk."""
        several = F.col("pages") > self._chunk
        chunk = F.floor((F.col("place") - 1) / self._chunk)
        if self._form.grouped:
            chunk = F.pmod(F.col("grouped"), F.ceil(F.col("pages") / self._chunk))
        return pages.where("learnt").withColumns(
            {"several": several, "chunk": F.when(several, chunk).otherwise(0).cast("bigint")}
        )

    def _counted(self, rows: DataFrame, *, several: bool) -> DataFrame:
        """Count the keys; ``several``: there are sites of several chunks."""
        columns = ["site", "key", "chunk", "tick", "pos", "end"]
        one = rows.where("NOT several") if several else rows
        found = self._map(one.select(*columns), partial(counting.answers, rule=self._rule), ANSWERS)
        if not several:
            return found
        large = rows.where("several").select(*columns)
        parts = self._map(large, partial(counting.summaries, rule=self._rule), SUMMARIES)
        parts = parts.repartition("site", "key").sortWithinPartitions(*_GROUP)
        totals = _mapped(parts, partial(counting.joined, rule=self._rule), JOINED)
        asking = large.select("pos", *_GROUP).distinct()
        return found.unionByName(asking.join(totals, _GROUP).select("pos", "key", "value"))

    def _map(
        self, rows: DataFrame, function: Callable[[Any], Any], schema: pa.Schema, *order: str
    ) -> DataFrame:
        """Apply a function to the sorted rows of whole groups."""
        order = order or (("tick", "pos") if self._form.grouped else ("pos", "tick"))
        return _mapped(rows.repartition(*_GROUP).sortWithinPartitions(*_GROUP, *order), function, schema)

    def _looking(self, pages: DataFrame) -> DataFrame:
        """Return the pages with their chunks; the last ones of a chunk are looked at in the next one, too."""
        chunked = self._chunked(pages).withColumn("own", F.lit(1).cast("bigint"))
        last = F.col("several") & ((F.col("place") - 1) % self._chunk >= self._chunk - CONTEXT)
        again = chunked.where(last).withColumns({"chunk": F.col("chunk") + 1, "own": F.lit(0).cast("bigint")})
        return chunked.unionByName(again)

    def _copies(self, asks: DataFrame, pages: DataFrame) -> DataFrame:
        """Return the pages that have a signature of a page shortly before."""
        looking = self._looking(pages).select("file", "record", "site", "chunk", "place", "pos", "own")
        rows = asks.select("file", "record", F.explode("signatures").alias("key"))
        rows = rows.join(looking, ["file", "record"]).drop("file", "record")
        found = self._map(rows, partial(lookback.repeated, window=CONTEXT), REPEATED, "place")
        return found.distinct()

    def _new(self, asks: DataFrame, pages: DataFrame) -> DataFrame:
        """Return rows for the keys that count for a page because a mark on it is new."""
        looking = self._looking(pages).select(
            "file", "record", "site", "chunk", "place", "pos", "own", "tick", "end",
            F.col("several").cast("bigint").alias("several"),
        )  # fmt: skip
        pair = F.explode(F.arrays_zip("marks", "fresh"))
        rows = asks.select("file", "record", pair.alias("pair"))
        rows = rows.select(
            "file", "record", F.col("pair.marks").alias("key"), F.col("pair.fresh").alias("fresh")
        )
        rows = rows.join(looking, ["file", "record"]).drop("file", "record")
        found = self._map(rows, partial(lookback.new, window=CONTEXT), NEW, "place")
        return found.withColumn("several", F.col("several") > 0)

    def _slots(self, asks: DataFrame, pages: DataFrame) -> DataFrame:
        """Return the sums over all pages of each slot that several pages have, for each of these."""
        asking = asks.select("file", "record", "slots", "sums")
        asking = asking.join(
            self._chunked(pages).select("file", "record", "site", "chunk", "pos"), ["file", "record"]
        )
        slot = asking.select("site", "chunk", "pos", "sums", F.posexplode("slots").alias("number", "key"))
        names = [f"sum_{number}" for number in range(SUMS)]
        at = F.col("number") * SUMS
        rows = slot.select(
            "site", "chunk", "pos", "key",
            *(F.get("sums", at + number).alias(name) for number, name in enumerate(names)),
        )  # fmt: skip
        parts = rows.groupBy(*_GROUP).agg(*(F.sum(name).alias(name) for name in names))
        of_slot = Window.partitionBy("site", "key")
        # The first sum is the number of pages.
        totals = parts.select(*_GROUP, F.array(*(F.sum(name).over(of_slot) for name in names)).alias("sums"))
        found = rows.select("pos", *_GROUP).join(totals.where(F.get("sums", F.lit(0)) > 1), _GROUP)
        return found.select(
            "pos", F.lit(SLOT).alias("kind"), "key", F.lit(0).cast("bigint").alias("value"), "sums"
        )


def _mapped(rows: DataFrame, function: Callable[[Any], Any], schema: pa.Schema) -> DataFrame:
    """Apply a function that gives columns to a table."""
    return rows.mapInArrow(arrow(function, schema), spark_schema(schema))
