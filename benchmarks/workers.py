"""Clean a large crawl with and without workers; measure rates, the owner's share, checkpoints and memory.

The crawl is made of real sites: their pages come again and again under other addresses, each with a
paragraph of its own, on one site or on many.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.command import Parser, log, progress, run, write_or_print
from detemplate.labelled.datasets import data_folder
from detemplate.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.workers
  python -m benchmarks.workers --pages 2000 --workers 2 --out -
"""
_GOAL: Final = 0.9
"""Least speed-up for each worker, where there is a processor for each."""
_CHECKPOINT_GOAL: Final = 0.03
"""Most share of the time that checkpoints may cost."""
_CLUSTER: Final = 64
"""Processors for which the rate is computed."""
_MEASURE: Final = """\
import json, os, resource, sys, time
from detemplate.cli import main
start = time.perf_counter()
code = main(sys.argv[1:])
t = os.times()
peak = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({"code": code, "seconds": time.perf_counter() - start, "owner": t.user + t.system,
                  "workers": t.children_user + t.children_system, "peak": peak * 1024}))
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


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    kinds = {"one site": 1, "many sites": max(options.pages // 40, 1)}
    rows, reached = [], True
    with tempfile.TemporaryDirectory() as folder, progress(2 * len(kinds) * 3) as show:
        for name, sites in kinds.items():
            crawl = Path(folder) / "crawl.jsonl.zst"
            write_crawl(crawl, options.pages, sites)
            for way in ([], ["--stream"]):
                passes = "one pass" if way else "two passes"
                given = [str(crawl), "-m", options.method, "-q", *way]
                done = {}
                for kind, more in _variants(options.workers, Path(folder)).items():
                    show(f"{name}, {passes}, {kind}")
                    done[kind] = measured([*given, *more], Path(folder))
                    log(f"{name}, {passes}, {kind}: {options.pages / done[kind].seconds:,.0f} pages/s")
                row, good = _row(name, passes, options, done)
                rows.append(row)
                reached &= good
    report = _report(options, rows)
    write_or_print(report, options.out)
    return 0 if reached or not options.check else 1


def _variants(workers: int, folder: Path) -> dict[str, list[str]]:
    there = ["--workers", str(workers)]
    checkpoint = ["--checkpoint", str(folder / "progress")]
    return {"alone": ["--workers", "0"], "workers": there, "checkpoint": [*there, *checkpoint]}


def _row(
    name: str, passes: str, options: argparse.Namespace, done: dict[str, Timing]
) -> tuple[list[str], bool]:
    alone, there, saved = done["alone"], done["workers"], done["checkpoint"]
    faster = alone.seconds / there.seconds
    owner = there.owner / options.pages
    work = there.workers / options.pages
    many = 1 / max(owner, work / _CLUSTER)
    cost = saved.seconds / there.seconds - 1
    row = [
        name, passes, f"{options.pages / alone.seconds:,.0f}", f"{options.pages / there.seconds:,.0f}",
        f"{faster:.2f}", f"{(there.owner + there.workers) / alone.owner:.2f}",
        f"{there.owner / (there.owner + there.workers):.0%}", f"{work / owner:.0f}", f"{many:,.0f}",
        f"{cost:+.1%}", f"{there.peak / 1e6:,.0f}",
    ]  # fmt: skip
    return row, faster >= _GOAL * options.workers and cost <= _CHECKPOINT_GOAL


def _report(options: argparse.Namespace, rows: list[list[str]]) -> str:
    head = [
        "crawl", "passes", "alone, pages/s", f"{options.workers} workers, pages/s", "times as fast",
        "processor time, times", "owner's share", "workers that an owner serves",
        f"pages/s on {_CLUSTER} processors", "checkpoints cost", "peak MB",
    ]  # fmt: skip
    return (
        f"# Workers\n\n{options.pages:,} pages, `{options.method}`. *Alone* is `--workers 0`. *Processor "
        "time* is that of all processes against one alone. The *owner* reads, learns in order and writes; "
        "its share is of all processor time. From both follows how many workers one owner can serve, and the "
        f"rate on {_CLUSTER} processors, if reading keeps up. *Peak* is the owner's and the largest worker's "
        "together. Made with "
        f"`python -m benchmarks.workers --pages {options.pages} --workers {options.workers}`.\n\n"
        f"{markdown_table(head, rows)}\n"
    )


def measured(arguments: Sequence[str], folder: Path) -> Timing:
    """Run ``clean`` in a process of its own."""
    output = folder / "out.jsonl"
    command = [sys.executable, "-c", _MEASURE, "clean", *arguments, "-o", str(output)]
    told: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
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
    parser = Parser("workers", __doc__, _EXAMPLE)
    parser.add_argument("--pages", type=int, default=20_000, help="pages of each crawl")
    parser.add_argument("--workers", type=int, default=2, help="processes that are compared with one")
    parser.add_argument("--method", default="auto", help="method")
    parser.add_check()
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
