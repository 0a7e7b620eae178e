"""Clean a large crawl with and without workers; measure rates, the owner's share, checkpoints and memory.

The crawl is made of real sites: their pages come again and again under other addresses, each with a
paragraph of its own, on one site or on many. What a run of one page takes, the start, is measured apart: it
is the same for a crawl of any length. Each run is repeated, in turn with the others, and the one of median
length counts: other programs of the machine slow single runs down. So many processes alone as there are
workers run at once, too, each over the whole crawl: processors share caches and memory, and no division of
work is faster than that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.support.madecrawl import write_crawl
from lab.harness.command import Parser, positive, progress, run, write_or_print
from lab.harness.tables import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.workers
  python -m benchmarks.workers --pages 2000 --workers 2 --rounds 1 --out -
"""
_GOAL: Final = 0.9  # minimum speed-up for each worker, where there is a processor for each
_CHECKPOINT_GOAL: Final = 0.03  # maximum share of the time that checkpoints may cost
_CLUSTER: Final = 64  # processors for which the rate is computed
_WAYS: Final = {"two passes": [], "one pass": ["--stream"]}  # options of the runs
_MEASURE: Final = """\
import json, resource, sys, time
from detemplate.cli import main
start = time.perf_counter()
code = main(sys.argv[1:])
if code:
    raise SystemExit(code)
owner, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps((time.perf_counter() - start, owner.ru_utime + owner.ru_stime,
                  workers.ru_utime + workers.ru_stime, (owner.ru_maxrss + workers.ru_maxrss) * 1024)))
"""
_REPORT: Final = """\
# Workers

{pages:,} pages, `{method}`; of {rounds} runs, that of median length. *Alone* is `--workers 0`. The \
*start* is a run of one page with workers: loading the program and the model takes one processor, however \
many there are. All that follows is without it: *processor time* is that of all processes against one \
alone. The *owner* reads, learns in order and writes; its share is of all processor time. From both \
follows how many workers one owner can serve, and the rate on {cluster} processors, if reading keeps up. \
The *limit* is what the processors give at most: {workers} processes alone at once, each over the whole \
crawl. *Checkpoints cost* so much of the time and of the processor time with workers. *Peak* is the \
owner's and the largest worker's together. Made with `{command}`.

{table}
"""


class Timing(NamedTuple):
    """Seconds of one run, of processor time of its first process and of all others; peak memory in bytes.

    The peak is that of the first process and of the largest worker together.
    """

    seconds: float
    owner: float
    workers: float
    peak: int

    def after(self, start: Timing) -> Timing:
        """Subtract the times of another run: the start."""
        times = (self.seconds - start.seconds, self.owner - start.owner, self.workers - start.workers)
        return Timing(*times, self.peak)


class Figures(NamedTuple):
    """A run alone compared with one with workers.

    ``faster`` and ``steady`` say how many times as fast the run with workers is, as a whole and after the
    start; ``work`` how many times as much processor time it takes after the start, ``owner`` the owner's
    share of it, ``serves`` how many workers one owner can serve, and ``many`` the pages a second, after the
    start, on :data:`_CLUSTER` processors.
    """

    faster: float
    steady: float
    work: float
    owner: float
    serves: float
    many: float

    @classmethod
    def of(cls, pages: int, alone: tuple[Timing, Timing], there: tuple[Timing, Timing]) -> Figures:
        """Compare two runs, each given with its run of one page."""
        least, most = alone[0].after(alone[1]), there[0].after(there[1])
        total = most.owner + most.workers
        return cls(
            alone[0].seconds / there[0].seconds,
            least.seconds / most.seconds,
            total / least.owner,
            most.owner / total,
            most.workers / most.owner,
            pages / max(most.owner, total / _CLUSTER),
        )


class _Row(NamedTuple):
    """The runs of one crawl, cleaned in one way; what checkpoints cost of the time, and of the work.

    ``limit``: how many times as much processes alone do at once as one.
    """

    crawl: str
    passes: str
    alone: Timing
    there: Timing
    start: Timing
    cost: float
    work: float
    limit: float
    figures: Figures


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    kinds = {"one site": 1, "many sites": max(options.pages // 40, 1)}
    workers = ["--workers", str(options.workers)]
    rows = []
    with tempfile.TemporaryDirectory() as name, progress(2 * len(kinds) * 4 * options.rounds) as show:
        folder = Path(name)
        checkpoint = [*workers, "--checkpoint", str(folder / "progress")]
        variants = {"alone": ["--workers", "0"], "workers": workers, "checkpoint": checkpoint}
        page, crawl = (folder / f"{name}.jsonl.zst" for name in ("page", "crawl"))
        given = ["-m", options.method, "-q"]
        write_crawl(page, 1, 1)
        measured([str(page), *given, *workers], folder)  # writes Python's compiled files
        for kind, sites in kinds.items():
            write_crawl(crawl, options.pages, sites)
            for passes, way in _WAYS.items():
                starts = {
                    variant: measured([str(page), *given, *way, *variants[variant]], folder)
                    for variant in ("alone", "workers")
                }
                runs: dict[str, list[Timing]] = {variant: [] for variant in [*variants, "at once"]}
                for _ in range(options.rounds):
                    for variant, more in variants.items():
                        show(f"{kind}, {passes}, {variant}")
                        # A finished run would only say so.
                        shutil.rmtree(folder / "progress", ignore_errors=True)
                        runs[variant].append(measured([str(crawl), *given, *way, *more], folder))
                    show(f"{kind}, {passes}, alone at once")
                    words = [str(crawl), *given, *way, *variants["alone"]]
                    runs["at once"].append(at_once(options.workers, words, folder))
                done = {variant: middle(timings) for variant, timings in runs.items()}
                alone, there = done["alone"], done["workers"]
                figures = Figures.of(options.pages, (alone, starts["alone"]), (there, starts["workers"]))
                kept = done["checkpoint"]
                cost = kept.seconds / there.seconds - 1
                work = (kept.owner + kept.workers) / (there.owner + there.workers) - 1
                limit = options.workers * alone.seconds / done["at once"].seconds
                rows.append(_Row(kind, passes, alone, there, starts["workers"], cost, work, limit, figures))
    report = _REPORT.format(cluster=_CLUSTER, table=_table(options, rows), **vars(options))
    write_or_print(report, options.out)
    good = _GOAL * options.workers
    reached = all(row.figures.faster >= good and row.cost <= _CHECKPOINT_GOAL for row in rows)
    return 0 if reached or not options.check else 1


def middle(timings: Sequence[Timing]) -> Timing:
    """Return the run of median length; of an even number, the quicker one of the two in the middle."""
    return median_low(timings)  # runs are sorted by their seconds


def _table(options: argparse.Namespace, rows: Sequence[_Row]) -> str:
    pages = options.pages
    columns: list[Column] = [
        ("crawl", "crawl"),
        ("passes", "passes"),
        ("alone, pages/s", lambda row: pages / row.alone.seconds, ",.0f"),
        (f"{options.workers} workers, pages/s", lambda row: pages / row.there.seconds, ",.0f"),
        ("times as fast", lambda row: row.figures.faster, ".2f"),
        ("start, s", lambda row: row.start.seconds, ".1f"),
        ("times as fast after it", lambda row: row.figures.steady, ".2f"),
        ("limit", lambda row: row.limit, ".2f"),
        ("processor time, times", lambda row: row.figures.work, ".2f"),
        ("owner's share", lambda row: f"{row.figures.owner:.0%}"),
        ("workers that an owner serves", lambda row: row.figures.serves, ".1f"),
        (f"pages/s on {_CLUSTER} processors", lambda row: row.figures.many, ",.0f"),
        ("checkpoints cost", lambda row: f"{row.cost:+.1%}"),
        ("checkpoints, processor time", lambda row: f"{row.work:+.1%}"),
        ("peak MB", lambda row: row.there.peak / 1e6, ",.0f"),
    ]
    return table(columns, rows)


def measured(arguments: Sequence[str], folder: Path) -> Timing:
    """Run ``clean`` in a process of its own."""
    output = folder / "out.jsonl"
    command = [sys.executable, "-P", "-c", _MEASURE, "clean", *arguments, "-o", str(output)]
    # As installed: with Python's compiled files, which some environments do not write.
    place = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    place["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=place)
    output.unlink()
    shutil.rmtree(folder / "progress", ignore_errors=True)
    return Timing(*json.loads(done.stdout))


def at_once(count: int, arguments: Sequence[str], folder: Path) -> Timing:
    """Run ``clean`` in several processes at once; return the longest of the runs."""
    folders = [folder / str(number) for number in range(count)]
    for each in folders:
        each.mkdir(exist_ok=True)
    with ThreadPoolExecutor(count) as pool:
        return max(pool.map(partial(measured, arguments), folders))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.workers", __doc__, _EXAMPLE)
    parser.add_argument("--pages", type=int, default=20_000, help="pages of each crawl")
    parser.add_argument("--workers", type=int, default=2, help="processes that are compared with one")
    parser.add_argument("--method", default="auto", help="method")
    parser.add_argument("--rounds", type=positive, default=3, help="times that each run is repeated")
    parser.add_check()
    parser.add_out()
    return parser.read(arguments)


if __name__ == "__main__":
    run(main)
