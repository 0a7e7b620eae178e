"""Templates of crawls on Spark and on DuckDB: whether the tables are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.engines.tabulating import TablesJob, tabulate
from detemplate.io.sources.open import open_sources
from detemplate.relations.detect import ALGORITHMS
from detemplate.relations.duck import DuckEngine
from detemplate.relations.schema import TABLES
from detemplate.relations.spark import SparkEngine
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from detemplate.relations.engine import TableEngine

_QUERIES = (
    "SELECT template_id, pagelet_shingle, pages, pagelets, hosts FROM templates ORDER BY template_id",
    "SELECT template_id, page_key, pagelet_serial FROM template_pagelets "
    "ORDER BY template_id, page_key, pagelet_serial",
)
"""What is compared: the templates, and where they occur."""


def templates_report(spark: SparkSession, files: Sequence[str], folder: Path) -> tuple[str, bool]:
    """Find the templates of all pages as one crawl; give a table, and whether both engines find the same."""
    crawl = folder / "crawl"
    pages = tabulate(open_sources(files), f"{crawl}/", TablesJob()).pages
    rows, good = [], True
    for algorithm in ALGORITHMS:
        with DuckEngine(memory="1GB", threads=1) as duck:
            one = _templates(duck, crawl, algorithm)
        with SparkEngine(spark) as engine:
            other = _templates(engine, crawl, algorithm)
        equal = one == other
        good &= equal
        rows.append(
            [
                algorithm,
                f"{pages:,}",
                f"{len(one[0]):,}",
                f"{len(other[0]):,}",
                f"{len(one[1]):,}",
                str(equal).lower(),
            ]
        )
    head = ["algorithm", "pages", "templates, DuckDB", "templates, Spark", "pagelets in them", "equal"]
    return markdown_table(head, rows), good


def _templates(engine: TableEngine, crawl: Path, algorithm: str) -> list[list[tuple[Any, ...]]]:
    for name in TABLES:
        engine.source(name, crawl / name)
    ALGORITHMS[algorithm](engine)
    return [engine.rows(query) for query in _QUERIES]
