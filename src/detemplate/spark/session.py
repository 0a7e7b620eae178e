"""Spark's session, with the settings that this package needs."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

_SETTINGS: Final = {
    # States of sites may be large: few of them fit into what Spark hands Python at once.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 << 20),
    # A run that goes on replaces the partitions that it writes, and no others.
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
    # As everyone else writes points of time, with their zone.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
"""Settings of the session that a run needs."""


START_SECONDS: Final = 300.0
"""Seconds in which Java must answer."""


def session(
    settings: Mapping[str, str] | None = None,
    *,
    master: str | None = None,
    start_seconds: float = START_SECONDS,
) -> SparkSession:
    """Return the running session, or start one.

    Under ``spark-submit`` the cluster's settings hold. Else Spark runs on this machine, on all its cores.

    Parameters
    ----------
    settings
        Further settings of Spark, by name.
    master
        Where Spark runs, for example ``"local[2]"`` or ``"yarn"``; None: as Spark is set up.
    start_seconds
        Seconds in which Java must answer.

    Raises
    ------
    MissingExtra
        PySpark is not installed.
    UserError
        Spark does not start: no Java, a wrong setting, or Java does not answer.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pyspark.errors import PySparkException, PySparkRuntimeError
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise MissingExtra("running on Spark", "spark") from error
        given = {
            "spark.app.name": "detemplate",
            **({"spark.master": master} if master else {}),
            **(settings or {}),
        }
        if (master or os.environ.get("MASTER", "local")).startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        try:
            _start_java(given, start_seconds)
            spark = SparkSession.builder.config(map={**given}).getOrCreate()
        except (PySparkRuntimeError, PySparkException) as error:
            raise UserError(
                f"Spark does not start: {_first_line(error)}; check that Java 17 is there"
            ) from error
    prepare(spark)
    return spark


def _start_java(settings: Mapping[str, str], seconds: float) -> None:
    """Start the process of Java, unless it runs.

    PySpark waits without end for a process that was started and does not answer. So it waits in a thread,
    which is left alone after some time.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    conf = SparkConf()
    for name, value in settings.items():
        conf.set(name, value)
    done: list[Any] = []

    def launch() -> None:
        try:
            done.append(launch_gateway(conf))  # type: ignore[no-untyped-call]
        except Exception as error:  # noqa: BLE001  # it is raised below
            done.append(error)

    thread = threading.Thread(target=launch, name="start of Java", daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        raise UserError(f"Spark does not start: Java has not answered for {seconds:g} s; try again")
    if isinstance(done[0], Exception):
        raise done[0]
    SparkContext._ensure_initialized(gateway=done[0], conf=conf)


def prepare(spark: SparkSession) -> None:
    """Give a session the settings that a run needs."""
    for name, value in _SETTINGS.items():
        spark.conf.set(name, value)


def describe(spark: SparkSession, text: str) -> None:
    """Name the jobs that follow in Spark's user interface."""
    spark.sparkContext.setJobDescription(f"detemplate: {text}")


def show_counts(spark: SparkSession, what: str, counts: Mapping[str, int]) -> None:
    """Show counts in Spark's user interface, as the name of a job that does nothing.

    Python cannot add to accumulators that the interface lists by name, and what ``DataFrame.observe`` counts
    is not shown there.

    Parameters
    ----------
    spark
        The session.
    what
        What was done.
    counts
        Numbers by what was counted; zeros are left out.
    """
    describe(
        spark,
        f"{what}: " + (", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "0"),
    )
    spark.range(1).collect()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
