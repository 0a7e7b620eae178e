"""Clean a crawl of very many pages in one pass, with workers and a store; watch its rate, memory and files.

The pages are made of real sites as they are read (`benchmarks/support/madecrawl.py`), so a crawl of any
length takes no room. The run is a process of its own, which reads them from a pipe. Memory is bounded if no
moment shows more than the budget of the sites and fixed amounts for the processes.

After ``--minutes``, or when it is interrupted, no more pages are given; the run ends as any other, and what
was measured until then is told. So it is of a run that fails.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from benchmarks.support import processes
from benchmarks.support.madecrawl import MadeCrawl
from detemplate.errors import UserError
from detemplate.run.reader import SEEN_URLS
from lab.harness.charts import panel_grid, require_matplotlib, save_charts
from lab.harness.command import RESULTS, Parser, log, machine, positive, run, tell
from lab.harness.tables import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure

    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.soak
  python -m benchmarks.soak --minutes 30
  python -m benchmarks.soak --pages 20000 --sites 500 --folder /tmp/soak
"""
_URL_BYTES: Final = 72  # bytes of a URL that a run remembers
_OWNER: Final = 400 << 20  # maximum memory of the owner beside its sites and the URLs, in bytes
_HELD: Final = 1.5
"""Bytes for each byte of the sites' budget: the allocator keeps what sites that come and go leave between."""
_WORKER: Final = 700 << 20  # maximum memory of a worker in bytes. It shares part of it with the owner
_MOST_MOMENTS: Final = 1000
"""Maximum number of moments. Beyond, every second one is dropped, and they are half as frequent."""
_READ: Final = 1 << 20  # bytes of the output that are read at once
_REPORT: Final = """\
# Soak

{pages:,} pages on {sites:,} sites, made of real ones, `{method}`, one pass, {workers} workers, {memory} \
MB for the sites, a store that is written at the end. {machine}. Made with `{command}`. The pages \
are made while the run reads them, by a further process; *ms* are of processor time.{stopped}

{table}

![Rate, memory and files over time](soak.png)

The store has {store:,.1f} MB at the end. Most memory: the owner {owner:,.0f} MB, allowed are {most:,.0f} \
({held} times the sites' budget, URLs, and {beside:,.0f} for all else); a worker {worker:,.0f} MB, \
allowed are {worker_most:,.0f}. Memory is {bounded}.
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a run was like at one moment: seconds since its start, and pages written so far.

    Memory of the first process and of each of its workers is resident, in bytes, 0 after its end; sizes of
    its temporary files (sites that do not fit into memory) and of the store are in bytes, too. Work is
    processor time of the first process and of its workers together, in seconds.
    """

    seconds: float = 0.0
    pages: int = 0
    owner: int = 0
    workers: tuple[int, ...] = ()
    files: int = 0
    store: int = 0
    owner_work: float = 0.0
    workers_work: float = 0.0

    @property
    def worker(self) -> int:
        """Memory of the largest worker."""
        return max(self.workers, default=0)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    require_matplotlib()
    moments, problem = soak(MadeCrawl(options.sites, once=options.sites >= options.pages), options)
    pages = moments[-1].pages
    sites = round(_HELD * options.memory * 10**6)
    most = sites + _OWNER + min(_URL_BYTES * SEEN_URLS, 2 * _URL_BYTES * pages)
    bounded = all(each.owner <= most and each.worker <= _WORKER for each in moments)
    options.folder.mkdir(parents=True, exist_ok=True)
    told = {"pages": pages, "planned": options.pages, "sites": options.sites, "workers": options.workers}
    told |= {"method": options.method, "memory": options.memory, "owner_bound": most, "worker_bound": _WORKER}
    told |= {"problem": problem, "moments": [asdict(each) for each in moments]}
    (options.folder / "soak.json").write_text(json.dumps(told) + "\n", encoding="utf-8")
    save_charts([("soak", chart(moments, most))], options.folder)
    report = _report(options, moments, most, problem, bounded=bounded)
    tell(report, str(options.folder / "soak.md"))
    if problem:
        raise UserError(problem)
    return 0 if bounded else 1


def soak(crawl: MadeCrawl, options: argparse.Namespace) -> tuple[list[Moment], str]:
    """Run ``clean`` on a crawl; return its moments (the last after its end), and how it failed, if so."""
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder = Path(name)
        (folder / "spilled").mkdir()
        command = [
            sys.executable, "-P", "-m", "detemplate", "clean", "-", "--stream", "-q", "-m", options.method,
            "--workers", str(options.workers), "--memory", str(options.memory),
            "--store", f"{folder}/sites.db", "--input-format", "jsonl", "-o", "-",
        ]  # fmt: skip
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(folder / "spilled")},
            start_new_session=True,  # an interrupt is for the feed, so that the run can end
        )
        assert process.stdin is not None
        assert process.stdout is not None
        feed = Feed(process.stdin, crawl, options.pages)
        counted = [0]
        count = threading.Thread(target=_count, args=(process.stdout, counted), daemon=True)
        threads = threading.Thread(target=feed.run, daemon=True), count
        for thread in threads:
            thread.start()
        start = told = time.perf_counter()
        moments: list[Moment] = []
        every = options.every
        with _interrupts(feed.stop):
            while True:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(every)
                seconds = time.perf_counter() - start
                found = _moment(process.pid, seconds, counted[0], folder)
                if process.returncode is not None:
                    break
                moments.append(found)
                if options.minutes is not None and seconds > 60 * options.minutes:
                    feed.stop()
                if len(moments) == _MOST_MOMENTS:
                    moments, every = thinned(moments), 2 * every
                if time.perf_counter() - told > 60:
                    told = time.perf_counter()
                    log(f"{seconds:,.0f} s: {counted[0]:,} pages, owner {found.owner / 1e6:,.0f} MB")
        for thread in threads:
            thread.join()
        moments.append(_moment(process.pid, seconds, counted[0], folder))
    if process.returncode:
        return moments, f"the run ended with exit code {process.returncode}"
    lost = counted[0] != feed.given
    return moments, f"{feed.given:,} pages were given, and {counted[0]:,} were written" if lost else ""


class Feed:
    """Writes pages into a pipe, at most so many, and closes it; ``given`` counts them."""

    def __init__(self, pipe: IO[bytes], crawl: MadeCrawl, most: int) -> None:
        self._pipe = pipe
        self._lines = islice(crawl.lines(), most)
        self._stopped = False
        self.given = 0

    def run(self) -> None:
        """Write the pages."""
        with suppress(BrokenPipeError), self._pipe:  # the exit code tells why it does not read on
            for line in self._lines:
                if self._stopped:
                    return
                self._pipe.write(line)
                self.given += 1

    def stop(self) -> None:
        """Write no more."""
        self._stopped = True


@contextmanager
def _interrupts(stop: Callable[[], None]) -> Iterator[None]:
    """Have an interrupt stop the feed, not this process."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _count(pipe: IO[bytes], counted: list[int]) -> None:
    while data := os.read(pipe.fileno(), _READ):
        counted[0] += data.count(b"\n")


def _moment(pid: int, seconds: float, pages: int, folder: Path) -> Moment:
    children = processes.children(pid)
    store = sum(_size(path) for path in folder.iterdir() if path.is_file())
    return Moment(
        round(seconds, 2),
        pages,
        processes.memory(pid),
        tuple(map(processes.memory, children)),
        _open_files(pid, str(folder / "spilled")),
        store,
        round(processes.work(pid), 2),
        round(sum(map(processes.work, children)), 2),
    )


def _open_files(pid: int, folder: str) -> int:
    """Sum the sizes of the files in a folder that a process has open: they may have no names any more."""
    total = 0
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                if str(entry.readlink()).startswith(folder):
                    total += entry.stat().st_size
    return total


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def thinned(moments: Sequence[Moment]) -> list[Moment]:
    """Drop every second moment; each that is kept has the most memory of the two."""
    kept = []
    for before, last in zip(moments[::2], moments[1::2], strict=False):
        workers = max(before, last, key=lambda each: each.worker).workers
        kept.append(replace(last, owner=max(before.owner, last.owner), workers=workers))
    return kept


def tenths(moments: Sequence[Moment], pages: int) -> list[Moment]:
    """Return the first moment after each tenth of the pages, each moment once."""
    firsts = (next(each for each in moments if each.pages * 10 >= tenth * pages) for tenth in range(1, 11))
    return list(dict.fromkeys(firsts))


def _rate(before: Moment, moment: Moment) -> float:
    return (moment.pages - before.pages) / max(moment.seconds - before.seconds, 1e-9)


def chart(moments: Sequence[Moment], most: int) -> Figure:
    """Draw the rate over a twentieth of the run, memory and files over time."""
    figure, (rate, memory, files) = panel_grid(3, 1, (8, 8), sharex=True)
    span = max(len(moments) // 20, 1)
    earlier = [Moment()] * span + list(moments)
    minutes = [each.seconds / 60 for each in moments]
    alive = [each for each in moments if each.owner]
    living = [each.seconds / 60 for each in alive]
    rate.plot(minutes, [_rate(before, moment) for before, moment in zip(earlier, moments, strict=False)])
    rate.set_ylabel("pages a second")
    memory.plot(living, [each.owner / 1e6 for each in alive], label="owner")
    memory.plot(living, [each.worker / 1e6 for each in alive], label="largest worker")
    memory.axhline(most / 1e6, linestyle=":", color="black", label="bound of the owner")
    memory.set_ylabel("memory, MB")
    memory.legend(frameon=False)
    files.plot(minutes, [each.files / 1e6 for each in moments], label="temporary files")
    files.plot(minutes, [each.store / 1e6 for each in moments], label="store")
    files.set_ylabel("files, MB")
    files.set_xlabel("minutes")
    files.legend(frameon=False)
    for axes in (rate, memory, files):
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, alpha=0.3)
    return figure


def _report(
    options: argparse.Namespace, moments: Sequence[Moment], most: int, problem: str, *, bounded: bool
) -> str:
    def spent(name: str) -> Callable[[tuple[Moment, Moment]], str]:
        def cell(pair: tuple[Moment, Moment]) -> str:
            (early, late), pages = (getattr(each, name) for each in pair), pair[1].pages - pair[0].pages
            return f"{1000 * (late - early) / max(pages, 1):.2f}" if late else "ended"

        return cell

    columns: list[Column] = [
        ("minutes", lambda pair: pair[1].seconds / 60, ",.2f"),
        ("pages", lambda pair: pair[1].pages, ",d"),
        ("pages/s since the row before", lambda pair: _rate(*pair), ",.0f"),
        ("owner, ms a page", spent("owner_work")),
        ("workers, ms a page", spent("workers_work")),
        ("owner, MB", lambda pair: pair[1].owner / 1e6 or "ended", ",.0f"),
        ("largest worker, MB", lambda pair: pair[1].worker / 1e6 if pair[1].workers else "ended", ",.0f"),
        ("temporary files, MB", lambda pair: pair[1].files / 1e6, ",.1f"),
        ("store, MB", lambda pair: pair[1].store / 1e6, ",.1f"),
    ]
    pages = moments[-1].pages
    shown = tenths(moments, pages)
    stopped = f" It was stopped before its {options.pages:,} pages." if pages < options.pages else ""
    return _REPORT.format(
        pages=pages, sites=options.sites, method=options.method, workers=options.workers,
        memory=options.memory, machine=machine(), command=options.command,
        stopped=f" **It failed: {problem}.**" if problem else stopped,
        table=table(columns, zip([Moment(), *shown], shown, strict=False)), store=moments[-1].store / 1e6,
        owner=max(each.owner for each in moments) / 1e6, most=most / 1e6, held=_HELD, beside=_OWNER / 1e6,
        worker=max(each.worker for each in moments) / 1e6, worker_most=_WORKER / 1e6,
        bounded="bounded" if bounded else "NOT bounded",
    )  # fmt: skip


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.soak", __doc__, _EXAMPLE)
    parser.add_argument("--pages", type=positive, default=1_000_000, help="pages (default 1000000)")
    parser.add_argument(
        "--sites", type=positive, default=5_000, help="sites; as many as pages: each has one (default 5000)"
    )
    parser.add_argument("--workers", type=positive, default=2, help="workers (default 2)")
    parser.add_argument("--method", default="auto", help="method (default auto)")
    parser.add_argument("--memory", type=positive, default=500, help="MB for the sites (default 500)")
    parser.add_argument("--minutes", type=float, help="give no more pages after this time (default: never)")
    parser.add_argument("--every", type=float, default=0.25, help="seconds between moments (default 0.25)")
    parser.add_argument("--folder", type=Path, default=RESULTS / "soak", help="folder of the results")
    return parser.read(arguments)


if __name__ == "__main__":
    run(main)
