"""Time this package and its peers in one run, on pages of many sites and on one site.

The unit is the time that turbohtml takes to parse the same pages. These ratios can be compared between
machines; times cannot. `--news` times the methods on news pages of 50 to 130 thousand characters, set by
set, and on the site: such pages have many segments for the time that they take to parse.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from benchmarks.support.reports import measured_on
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
from lab.harness.command import RESULTS, Parser, known_methods, log, positive, run, tell
from lab.harness.tables import join_sections, table
from lab.labelled.datasets import data_folder, load_sets
from lab.labelled.pages import LabelledSet
from lab.peers.known import find_peers
from lab.peers.runner import SitePeer

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from lab.harness.tables import Column
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
{where}.
"""

_NEWS: Final = ("daniel-test", "cleanportaleval", "dragnet-hosts", "l3s-gn1")
"""Sets of news pages."""

_NEWS_CHARACTERS: Final = range(50_000, 130_001)
"""Characters of a news page that is timed."""


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
