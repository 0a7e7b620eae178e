"""A crawl with one large site on Spark, beside one of equal sites: rows and seconds of tasks, and memory."""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, Final

from benchmarks.support.sparktasks import stages, watched_memory
from detemplate.engines.spark.run import SparkRun
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from benchmarks.support.sparktasks import Stage
    from detemplate.engines.spark.job import SparkJob

SHARE: Final = 0.3
"""Share of the pages that the large site has."""

FILES: Final = 12
"""Files of each crawl."""

LEAST_ROWS: Final = 5_000
"""Rows of the stages that are shown: in smaller ones no task is large."""

MOST: Final = 2.0
"""A task that reads more than so many times as many rows as the mean task is a straggler."""


def write_files(folder: Path, pages: Iterable[tuple[str, str]], sites: int, share: float) -> list[str]:
    """Write a crawl as files of JSON Lines; pages of all sites are mixed."""
    folder.mkdir()
    paths = [folder / f"{number:02}.jsonl" for number in range(FILES)]
    files = [path.open("w", encoding="utf-8") for path in paths]
    taken = 0
    for number, (path, html) in enumerate(pages):
        large = taken < share * (number + 1)
        taken += large
        site = 0 if large else (number % (sites - 1)) + 1 if share else number % sites
        files[number % FILES].write(
            json.dumps({"url": f"http://site{site}.example{path}", "html": html}) + "\n"
        )
    for file in files:
        file.close()
    return [str(path) for path in paths]


def skew_report(
    spark: SparkSession, crawls: dict[str, list[str]], job: SparkJob, folder: Path
) -> tuple[str, bool]:
    """Clean crawls; give a table of their stages, and whether no task was a straggler."""
    rows, good, memory = [], True, []
    last = max((stage.number for stage in stages(spark)), default=-1)
    for name, files in crawls.items():
        with watched_memory() as peaks:
            summary = SparkRun(spark, files, str(folder / f"out-{name}"), job).go()
        done = stages(spark, last)
        last = done[-1].number
        memory.append([name, f"{summary.pages:,}", f"{summary.sites:,}", f"{peaks.largest / 2**20:,.0f}"])
        for stage in done:
            if sum(stage.rows) >= LEAST_ROWS:
                rows.append([name, *_row(stage)])
                good &= max(stage.rows) <= MOST * statistics.mean(stage.rows)
    head = [
        "crawl",
        "phase",
        "tasks",
        "rows",
        "most rows of a task / mean",
        "longest task, s",
        "median task, s",
    ]
    sizes = ["crawl", "pages", "sites", "largest Python process, MiB"]
    return f"{markdown_table(sizes, memory)}\n\n{markdown_table(head, rows)}", good


def _row(stage: Stage) -> list[str]:
    return [
        stage.name.removeprefix("detemplate: "), f"{len(stage.rows)}", f"{sum(stage.rows):,}",
        f"{max(stage.rows) / statistics.mean(stage.rows):.2f}", f"{max(stage.seconds):.1f}",
        f"{statistics.median(stage.seconds):.1f}",
    ]  # fmt: skip
