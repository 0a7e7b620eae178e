"""Finding the templates in the tables of a crawl: local or global, out of core on DuckDB, or on Spark."""

from __future__ import annotations

from contextlib import ExitStack
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
    *,
    algorithm: str = "global",
    min_pages: int = 2,
    top: int | None = None,
    save: bool = False,
    memory: str = "4GB",
    threads: int | None = None,
    temp: str | None = None,
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
    if algorithm not in ALGORITHMS:
        raise UserError(f"unknown algorithm {algorithm!r}: choose {' or '.join(ALGORITHMS)}")
    needed = {name: {**columns, **REPORTED.get(name, {})} for name, columns in NEEDED.items()}
    with ExitStack() as stack:
        # Outputs that cannot be written are refused before the work, not after it.
        listing = None if output is None else TemplateFileWriter(output)
        if listing is not None:
            stack.callback(listing.discard)
        shingles = None if states is None else AtomicFile(states)
        if shingles is not None:
            stack.callback(shingles.discard)
        engine: StoringEngine = (
            DuckEngine(memory=memory, threads=threads, directory=temp)
            if spark is None
            else SparkEngine(spark, directory=temp)
        )
        stack.enter_context(engine)
        source_crawl(engine, crawl, needed)
        found = ALGORITHMS[algorithm](engine, min_pages=min_pages, on_step=tell)
        tell("report")
        if listing is not None:
            listing.write(template_rows(engine, top=top))
        if shingles is not None:
            _write_shingles(engine, crawl, shingles, algorithm)
        rows = list(template_rows(engine, top=top or SHOWN)) if output is None else []
        if save:
            tell("saving")
            engine.store(crawl, ["templates", "template_pagelets"])
    return CrawlTemplates(found, rows)


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
