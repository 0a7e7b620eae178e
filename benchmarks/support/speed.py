"""Times of extractors side by side, in units of parsing alone."""

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

from benchmarks.support.runner import Peer, SitePeer, load_peer
from detemplate.errors import PageError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PARSE = "turbohtml parse"
"""Name of the unit."""
CONSTRUCTION = "Page"
"""Name of the construction of a page."""
SITELEVEL = "Page, sitelevel learns and scores"
"""Name of the construction of a page and its way through a detector, without rendering."""


class TimedPage(NamedTuple):
    """A page to be timed on."""

    url: str
    html: str
    site: str


@dataclass(frozen=True, slots=True)
class Case:
    """Something that is timed.

    Parameters
    ----------
    name
        What tables call it.
    run
        Does the work on all pages.
    slow
        Whether one round is enough: its time is far above what rounds differ by.
    """

    name: str
    run: Callable[[Sequence[TimedPage]], object]
    slow: bool = False


class Goal(NamedTuple):
    """A promise about speed, and what was measured."""

    text: str
    value: float
    limit: float
    at_least: bool
    """Whether the value must reach the limit; else it must not exceed it."""

    @property
    def reached(self) -> bool:
        """Whether the promise holds."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def product_cases(methods: Sequence[str]) -> list[Case]:
    """List what is timed of this package and of its parser.

    Parameters
    ----------
    methods
        Names of methods. Each runs in one pass from the HTML to the cleaned text, with a new
        cleaner each round: every page is learned and cleaned as it arrives.

    Returns
    -------
    list of Case
        Parsing first.
    """
    from detemplate import Cleaner, Page

    def construct(pages: Sequence[TimedPage]) -> None:
        for page in pages:
            with suppress(PageError):
                Page(page.url, page.html, site=page.site)

    def sitelevel(pages: Sequence[TimedPage]) -> None:
        cleaner = Cleaner(method="sitelevel")
        for page in pages:
            with suppress(PageError):
                cleaner.learn_and_clean(Page(page.url, page.html, site=page.site))

    def one_pass(method: str) -> Callable[[Sequence[TimedPage]], None]:
        def run(pages: Sequence[TimedPage]) -> None:
            cleaner = Cleaner(method=method)
            for raw in pages:
                with suppress(PageError):
                    # As detemplate.clean() does with a stream of pages.
                    page = Page(raw.url, raw.html, site=raw.site, keep_document=True)
                    _ = cleaner.learn_and_clean(page).text

        return run

    return [
        Case(PARSE, _parse_only),
        Case(CONSTRUCTION, construct),
        Case(SITELEVEL, sitelevel),
        *(Case(method, one_pass(method)) for method in methods),
    ]


def _parse_only(pages: Sequence[TimedPage]) -> None:
    for page in pages:
        turbohtml.parse(page.html)


def peer_case(peer: Peer) -> Case:
    """Time a peer, from the HTML to the text.

    Parameters
    ----------
    peer
        Which. One that learns from a site learns within the time.

    Returns
    -------
    Case
        What is timed. Pages on which it fails count with the time until then.
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
    """Time cases in turns, so that what disturbs the machine disturbs all of them.

    Parameters
    ----------
    cases
        What to time.
    pages
        What they work on.
    rounds
        How often each works on all pages; slow cases do it once.
    show
        Called with what is being timed.

    Returns
    -------
    dict of str to float
        Seconds for all pages by name: the least of the rounds, as disturbances only add. The
        garbage collector is off while a case runs and runs before each.
    """
    best: dict[str, float] = {}
    for case in cases:
        case.run(pages[:3])  # imports and first-use tables
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
                taken = perf_counter() - start
            finally:
                gc.enable()
            best[case.name] = min(taken, best.get(case.name, taken))
    return best


def startup_seconds(code: str, *arguments: str, runs: int = 5) -> float:
    """Measure what a new interpreter spends on a piece of code.

    Parameters
    ----------
    code
        Python source.
    *arguments
        What it finds in ``sys.argv``.
    runs
        How often.

    Returns
    -------
    float
        Median of user and system CPU time, interpreter included.

    Raises
    ------
    UserError
        When it fails.
    """
    taken = []
    for _ in range(runs):
        command = [sys.executable, "-c", code, *arguments]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            _pid, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            message = f"cannot measure the start: python -c {code!r} exits with {child.returncode}"
            raise UserError(message)
        taken.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(taken)


_PROMISED: Final = {
    "auto": (6.0, {"trafilatura": 10.0, "chromerag": 50.0}),
    "segments": (3.0, {"resiliparse": 1.0, "trafilatura": 10.0, "deboiler": 20.0}),
}
"""By method: how many times the parse it may take, and how many times faster than peers it must be."""


def goals(times: dict[str, float], peers: Sequence[Peer]) -> list[Goal]:
    """Compare times with what is promised; what was not timed is left out.

    Parameters
    ----------
    times
        Seconds by name, as from `time_cases`.
    peers
        The peers that were timed.

    Returns
    -------
    list of Goal
        What is promised and what was measured.
    """
    labels = {peer.name: peer.label for peer in peers}
    unit = times[PARSE]
    found = [Goal(f"{CONSTRUCTION} ≤ 2.2 × parse", times[CONSTRUCTION] / unit, 2.2, at_least=False)]
    if SITELEVEL in times:
        extra = times[SITELEVEL] / times[CONSTRUCTION] - 1
        found.append(Goal(f"sitelevel learns and scores ≤ 0.6 × {CONSTRUCTION}", extra, 0.6, at_least=False))
    for method, (most, factors) in _PROMISED.items():
        if method not in times:
            continue
        ours = times[method]
        found.append(Goal(f"{method} to text ≤ {most:.0f} × parse", ours / unit, most, at_least=False))
        for peer, factor in factors.items():
            theirs = times.get(labels.get(peer, ""))
            if theirs is not None:
                faster = "faster than" if factor == 1 else f"≥ {factor:.0f} × faster than"
                found.append(Goal(f"{method} to text {faster} {peer}", theirs / ours, factor, at_least=True))
    return found


def startup_goals() -> list[Goal]:
    """Measure how fast the package is imported and the command answers.

    Returns
    -------
    list of Goal
        CPU seconds.
    """
    command = "from detemplate.cli import main; main()"
    return [
        Goal("import detemplate < 0.25 s CPU", startup_seconds("import detemplate"), 0.25, at_least=False),
        Goal("detemplate --help < 0.25 s CPU", startup_seconds(command, "--help"), 0.25, at_least=False),
    ]
