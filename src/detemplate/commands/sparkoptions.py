"""What the commands on Spark share: their inputs, and how Spark is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from detemplate.commands.command import Argument, Option
from detemplate.commands.shared import settings_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from detemplate.commands.shared import Reading

Files = Annotated[
    list[str],
    Argument(
        metavar="INPUT…",
        help="Files of pages (WARC, JSON Lines, Parquet), directories or patterns, also of s3://, gs:// or "
        "hdfs://, or @FILE for a list of inputs.",
    ),
]
Folder = Annotated[
    str,
    Option("--output", "-o", metavar="DIR", help="The folder to write, also of s3://, gs://, hdfs://."),
]
SplitSize = Annotated[
    int,
    Option(
        metavar="N",
        help="Read WARC and Parquet files of over N bytes in pieces of about N bytes, a task each; 0: a task "
        "a file.",
    ),
]
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
Temp = Annotated[
    str | None,
    Option(
        metavar="DIR",
        help="Where intermediate tables go; on a cluster, a folder that all machines reach.",
    ),
]


def started(master: str | None, conf: list[str] | None) -> SparkSession:
    """Start Spark, or join the session of spark-submit."""
    from detemplate.spark.session import session

    given = settings_of(conf or [], "--conf", "spark.executor.memory=4g")
    return session({"spark.ui.showConsoleProgress": "false"} | given, master=master)


def reads_of(reading: Reading) -> dict[str, Any]:
    """Return how inputs are read on Spark, as arguments of :class:`~detemplate.spark.job.SparkJob`."""
    from detemplate.io.sources.fields import FieldNames

    return {
        "max_page_bytes": reading.max_page_bytes,
        "names": FieldNames(reading.url_column, reading.html_column, reading.id_column),
        "kind": reading.input_format,
        "max_bad": reading.bad_share,
        "versions": reading.versions,
    }
