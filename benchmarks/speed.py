"""Time this package and its peers in one run, on pages of many sites and on one site.

The unit is the time that turbohtml takes to parse the same pages. These ratios can be compared between
machines; times cannot.
"""

from __future__ import annotations

import itertools
import platform
from importlib import metadata
from typing import TYPE_CHECKING

from benchmarks.command import Parser, known_methods, log, machine, positive, run, tell
from benchmarks.support.peers import find_peers
from benchmarks.support.runner import SitePeer
from benchmarks.support.speed import (
    PARSE,
    Goal,
    TimedPage,
    goals,
    peer_case,
    product_cases,
    startup_goals,
    time_cases,
)
from detemplate.labelled.datasets import load_sets
from detemplate.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.support.runner import Peer

_EXAMPLE = """\
examples:
  python -m benchmarks.speed
  python -m benchmarks.speed --peers resiliparse --pages 100 --out -
"""
_INTRO = """\
# Speed

From HTML in memory to text, one process. All extractors are timed in turns in one run; the least of
{rounds} rounds, slow ones once, garbage collector off. Methods of this package run in one pass: each
page is learned and cleaned as it arrives. Python {python}, turbohtml {turbohtml}, {machine}.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    methods = known_methods(options.methods)
    peers = find_peers(options.peers)
    sections = [
        _INTRO.format(
            rounds=options.rounds,
            python=platform.python_version(),
            turbohtml=metadata.version("turbohtml"),
            machine=machine(),
        )
    ]
    all_goals: list[Goal] = []
    for title, name, limit in (
        (f"first {options.pages} pages of wcxb-dev", "wcxb-dev", options.pages),
        (f"the site {options.site}", f"sites/{options.site}", None),
    ):
        pages = _pages(name, limit)
        # Peers that learn from a site are left out on pages of many sites.
        here = [peer for peer in peers if name != "wcxb-dev" or not isinstance(peer, SitePeer)]
        times = _time(pages, methods, here, options.rounds)
        promises = goals(times, here)
        all_goals += promises
        sections.append(_section(title, pages, times, promises))
    starts = startup_goals()
    all_goals += starts
    sections.append("## Start\n\n" + _goal_table(starts))
    report = "\n\n".join(section.rstrip("\n") for section in sections) + "\n"
    tell(report, options.out)
    return 1 if options.check and not all(goal.reached for goal in all_goals) else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("speed", __doc__, _EXAMPLE)
    parser.add_argument("--methods", default="auto,segments,sandwich", help="names separated by commas")
    parser.add_argument("--peers", default="all", help="all, none, or names separated by commas")
    parser.add_argument("--pages", type=positive, default=300, help="pages of many sites (default 300)")
    parser.add_argument("--site", default="0cch-zh", help="which site (default 0cch-zh)")
    parser.add_timing(rounds=5)
    return parser.parse_args(arguments)


def _pages(name: str, limit: int | None) -> list[TimedPage]:
    labelled = load_sets([name])[0]
    return [TimedPage(p.url, p.html, p.site) for p in itertools.islice(labelled.pages(), limit)]


def _time(
    pages: Sequence[TimedPage], methods: Sequence[str], peers: Sequence[Peer], rounds: int
) -> dict[str, float]:
    cases = [*product_cases(methods), *(peer_case(peer) for peer in peers)]
    return time_cases(cases, pages, rounds, log)


def _section(
    title: str, pages: Sequence[TimedPage], times: dict[str, float], promises: Sequence[Goal]
) -> str:
    size = sum(len(page.html) for page in pages) / len(pages) / 1000
    rows = [
        [name, f"{seconds / len(pages) * 1000:.3f}", f"{seconds / times[PARSE]:.2f}"]
        for name, seconds in times.items()
    ]
    table = markdown_table(["", "ms a page", "× parse"], rows)
    sizes = f"{len(pages)} pages of {size:.0f} thousand characters on average."
    return f"## {title[0].upper()}{title[1:]}\n\n{sizes}\n\n{table}\n\n{_goal_table(promises)}"


def _goal_table(promises: Sequence[Goal]) -> str:
    rows = [[goal.text, f"{goal.value:.2f}", "reached" if goal.reached else "missed"] for goal in promises]
    return markdown_table(["goal", "measured", ""], rows)


if __name__ == "__main__":
    run(main)
