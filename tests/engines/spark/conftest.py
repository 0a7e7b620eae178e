"""One Spark for all tests: starting it takes longer than they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from detemplate.engines.spark.session import session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

FAST = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
"""Small tables: what makes large ones fast costs more than it gives."""


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    running = session(FAST, master="local[2]")
    running.sparkContext.setLogLevel("ERROR")
    yield running
    running.stop()
