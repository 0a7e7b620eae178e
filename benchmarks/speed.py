"""Time this package and its peers in one run, on pages of many sites and on one site.

The unit is the time that turbohtml takes to parse the same pages. These ratios can be compared between
machines; times cannot. `--news` times the methods on news pages of 50 to 130 thousand characters, set by
set, and on the site: such pages have many segments for the time that they take to parse.
"""

from __future__ import annotations

import itertools
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Final

from benchmarks.support.speed import (
    CONSTRUCTION,
    PARSE,
    STREAMED,
    Goal,
    TimedPage,
    goals,
    peer_case,
    product_cases,
    startup_goals,
    time_cases,
)
from detemplate.errors import UserError
from lab.harness.command import RESULTS, Parser, known_methods, log, machine, positive, run, tell
from lab.labelled.datasets import data_folder, load_sets
from lab.labelled.pages import LabelledSet
from lab.labelled.tables import markdown_table
from lab.peers.known import find_peers
from lab.peers.runner import SitePeer

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from lab.peers.runner import Peer

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
file, where up to eight pages are worked on together, and page by page, as over a stream.
Python {python}, turbohtml {turbohtml}, {machine}.
"""

_NEWS: Final = ("daniel-test", "cleanportaleval", "dragnet-hosts", "l3s-gn1")
"""Sets of news pages."""

_NEWS_CHARACTERS: Final = range(50_000, 130_001)
"""Characters of a news page that is timed."""


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
    if options.news:
        section, all_goals = _news(methods, options)
        return _tell([*sections, section], all_goals, options)
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
    return _tell(sections, all_goals, options)


def _tell(sections: Sequence[str], promises: Sequence[Goal], options: argparse.Namespace) -> int:
    """Write the report and give the exit code."""
    tell("\n\n".join(section.rstrip("\n") for section in sections) + "\n", options.out)
    return 1 if options.check and not all(goal.reached for goal in promises) else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.speed", __doc__, _EXAMPLE)
    parser.add_argument("--methods", default="auto,segments,sandwich", help="names separated by commas")
    parser.add_argument("--peers", default="all", help="all, none, or names separated by commas")
    parser.add_argument("--pages", type=positive, default=300, help="pages of many sites (default 300)")
    parser.add_argument("--site", default="0cch-zh", help="which site (default 0cch-zh)")
    parser.add_argument(
        "--news",
        action="store_true",
        help="time the methods only: on news pages, set by set, and on the site; written to speed-news.md",
    )
    parser.add_timing(rounds=5)
    options = parser.parse_args(arguments)
    if options.news and options.out == parser.get_default("out"):
        options.out = str(RESULTS / "speed-news.md")
    return options


def _news(methods: Sequence[str], options: argparse.Namespace) -> tuple[str, list[Goal]]:
    """Time the methods on each set of news and on the site; give the section and the goals."""
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
            message = f"{name} has no pages of {_NEWS_CHARACTERS[0]:,} to {_NEWS_CHARACTERS[-1]:,} characters"
            raise UserError(message)
        times = _time(pages, methods, (), options.rounds)
        size = sum(len(page.html) for page in pages) / len(pages) / 1000
        multiples = [f"{times[case] / times[PARSE]:.2f}" for case in cases]
        milliseconds = times[PARSE] / len(pages) * 1000
        rows.append([name, str(len(pages)), f"{size:.0f}", f"{milliseconds:.3f}", *multiples])
        promises += [
            goal._replace(text=f"{name}: {goal.text}")
            for goal in goals(times, ())
            if goal.text.startswith(tuple(methods)) and "parse" in goal.text
        ]
    table = markdown_table(["set", "pages", "thousand characters", "ms a parse", *cases], rows)
    return f"## News, × parse\n\n{table}\n\n{_goal_table(promises)}", promises


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
