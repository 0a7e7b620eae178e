"""Mining template expressions on Spark: documents by file, then each site by itself, then all sites."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.engines.documents import document_reader
from detemplate.engines.limits import Clock, attempted
from detemplate.engines.minedsites import MinedSite, MiningRun, joined_sites
from detemplate.engines.mining import MiningJob, check_can_mine, written
from detemplate.engines.spark.pieces import pieces_of
from detemplate.engines.spark.reading import WorkTables, record_schema, tally
from detemplate.engines.spark.session import prepare
from detemplate.engines.spark.tables import spark_schema
from detemplate.errors import UserError
from detemplate.expressions.files import Expression
from detemplate.expressions.mine import Miner
from detemplate.files.arrow import pa
from detemplate.io.record import Skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from detemplate.engines.spark.reads import Reads
    from detemplate.io.record import Record

PHASES: Final = 2
"""Number of phases of a run."""

DOCUMENTS: Final = record_schema(("site", pa.binary()), ("text", pa.binary()))
"""Columns of the documents: names and texts are UTF-8, in which lone surrogates are kept."""

_MINED: Final = pa.schema([("site", pa.binary()), ("mined", pa.string()), ("problem", pa.string())])
"""Columns of what was mined: a row a site, as JSON, or why it could not be mined."""


def spark_mine(
    spark: SparkSession,
    files: Sequence[str],
    reads: Reads,
    job: MiningJob,
    output: str,
    *,
    plot: str | None = None,
    split_size: int = 0,
    temp: str | None = None,
    tell: Callable[[str], object] = str,
) -> MiningRun:
    """Mine every site of the inputs, and write the expressions: the files of one machine, byte for byte.

    Parsing is spread by files, and mining by sites, a site in one task: its tokens are in one suffix array.
    What is mined of each site comes to the driver, for the second level.

    Parameters
    ----------
    spark
        The session.
    files
        From :func:`~detemplate.engines.spark.inputs.input_files`.
    reads
        How they are read.
    job
        How they are mined. ``memory`` bounds the tokens of one site.
    output, plot
        As for :func:`~detemplate.engines.mining.mine_into`.
    split_size
        As of :class:`~detemplate.engines.spark.job.SparkJob`.
    temp, tell
        As for :class:`~detemplate.engines.spark.reading.WorkTables`.

    Raises
    ------
    UserError, MissingExtra
        As for :func:`~detemplate.engines.mining.mine_into`; the tokens of a site need more than
        ``job.memory``.
    """

    def made() -> MiningRun:
        check_can_mine()
        began = time.perf_counter()
        prepare(spark)
        read = _Reading(job)
        with WorkTables(spark, temp, tell) as tables:
            records = tables.records(pieces_of(files, reads, split_size), reads, read, DOCUMENTS)
            told = tally(records, reads.max_bad)
            documents = records.where("reason IS NULL AND NOT duplicate")
            tables.say("mining sites")
            sites = mined_sites(documents, job)
            return joined_sites(sites, job.tokenizer, job.collections, told.skipped, began)

    return written(made, output, plot)


def mined_sites(documents: DataFrame, job: MiningJob) -> list[MinedSite]:
    """Mine the sites of documents, each in one task; they are ordered by name.

    Parameters
    ----------
    documents
        Rows of :data:`DOCUMENTS`.
    job
        How they are mined.

    Raises
    ------
    UserError
        The tokens of a site need more than ``job.memory``.
    """
    rows = documents.select("site", "file", "record", "text").repartition("site")
    ordered = rows.sortWithinPartitions("site", "file", "record")
    found = ordered.mapInArrow(partial(_mine, job=job), spark_schema(_MINED)).collect()
    for row in sorted(found, key=lambda row: bytes(row.site)):
        if row.problem is not None:
            raise UserError(row.problem)
    return sorted((_site(row.mined) for row in found), key=lambda mined: mined.site)


class _Reading:
    """Makes documents of records; made anew in each process, where its clock runs."""

    def __init__(self, job: MiningJob) -> None:
        self._job = job
        self._read = document_reader(job.on, job.site_by)  # refuses wrong options
        self._clock = Clock(job.max_page_seconds)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Reading, (self._job,)

    def __call__(self, record: Record) -> dict[str, bytes] | Skip:
        job = self._job
        made = attempted(
            record, lambda: self._read(record), max_page_bytes=job.max_page_bytes, clock=self._clock
        )
        if isinstance(made, Skip):
            return made
        return {"site": _stored(made.site), "text": _stored(made.text)}


def _mine(batches: Iterator[pa.RecordBatch], job: MiningJob) -> Iterator[pa.RecordBatch]:
    """Mine each site of sorted documents."""
    miner: Miner | None = None
    name = b""
    problem: str | None = None
    for batch in batches:
        for site, text in zip(batch.column("site"), batch.column("text"), strict=True):
            if miner is None or site.as_py() != name:
                if miner is not None:
                    yield _row(miner, problem)
                name, problem = site.as_py(), None
                miner = Miner(job.tokenizer, job.options, name=_text(name))
            if problem is None:
                miner.add(_text(text.as_py()))
                if miner.nbytes > job.memory:
                    problem = (
                        f"the tokens of {miner.documents:,} documents of {miner.name} need more than "
                        f"{job.memory >> 20:,} MB: mine a sample of its documents"
                    )
                    miner = Miner(job.tokenizer, job.options, name=miner.name)
    if miner is not None:
        yield _row(miner, problem)


def _row(miner: Miner, problem: str | None) -> pa.RecordBatch:
    """Mine a site, unless there is a problem with it."""
    mined = None
    if problem is None:
        found = MinedSite.of(miner)
        values = found._replace(histogram=found.histogram.tolist())._asdict()
        mined = json.dumps(values | {"expressions": [asdict(each) for each in found.expressions]})
    row = {"site": _stored(miner.name), "mined": mined, "problem": problem}
    return pa.RecordBatch.from_pylist([row], _MINED)


def _site(mined: str) -> MinedSite:
    """Read what :func:`_row` wrote."""
    values = json.loads(mined)
    values["histogram"] = np.array(values["histogram"], np.int64)
    for each in values["expressions"]:
        each["pieces"] = None if each["pieces"] is None else tuple(each["pieces"])
    values["expressions"] = tuple(Expression(**each) for each in values["expressions"])
    return MinedSite(**values)


def _stored(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogatepass")
