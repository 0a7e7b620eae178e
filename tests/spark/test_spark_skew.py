"""One site with nearly all pages: no task of a shuffle sees it as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.support.sparkruns import stages, watched_memory
from detemplate.spark.job import SparkJob
from detemplate.spark.run import SparkRun
from tests.support.spark_inputs import spark_pages, write_lines

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

TASKS = 8


def test_no_task_sees_a_whole_site(spark: SparkSession, tmp_path: Path) -> None:
    pages = spark_pages()
    files = [write_lines(tmp_path / f"{number}.jsonl", pages[number::TASKS]) for number in range(TASKS)]
    before = stages(spark)[-1].number if stages(spark) else -1
    given = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(TASKS))
    try:
        with watched_memory(0.1) as peaks:
            SparkRun(spark, files, str(tmp_path / "out"), SparkJob("segments", chunk=400, buckets=1)).go()
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(given))
    large = [stage for stage in stages(spark, before) if sum(stage.rows) > 2000]
    assert {stage.name for stage in large} >= {"detemplate: counts of keys"}
    assert any("cleaning" in stage.name for stage in large)
    for stage in large:
        # The site has 95 % of all rows; of these, each of its tasks has an eighth, about.
        assert max(stage.rows) < 0.35 * sum(stage.rows), stage
    assert peaks.workers
