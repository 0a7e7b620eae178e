"""Measure quality against the number of a site's pages seen.

Each target page is cleaned by a detector that has learnt *n* pages of its site: the target and n - 1 others.
"""

from __future__ import annotations

import os
import shlex
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.support.pagesseen import PAGES_PER_SITE, SEEN, Plan, measure_part, parts_of
from benchmarks.support.pagesseen_charts import write_pagesseen_charts
from benchmarks.support.pagesseen_report import figures_csv, pages_csv, pagesseen_report
from benchmarks.support.pagesseen_summary import grouped
from detemplate.detectors.registry import DEFAULT_METHOD
from detemplate.errors import UserError
from lab.harness.charts import require_matplotlib
from lab.harness.command import RESULTS, Parser, progress, run, split_names
from lab.harness.common import make_folder, write_results
from lab.labelled.datasets import load_sets

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from benchmarks.support.pagesseen import Curve, Part

_SETS = ("sites", "dragnet-hosts", "cleanportaleval")
_EXAMPLE = """\
examples:
  python -m benchmarks.pages_seen
  python -m benchmarks.pages_seen --methods segments,sandwich --sets sites/django dragnet-hosts --out seen
"""


def main(arguments: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = _parse(words)
    try:
        seen = tuple(sorted({int(number) for number in _split(options.seen)}))
    except ValueError:
        raise UserError(f"--seen takes whole numbers, not {' '.join(options.seen)!r}") from None
    methods = tuple(dict.fromkeys(_split(options.methods)))
    plan = Plan(methods, seen, options.pages_per_site, options.seed)
    if options.jobs < 1:
        raise UserError(f"--jobs must be at least 1, not {options.jobs}")
    names = _split(options.sets)
    if not names:
        raise UserError("--sets names no set")
    parts = parts_of(load_sets(names))
    require_matplotlib()
    make_folder(options.out)
    curves: list[Curve] = []
    targets, start = 0, perf_counter()
    with progress(len(parts)) as show:
        for done, (part, found) in enumerate(
            zip(parts, _measured(plan, parts, options.jobs), strict=True), start=1
        ):
            curves += found
            targets += len(found) // len(methods)
            rate = targets / (perf_counter() - start)
            show(f"{part.labelled.name} · {targets:,} target pages, {rate:.2f} a second", done)
    if not curves:
        raise UserError(f"no site of these sets has {seen[0]} pages, one of them with gold")
    groups = grouped(curves, seen)
    command = shlex.join(["python", "-m", "benchmarks.pages_seen", *words])
    texts = {
        "table.md": pagesseen_report(groups, plan, command),
        "table.csv": figures_csv(groups),
        "pages.csv": pages_csv(curves, plan),
    }
    for path in write_results(options.out, texts, partial(write_pagesseen_charts, groups, plan)):
        print(f"wrote {path}", file=sys.stderr)
    return 0


def _measured(plan: Plan, parts: Sequence[Part], jobs: int) -> Iterator[list[Curve]]:
    measure = partial(measure_part, plan)
    if jobs == 1 or len(parts) == 1:
        yield from map(measure, parts)
        return
    with ProcessPoolExecutor(min(jobs, len(parts)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(measure, parts)


def _split(names: Sequence[str]) -> list[str]:
    """Split names that are separated by commas or spaces."""
    return [name for part in names for name in split_names(part)]


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser("benchmarks.pages_seen", __doc__, _EXAMPLE)
    several = "separated by commas or spaces"
    parser.add_argument(
        "--methods", nargs="+", default=[DEFAULT_METHOD], metavar="NAME",
        help=f"methods, {several} (default {DEFAULT_METHOD})",
    )  # fmt: skip
    parser.add_argument(
        "--sets", nargs="+", default=_SETS, metavar="NAME",
        help=f"sets, {several}; 'sites' for all sites (default {','.join(_SETS)})",
    )  # fmt: skip
    parser.add_argument(
        "--seen", nargs="+", default=[",".join(map(str, SEEN))], metavar="N",
        help=f"numbers of pages learnt, {several} (default {','.join(map(str, SEEN))})",
    )  # fmt: skip
    parser.add_argument(
        "--pages-per-site", type=int, default=PAGES_PER_SITE, metavar="N",
        help=f"most target pages of a site (default {PAGES_PER_SITE})",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of the draws (default 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    parser.add_argument(
        "--out", type=Path, default=RESULTS / "pages_seen", help="folder for tables and charts (%(default)s)"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
