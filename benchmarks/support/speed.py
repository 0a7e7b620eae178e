"""Times of extractors side by side; the unit is the time of parsing alone."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

import turbohtml

from detemplate import Cleaner, Page
from detemplate.engines.pagework import Rendered
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from lab.peers.runner import Peer, SitePeer, load_peer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PARSE: Final = "turbohtml parse"
"""Name of the case that only parses: the unit."""
CONSTRUCTION: Final = "Page"
"""Name of the case that constructs pages."""
SITELEVEL: Final = "Page, sitelevel learns and scores"
"""Name of the case that constructs, learns and scores pages by method ``sitelevel``, without making text."""
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
    """List the cases of the parser, which comes first, and of this package.

    Each method learns and cleans the pages in one pass, from the HTML to the text, with a new cleaner each
    round: once as the pages of a file, some of which are worked on together, and once page by page, as those
    of a stream (:data:`STREAMED`).
    """

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

    def one_pass(method: str, *, ahead: bool) -> Callable[[Sequence[TimedPage]], None]:
        def run(pages: Sequence[TimedPage]) -> None:
            passes = Cleaner(method=method).passes(record, Rendered(("text",)), ahead=ahead)
            for _ in passes.stream(pages):
                pass

        return run

    cases = [Case(PARSE, parse), Case(CONSTRUCTION, construct), Case(SITELEVEL, sitelevel)]
    for method in methods:
        cases += [Case(method, one_pass(method, ahead=True))]
        cases += [Case(method + STREAMED, one_pass(method, ahead=False))]
    return cases


def peer_case(peer: Peer) -> Case:
    """Make the case of a peer, from the HTML to the text; learning from a site counts.

    A page that fails counts with the time until the failure.
    """
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
    """Time cases in turns, so that a disturbance of the machine affects all of them.

    Returns the seconds for all pages by name: the least of the rounds, because disturbances only add time.
    The garbage collector runs before each case and is off during it. ``show`` is called before each case.
    """
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
        command = [sys.executable, "-c", code, *arguments]
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
