"""Clean on Spark and on one machine: the same rows, what it costs, and what is shuffled."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.support.madecrawl import site_files, write_crawl
from benchmarks.support.sparkruns import compared, shuffled
from detemplate.detectors.registry import PLACES
from detemplate.io.sources.open import open_sources
from detemplate.links.detect import ALGORITHMS
from detemplate.links.engine import DuckEngine
from detemplate.links.sparkengine import SparkEngine
from detemplate.links.tables import TABLES
from detemplate.links.tabulating import tabulate
from detemplate.output.options import Rendering
from detemplate.spark.job import SparkJob
from detemplate.spark.session import session
from lab.harness.command import RESULTS, Parser, log, run, write_or_print
from lab.harness.tables import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from benchmarks.support.sparkruns import Comparison
    from detemplate.links.engine import TableEngine
    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.spark same
  python -m benchmarks.spark same --methods auto --sets django,exim4 --out -
  python -m benchmarks.spark cost --pages 20000
  python -m benchmarks.spark templates --out -
"""
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "2g",
}
"""Settings of a Spark on this machine."""
_QUERIES: Final = (
    "SELECT template_id, pagelet_shingle, pages, pagelets, hosts FROM templates ORDER BY template_id",
    "SELECT template_id, page_key, pagelet_serial FROM template_pagelets "
    "ORDER BY template_id, page_key, pagelet_serial",
)
"""The templates, and where they occur: what is compared."""
_PAGES: Final = 3e9  # pages of a Common Crawl month
_MACHINES: Final = 100  # machines of the cluster that is computed
_CORES: Final = 32  # cores of each, as m7i.8xlarge has
_PRICE: Final = 1.6128
"""Price of such a machine in dollars an hour, on demand in us-east-1, without Spark's surcharge.

To be checked: its source is not at hand.
"""

_NOTES: Final = """\
How to read these figures:

- Each is of one run. Spark's have Java's warming up in them.
- The pages are in one file, so nothing had to be merged. Where many files share a site, its state is shuffled
  once to be merged, and once more to each file.
- The price of a machine (m7i.8xlarge, $1.6128 an hour on demand in us-east-1) is to be checked: its source is
  not at hand. For comparison, [a page of 17 June 2026][1] names $0.0816 an hour for m7g.large there; with 16
  times as many cores that is $1.3056 for 32 of another make.

[1]: https://www.factualminds.com/blog/amazon-ec2-on-demand-pricing-instance-families-2026/
"""
_PARALLEL: Final = 1.5
"""Assumed work of a cluster for the work of one process: sorting, and cores that wait for the last tasks."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    spark = session(_SETTINGS, master=f"local[{options.cores}]")
    spark.sparkContext.setLogLevel("ERROR")
    try:
        report, good = _MEASURED[options.what](spark, options)
    finally:
        spark.stop()
    write_or_print(report, options.out or str(RESULTS / "spark" / f"{options.what}.md"))
    return 0 if good or not options.check else 1


def _same(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Compare the rows of all sets of sites, method by method."""
    files = _sets(options)
    rows = {}
    for method in options.methods.split(","):
        job = SparkJob(method=method, rendering=Rendering(explain=True), buckets=4)
        with tempfile.TemporaryDirectory() as folder:
            rows[method] = compared(spark, list(files.values()), job, Path(folder))
        log(f"{method}: {len(rows[method].spark):,} pages, {rows[method].different} rows differ")
    columns: list[Column] = [
        ("method", lambda row: row[0]),
        ("sets", lambda _: str(len(files))),
        ("rows of one machine", lambda row: len(row[1].single), ",d"),
        ("rows of Spark", lambda row: len(row[1].spark), ",d"),
        ("different rows", lambda row: row[1].different),
    ]
    good = not any(done.different for done in rows.values())
    told = f"All sets of sites, or those that the command names. Made with `{options.command}`."
    return f"# The same rows\n\n{told}\n\n{table(columns, rows.items())}\n", good


def _templates(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Compare the templates of all sets of sites as one crawl with those that DuckDB finds."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        crawl = Path(name) / "crawl"
        pages = tabulate(open_sources(list(_sets(options).values())), f"{crawl}/").pages
        for algorithm in ALGORITHMS:
            with DuckEngine(memory="1GB", threads=1) as duck:
                one = _found(duck, crawl, algorithm)
            with SparkEngine(spark) as engine:
                rows.append((algorithm, one, _found(engine, crawl, algorithm)))
    columns: list[Column] = [
        ("algorithm", lambda row: row[0]),
        ("pages", lambda _: pages, ",d"),
        ("templates, DuckDB", lambda row: len(row[1][0]), ",d"),
        ("templates, Spark", lambda row: len(row[2][0]), ",d"),
        ("pagelets in them", lambda row: len(row[1][1]), ",d"),
        ("equal", lambda row: str(row[1] == row[2]).lower()),
    ]
    told = f"All sets of sites as one crawl. Made with `{options.command}`."
    return f"# The same templates\n\n{told}\n\n{table(columns, rows)}\n", all(
        one == other for _, one, other in rows
    )


def _found(engine: TableEngine, crawl: Path, algorithm: str) -> list[list[tuple[Any, ...]]]:
    for name in TABLES:
        engine.source(name, crawl / name)
    ALGORITHMS[algorithm](engine)
    return [engine.rows(query) for query in _QUERIES]


def _sets(options: argparse.Namespace) -> dict[str, str]:
    """Return the files of the chosen sets of sites."""
    return site_files(options.sets.split(",") if options.sets else None)


def _cost(spark: SparkSession, options: argparse.Namespace) -> tuple[str, bool]:
    """Measure what is shuffled and how long it takes, and compute a Common Crawl month from it."""
    rows, report = [], ""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        crawl = folder / "crawl.jsonl.zst"
        write_crawl(crawl, options.pages, options.sites)
        for method in options.methods.split(","):
            before = shuffled(spark)
            done = compared(spark, [str(crawl)], SparkJob(method=method, buckets=4), folder / method)
            size, records = (end - start for start, end in zip(before, shuffled(spark), strict=True))
            rows.append((method, done, records, size))
            single, distributed = done.processor
            pages = len(done.single)
            log(f"{method}: {records / pages:,.0f} rows, {size / pages:,.0f} bytes a page shuffled")
            report += f"`{method}`, step by step:\n\n{_steps(done, pages)}\n\n"
            report += _month(method, single / pages, distributed / single, size / pages)
    columns: list[Column] = [
        ("method", lambda row: row[0]),
        ("pages", lambda row: len(row[1].single), ",d"),
        ("different rows", lambda row: row[1].different),
        ("one machine, processor s", lambda row: row[1].processor[0], ".0f"),
        ("Spark, processor s", lambda row: row[1].processor[1], ".0f"),
        ("times", lambda row: row[1].processor[1] / row[1].processor[0], ".2f"),
        ("one machine, s", lambda row: row[1].seconds[0], ".0f"),
        (f"Spark, {options.cores} cores, s", lambda row: row[1].seconds[1], ".0f"),
        ("rows a page", lambda row: row[2] / len(row[1].single), ",.0f"),
        ("bytes a page", lambda row: row[3] / len(row[1].single), ",.0f"),
        ("rows a site", lambda row: row[2] / options.sites, ",.0f"),
        ("bytes a site", lambda row: row[3] / options.sites, ",.0f"),
    ]
    told = (
        f"# Spark\n\n{options.pages:,} pages of {options.sites:,} sites. *One machine* is one process, two "
        "passes. *Processor s* is the work of all processes. *Rows* and *bytes* are those that all shuffles "
        f"wrote. Made with `{options.command}`.\n\n{table(columns, rows)}\n\n{report}{_NOTES}"
    )
    return told, not any(done.different for _, done, _, _ in rows)


def _steps(done: Comparison, pages: int) -> str:
    """Return a table of the steps of a run on Spark."""
    work, columns = done.processor[1], list[Any]()
    columns = [
        ("step", lambda step: step.name),
        ("s", lambda step: step.seconds, ".1f"),
        ("processor s", lambda step: step.processor, ".1f"),
        ("share of processor s", lambda step: step.processor / work, ".0%"),
        ("bytes shuffled a page", lambda step: step.shuffled / pages, ",.0f"),
    ]
    return table(columns, done.steps)


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


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.spark", __doc__, _EXAMPLE)
    parser.add_argument("what", choices=list(_MEASURED), help="what is measured")
    parser.add_argument("--methods", default=",".join(PLACES), help="methods, joined by commas")
    parser.add_argument("--sets", default="", help="sets of sites, joined by commas; by default all")
    parser.add_argument("--pages", type=int, default=20_000, help="pages whose cost is measured")
    parser.add_argument("--sites", type=int, default=500, help="sites of these pages")
    parser.add_argument("--cores", type=int, default=2, help="cores that Spark uses")
    parser.add_check()
    parser.add_argument(
        "--out", metavar="FILE", help="Markdown file, - for standard output only (default: the committed one)"
    )
    return parser.read(arguments)


_MEASURED: Final = {"same": _same, "cost": _cost, "templates": _templates}
"""What is measured, by name."""


if __name__ == "__main__":
    run(main)
