"""Clean on Spark and on one machine: the same rows, what it costs, what is shuffled, and skewed sites."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.command import Parser, log, run, write_or_print
from benchmarks.support.sparkruns import compared
from benchmarks.workers import write_crawl
from detemplate.engines.spark.forms import FORMS
from detemplate.engines.spark.job import SparkJob
from detemplate.engines.spark.session import session
from detemplate.labelled.datasets import data_folder
from detemplate.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

_EXAMPLE = """\
examples:
  python -m benchmarks.spark same
  python -m benchmarks.spark same --methods auto --sets django,exim4 --out -
  python -m benchmarks.spark cost --pages 20000
"""
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "3g",
}
"""Settings of a Spark on this machine."""

_PAGES: Final = 3e9
"""Pages of a Common Crawl month."""

_MACHINES: Final = 100
"""Machines of the cluster that is computed."""

_CORES: Final = 32
"""Cores of each, as m7i.8xlarge has."""

_PRICE: Final = 1.6128
"""Price of such a machine in dollars an hour, on demand in us-east-1, without Spark's surcharge."""

_PARALLEL: Final = 1.5
"""Assumed work of a cluster for the work of one process: sorting, and cores that wait for the last tasks."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    spark = session(_SETTINGS, master=f"local[{options.cores}]")
    spark.sparkContext.setLogLevel("ERROR")
    try:
        report, good = {"same": _same, "cost": _cost}[options.what](spark, options)
    finally:
        spark.stop()
    write_or_print(report, options.out)
    return 0 if good or not options.check else 1


def _same(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Compare the rows of all sets of sites, method by method."""
    root = data_folder() / "sites"
    files = {path.parent.name: str(path) for path in sorted(root.glob("*/pages.jsonl.zst"))}
    names = options.sets.split(",") if options.sets else list(files)
    rows, good = [], True
    for method in options.methods.split(","):
        job = SparkJob(method=method, explain=True, buckets=4)
        with tempfile.TemporaryDirectory() as folder:
            done = compared(spark, [files[name] for name in names], job, Path(folder))
        log(f"{method}: {len(done.spark):,} pages of {len(names)} sets, {done.different} rows differ")
        good &= done.different == 0
        rows.append(
            [method, f"{len(names)}", f"{len(done.single):,}", f"{len(done.spark):,}", f"{done.different}"]
        )
    head = ["method", "sets", "rows of one machine", "rows of Spark", "different rows"]
    return f"# The same rows\n\n{markdown_table(head, rows)}\n", good


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
            single, distributed = done.seconds
            size, records = (end - start for start, end in zip(before, after, strict=True))
            pages = len(done.single)
            rows.append(
                [
                    method, f"{pages:,}", f"{done.different}", f"{single:.0f}", f"{distributed:.0f}",
                    f"{distributed / single:.2f}", f"{records / pages:,.0f}", f"{size / pages:,.0f}",
                    f"{records / options.sites:,.0f}", f"{size / options.sites:,.0f}",
                ]
            )  # fmt: skip
            log(f"{method}: {records / pages:,.0f} rows, {size / pages:,.0f} bytes a page shuffled")
            report += _month(method, single / pages, distributed / single, size / pages)
    head = [
        "method", "pages", "different rows", "one machine, s", f"Spark, {options.cores} cores, s",
        "times", "rows a page", "bytes a page", "rows a site", "bytes a site",
    ]  # fmt: skip
    told = (
        f"# Spark\n\n{options.pages:,} pages of {options.sites:,} sites. *One machine* is one process, two "
        "passes. *Rows* and *bytes* are those that all shuffles wrote. Made with "
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
        f"{hours:,.1f} h × ${_PRICE} = ${dollars:,.0f}. Spark took {factor:.2f} times as long as one process "
        "here, its start and small tables included.\n\n"
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
    parser = Parser("spark", __doc__, _EXAMPLE)
    parser.add_argument("what", choices=["same", "cost"], help="what is measured")
    parser.add_argument("--methods", default=",".join(FORMS), help="methods, joined by commas")
    parser.add_argument("--sets", default="", help="sets of sites, joined by commas; by default all")
    parser.add_argument("--pages", type=int, default=20_000, help="pages whose cost is measured")
    parser.add_argument("--sites", type=int, default=500, help="sites of these pages")
    parser.add_argument("--cores", type=int, default=2, help="cores that Spark uses")
    parser.add_check()
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
