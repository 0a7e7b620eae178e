"""Finding the templates in the tables of a crawl: local or global, out of core on DuckDB, or on Spark."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from detemplate.detectors.templatefile import KnownTemplate, TemplateFile, write_template_file
from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, writing
from detemplate.page.fingerprints import SKETCH, WIDTH
from detemplate.page.pagelets import LINKS
from detemplate.relations.detect import ALGORITHMS, NEEDED, template_members
from detemplate.relations.duck import DuckEngine
from detemplate.relations.engine import TableEngine, has_table, source_crawl
from detemplate.relations.report import REPORTED, TemplateFileWriter, template_rows
from detemplate.relations.spark import SparkEngine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from detemplate.relations.detect import TemplateCounts
    from detemplate.relations.report import Row

SHOWN: Final = 20
"""Templates that are given where no file takes them all."""


@dataclass(frozen=True, slots=True)
class TemplatesJob:
    """How templates are found.

    ``algorithm``: ``"local"`` or ``"global"``: see :data:`~detemplate.relations.detect.ALGORITHMS`.
    ``min_pages``: templates on fewer pages are left out.
    ``top``: only so many templates, those on most pages; None: all in a file, :data:`SHOWN` without one.
    ``save``: put the tables ``templates`` and ``template_pagelets`` into the crawl.
    ``memory``, ``threads``, ``temp``: what DuckDB may use: a size such as ``"4GB"``, threads (None: one a
        core), and the folder of intermediate tables (None: the system's).
    """

    algorithm: str = "global"
    min_pages: int = 2
    top: int | None = None
    save: bool = False
    memory: str = "4GB"
    threads: int | None = None
    temp: str | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise UserError(f"unknown algorithm {self.algorithm!r}: choose {' or '.join(ALGORITHMS)}")


class CrawlTemplates(NamedTuple):
    """The templates of a crawl.

    ``found``: their number, and the pagelets and pages that hold them.
    ``rows``: the templates on most pages, for showing; empty where a file has them.
    """

    found: TemplateCounts
    rows: list[Row]


class StoringEngine(TableEngine, Protocol):
    """A table engine that can put tables into a crawl."""

    def store(self, crawl: Path | str, names: list[str]) -> None:
        """Write tables of these names into a crawl."""


def find_templates(
    crawl: Path | str,
    job: TemplatesJob,
    *,
    spark: SparkSession | None = None,
    output: str | None = None,
    states: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> CrawlTemplates:
    """Find the templates of a crawl's tables, and write them.

    ``crawl``: a directory of Parquet directories, as ``detemplate graph tables`` makes it.
    ``spark``: the session of Spark on which the queries run; None: they run on DuckDB.
    ``output``: ``.json``, ``.jsonl``, ``.csv`` or ``.parquet`` file for one row a template.
    ``states``: file for the templates' shingles and pages, for method ``pagelets``.
    ``tell``: is told each step as it begins.
    Raises UserError: the crawl lacks a table, or an output cannot be written.
    Raises MissingExtra: DuckDB is not installed.
    """
    needed = {name: {**columns, **REPORTED.get(name, {})} for name, columns in NEEDED.items()}
    with ExitStack() as stack:
        # Outputs that cannot be written are refused before the work, not after it.
        listing = None if output is None else TemplateFileWriter(output)
        if listing is not None:
            stack.callback(listing.discard)
        shingles = None if states is None else AtomicFile(states)
        if shingles is not None:
            stack.callback(shingles.discard)
        engine = _engine(job, spark)
        stack.enter_context(engine)
        source_crawl(engine, crawl, needed)
        found = ALGORITHMS[job.algorithm](engine, min_pages=job.min_pages, on_step=tell)
        tell("report")
        if listing is not None:
            listing.write(template_rows(engine, top=job.top))
        if shingles is not None:
            _write_shingles(engine, crawl, shingles, job.algorithm)
        rows = list(template_rows(engine, top=job.top or SHOWN)) if output is None else []
        if job.save:
            tell("saving")
            engine.store(crawl, ["templates", "template_pagelets"])
    return CrawlTemplates(found, rows)


def _engine(job: TemplatesJob, spark: SparkSession | None) -> StoringEngine:
    if spark is not None:
        return SparkEngine(spark, directory=job.temp)
    return DuckEngine(memory=job.memory, threads=job.threads, directory=job.temp)


def _write_shingles(engine: TableEngine, crawl: Path | str, file: AtomicFile, algorithm: str) -> None:
    """Write the templates for cleaning, with the settings that the crawl's tables were made with."""
    settings = {"k": LINKS, "width": WIDTH, "sketch": SKETCH}
    if has_table(engine, crawl, "crawl_info"):
        info = dict(engine.rows("SELECT key, value FROM crawl_info"))
        for name in settings.keys() & info.keys():
            if not info[name].isdecimal():
                raise UserError(
                    f"table crawl_info of {crawl} is broken: {name} is {info[name]!r}, not a number"
                )
            settings[name] = int(info[name])
    with writing(file.output):
        write_template_file(
            file.file,
            TemplateFile(algorithm, settings["k"], settings["width"], settings["sketch"]),
            (
                KnownTemplate(*template)
                for template in template_members(engine, connected=algorithm == "global")
            ),
        )
    file.commit()
