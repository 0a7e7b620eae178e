"""Finding the templates in the tables of a crawl on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.links.crawltemplates import find_templates
from detemplate.relations.spark import SparkEngine

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from detemplate.links.crawltemplates import CrawlTemplates, TemplatesJob


def spark_templates(
    spark: SparkSession,
    crawl: str,
    job: TemplatesJob,
    *,
    output: str | None = None,
    states: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> CrawlTemplates:
    """Find the templates of a crawl's tables, and write them.

    Parameters
    ----------
    spark
        The session.
    crawl
        A directory with one directory of Parquet files per table, also of another machine.
    job
        How; of what DuckDB may use, only ``temp`` matters, the folder of intermediate tables.
    output, states, tell
        As for :func:`~detemplate.links.crawltemplates.find_templates`.

    Raises
    ------
    UserError
        The crawl lacks a table, or an output cannot be written.
    """
    engine = SparkEngine(spark, directory=job.temp)
    return find_templates(crawl, job, engine=engine, output=output, states=states, tell=tell)
