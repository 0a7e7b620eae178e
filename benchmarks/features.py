"""Time the features of nodes, compared with the construction of their pages.

Pages of many sites, pages of some whole sites, and two synthetic pages. Times are processor times of one
thread, which a busy machine distorts less: for each page the least of some rounds, without garbage
collection.
"""

from __future__ import annotations

import gc
import os
import platform
from itertools import islice
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.errors import PageError
from detemplate.features.node import NAMES, node_features
from detemplate.layout.layout import estimated_layout
from detemplate.page.page import Page
from lab.harness.command import Parser, machine, progress, run, tell
from lab.labelled.datasets import load_sets
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.features
  python -m benchmarks.features --rounds 5 --out -
"""
_SETS = {
    "wcxb-dev": 5,
    "sites/postgresql": 6,
    "sites/0cch-zh": 6,
    "sites/dostips-forum": 6,
    "sites/scrapy-rtd": 6,
}
"""Sets; of a set with n, every nth page is taken."""
_MOST = 300
"""Pages of a set at most."""
_GOAL = 1.0
"""Greatest time of the features on a real set, by the construction of the pages."""
_MADE = {
    "made: a list of 50,000": "<ul>" + "<li><a href=/x>one two</a>" * 50_000,
    "made: 500 deep, 20,000 texts": "<div>" * 500 + "<b>one</b> two " * 10_000,
}
_INTRO = """\
# Features of nodes

{features} features of every node, compared with the construction of the page (parsing, serialising, the
scan). Mean processor times of a page, each the least of {rounds} rounds. The features read the estimated
layout, which is timed by itself. Ratios are those of the sums. Python {python}, NumPy {numpy}, {machine};
load average at the start {load:.1f}.
"""


class Times(NamedTuple):
    """Times of one page and its size.

    Attributes
    ----------
    page, layout, features
        Milliseconds for the construction, the estimated layout and the features.
    nodes, size
        Nodes, and bytes of the canonical serialisation.
    """

    page: float
    layout: float
    features: float
    nodes: int
    size: int


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.features", __doc__, _EXAMPLE)
    parser.add_timing(rounds=3)
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    node_features(warm := Page("", "<p>é"), estimated_layout(warm))  # builds the tables of characters
    rows, worst = [], 0.0
    with progress(len(_SETS) + 1) as step:
        for number, (name, every) in enumerate(_SETS.items()):
            step(name, number)
            pages = islice(load_sets([name])[0].pages(), 0, _MOST * every, every)
            timed = [times for page in pages if (times := measure(page.url, page.html, options.rounds))]
            row, ratio = _row(name, timed)
            rows.append(row)
            worst = max(worst, ratio)
        step("made pages", len(_SETS))
        for name, html in _MADE.items():
            rows.append(_row(name, [times for times in [measure("", html, options.rounds)] if times])[0])
    intro = _INTRO.format(
        features=len(NAMES),
        rounds=options.rounds,
        python=platform.python_version(),
        numpy=np.__version__,
        machine=machine(),
        load=load,
    )
    header = ["pages", "number", "nodes", "kB", "page, ms", "layout, ms", "features, ms", "layout / page"]
    header.append("features / page")
    goal = f"Goal: at most {_GOAL:g} × the page's construction on each real set: "
    report = (
        f"{intro}\n{markdown_table(header, rows)}\n\n{goal}{'reached' if worst <= _GOAL else 'missed'}.\n"
    )
    tell(report, options.out)
    return 1 if options.check and worst > _GOAL else 0


def measure(url: str, html: str, rounds: int) -> Times | None:
    """Time one page; None if the markup is no page."""
    try:
        page = Page(url, html)
    except PageError:
        return None
    layout = estimated_layout(page)
    return Times(
        least(lambda: Page(url, html), rounds),
        least(lambda: estimated_layout(page), rounds),
        least(lambda: node_features(page, layout), rounds),
        len(page.columns),
        len(page.canonical),
    )


def least(work: Callable[[], object], rounds: int) -> float:
    """Give the least time of some rounds, in milliseconds."""
    times = []
    gc.disable()
    try:
        for _ in range(rounds):
            start = thread_time()
            work()
            times.append(thread_time() - start)
    finally:
        gc.enable()
    return min(times) * 1000


def _row(name: str, timed: list[Times]) -> tuple[list[str], float]:
    page, layout, its, nodes, size = np.array(timed, float).mean(axis=0).tolist()
    ratio = its / page
    row = [name, f"{len(timed)}", f"{nodes:,.0f}", f"{size / 1000:,.0f}", f"{page:.2f}", f"{layout:.2f}"]
    return [*row, f"{its:.2f}", f"{layout / page:.2f}", f"{ratio:.2f}"], ratio


if __name__ == "__main__":
    run(main)
