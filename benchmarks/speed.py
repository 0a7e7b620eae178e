"""Time this package and its peers in one run, on pages of many sites and on one site.

The unit is the time that turbohtml takes to parse the same pages. These ratios can be compared between
machines; times cannot. `--news` times the methods on news pages of 50 to 130 thousand characters, set by
set, and on the site: such pages have many segments for the time that they take to parse.
"""

from __future__ import annotations

import gc
import itertools
import os
import statistics
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import turbohtml

from benchmarks.support.reports import measured_on
from detemplate import Cleaner, Page
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.run.cleaner import Engine
from detemplate.run.pagework import Rendered
from lab.harness.command import RESULTS, Parser, known_methods, log, positive, run, tell
from lab.harness.tables import join_sections, table
from lab.labelled.datasets import data_folder, load_sets
from lab.labelled.pages import LabelledSet
from lab.peers.known import find_peers
from lab.peers.runner import Peer, SitePeer, load_peer

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.speed
  python -m benchmarks.speed --peers resiliparse --pages 100 --out -
  python -m benchmarks.speed --news --methods auto,segments --out -
"""
_INTRO = """\
# Speed

From HTML in memory to text, one process. All extractors are timed in turns in one run; the least of
{rounds} rounds, slow ones once, garbage collector off. Methods of this package run in one pass: as over a
file, where up to eight pages are worked on together, also with metadata, and page by page, as over a
stream.
{where}.
"""

_NEWS: Final = ("daniel-test", "cleanportaleval", "dragnet-hosts", "l3s-gn1")  # sets of news pages
_NEWS_CHARACTERS: Final = range(50_000, 130_001)  # characters of a news page that is timed
PARSE: Final = "turbohtml parse"  # name of the case that only parses: the unit
CONSTRUCTION: Final = "Page"  # name of the case that constructs pages
SITELEVEL: Final = "Page, sitelevel learns and scores"
"""Name of the case that constructs, learns and scores pages by method ``sitelevel``, without making text."""
WITH_METADATA: Final = ", and metadata"
"""Behind the name of a method: its case that also reads what pages say of themselves, as ``clean`` does."""
STREAMED: Final = ", page by page"
"""Behind the name of a method: its case that works on each page as it arrives."""
_PROMISED: Final = {
    "auto": (6.0, {"trafilatura": 10.0, "chromerag": 50.0}),
    "segments": (3.0, {"resiliparse": 1.0, "trafilatura": 10.0, "deboiler": 20.0}),
}
"""By method: its limit in multiples of the parse, and how many times faster than each peer it must be."""


class TimedPage(NamedTuple):
    """A page of a timing: its URL, its HTML, and the name of its site."""

    url: str
    html: str
    site: str


@dataclass(frozen=True, slots=True)
class Case:
    """Work on all pages. Slow cases run in one round only: they take longer than rounds differ."""

    name: str
    run: Callable[[Sequence[TimedPage]], object]
    slow: bool = False


class Goal(NamedTuple):
    """A promise about speed as tables show it, the measured value, and its limit: the least or the most."""

    text: str
    value: float
    limit: float
    at_least: bool

    @property
    def reached(self) -> bool:
        """Whether the promise is kept."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def product_cases(methods: Sequence[str]) -> list[Case]:
    """List the cases of the parser, which comes first, and of each method, in three ways."""

    def parse(pages: Sequence[TimedPage]) -> None:
        for page in pages:
            turbohtml.parse(page.html)

    def construct(pages: Sequence[TimedPage]) -> None:
        for page in pages:
            with suppress(PageError):
                Page(page.url, page.html, site=page.site)

    def sitelevel(pages: Sequence[TimedPage]) -> None:
        cleaner = Cleaner(method="sitelevel")
        for page in pages:
            with suppress(PageError):
                cleaner.learn_and_clean(Page(page.url, page.html, site=page.site))

    def record(page: TimedPage) -> Record:
        return Record(page.url, page.html, None, None, page.site)

    def one_pass(method: str, *made: str, ahead: bool) -> Callable[[Sequence[TimedPage]], None]:
        def run(pages: Sequence[TimedPage]) -> None:
            passes = Engine(method=method).passes(record, Rendered(("text", *made)), ahead=ahead)
            for _ in passes.stream(pages):
                pass

        return run

    cases = [Case(PARSE, parse), Case(CONSTRUCTION, construct), Case(SITELEVEL, sitelevel)]
    for method in methods:
        cases += [Case(method, one_pass(method, ahead=True))]
        cases += [Case(method + WITH_METADATA, one_pass(method, "metadata", ahead=True))]
        cases += [Case(method + STREAMED, one_pass(method, ahead=False))]
    return cases


def peer_case(peer: Peer) -> Case:
    """Make the case of a peer, from the HTML to the text; learning counts, and so does a page that fails."""
    function = load_peer(peer)
    slow = peer.name not in ("everything", "turbohtml", "resiliparse")
    if isinstance(peer, SitePeer):
        return Case(peer.label, lambda pages: peer.run([(page.url, page.html) for page in pages]), slow)

    def run(pages: Sequence[TimedPage]) -> None:
        for page in pages:
            with suppress(Exception):
                function(page.url, page.html)

    return Case(peer.label, run, slow)


def time_cases(
    cases: Sequence[Case],
    pages: Sequence[TimedPage],
    rounds: int = 5,
    show: Callable[[str], None] = lambda _what: None,
) -> dict[str, float]:
    """Time cases in turns, so that a disturbance affects all; return the least seconds by name."""
    best: dict[str, float] = {}
    for case in cases:
        case.run(pages[:3])  # imports modules and builds tables
    for number in range(rounds):
        for case in cases:
            if number and case.slow:
                continue
            show(f"{case.name}, round {number + 1}")
            gc.collect()
            gc.disable()
            try:
                start = perf_counter()
                case.run(pages)
                seconds = perf_counter() - start
            finally:
                gc.enable()
            best[case.name] = min(seconds, best.get(case.name, seconds))
    return best


def startup_seconds(code: str, *arguments: str, runs: int = 5) -> float:
    """Measure the processor time of a new interpreter that runs Python source: the median of some runs."""
    seconds = []
    for _ in range(runs):
        command = [sys.executable, "-P", "-c", code, *arguments]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            _pid, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise UserError(f"cannot measure the start: python -c {code!r} exits with {child.returncode}")
        seconds.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(seconds)


def goals(times: dict[str, float], peers: Sequence[Peer]) -> list[Goal]:
    """Compare times, as from `time_cases`, with the promises; cases that were not timed are left out."""
    labels = {peer.name: peer.label for peer in peers}
    unit = times[PARSE]
    promises = [Goal(f"{CONSTRUCTION} ≤ 2.2 × parse", times[CONSTRUCTION] / unit, 2.2, at_least=False)]
    if SITELEVEL in times:
        extra = times[SITELEVEL] / times[CONSTRUCTION] - 1
        text = f"sitelevel learns and scores ≤ 0.6 × {CONSTRUCTION}"
        promises.append(Goal(text, extra, 0.6, at_least=False))
    for method, (most, factors) in _PROMISED.items():
        if method not in times:
            continue
        ours = times[method]
        promises.append(Goal(f"{method} to text ≤ {most:.0f} × parse", ours / unit, most, at_least=False))
        for peer, factor in factors.items():
            theirs = times.get(labels.get(peer, ""))
            if theirs is not None:
                faster = "faster than" if factor == 1 else f"≥ {factor:.0f} × faster than"
                promises.append(
                    Goal(f"{method} to text {faster} {peer}", theirs / ours, factor, at_least=True)
                )
    return promises


def startup_goals() -> list[Goal]:
    """Measure the processor time of importing the package, and of the command's help."""
    command = "from detemplate.cli import main; main()"
    return [
        Goal("import detemplate < 0.25 s CPU", startup_seconds("import detemplate"), 0.25, at_least=False),
        Goal("detemplate --help < 0.25 s CPU", startup_seconds(command, "--help"), 0.25, at_least=False),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    methods = known_methods(options.methods)
    peers = find_peers(options.peers)
    sections, promises = _news(methods, options) if options.news else _side_by_side(methods, peers, options)
    intro = _INTRO.format(rounds=options.rounds, where=measured_on("turbohtml"))
    tell(join_sections(intro, "", sections), options.out)
    return 1 if options.check and not all(goal.reached for goal in promises) else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.speed", __doc__, _EXAMPLE)
    parser.add_argument("--methods", default="auto,segments,sandwich", help="names separated by commas")
    parser.add_argument("--peers", default="all", help="all, none, or names separated by commas")
    parser.add_argument("--pages", type=positive, default=300, help="pages of many sites (default 300)")
    parser.add_argument("--site", default="0cch-zh", help="which site (default 0cch-zh)")
    about = "time the methods only: on news pages, set by set, and on the site; written to speed-news.md"
    parser.add_argument("--news", action="store_true", help=about)
    parser.add_timing(rounds=5)
    options = parser.parse_args(arguments)
    if options.news and options.out == parser.get_default("out"):
        options.out = str(RESULTS / "speed-news.md")
    return options


def _side_by_side(
    methods: Sequence[str], peers: Sequence[Peer], options: argparse.Namespace
) -> tuple[list[str], list[Goal]]:
    """Time methods and peers on pages of many sites and on one site."""
    sections, all_goals = [], []
    for title, name, limit in (
        (f"First {options.pages} pages of wcxb-dev", "wcxb-dev", options.pages),
        (f"The site {options.site}", f"sites/{options.site}", None),
    ):
        labelled = load_sets([name])[0]
        pages = [TimedPage(p.url, p.html, p.site) for p in itertools.islice(labelled.pages(), limit)]
        # Peers that learn from a site are left out on pages of many sites.
        here = [peer for peer in peers if name != "wcxb-dev" or not isinstance(peer, SitePeer)]
        times = _time(pages, methods, here, options.rounds)
        promises = goals(times, here)
        all_goals += promises
        rows = [(case, spent / len(pages), spent / times[PARSE]) for case, spent in times.items()]
        columns: list[Column] = [
            ("", lambda row: row[0]),
            ("ms a page", lambda row: row[1] * 1000, ".3f"),
            ("× parse", lambda row: row[2], ".2f"),
        ]
        sizes = f"{len(pages)} pages of {_size(pages):.0f} thousand characters on average."
        sections += [f"## {title}\n\n{sizes}", table(columns, rows), _goal_table(promises)]
    starts = startup_goals()
    return [*sections, "## Start\n\n" + _goal_table(starts)], all_goals + starts


def _news(methods: Sequence[str], options: argparse.Namespace) -> tuple[list[str], list[Goal]]:
    """Time the methods on each set of news and on the site."""
    rows, promises = [], []
    cases = [CONSTRUCTION, *(method + way for method in methods for way in ("", STREAMED))]
    for name in (*_NEWS, f"sites/{options.site}"):
        labelled = LabelledSet(name, "text", data_folder() / name)
        pages = [
            TimedPage(page.url, page.html, page.site)
            for page in labelled.pages()
            if name not in _NEWS or len(page.html) in _NEWS_CHARACTERS
        ][: options.pages]
        if not pages:
            least, most = _NEWS_CHARACTERS[0], _NEWS_CHARACTERS[-1]
            raise UserError(f"{name} has no pages of {least:,} to {most:,} characters")
        times = _time(pages, methods, (), options.rounds)
        multiples = {case: times[case] / times[PARSE] for case in cases}
        parse = times[PARSE] / len(pages) * 1000
        rows.append({"name": name, "pages": len(pages), "size": _size(pages), "parse": parse, **multiples})
        promises += [
            goal._replace(text=f"{name}: {goal.text}")
            for goal in goals(times, ())
            if goal.text.startswith(tuple(methods)) and "parse" in goal.text
        ]
    columns: list[Column] = [("set", "name"), ("pages", "pages"), ("thousand characters", "size", ".0f")]
    columns += [("ms a parse", "parse", ".3f"), *((case, case, ".2f") for case in cases)]
    return ["## News, × parse", table(columns, rows), _goal_table(promises)], promises


def _size(pages: Sequence[TimedPage]) -> float:
    return sum(len(page.html) for page in pages) / len(pages) / 1000


def _time(
    pages: Sequence[TimedPage], methods: Sequence[str], peers: Sequence[Peer], rounds: int
) -> dict[str, float]:
    cases = [*product_cases(methods), *(peer_case(peer) for peer in peers)]
    return time_cases(cases, pages, rounds, log)


def _goal_table(promises: Sequence[Goal]) -> str:
    columns: list[Column] = [("goal", "text"), ("measured", "value", ".2f")]
    return table([*columns, ("", lambda goal: "reached" if goal.reached else "missed")], promises)


if __name__ == "__main__":
    run(main)
