"""Clean on Spark and on one machine: the same rows, what it costs, what is shuffled, and skewed sites."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.command import Parser, log, run, write_or_print
from benchmarks.support.sparkruns import compared
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
"""
_SETTINGS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "3g",
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    spark = session(_SETTINGS, master=f"local[{options.cores}]")
    spark.sparkContext.setLogLevel("ERROR")
    try:
        report, good = {"same": _same}[options.what](spark, options)
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


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("spark", __doc__, _EXAMPLE)
    parser.add_argument("what", choices=["same"], help="what is measured")
    parser.add_argument("--methods", default=",".join(FORMS), help="methods, joined by commas")
    parser.add_argument("--sets", default="", help="sets of sites, joined by commas; by default all")
    parser.add_argument("--cores", type=int, default=2, help="cores that Spark uses")
    parser.add_check()
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
