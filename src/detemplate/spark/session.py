"""Spark's session, with the settings that this package needs."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.files.safepath import SAFE_PATH, safe_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

_SETTINGS: Final = {
    # States of sites may be large: few of them fit into memory at once.
    "spark.sql.parquet.enableVectorizedReader": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(32 << 20),
    # A run that goes on replaces the partitions that it writes, and no others.
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # as everyone else writes them
}


def session(
    settings: Mapping[str, str] | None = None, *, master: str | None = None, start_seconds: float = 300.0
) -> SparkSession:
    """Return the running session, or start one: as the cluster says under ``spark-submit``, else here.

    ``settings``, ``master``: further settings of Spark, by name; where it runs (``"local[2]"``, ``"yarn"``),
        if that is said.
    ``start_seconds``: seconds in which Java must answer.
    Raises MissingExtra: PySpark is not installed.
    Raises UserError: Spark does not start: no Java, a wrong setting, or Java does not answer.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pyspark.errors import PySparkException, PySparkRuntimeError
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise MissingExtra("running on Spark", "spark") from error
        given = {"spark.app.name": "detemplate", **(settings or {})}
        if master:
            given["spark.master"] = master
        if (master or os.environ.get("MASTER", "local")).startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        try:
            _start_java(given, start_seconds)
            spark = SparkSession.builder.config(map={**given}).getOrCreate()
        except (PySparkRuntimeError, PySparkException) as error:
            told = str(error).strip().partition("\n")[0]
            raise UserError(f"Spark does not start: {told}; check that Java 17 is there") from error
    prepare(spark)
    return spark


def _start_java(settings: Mapping[str, str], seconds: float) -> None:
    """Start Java, unless it runs. PySpark would wait for it without end; so it waits in a thread."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        return
    # Python's processes on all machines look for no modules in the directory in which they are started.
    conf = SparkConf().setAll(list(settings.items())).set(f"spark.executorEnv.{SAFE_PATH}", "1")
    done: list[Any] = []

    def launch() -> None:
        with safe_path():
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
    """Show counts in Spark's user interface, as the name of a job that does nothing."""
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    describe(spark, f"{what}: {told or 0}")
    spark.range(1).collect()
