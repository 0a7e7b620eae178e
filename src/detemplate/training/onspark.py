"""Training the model of method ``pagelevel`` on Spark: sites are sampled in tasks, the fit is on the driver.

Which pages are taken depends on hashes of their URLs, and what is taken of a site on its pages alone. So each
site is sampled by one task, and the driver fits the same rows, in the same order, as on one machine.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812  # everyone's name for it

from detemplate.engines.limits import Clock
from detemplate.engines.spark.asking import items_of
from detemplate.engines.spark.pieces import pieces_of
from detemplate.engines.spark.reading import WorkTables, record_schema, tally
from detemplate.engines.spark.session import prepare
from detemplate.engines.spark.tables import batches as batched
from detemplate.engines.spark.tables import spark_schema
from detemplate.errors import UserError
from detemplate.features.node import NAMES
from detemplate.files.arrow import pa
from detemplate.io.record import Record, Skip
from detemplate.layout.layout import ESTIMATED
from detemplate.training.run import train_on
from detemplate.training.sample import Sample, SiteNodes, SiteSample, joined_sample, site_nodes
from detemplate.training.sitepages import page_key, record_site, sample_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from detemplate.engines.spark.pieces import Piece
    from detemplate.engines.spark.reads import Reads
    from detemplate.training.sampling import Sampling

PHASES: Final = 3
"""Number of phases of a run."""

_FEW: Final = "site of few pages"
"""Reason of sites that are left out."""

CANDIDATES: Final = record_schema(("site", pa.binary()), ("key", pa.int64()))
"""Columns of the records: the site's name in UTF-8, and the page's key, of which the smallest are taken."""

_PAGES: Final = pa.schema(
    [("site", pa.binary()), ("key", pa.int64()), ("url", pa.binary()), ("html", pa.binary()),
     ("is_text", pa.bool_()), ("charset", pa.string())]
)  # fmt: skip
"""Columns of the chosen pages."""

_SITES: Final = pa.schema(
    [("site", pa.binary()), ("pages", pa.int64()), ("skipped", pa.string()), ("table", pa.binary()),
     ("area", pa.binary()), ("template", pa.binary())]
)  # fmt: skip
"""Columns of the sampled sites; ``pages`` is null for a site of too few pages."""

_SIGN: Final = 1 << 63
"""What keeps the order of unsigned numbers, as signed ones."""


def spark_train(
    spark: SparkSession,
    files: Sequence[str],
    reads: Reads,
    sampling: Sampling,
    output: str,
    *,
    folds: int,
    patterns: Sequence[str],
    command: str,
    split_size: int = 0,
    temp: str | None = None,
    tell: Callable[[str], object] = str,
    report: Callable[[str], None] = lambda _: None,
) -> None:
    """Train the model of method ``pagelevel``: the model of one machine, byte for byte.

    Parameters
    ----------
    spark
        The session.
    files
        From :func:`~detemplate.engines.spark.inputs.input_files`.
    reads
        How they are read; not all versions of a page can be taken.
    sampling, output, folds, patterns, command
        As for :func:`~detemplate.training.run.train_pagelevel`.
    split_size
        As of :class:`~detemplate.engines.spark.job.SparkJob`.
    temp, tell
        As for :class:`~detemplate.engines.spark.reading.WorkTables`.
    report
        Takes the lines that report the sample and the folds.

    Raises
    ------
    UserError, MissingExtra
        As for :func:`~detemplate.training.run.train_pagelevel`; all versions of pages are wanted.
    """
    if reads.versions == "keep":
        raise UserError(
            "training on Spark takes one version of a page: --versions first or last ('detemplate train' "
            "numbers all versions in the input's order)"
        )

    def collected() -> Sample:
        prepare(spark)
        with WorkTables(spark, temp, tell) as tables:
            return _sampled(tables, pieces_of(files, reads, split_size), reads, sampling)

    train_on(collected, output, sampling, folds=folds, patterns=patterns, command=command, tell=report)


def _sampled(tables: WorkTables, pieces: Sequence[Piece], reads: Reads, sampling: Sampling) -> Sample:
    """Sample the nodes of all sites."""
    records = tables.records(pieces, reads, partial(_candidate, sampling=sampling), CANDIDATES)
    skipped = tally(records, reads.max_bad).skipped
    candidates = records.where("reason IS NULL AND NOT duplicate")
    tables.say("choosing pages")
    chosen = tables.written("chosen", chosen_pages(candidates, sampling))
    enough = chosen.select("site").distinct().count()
    few = candidates.select("site").distinct().count() - enough
    if few:
        skipped[_FEW] += few
    tasks = chosen.repartitionById(len(pieces), "file").sortWithinPartitions("file", "record")
    pages = tasks.mapInArrow(partial(_fetched, pieces=pieces, reads=reads), spark_schema(_PAGES))
    tables.say("reading the chosen pages, labelling and sampling sites")
    sites = pages.repartition("site").sortWithinPartitions("site", "key")
    found: list[SiteNodes] = []
    for row in sites.mapInArrow(
        partial(_site_rows, sampling=sampling), spark_schema(_SITES)
    ).toLocalIterator():
        skipped.update(json.loads(row.skipped))
        if row.pages is not None:
            found.append(_nodes(row))
    return joined_sample(found, sampling, ESTIMATED, skipped)


def chosen_pages(candidates: DataFrame, sampling: Sampling) -> DataFrame:
    """Choose pages of each site that has enough pages: those with the smallest keys.

    Each file gives the smallest keys of its pages. So no more of a site come together than
    ``sampling.pages_per_site`` of each file.

    Parameters
    ----------
    candidates
        Rows of :data:`CANDIDATES`.
    sampling
        How many pages are taken.
    """
    rows = candidates.select("site", "file", "record", "key")
    for columns in (["site", "file"], ["site"]):
        place = F.row_number().over(Window.partitionBy(*columns).orderBy("key"))
        rows = rows.withColumn("place", place).where(F.col("place") <= sampling.pages_per_site).drop("place")
    number = F.count(F.lit(1)).over(Window.partitionBy("site"))
    return rows.withColumn("number", number).where(F.col("number") >= sampling.min_pages).drop("number")


def _candidate(record: Record, sampling: Sampling) -> dict[str, Any]:
    """Give the site and the key of a record."""
    site = record_site(record, sampling).encode("utf-8", "surrogatepass")
    return {"site": site, "key": page_key(record, sampling) - _SIGN}


def _fetched(
    batches: Iterator[pa.RecordBatch], pieces: Sequence[Piece], reads: Reads
) -> Iterator[pa.RecordBatch]:
    """Read the chosen pages of pieces, whose rows are sorted by their places."""

    def rows() -> Iterator[dict[str, Any]]:
        wanted = (row for batch in batches for row in batch.to_pylist())
        row = next(wanted, None)
        while row is not None:
            file = row["file"]
            for number, item, _ in items_of(pieces[file], reads):
                if row is None or row["file"] != file:
                    break
                if row["record"] != number:
                    continue
                assert isinstance(item, Record)
                html = item.html
                yield {
                    "site": row["site"],
                    "key": row["key"],
                    "url": item.url.encode("utf-8", "surrogatepass"),
                    "html": html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html,
                    "is_text": isinstance(html, str),
                    "charset": item.charset,
                }
                row = next(wanted, None)
            while row is not None and row["file"] == file:  # the input has changed since the first pass
                row = next(wanted, None)

    return batched(rows(), _PAGES)


def _site_rows(batches: Iterator[pa.RecordBatch], sampling: Sampling) -> Iterator[pa.RecordBatch]:
    """Sample each site of sorted pages."""
    clock = Clock(sampling.max_page_seconds)
    site: bytes | None = None
    pages: list[Any] = []
    skipped: Counter[str] = Counter()
    for batch in batches:
        for row in batch.to_pylist():
            if row["site"] != site:
                if site is not None:
                    yield _site_row(site, pages, sampling, skipped)
                site, pages, skipped = row["site"], [], Counter()
            html = row["html"].decode("utf-8", "surrogatepass") if row["is_text"] else row["html"]
            record = Record(row["url"].decode("utf-8", "surrogatepass"), html, charset=row["charset"])
            name = row["site"].decode("utf-8", "surrogatepass")
            page = sample_page(record, name, sampling, clock)
            if isinstance(page, Skip):
                skipped[page.reason] += 1
            else:
                pages.append((row["key"] + _SIGN, page))
    if site is not None:
        yield _site_row(site, pages, sampling, skipped)


def _site_row(site: bytes, pages: list[Any], sampling: Sampling, skipped: Counter[str]) -> pa.RecordBatch:
    """Sample a site."""
    nodes = site_nodes(site.decode("utf-8", "surrogatepass"), pages, sampling, None, skipped)
    row: dict[str, Any] = {"site": site, "skipped": json.dumps(+skipped)}
    if nodes is not None:
        row |= {
            "pages": nodes.site.pages,
            "table": nodes.table.tobytes(),
            "area": nodes.area.tobytes(),
            "template": nodes.template.tobytes(),
        }
    return pa.RecordBatch.from_pylist([row], _SITES)


def _nodes(row: Any) -> SiteNodes:  # noqa: ANN401  # a row of Spark
    """Read what :func:`_site_row` wrote."""
    area = np.frombuffer(bytes(row.area), np.float64)
    name = bytes(row.site).decode("utf-8", "surrogatepass")
    return SiteNodes(
        SiteSample(name, row.pages, len(area)),
        np.frombuffer(bytes(row.table), np.float32).reshape(-1, len(NAMES)),
        area,
        np.frombuffer(bytes(row.template), np.bool_),
    )
