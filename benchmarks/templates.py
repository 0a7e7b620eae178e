"""Time the algorithms that find templates in tables, on made crawls, and check their results.

Each algorithm runs in a process of its own, so that its peak of resident memory can be measured. A result
that differs from the templates that the crawl was made with is an error.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.support.crawlgraph import Crawl, Truth, write_chain, write_crawl
from benchmarks.support.memory import peak_memory
from detemplate.errors import UserError
from lab.harness.command import Parser, log, machine, run, write_or_print
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.templates
  python -m benchmarks.templates --pages 20000,100000 --chain 100000 --out -
"""
_GOAL_MEMORY: Final = 4e9
"""Goal: greatest resident memory of any run, in bytes."""
_GOAL_GROWTH: Final = 1.3
"""Goal: the time grows by at most this many times as much as the number of pages."""


class Setting(NamedTuple):
    """Settings of DuckDB.

    Attributes
    ----------
    memory
        Its memory limit, for example ``3GB``.
    threads
        Number of its threads.
    directory
        Folder of its temporary files.
    """

    memory: str
    threads: int
    directory: str


class Measured(NamedTuple):
    """Times, memory and results of one run.

    Attributes
    ----------
    steps
        Seconds by step.
    processor
        Seconds of processor time, of all threads.
    peak
        Peak of the process's resident memory, in bytes.
    found
        Counts of the templates that were found.
    rounds
        Rounds of star contraction; 0 for the local algorithm.
    """

    steps: dict[str, float]
    processor: float
    peak: int
    found: Truth
    rounds: int

    @property
    def seconds(self) -> float:
        """Seconds of all steps."""
        return sum(self.steps.values())


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    setting = Setting(options.memory, options.threads, options.directory or tempfile.gettempdir())
    sections = [_intro(setting)]
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=setting.directory) as folder:
        for algorithm, runs in _crawls(Path(folder), options.pages, options.seed, setting).items():
            sections.append(f"## {algorithm.capitalize()} algorithm\n\n{_table(runs)}")
            sections.append(_growth(runs))
        if options.chain:
            sections.append(_chains(Path(folder), options.chain, setting))
    report = "\n\n".join(sections) + "\n"
    write_or_print(report, options.out)
    return 0


def _crawls(
    folder: Path, sizes: Sequence[int], seed: int, setting: Setting
) -> dict[str, list[tuple[Crawl, Measured]]]:
    runs: dict[str, list[tuple[Crawl, Measured]]] = {"global": [], "local": []}
    for pages in sizes:
        directory = folder / str(pages)
        began = perf_counter()
        crawl = _apart(write_crawl, directory, pages, seed=seed)
        log(
            f"made {crawl.pages:,} pages, {crawl.pagelets:,} pagelets, {crawl.links:,} links "
            f"in {perf_counter() - began:.0f} s"
        )
        for algorithm, measurements in runs.items():
            measured = _apart(measure, directory, algorithm, setting)
            _check(algorithm, crawl, measured)
            measurements.append((crawl, measured))
            log(
                f"{algorithm}: {measured.seconds:.1f} s, {measured.peak / 1e9:.2f} GB, "
                f"{measured.found.templates:,} templates"
            )
    return runs


def _check(algorithm: str, crawl: Crawl, measured: Measured) -> None:
    wanted = crawl.truth[algorithm]
    found = measured.found
    if wanted.across_hosts < 0:
        found = found._replace(across_hosts=wanted.across_hosts)
    if found != wanted:
        raise UserError(f"the {algorithm} algorithm is wrong on {crawl.pages:,} pages: {found}, not {wanted}")


def measure(directory: Path, algorithm: str, setting: Setting) -> Measured:
    """Run an algorithm on the tables of a crawl."""
    from detemplate.relations.detect import ALGORITHMS, NEEDED
    from detemplate.relations.duck import DuckEngine
    from detemplate.relations.engine import numbers, source_crawl

    clock = Clock()
    with DuckEngine(memory=setting.memory, threads=setting.threads, directory=setting.directory) as engine:
        source_crawl(engine, directory, NEEDED)
        found = ALGORITHMS[algorithm](engine, on_step=clock)
        clock.stop()
        templates, pages, across = numbers(
            engine.rows(
                "SELECT count(*), sum(pages), sum(CASE WHEN hosts > 1 THEN 1 ELSE 0 END) FROM templates"
            )
        )
        # The pages of template_pagelets must be as many as the templates count.
        members = numbers(
            engine.rows(
                "SELECT count(*) FROM (SELECT DISTINCT template_id, page_key FROM template_pagelets) m"
            )
        )
        if members != (pages,):
            raise UserError(f"template_pagelets has {members[0]:,} pages of templates, templates {pages:,}")
    return Measured(
        clock.steps, clock.processor, peak_memory(), Truth(templates, pages, across), found.rounds
    )


def measure_chain(directory: Path, setting: Setting) -> Measured:
    """Find the connected components of one chain by star contraction."""
    from detemplate.relations.components import connected_components
    from detemplate.relations.duck import DuckEngine
    from detemplate.relations.engine import numbers

    clock = Clock()
    with DuckEngine(memory=setting.memory, threads=setting.threads, directory=setting.directory) as engine:
        engine.source("edges", directory)
        clock("components")
        rounds = connected_components(engine, "edges", "components")
        clock.stop()
        nodes, components = numbers(engine.rows("SELECT count(*), count(DISTINCT component) FROM components"))
    return Measured(clock.steps, clock.processor, peak_memory(), Truth(components, nodes, 0), rounds)


class Clock:
    """Measures the time of steps.

    Attributes
    ----------
    steps
        Seconds by step.
    processor
        Seconds of processor time of all steps.
    """

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self.processor = 0.0
        self._step = ""
        self._began = self._used = 0.0

    def __call__(self, step: str) -> None:
        """End the running step and begin another."""
        self.stop()
        self._step, self._began, self._used = step, perf_counter(), process_time()

    def stop(self) -> None:
        """End the running step, if any."""
        if self._step:
            self.steps[self._step] = self.steps.get(self._step, 0.0) + perf_counter() - self._began
            self.processor += process_time() - self._used
        self._step = ""


def _apart(task: Callable[..., Any], *arguments: object, **named: object) -> Any:  # noqa: ANN401
    """Run a function in a new process and give its result."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(task, *arguments, **named).result()


def _table(runs: Sequence[tuple[Crawl, Measured]]) -> str:
    rows = [[step, *(f"{run.steps[step]:.1f} s" for _, run in runs)] for step in runs[0][1].steps]
    rows.append(["**all steps**", *(f"**{run.seconds:.1f} s**" for _, run in runs)])
    rows.append(["processor time", *(f"{run.processor:.1f} s" for _, run in runs)])
    rows.append(["peak memory", *(f"{run.peak / 1e9:.2f} GB" for _, run in runs)])
    if runs[0][1].rounds:
        rows.append(["rounds of star contraction", *(str(run.rounds) for _, run in runs)])
    rows.append(["hosts", *(f"{crawl.hosts:,}" for crawl, _ in runs)])
    rows.append(["pagelets", *(f"{crawl.pagelets:,}" for crawl, _ in runs)])
    rows.append(["links", *(f"{crawl.links:,}" for crawl, _ in runs)])
    rows.append(["templates, as made", *(f"{run.found.templates:,}" for _, run in runs)])
    return markdown_table(["", *(f"{crawl.pages:,} pages" for crawl, _ in runs)], rows)


def _growth(runs: Sequence[tuple[Crawl, Measured]]) -> str:
    (small, first), (large, last) = runs[0], runs[-1]
    memory = max(run.peak for _, run in runs)
    lines = [f"Goal: at most {_GOAL_MEMORY / 1e9:.0f} GB: {_reached(memory <= _GOAL_MEMORY)}."]
    if large.pages > small.pages:
        more, longer = large.pages / small.pages, last.seconds / first.seconds
        busy = last.processor / first.processor
        most = more * _GOAL_GROWTH
        lines.append(
            f"{more:.1f} times the pages take {longer:.1f} times as long, {busy:.1f} times the processor "
            f"time (goal: at most {most:.1f}): {_reached(longer <= most)}."
        )
    return " ".join(lines)


def _reached(reached: bool) -> str:
    return "reached" if reached else "**not reached**"


def _chains(folder: Path, nodes: int, setting: Setting) -> str:
    rows = []
    for name, shuffled in (("ascending", False), ("shuffled", True)):
        directory = folder / f"chain-{name}"
        _apart(write_chain, directory, nodes, shuffled=shuffled)
        measured = _apart(measure_chain, directory, setting)
        if measured.found != Truth(1, nodes, 0):
            raise UserError(f"a chain of {nodes:,} pages came out as {measured.found}")
        log(f"{name} chain: {measured.rounds} rounds, {measured.seconds:.1f} s")
        rows.append(
            [
                name,
                str(measured.rounds),
                f"{measured.seconds:.1f} s",
                f"{measured.processor:.1f} s",
                f"{measured.peak / 1e9:.2f} GB",
            ]
        )
    table = markdown_table(["keys along the chain", "rounds", "time", "processor time", "peak memory"], rows)
    return f"## One chain of {nodes:,} pages with the same shingle\n\n{table}"


def _intro(setting: Setting) -> str:
    return (
        "# Templates over tables\n\n"
        "Synthetic crawls (`benchmarks/support/crawlgraph.py`) of sites of very different sizes, sister "
        "sites, mirrors and look-alikes. A result that differs from the templates they were made with is an "
        "error. "
        f"DuckDB {metadata.version('duckdb')}, {setting.threads} threads, limit {setting.memory}; Python "
        f"{platform.python_version()}, {os.cpu_count()} cores, {machine()}. "
        f"Load average at the start: {os.getloadavg()[0]:.1f} (other processes lengthen times, but hardly "
        "processor times). Memory is that of the whole process."
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.templates", __doc__, _EXAMPLE)
    parser.add_argument(
        "--pages",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[100_000, 1_000_000],
        help="sizes of the crawls (default 100000,1000000)",
    )
    parser.add_argument("--chain", type=int, default=1_000_000, help="pages of the chain; 0 for none")
    parser.add_argument("--seed", type=int, default=0, help="of the crawls (default 0)")
    parser.add_argument("--memory", default="3GB", help="DuckDB's limit (default 3GB)")
    parser.add_argument("--threads", type=int, default=2, help="DuckDB's threads (default 2)")
    parser.add_argument("--directory", help="where temporary files go")
    parser.add_out()
    options = parser.parse_args(arguments)
    if min(options.pages) < 1000 or options.chain < 0 or options.chain == 1:
        parser.error("--pages must be at least 1000, --chain 0 or at least 2")
    return options


if __name__ == "__main__":
    run(main)
