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

from benchmarks.support.madecrawl import MadeCrawl
from detemplate.engines.seenurls import SEEN_URLS
from detemplate.errors import UserError
from lab.harness.charts import panel_grid, require_matplotlib, save_charts
from lab.harness.command import RESULTS, Parser, log, machine, positive, run, tell
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure

_EXAMPLE = """\
examples:
  python -m benchmarks.soak
  python -m benchmarks.soak --minutes 30
  python -m benchmarks.soak --pages 20000 --sites 500 --folder /tmp/soak
"""
_URL_BYTES: Final = 72
"""Bytes of a URL that a run remembers."""
_OWNER: Final = 400 << 20
"""Most bytes that the owner may have beside its sites and the URLs."""
_HELD: Final = 1.5
"""Bytes for each byte of the sites' budget: the allocator keeps what sites that come and go leave between."""
_WORKER: Final = 700 << 20
"""Most bytes that a worker may have. It shares part of them with the owner."""
_MOST_MOMENTS: Final = 1000
"""Most moments that are kept. Beyond, every second one is dropped, and they are looked at half as often."""

_READ: Final = 1 << 20
"""Bytes that are read of the output at once."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a run was like at one moment.

    Attributes
    ----------
    seconds
        Since the start of the run.
    pages
        Pages that were written so far.
    owner
        Resident memory of the first process, in bytes; 0 after its end.
    workers
        Of each of its workers.
    files
        Bytes of its temporary files: sites that do not fit into memory.
    store
        Bytes of the store and of what belongs to it.
    owner_work, workers_work
        Processor time of the first process and of its workers together, in seconds.
    """

    seconds: float
    pages: int
    owner: int
    workers: tuple[int, ...]
    files: int
    store: int
    owner_work: float = 0.0
    workers_work: float = 0.0

    @property
    def work(self) -> tuple[float, float]:
        """Processor time of the owner and of the workers."""
        return self.owner_work, self.workers_work


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    require_matplotlib()
    crawl = MadeCrawl(options.sites)
    moments, problem = soak(crawl, options)
    pages = moments[-1].pages
    sites = round(_HELD * options.memory * 10**6)
    most = sites + _OWNER + min(_URL_BYTES * SEEN_URLS, 2 * _URL_BYTES * pages)
    bounded = all(each.owner <= most and _largest(each.workers) <= _WORKER for each in moments)
    options.folder.mkdir(parents=True, exist_ok=True)
    told = {"pages": pages, "planned": options.pages, "sites": options.sites, "workers": options.workers}
    told |= {"method": options.method, "memory": options.memory, "owner_bound": most, "worker_bound": _WORKER}
    told |= {"problem": problem}
    rows = [asdict(each) for each in moments]
    (options.folder / "soak.json").write_text(json.dumps(told | {"moments": rows}) + "\n", encoding="utf-8")
    save_charts([("soak", chart(moments, most))], options.folder)
    report = _report(options, moments, most, problem, bounded=bounded)
    tell(report, str(options.folder / "soak.md"))
    if problem:
        raise UserError(problem)
    return 0 if bounded else 1


def soak(crawl: MadeCrawl, options: argparse.Namespace) -> tuple[list[Moment], str]:
    """Run ``clean`` on a crawl, and watch it."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        spilled = Path(folder) / "spilled"
        spilled.mkdir()
        command = [
            sys.executable, "-m", "detemplate", "clean", "-", "--stream", "-q", "-m", options.method,
            "--workers", str(options.workers), "--memory", str(options.memory),
            "--store", f"{folder}/sites.db", "--input-format", "jsonl", "-o", "-",
        ]  # fmt: skip
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(spilled)},
            start_new_session=True,  # an interrupt is for the feed, so that the run can end
        )
        assert process.stdin is not None
        assert process.stdout is not None
        feed = Feed(process.stdin, crawl, options.pages)
        feeder = threading.Thread(target=feed.run, daemon=True)
        counted = [0]
        counter = threading.Thread(target=_count, args=(process.stdout, counted), daemon=True)
        start = time.perf_counter()
        feeder.start()
        counter.start()
        moments: list[Moment] = []
        told, every = start, options.every
        with _interrupts(feed.stop):
            while True:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(every)
                seconds = time.perf_counter() - start
                found = _moment(process.pid, seconds, counted[0], spilled, Path(folder))
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
        feeder.join()
        counter.join()
        moments.append(_moment(process.pid, seconds, counted[0], spilled, Path(folder)))
    problem = ""
    if process.returncode:
        problem = f"the run ended with exit code {process.returncode}"
    elif counted[0] != feed.given:
        problem = f"{feed.given:,} pages were given, and {counted[0]:,} were written"
    return moments, problem


class Feed:
    """Writes pages into a pipe.

    Parameters
    ----------
    pipe
        Where the run reads them. It is closed after the last page.
    crawl
        The pages.
    most
        Number of pages, unless it is stopped before.

    Attributes
    ----------
    given
        Pages that were written.
    """

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


def _moment(pid: int, seconds: float, pages: int, spilled: Path, folder: Path) -> Moment:
    children: list[int] = []
    with suppress(OSError):
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
        children = [int(child) for child in found]
    workers = tuple(_resident(child) for child in children)
    store = sum(_size(path) for path in folder.iterdir() if path.is_file())
    files = _open_files(pid, str(spilled))
    work = round(_work(pid), 2), round(sum(map(_work, children)), 2)
    return Moment(round(seconds, 2), pages, _resident(pid), workers, files, store, *work)


def _resident(pid: int) -> int:
    try:
        parts = Path(f"/proc/{pid}/statm").read_text("ascii").split()
        return int(parts[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def _work(pid: int) -> float:
    """Give the processor time of a process in seconds; 0 after its end."""
    try:
        parts = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


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
        owner, workers = max(before.owner, last.owner), max(before.workers, last.workers, key=_largest)
        kept.append(replace(last, owner=owner, workers=workers))
    return kept


def _largest(workers: tuple[int, ...]) -> int:
    return max(workers, default=0)


def tenths(moments: Sequence[Moment], pages: int) -> list[Moment]:
    """Give the first moment after each tenth of the pages, each moment once."""
    firsts = (next(each for each in moments if each.pages * 10 >= tenth * pages) for tenth in range(1, 11))
    return list(dict.fromkeys(firsts))


def rates(moments: Sequence[Moment]) -> list[float]:
    """Give the pages a second before each moment, over a twentieth of the run."""
    span = max(len(moments) // 20, 1)
    found = []
    for number, moment in enumerate(moments):
        before = moments[number - span] if number >= span else Moment(0, 0, 0, (), 0, 0)
        found.append((moment.pages - before.pages) / max(moment.seconds - before.seconds, 1e-9))
    return found


def chart(moments: Sequence[Moment], most: int) -> Figure:
    """Draw rate, memory and files over time."""
    figure, (rate, memory, files) = panel_grid(3, 1, (8, 8), sharex=True)
    minutes = [each.seconds / 60 for each in moments]
    alive = [each for each in moments if each.owner]
    living = [each.seconds / 60 for each in alive]
    rate.plot(minutes, rates(moments))
    rate.set_ylabel("pages a second")
    memory.plot(living, [each.owner / 1e6 for each in alive], label="owner")
    memory.plot(living, [_largest(each.workers) / 1e6 for each in alive], label="largest worker")
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
    rows = []
    before = Moment(0, 0, 0, (), 0, 0)
    pages = moments[-1].pages
    for at in tenths(moments, pages):
        rate = (at.pages - before.pages) / max(at.seconds - before.seconds, 1e-9)
        each = max(at.pages - before.pages, 1)
        spent = [
            f"{1000 * (late - early) / each:.2f}" if late else "ended"
            for early, late in zip(before.work, at.work, strict=True)
        ]
        before = at
        rows.append(
            [
                f"{at.seconds / 60:,.2f}", f"{at.pages:,}", f"{rate:,.0f}", *spent,
                f"{at.owner / 1e6:,.0f}" if at.owner else "ended",
                f"{_largest(at.workers) / 1e6:,.0f}" if at.workers else "ended",
                f"{at.files / 1e6:,.1f}", f"{at.store / 1e6:,.1f}",
            ]
        )  # fmt: skip
    head = [
        "minutes", "pages", "pages/s since the row before", "owner, ms a page", "workers, ms a page",
        "owner, MB", "largest worker, MB",
        "temporary files, MB", "store, MB",
    ]  # fmt: skip
    peak = max(each.owner for each in moments)
    worker = max(_largest(each.workers) for each in moments)
    store = f"The store has {moments[-1].store / 1e6:,.1f} MB at the end."
    command = f"--pages {options.pages} --sites {options.sites} --memory {options.memory}"
    if options.minutes is not None:
        command += f" --minutes {options.minutes:g}"
    stopped = f" It was stopped before its {options.pages:,} pages." if pages < options.pages else ""
    if problem:
        stopped = f" **It failed: {problem}.**"
    return (
        f"# Soak\n\n{pages:,} pages on {options.sites:,} sites, made of real ones, "
        f"`{options.method}`, one pass, {options.workers} workers, {options.memory} MB for the sites, a "
        f"store that is written at the end. {machine()}. Made with `python -m benchmarks.soak {command}`. "
        f"The pages are made while the run reads them, by a further process; *ms* are of processor time."
        f"{stopped}\n\n"
        f"{markdown_table(head, rows)}\n\n![Rate, memory and files over time](soak.png)\n\n"
        f"{store} Most memory: the owner {peak / 1e6:,.0f} MB, allowed are {most / 1e6:,.0f} ({_HELD} "
        f"times the sites' budget, URLs, and {_OWNER / 1e6:,.0f} for all else); a worker "
        f"{worker / 1e6:,.0f} MB, allowed are {_WORKER / 1e6:,.0f}. Memory is "
        f"{'bounded' if bounded else 'NOT bounded'}.\n"
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.soak", __doc__, _EXAMPLE)
    parser.add_argument("--pages", type=positive, default=1_000_000, help="pages (default 1000000)")
    parser.add_argument("--sites", type=positive, default=5_000, help="sites (default 5000)")
    parser.add_argument("--workers", type=positive, default=2, help="workers (default 2)")
    parser.add_argument("--method", default="auto", help="method (default auto)")
    parser.add_argument("--memory", type=positive, default=500, help="MB for the sites (default 500)")
    parser.add_argument(
        "--minutes", type=float, help="time after which no more pages are given (default: no limit)"
    )
    parser.add_argument(
        "--every", type=float, default=0.25, help="seconds from moment to moment, at first (default 0.25)"
    )
    parser.add_argument(
        "--folder", type=Path, default=RESULTS / "soak", help="where soak.md, .json, .svg and .png go"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
