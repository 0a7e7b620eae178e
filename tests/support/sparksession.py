"""One Spark for all tests of a process: starting it takes longer than they do."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from detemplate.spark.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAST: Final = {
    "spark.ui.enabled": "true",  # its REST interface is tested
    "spark.ui.port": "0",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # A worker that says nothing for so long hangs: its task fails, and the log has its stack.
    "spark.python.worker.faulthandler.enabled": "true",
    "spark.python.worker.idleTimeoutSeconds": "180",
    "spark.python.worker.killOnIdleTimeout": "true",
}
"""Small tables: what makes large ones fast costs more than it gives."""

_START: Final = 400.0
"""Seconds in which Spark must start, also on a busy machine."""


@contextmanager
def started() -> Iterator[SparkSession]:
    """Start Spark; where that hangs, the process ends, and shows where it hung."""
    faulthandler.dump_traceback_later(_START, exit=True)
    try:
        running = session(FAST, master="local[2]", start_seconds=_START - 30)
        running.sparkContext.setLogLevel("ERROR")
    finally:
        faulthandler.cancel_dump_traceback_later()
    try:
        yield running
    finally:
        faulthandler.dump_traceback_later(60, exit=True)
        running.stop()
        faulthandler.cancel_dump_traceback_later()
