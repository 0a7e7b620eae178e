"""``detemplate spark …``: cleaning and templates on Spark, for crawls that no machine holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from detemplate.commands.cleaningoptions import (
    Explain,
    Formats,
    HowImages,
    HowLinks,
    HowTables,
    KeepScripts,
    Sanitize,
    Threshold,
    WhichMetadata,
)
from detemplate.commands.command import Argument, Option, Without
from detemplate.commands.shared import (
    AS_USUAL,
    MaxMemory,
    MaxSeconds,
    Method,
    Overwrite,
    Quiet,
    Reading,
    Settings,
    SiteBy,
    SummaryFile,
    closing_summary,
    settings_of,
)
from detemplate.commands.templates import (
    Listing,
    MinPages,
    Save,
    States,
    Top,
    show_templates,
    telling,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Master = Annotated[
    str | None,
    Option(
        metavar="URL", show_default="as Spark is set up", help="Where Spark runs: local[2], yarn, spark://…"
    ),
]
Conf = Annotated[
    list[str] | None,
    Option(metavar="NAME=VALUE", help="A setting of Spark; can be repeated."),
]


def clean(
    inputs: Annotated[
        list[str],
        Argument(
            metavar="INPUT…",
            help="Files of pages (WARC, JSON Lines, Parquet), directories or patterns, also of s3://, gs:// "
            "or hdfs://, or @FILE for a list of inputs.",
        ),
    ],
    output: Annotated[
        str,
        Option("--output", "-o", metavar="DIR", help="The folder to write, also of s3://, gs://, hdfs://."),
    ],
    method: Method = "auto",
    formats: Formats = None,
    keep_scripts: KeepScripts = False,
    sanitize: Sanitize = False,
    links: HowLinks = None,
    images: HowImages = None,
    tables: HowTables = None,
    explain: Explain = False,
    metadata: WhichMetadata = "basic",
    threshold: Threshold = None,
    settings: Settings = None,
    site_by: SiteBy = "host",
    reading: Annotated[Reading, Without("base_url", "limit", "sample")] = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    max_page_memory: MaxMemory = 2 << 30,
    buckets: Annotated[
        int, Option(metavar="N", help="Partitions of the output; a site's pages are in one.")
    ] = 64,
    files_a_part: Annotated[
        int,
        Option(metavar="N", help="Inputs that one Spark job works on; a killed run goes on after them."),
    ] = 512,
    split_size: Annotated[
        int,
        Option(
            metavar="N",
            help="Read WARC and Parquet files of over N bytes in pieces of about N bytes, a task each; 0: a "
            "task a file.",
        ),
    ] = 0,
    master: Master = None,
    conf: Conf = None,
    summary: SummaryFile = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Clean pages on Spark, in two passes; the rows are those of 'detemplate clean'.

    DIR gets Parquet files, partitioned by the site (bucket=…), and a table of lost pages (_rejects). If the
    run is killed, the same command goes on.

    \b
    Examples:
      detemplate spark clean crawl/*.warc.gz -o cleaned/
      detemplate spark clean s3://bucket/crawl/ -o s3://bucket/cleaned/ --method segments --master yarn
      detemplate spark clean pages.parquet -o cleaned/ --master 'local[2]' --conf spark.driver.memory=4g
    """
    from detemplate.io.sources.fields import FieldNames
    from detemplate.io.sources.pieces import input_files
    from detemplate.output.options import formats_of, with_metadata
    from detemplate.report.progress import step_progress
    from detemplate.spark.job import SparkJob

    job = SparkJob(
        method=method,
        options=settings_of(settings or []),
        site_by=site_by,
        threshold=threshold,
        formats=formats_of(formats or "text"),
        keep_scripts=keep_scripts,
        sanitize=sanitize,
        links=links,
        images=images,
        tables=tables,
        explain=explain,
        metadata=with_metadata(metadata),
        max_page_seconds=max_page_seconds,
        max_page_memory=max_page_memory,
        buckets=buckets,
        files_a_part=files_a_part,
        split_size=split_size,
        max_page_bytes=reading.max_page_bytes,
        names=FieldNames(reading.url_column, reading.html_column, reading.id_column),
        kind=reading.input_format,
        max_bad=reading.bad_share,
        versions=reading.versions,
    )
    files = input_files(inputs, job.kind)
    with closing_summary(summary, quiet=quiet) as tell:
        session = _started(master, conf)
        from detemplate.spark.run import SparkRun

        run = SparkRun(session, files, output, job, overwrite=overwrite)
        with step_progress(run.phases, lines=not quiet) as show:
            run.tell = show
            tell(run.go())


def templates(
    crawl: Annotated[
        str,
        Argument(metavar="CRAWL", help="The directory that 'graph tables -o DIR/' made, also by URL."),
    ],
    algorithm: Annotated[
        str,
        Option(
            "--algorithm",
            "-a",
            help="local: pagelets that recur; global: only where the pages also link to each other.",
        ),
    ] = "global",
    output: Listing = None,
    states: States = None,
    save: Save = False,
    top: Top = None,
    min_pages: MinPages = 2,
    temp: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Where intermediate tables go; on a cluster, a folder that all machines reach.",
        ),
    ] = None,
    master: Master = None,
    conf: Conf = None,
    quiet: Quiet = False,
) -> None:
    """Find templates in the tables of a crawl on Spark, by the queries that 'graph templates' runs.

    \b
    Examples:
      detemplate spark templates crawl/
      detemplate spark templates s3a://bucket/crawl --temp s3a://bucket/temp --states known.json --master yarn
    """
    from detemplate.io.sources.inputnames import refuse_outputs
    from detemplate.links.crawltemplates import TemplatesJob, find_templates

    refuse_outputs([crawl], [output, states])
    job = TemplatesJob(algorithm=algorithm, min_pages=min_pages, top=top, save=save, temp=temp)
    session = _started(master, conf)
    with telling(quiet=quiet) as tell:
        found = find_templates(crawl, job, spark=session, output=output, states=states, tell=tell)
    show_templates(found, algorithm, quiet=quiet)


def _started(master: str | None, conf: list[str] | None) -> SparkSession:
    """Start Spark, or join the session of spark-submit."""
    from detemplate.spark.session import session

    given = settings_of(conf or [], "--conf", "spark.executor.memory=4g")
    return session({"spark.ui.showConsoleProgress": "false"} | given, master=master)
