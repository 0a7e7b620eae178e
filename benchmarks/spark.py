"""Clean on Spark and on one machine: the same rows, what it costs, what is shuffled, and skewed sites."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.support.sparkruns import compared
from benchmarks.support.sparkskew import FILES, SHARE, skew_report, write_files
from benchmarks.support.sparktemplates import templates_report
from benchmarks.workers import pages_made, write_crawl
from detemplate.engines.spark.forms import FORMS
from detemplate.engines.spark.job import SparkJob
from detemplate.engines.spark.session import session
from lab.harness.command import Parser, log, run, write_or_print
from lab.labelled.datasets import data_folder
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

_EXAMPLE = """\
examples:
  python -m benchmarks.spark same
  python -m benchmarks.spark same --methods auto --sets django,exim4 --out -
  python -m benchmarks.spark cost --pages 20000
  python -m benchmarks.spark skew --methods auto --pages 3000 --out -
  python -m benchmarks.spark templates --out -
"""
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "2g",
}
"""Settings of a Spark on this machine."""

_SKEW: Final = {
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.adaptive.enabled": "false",
}
"""Settings where tasks are compared: so many a stage, none of them joined."""

_CHUNK: Final = 400
"""Pages of a chunk where a skewed crawl is measured: its large site has several."""

_PAGES: Final = 3e9
"""Pages of a Common Crawl month."""

_MACHINES: Final = 100
"""Machines of the cluster that is computed."""

_CORES: Final = 32
"""Cores of each, as m7i.8xlarge has."""

_PRICE: Final = 1.6128
"""Price of such a machine in dollars an hour, on demand in us-east-1, without Spark's surcharge.

To be checked: its source is not at hand.
"""

_PARALLEL: Final = 1.5
"""Assumed work of a cluster for the work of one process: sorting, and cores that wait for the last tasks."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    settings = _SETTINGS | (_SKEW if options.what == "skew" else {})
    spark = session(settings, master=f"local[{options.cores}]")
    spark.sparkContext.setLogLevel("ERROR")
    try:
        report, good = _MEASURED[options.what](spark, options)
    finally:
        spark.stop()
    write_or_print(report, options.out)
    return 0 if good or not options.check else 1


def _same(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Compare the rows of all sets of sites, method by method."""
    files = _sets(options)
    rows, good = [], True
    for method in options.methods.split(","):
        job = SparkJob(method=method, explain=True, buckets=4)
        with tempfile.TemporaryDirectory() as folder:
            done = compared(spark, list(files.values()), job, Path(folder))
        log(f"{method}: {len(done.spark):,} pages of {len(files)} sets, {done.different} rows differ")
        good &= done.different == 0
        rows.append(
            [method, f"{len(files)}", f"{len(done.single):,}", f"{len(done.spark):,}", f"{done.different}"]
        )
    head = ["method", "sets", "rows of one machine", "rows of Spark", "different rows"]
    return f"# The same rows\n\n{markdown_table(head, rows)}\n", good


def _skew(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Compare the tasks of a crawl with one large site with those of one with equal sites."""
    report, good = "", True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = [(f"/{number}", html) for number, html in enumerate(islice(pages_made(), options.pages))]
        crawls = {
            "equal sites": write_files(folder / "equal", made, options.sites, 0),
            f"one site with {SHARE:.0%}": write_files(folder / "skewed", made, options.sites, SHARE),
        }
        for method in options.methods.split(","):
            job = SparkJob(method=method, chunk=_CHUNK, buckets=4)
            (folder / method).mkdir()
            table, fine = skew_report(spark, crawls, job, folder / method)
            report += f"## `{method}`\n\n{table}\n\n"
            good &= fine
    told = (
        f"# A skewed crawl\n\n{options.pages:,} pages of {options.sites:,} sites in {FILES} files, chunks of "
        f"{_CHUNK} pages, {options.cores} cores. Made with `python -m benchmarks.spark skew --pages "
        f"{options.pages} --sites {options.sites} --methods {options.methods}`.\n\n"
    )
    return told + report, good


def _templates(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Compare the templates of all sets of sites as one crawl with those that DuckDB finds."""
    with tempfile.TemporaryDirectory() as name:
        table, good = templates_report(spark, list(_sets(options).values()), Path(name))
    return f"# The same templates\n\n{table}\n", good


def _sets(options: argparse.Namespace) -> dict[str, str]:
    """Return the files of the chosen sets of sites."""
    files = sorted((data_folder() / "sites").glob("*/pages.jsonl.zst"))
    chosen = options.sets.split(",") if options.sets else [path.parent.name for path in files]
    return {path.parent.name: str(path) for path in files if path.parent.name in chosen}


def _cost(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Measure what is shuffled and how long it takes, and compute a Common Crawl month from it."""
    rows, report = [], ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        crawl = folder / "crawl.jsonl.zst"
        write_crawl(crawl, options.pages, options.sites)
        for method in options.methods.split(","):
            before = _shuffled(spark)
            done = compared(spark, [str(crawl)], SparkJob(method=method, buckets=4), folder / method)
            after = _shuffled(spark)
            single, distributed = done.processor
            size, records = (end - start for start, end in zip(before, after, strict=True))
            pages = len(done.single)
            rows.append(
                [
                    method, f"{pages:,}", f"{done.different}", f"{single:.0f}", f"{distributed:.0f}",
                    f"{distributed / single:.2f}", *(f"{each:.0f}" for each in done.seconds),
                    f"{records / pages:,.0f}", f"{size / pages:,.0f}",
                    f"{records / options.sites:,.0f}", f"{size / options.sites:,.0f}",
                ]
            )  # fmt: skip
            log(f"{method}: {records / pages:,.0f} rows, {size / pages:,.0f} bytes a page shuffled")
            report += _month(method, single / pages, distributed / single, size / pages)
    head = [
        "method", "pages", "different rows", "one machine, processor s", "Spark, processor s", "times",
        "one machine, s", f"Spark, {options.cores} cores, s",
        "rows a page", "bytes a page", "rows a site", "bytes a site",
    ]  # fmt: skip
    told = (
        f"# Spark\n\n{options.pages:,} pages of {options.sites:,} sites. *One machine* is one process, two "
        "passes. *Processor s* is the work of all processes. *Rows* and *bytes* are those that all shuffles "
        "wrote. Made with "
        f"`python -m benchmarks.spark cost --pages {options.pages} --sites {options.sites} "
        f"--methods {options.methods}`.\n\n{markdown_table(head, rows)}\n\n{report}"
    )
    return told, all(row[2] == "0" for row in rows)


def _month(method: str, page: float, factor: float, shuffled: float) -> str:
    """Compute what a Common Crawl month costs on a cluster, from the measured figures."""
    cores = _MACHINES * _CORES
    hours = _PAGES * page * _PARALLEL / cores / 3600
    disk = _PAGES * shuffled / _MACHINES
    dollars = hours * _MACHINES * _PRICE
    return (
        f"`{method}`, a Common Crawl month: {_PAGES / 1e9:g}·10⁹ pages × {page * 1e3:.1f} ms of one core × "
        f"{_PARALLEL:g} (assumed, for the tables between the passes and for idle cores) / "
        f"{cores:,} cores = {hours:,.1f} hours. Shuffled: {shuffled / 1e3:.1f} kB × {_PAGES / 1e9:g}·10⁹ = "
        f"{_PAGES * shuffled / 1e12:,.0f} TB, {disk / 1e9:,.0f} GB a machine. {_MACHINES} machines × "
        f"{hours:,.1f} h × ${_PRICE} = ${dollars:,.0f}. Spark took {factor:.2f} times the processor time of "
        "one process here, Java's warming up included.\n\n"
    )


def _shuffled(spark: SparkSession) -> tuple[int, int]:
    """Return the bytes and the rows that all stages so far have written for shuffles."""
    context: Any = spark.sparkContext
    none, no_quantiles = (
        context._jvm.java.util.ArrayList(),
        context._gateway.new_array(context._jvm.double, 0),
    )
    stages = context._jsc.sc().statusStore().stageList(none, False, False, no_quantiles, none)
    found = [stages.apply(number) for number in range(stages.size())]
    return sum(int(each.shuffleWriteBytes()) for each in found), sum(
        int(each.shuffleWriteRecords()) for each in found
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.spark", __doc__, _EXAMPLE)
    parser.add_argument("what", choices=list(_MEASURED), help="what is measured")
    parser.add_argument("--methods", default=",".join(FORMS), help="methods, joined by commas")
    parser.add_argument("--sets", default="", help="sets of sites, joined by commas; by default all")
    parser.add_argument("--pages", type=int, default=20_000, help="pages whose cost is measured")
    parser.add_argument("--sites", type=int, default=500, help="sites of these pages")
    parser.add_argument("--cores", type=int, default=2, help="cores that Spark uses")
    parser.add_check()
    parser.add_out()
    return parser.parse_args(arguments)


_MEASURED: Final = {"same": _same, "cost": _cost, "skew": _skew, "templates": _templates}
"""What is measured, by name."""


if __name__ == "__main__":
    run(main)
