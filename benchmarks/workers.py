"""Clean a large crawl with and without workers; measure rates, the owner's share, checkpoints and memory.

The crawl is made of real sites: their pages come again and again under other addresses, each with a
paragraph of its own, on one site or on many. What a run of one page takes, the start, is measured apart: it
is the same for a crawl of any length. Each run is repeated, in turn with the others, and the one of median
length counts: other programs of the machine slow single runs down.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from statistics import median_low
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lab.harness.command import Parser, log, positive, progress, run, write_or_print
from lab.labelled.datasets import data_folder
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.workers
  python -m benchmarks.workers --pages 2000 --workers 2 --rounds 1 --out -
"""
_GOAL: Final = 0.9
"""Least speed-up for each worker, where there is a processor for each."""
_CHECKPOINT_GOAL: Final = 0.03
"""Most share of the time that checkpoints may cost."""
_CLUSTER: Final = 64
"""Processors for which the rate is computed."""
_WAYS: Final = {"two passes": [], "one pass": ["--stream"]}
"""Options of the runs."""
_MEASURE: Final = """\
import json, resource, sys, time
from detemplate.cli import main
start = time.perf_counter()
code = main(sys.argv[1:])
owner, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"code": code, "seconds": time.perf_counter() - start,
                  "owner": owner.ru_utime + owner.ru_stime, "workers": workers.ru_utime + workers.ru_stime,
                  "peak": (owner.ru_maxrss + workers.ru_maxrss) * 1024}))
"""


class Timing(NamedTuple):
    """One run.

    Attributes
    ----------
    seconds
        Wall-clock time.
    owner, workers
        Processor time of the first process and of all others, in seconds.
    peak
        Peak memory of the first process and of the largest worker, in bytes.
    """

    seconds: float
    owner: float
    workers: float
    peak: int

    def after(self, start: Timing) -> Timing:
        """Take off the times of another run: the start."""
        seconds = self.seconds - start.seconds
        return Timing(seconds, self.owner - start.owner, self.workers - start.workers, self.peak)


class Figures(NamedTuple):
    """What two runs tell, one alone and one with workers.

    Attributes
    ----------
    faster, steady
        How many times as fast the run with workers is: as a whole, and after the start.
    work
        How many times as much processor time it takes, after the start.
    owner
        The owner's share of that time.
    serves
        Workers that one owner can serve.
    many
        Pages a second, after the start, on :data:`_CLUSTER` processors.
    """

    faster: float
    steady: float
    work: float
    owner: float
    serves: float
    many: float

    @classmethod
    def of(cls, pages: int, alone: tuple[Timing, Timing], there: tuple[Timing, Timing]) -> Figures:
        """Compare a run alone and one with workers, each with its start."""
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


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    kinds = {"one site": 1, "many sites": max(options.pages // 40, 1)}
    rows, reached = [], True
    with tempfile.TemporaryDirectory() as folder, progress(2 * len(kinds) * 3 * options.rounds) as show:
        starts = _starts(options, Path(folder))
        for name, sites in kinds.items():
            crawl = Path(folder) / "crawl.jsonl.zst"
            write_crawl(crawl, options.pages, sites)
            for passes, way in _WAYS.items():
                given = [str(crawl), "-m", options.method, "-q", *way]
                runs: dict[str, list[Timing]] = {}
                for _ in range(options.rounds):
                    for kind, more in _variants(options.workers, Path(folder)).items():
                        show(f"{name}, {passes}, {kind}")
                        runs.setdefault(kind, []).append(measured([*given, *more], Path(folder)))
                        rate = options.pages / runs[kind][-1].seconds
                        log(f"{name}, {passes}, {kind}: {rate:,.0f} pages/s")
                done = {kind: middle(timings) for kind, timings in runs.items()}
                row, good = _row(name, passes, options, done, starts[passes])
                rows.append(row)
                reached &= good
    report = _report(options, rows)
    write_or_print(report, options.out)
    return 0 if reached or not options.check else 1


def middle(timings: Sequence[Timing]) -> Timing:
    """Give the run of median length; of an even number, the quicker one of the two in the middle."""
    return median_low(timings)  # runs are sorted by their seconds


def _starts(options: argparse.Namespace, folder: Path) -> dict[str, dict[str, Timing]]:
    """Measure runs of one page."""
    page = folder / "page.jsonl.zst"
    write_crawl(page, 1, 1)
    given = [str(page), "-m", options.method, "-q"]
    measured(given, folder)  # writes Python's compiled files
    there = {"alone": 0, "workers": options.workers}
    return {
        passes: {
            kind: measured([*given, *way, "--workers", str(number)], folder) for kind, number in there.items()
        }
        for passes, way in _WAYS.items()
    }


def _variants(workers: int, folder: Path) -> dict[str, list[str]]:
    there = ["--workers", str(workers)]
    checkpoint = ["--checkpoint", str(folder / "progress")]
    return {"alone": ["--workers", "0"], "workers": there, "checkpoint": [*there, *checkpoint]}


def _row(
    name: str,
    passes: str,
    options: argparse.Namespace,
    done: dict[str, Timing],
    start: dict[str, Timing],
) -> tuple[list[str], bool]:
    alone, there = (done["alone"], start["alone"]), (done["workers"], start["workers"])
    found = Figures.of(options.pages, alone, there)
    cost = done["checkpoint"].seconds / there[0].seconds - 1
    row = [
        name, passes, f"{options.pages / alone[0].seconds:,.0f}", f"{options.pages / there[0].seconds:,.0f}",
        f"{found.faster:.2f}", f"{there[1].seconds:.1f}", f"{found.steady:.2f}", f"{found.work:.2f}",
        f"{found.owner:.0%}", f"{found.serves:.1f}", f"{found.many:,.0f}",
        f"{cost:+.1%}", f"{there[0].peak / 1e6:,.0f}",
    ]  # fmt: skip
    return row, found.faster >= _GOAL * options.workers and cost <= _CHECKPOINT_GOAL


def _report(options: argparse.Namespace, rows: list[list[str]]) -> str:
    head = [
        "crawl", "passes", "alone, pages/s", f"{options.workers} workers, pages/s", "times as fast",
        "start, s", "times as fast after it", "processor time, times", "owner's share",
        "workers that an owner serves", f"pages/s on {_CLUSTER} processors", "checkpoints cost", "peak MB",
    ]  # fmt: skip
    return (
        f"# Workers\n\n{options.pages:,} pages, `{options.method}`; of {options.rounds} runs, that of median "
        "length. *Alone* is `--workers 0`. The *start* is a run of one page with workers: loading the "
        "program and the model takes one processor, however many there are. All that follows is without it: "
        "*processor time* is that of all processes against one "
        "alone. The *owner* reads, learns in order and writes; its share is of all processor time. From both "
        "follows how many workers one owner can serve, and the "
        f"rate on {_CLUSTER} processors, if reading keeps up. *Peak* is the owner's and the largest worker's "
        "together. Made with "
        f"`python -m benchmarks.workers --pages {options.pages} --workers {options.workers} "
        f"--rounds {options.rounds}`.\n\n"
        f"{markdown_table(head, rows)}\n"
    )


def measured(arguments: Sequence[str], folder: Path) -> Timing:
    """Run ``clean`` in a process of its own."""
    output = folder / "out.jsonl"
    command = [sys.executable, "-c", _MEASURE, "clean", *arguments, "-o", str(output)]
    # As installed: with Python's compiled files, which some environments do not write.
    place = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    place["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    done = subprocess.run(command, check=True, capture_output=True, env=place)
    told: dict[str, Any] = json.loads(done.stdout)
    if told["code"]:
        raise RuntimeError(f"the run ended with exit code {told['code']}")
    output.unlink()
    shutil.rmtree(folder / "progress", ignore_errors=True)
    return Timing(told["seconds"], told["owner"], told["workers"], told["peak"])


def write_crawl(path: Path, pages: int, sites: int) -> None:
    """Write a crawl as JSON Lines: so many pages on so many sites, their pages mixed."""
    import zstandard

    with zstandard.open(path, "wt", encoding="utf-8") as file:
        for number, html in zip(range(pages), pages_made(), strict=False):
            row = {"url": f"http://site{number % sites}.example/{number}", "html": html}
            file.write(json.dumps(row) + "\n")
    log(f"{path.name}: {pages:,} pages on {sites:,} sites, {path.stat().st_size / 1e6:.0f} MB")


def pages_made() -> Iterator[str]:
    """Give the markup of pages of real sites for ever, each with words of its own; every time the same."""
    from detemplate.io.record import Record
    from detemplate.io.sources.open import open_sources

    files = sorted(str(path) for path in (data_folder() / "sites").glob("*/pages.jsonl.zst"))
    kept = [
        item.html if isinstance(item.html, str) else item.html.decode("utf-8", "replace")
        for item in open_sources(files[::4])
        if isinstance(item, Record)
    ]
    chance = random.Random(0)
    for number in count():
        words = " ".join(f"word{chance.randrange(10**6)}" for _ in range(40))
        yield kept[number % len(kept)].replace("</body>", f"<p>{words}</p></body>", 1)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.workers", __doc__, _EXAMPLE)
    parser.add_argument("--pages", type=int, default=20_000, help="pages of each crawl")
    parser.add_argument("--workers", type=int, default=2, help="processes that are compared with one")
    parser.add_argument("--method", default="auto", help="method")
    parser.add_argument("--rounds", type=positive, default=3, help="times that each run is repeated")
    parser.add_check()
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
