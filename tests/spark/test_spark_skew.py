"""One site with nearly all pages, in more files than are merged at once: no task sees it as a whole."""

from benchmarks.support.sparkruns import compared, stages
from detemplate.spark.job import SparkJob
from detemplate.spark.tasks import FAN
from tests.support.spark_inputs import spark_pages, write_lines

FILES = FAN + 3


def test_states_of_a_large_site_are_merged_as_a_tree(spark, tmp_path):
    pages = spark_pages()
    files = [write_lines(tmp_path / f"{number:02}.jsonl", pages[number::FILES]) for number in range(FILES)]
    before = stages(spark)[-1].number if stages(spark) else -1
    given = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "8")
    try:
        done = compared(spark, files, SparkJob("auto", files_a_part=10), tmp_path)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(given))
    assert done.spark == done.single
    assert len(done.single) == len(pages) - 2
    done_stages = stages(spark, before)
    merging = [stage for stage in done_stages if stage.name == "detemplate: merging round 1"]
    assert len({stage.name for stage in done_stages if "merging round" in stage.name}) == 2
    assert sum(map(sum, (stage.rows for stage in merging))) >= FILES
    assert max(max(stage.rows) for stage in merging if stage.rows) < FILES
