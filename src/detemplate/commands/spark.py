"""``detemplate spark …``: cleaning and templates on Spark, for crawls that no machine holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.graph import Finding, show_templates, telling
from detemplate.commands.shared import (
    CrawlPath,
    Judging,
    Logging,
    Overwrite,
    Quiet,
    Reading,
    Writing,
    closing_summary,
    settings_of,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Master = Annotated[
    str | None,
    Option("Where Spark runs: local[2], yarn, spark://…", "URL", panel="Spark", default="as Spark is set up"),
]
Conf = Annotated[
    list[str] | None, Option("A setting of Spark; can be repeated.", "NAME=VALUE", panel="Spark")
]


def clean(
    inputs: Annotated[
        list[str],
        Argument(
            "Files of pages (WARC, JSON Lines, Parquet), directories or patterns, also of s3://, gs:// "
            "or hdfs://, or @FILE for a list of inputs.",
            "INPUT…",
        ),
    ],
    output: Annotated[
        str, Option("The folder to write, also of s3://, gs://, hdfs://.", "-o --output DIR", panel="Output")
    ],
    overwrite: Overwrite = False,
    buckets: Annotated[
        int, Option("Partitions of the output; a site's pages are in one.", "N", panel="Spark")
    ] = 64,
    files_a_part: Annotated[
        int,
        Option("Inputs of one Spark job; a killed run resumes after them.", "N", panel="Spark"),
    ] = 512,
    split_size: Annotated[
        int,
        Option(
            "Read WARC and Parquet files of over N bytes in pieces of about N bytes, a task each; 0: a "
            "task a file.",
            "N",
            panel="Spark",
        ),
    ] = 0,
    master: Master = None,
    conf: Conf = None,
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("base_url", "limit", "sample")],
    writing: Writing,
    judging: Judging,
    logging: Annotated[Logging, Without("rejects", "every_skip", "progress", "metrics")],
) -> None:
    """Clean pages on Spark, in two passes; the rows are those of 'detemplate clean'.

    DIR gets Parquet files, partitioned by the site (bucket=…), and a table of lost pages (_rejects). If the
    run is killed, the same command resumes it.

    \b
    Examples:
      detemplate spark clean crawl/*.warc.gz -o cleaned/
      detemplate spark clean s3://bucket/crawl/ -o s3://bucket/cleaned/ --method segments --master yarn
      detemplate spark clean pages.parquet -o cleaned/ --master 'local[2]' --conf spark.driver.memory=4g
    """
    from detemplate.io.sources.fields import FieldNames
    from detemplate.io.sources.pieces import input_files
    from detemplate.output.options import Rendering
    from detemplate.report.terminal import step_progress
    from detemplate.spark.job import SparkJob

    job = SparkJob(
        **judging.given(),
        **reading.limits(memory=True),
        rendering=Rendering(format=writing.formats or "text", **writing.how()),
        buckets=buckets,
        files_a_part=files_a_part,
        split_size=split_size,
        names=FieldNames(reading.url_column, reading.html_column, reading.id_column),
        kind=reading.input_format,
        max_bad=reading.bad_share,
        versions=reading.versions,
    )
    files = input_files(inputs, job.kind)
    with closing_summary(logging.summary, quiet=quiet) as report:
        session = _started(master, conf)
        from detemplate.spark.run import SparkRun

        run = SparkRun(session, files, output, job, overwrite=overwrite)
        with step_progress(run.phases, lines=not quiet) as show:
            run.tell = show
            report(run.go())


def templates(
    crawl: CrawlPath,
    master: Master = None,
    conf: Conf = None,
    quiet: Quiet = False,
    *,
    finding: Finding,
) -> None:
    """Find templates in the tables of a crawl on Spark, by the queries that 'graph templates' runs.

    \b
    Examples:
      detemplate spark templates crawl/
      detemplate spark templates s3a://bucket/crawl --temp s3a://bucket/temp --states known.json --master yarn
    """
    from detemplate.io.sources.kinds import refuse_outputs
    from detemplate.links.crawltemplates import find_templates

    refuse_outputs([crawl], [finding.output, finding.states])
    session = _started(master, conf)
    with telling(quiet=quiet) as tell:
        found = find_templates(crawl, **asdict(finding), spark=session, tell=tell)
    show_templates(found, finding.algorithm, quiet=quiet)


def _started(master: str | None, conf: list[str] | None) -> SparkSession:
    """Start Spark, or join the session of spark-submit."""
    from detemplate.spark.session import session

    given = settings_of(conf or [], "--conf", "spark.executor.memory=4g")
    return session({"spark.ui.showConsoleProgress": "false"} | given, master=master)
