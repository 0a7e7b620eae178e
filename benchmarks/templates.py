"""Time the algorithms that find templates in tables, on made crawls, and check their results.

Each algorithm runs in a process of its own, so that its peak of resident memory can be measured. A result
that differs from the templates that the crawl was made with is an error.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from importlib import metadata
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.support.crawlgraph import Crawl, Truth, write_chain, write_crawl
from benchmarks.support.processes import apart, memory
from benchmarks.support.reports import measured_on
from detemplate.errors import UserError
from detemplate.links.detect import ALGORITHMS, NEEDED, connected_components
from detemplate.links.engine import DuckEngine, numbers, source_crawl
from lab.harness.command import Parser, log, run, write_or_print
from lab.harness.tables import table
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    Runs = list[tuple[Crawl, "Measured"]]

_EXAMPLE = """\
examples:
  python -m benchmarks.templates
  python -m benchmarks.templates --pages 20000,100000 --chain 100000 --out -
"""
_INTRO: Final = """\
# Templates over tables

Synthetic crawls (`benchmarks/support/crawlgraph.py`) of sites of very different sizes, sister sites, \
mirrors and look-alikes. A result that differs from the templates they were made with is an error. DuckDB \
{duckdb}, {threads} threads, limit {memory}; {where}, {cores} cores. Load average at the start: \
{load:.1f} (other processes lengthen times, but hardly processor times). Memory is that of the whole \
process."""
_GOAL_MEMORY: Final = 4e9  # maximum resident memory of any run, in bytes
_GOAL_GROWTH: Final = 1.3  # maximum growth of the time, relative to that of the number of pages


class Setting(NamedTuple):
    """DuckDB's memory limit, for example ``3GB``, its number of threads, and folder of temporary files."""

    memory: str
    threads: int
    directory: str


class Measured(NamedTuple):
    """Seconds by step, processor seconds, peak bytes, results; ``rounds`` of star contraction (0: local)."""

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
    sections = [
        _INTRO.format(
            duckdb=metadata.version("duckdb"), threads=setting.threads, memory=setting.memory,
            where=measured_on(), cores=os.cpu_count(), load=os.getloadavg()[0],
        )
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=setting.directory) as folder:
        for algorithm, runs in _crawls(Path(folder), options.pages, options.seed, setting).items():
            sections += [f"## {algorithm.capitalize()} algorithm", _table(runs), _growth(runs)]
        if options.chain:
            sections += [
                f"## One chain of {options.chain:,} pages with the same shingle",
                _chains(Path(folder), options.chain, setting),
            ]
    write_or_print("\n\n".join(sections) + "\n", options.out)
    return 0


def _crawls(folder: Path, sizes: Sequence[int], seed: int, setting: Setting) -> dict[str, Runs]:
    runs: dict[str, Runs] = {"global": [], "local": []}
    for pages in sizes:
        directory = folder / str(pages)
        crawl = apart(write_crawl, directory, pages, seed=seed)
        log(f"made {crawl.pages:,} pages, {crawl.pagelets:,} pagelets, {crawl.links:,} links")
        for algorithm, measurements in runs.items():
            measured = apart(measure, directory, algorithm, setting)
            _check(algorithm, crawl, measured)
            measurements.append((crawl, measured))
            log(f"{algorithm}: {measured.seconds:.1f} s, {measured.peak / 1e9:.2f} GB")
    return runs


def _check(algorithm: str, crawl: Crawl, measured: Measured) -> None:
    wanted, found = crawl.truth[algorithm], measured.found
    if wanted.across_hosts < 0:
        found = found._replace(across_hosts=wanted.across_hosts)
    if found != wanted:
        raise UserError(f"the {algorithm} algorithm is wrong on {crawl.pages:,} pages: {found}, not {wanted}")


def measure(directory: Path, algorithm: str, setting: Setting) -> Measured:
    """Run an algorithm, ``"local"`` or ``"global"``, on the tables of a crawl."""
    clock = _Clock()
    with DuckEngine(memory=setting.memory, threads=setting.threads, directory=setting.directory) as engine:
        source_crawl(engine, directory, NEEDED)
        found = ALGORITHMS[algorithm](engine, on_step=clock)
        clock.stop()
        counted = "SELECT count(*), sum(pages), sum(CASE WHEN hosts > 1 THEN 1 ELSE 0 END) FROM templates"
        templates, pages, across = numbers(engine.rows(counted))
        distinct = "SELECT count(*) FROM (SELECT DISTINCT template_id, page_key FROM template_pagelets) m"
        members = numbers(engine.rows(distinct))
        if members != (pages,):
            raise UserError(f"template_pagelets has {members[0]:,} pages of templates, templates {pages:,}")
    truth = Truth(templates, pages, across)
    return Measured(clock.steps, clock.processor, memory(peak=True), truth, found.rounds)


def measure_chain(directory: Path, setting: Setting) -> Measured:
    """Find the connected components of one chain by star contraction."""
    clock = _Clock()
    with DuckEngine(memory=setting.memory, threads=setting.threads, directory=setting.directory) as engine:
        engine.source("edges", directory)
        clock("components")
        rounds = connected_components(engine, "edges", "components")
        clock.stop()
        nodes, components = numbers(engine.rows("SELECT count(*), count(DISTINCT component) FROM components"))
    return Measured(clock.steps, clock.processor, memory(peak=True), Truth(components, nodes, 0), rounds)


class _Clock:
    """Measures seconds by step, and the processor time of all; calling it ends a step and begins another."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = defaultdict(float)
        self.processor = 0.0
        self._step = ""
        self._began = self._used = 0.0

    def __call__(self, step: str) -> None:
        self.stop()
        self._step, self._began, self._used = step, perf_counter(), process_time()

    def stop(self) -> None:
        """End the running step, if any."""
        if self._step:
            self.steps[self._step] += perf_counter() - self._began
            self.processor += process_time() - self._used
        self._step = ""


def _table(runs: Runs) -> str:
    def seconds(step: str) -> Callable[[Crawl, Measured], str]:
        return lambda _, run: f"{run.steps[step]:.1f} s"

    lines: dict[str, Callable[[Crawl, Measured], str]] = {step: seconds(step) for step in runs[0][1].steps}
    lines |= {
        "**all steps**": lambda _, run: f"**{run.seconds:.1f} s**",
        "processor time": lambda _, run: f"{run.processor:.1f} s",
        "peak memory": lambda _, run: f"{run.peak / 1e9:.2f} GB",
    }
    if runs[0][1].rounds:
        lines["rounds of star contraction"] = lambda _, run: str(run.rounds)
    lines |= {
        "hosts": lambda crawl, _: f"{crawl.hosts:,}",
        "pagelets": lambda crawl, _: f"{crawl.pagelets:,}",
        "links": lambda crawl, _: f"{crawl.links:,}",
        "templates, as made": lambda _, run: f"{run.found.templates:,}",
    }
    rows = [[title, *(write(*each) for each in runs)] for title, write in lines.items()]
    return markdown_table(["", *(f"{crawl.pages:,} pages" for crawl, _ in runs)], rows)


def _growth(runs: Runs) -> str:
    (small, first), (large, last) = runs[0], runs[-1]
    memory_reached = max(run.peak for _, run in runs) <= _GOAL_MEMORY
    lines = [f"Goal: at most {_GOAL_MEMORY / 1e9:.0f} GB: {_reached(memory_reached)}."]
    if large.pages > small.pages:
        more, longer = large.pages / small.pages, last.seconds / first.seconds
        busy, most = last.processor / first.processor, more * _GOAL_GROWTH
        lines.append(
            f"{more:.1f} times the pages take {longer:.1f} times as long, {busy:.1f} times the processor "
            f"time (goal: at most {most:.1f}): {_reached(longer <= most)}."
        )
    return " ".join(lines)


def _reached(reached: bool) -> str:
    return "reached" if reached else "**not reached**"


def _chains(folder: Path, nodes: int, setting: Setting) -> str:
    runs = {}
    for name, shuffled in (("ascending", False), ("shuffled", True)):
        directory = folder / f"chain-{name}"
        apart(write_chain, directory, nodes, shuffled=shuffled)
        runs[name] = apart(measure_chain, directory, setting)
        if runs[name].found != Truth(1, nodes, 0):
            raise UserError(f"a chain of {nodes:,} pages came out as {runs[name].found}")
        log(f"{name} chain: {runs[name].rounds} rounds, {runs[name].seconds:.1f} s")
    return table(
        [
            ("keys along the chain", lambda row: row[0]),
            ("rounds", lambda row: row[1].rounds),
            ("time", lambda row: f"{row[1].seconds:.1f} s"),
            ("processor time", lambda row: f"{row[1].processor:.1f} s"),
            ("peak memory", lambda row: f"{row[1].peak / 1e9:.2f} GB"),
        ],
        runs.items(),
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.templates", __doc__, _EXAMPLE)
    parser.add_argument(
        "--pages", type=lambda text: [int(part) for part in text.split(",")], default=[100_000, 1_000_000],
        help="sizes of the crawls (default 100000,1000000)",
    )  # fmt: skip
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
