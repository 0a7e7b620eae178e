"""Spark's session, with the settings that this package needs."""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, Final

from detemplate.errors import MissingExtra, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

_SETTINGS: Final = {
    # Pages are large: few of them fit into what Python and Spark hand each other at once.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    # A run that goes on replaces the partitions that it writes, and no others.
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
    # As everyone else writes points of time, with their zone.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
"""Settings of the session that a run needs."""


def session(settings: Mapping[str, str] | None = None, *, master: str | None = None) -> SparkSession:
    """Return the running session, or start one.

    Under ``spark-submit`` the cluster's settings hold. Else Spark runs on this machine, on all its cores.

    Parameters
    ----------
    settings
        Further settings of Spark, by name.
    master
        Where Spark runs, for example ``"local[2]"`` or ``"yarn"``; None: as Spark is set up.

    Raises
    ------
    MissingExtra
        PySpark is not installed.
    UserError
        Spark does not start: no Java, or a wrong setting.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pyspark.errors import PySparkException, PySparkRuntimeError
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise MissingExtra("running on Spark", "spark") from error
        builder = SparkSession.builder.appName("detemplate")
        if master is not None:
            builder = builder.master(master)
        if (master or os.environ.get("MASTER", "local")).startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        for name, value in (settings or {}).items():
            builder = builder.config(name, value)
        try:
            spark = builder.getOrCreate()
        except (PySparkRuntimeError, PySparkException) as error:
            raise UserError(
                f"Spark does not start: {_first_line(error)}; check that Java 17 is there"
            ) from error
    prepare(spark)
    return spark


def prepare(spark: SparkSession) -> None:
    """Give a session the settings that a run needs."""
    for name, value in _SETTINGS.items():
        spark.conf.set(name, value)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
