"""Times the segment features of pages against their parsing and their construction.

Pages of many sites, pages of two whole sites, and two synthetic pages. Times are processor times of one
thread, which a busy machine distorts less: the least of some rounds for each page, with the cyclic garbage
collector off. The vocabulary has every word that occurs on at least two of the pages. Its weights are random,
because they do not change the time.
"""

from __future__ import annotations

import os
import platform
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.command import Parser, machine, progress, run, tell
from benchmarks.features import least
from detemplate.errors import PageError
from detemplate.features.segment import NAMES, Vocabulary, segment_features, word_hashes
from detemplate.labelled.datasets import load_sets
from detemplate.labelled.tables import markdown_table
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.evidence
  python -m benchmarks.evidence --rounds 5 --out -
"""
_SETS = ("wcxb-dev", "sites/postgresql", "sites/dostips-forum")
"""Sets whose pages are timed."""

_MOST = 300
"""Pages of a set at most."""

_GOAL = 0.7
"""Greatest time of the features on the first set, by the time of the parse."""

_SYNTHETIC = {
    "made: a list of 50,000": "<ul>" + "<li class='item new'><a href=/x>one two</a>" * 50_000,
    "made: 500 deep, 20,000 texts": "<div class='a b'>" * 500 + "<b>one</b> two " * 10_000,
}
"""Synthetic pages by name."""

_INTRO = """\
# Features of segments

Processor time of the {features} features of all segments, compared with that of parsing the page and of
constructing it (parsing, serialising, the scan). Means over the first {most} pages of each set; for each page
the least of {rounds} rounds. The vocabulary has {words:,} words. Ratios are those of the sums.
Python {python}, NumPy {numpy}, {machine}; load average at the start {load:.1f}.
"""
_HEADER = [
    *("pages", "number", "texts", "nodes", "kB", "parse, ms", "page, ms", "features, ms", "features / parse"),
    "features / page",
]


class Times(NamedTuple):
    """Times and sizes of a page.

    Attributes
    ----------
    parse, page, features
        Milliseconds of parsing it, of constructing it, and of its segment features.
    texts, nodes
        Numbers of its segments and of its nodes.
    size
        Bytes of its canonical serialisation.
    """

    parse: float
    page: float
    features: float
    texts: int
    nodes: int
    size: int


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("evidence", __doc__, _EXAMPLE)
    parser.add_timing(rounds=3)
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    rows, ratios = [], {}
    with progress(len(_SETS) + 2) as step:
        step("pages", 0)
        sets = {name: list(islice(load_sets([name])[0].pages(), _MOST)) for name in _SETS}
        pages_of = {name: _pages((page.url, page.html) for page in pages) for name, pages in sets.items()}
        vocabulary = learn(page for pages in pages_of.values() for page in pages)
        pages_of |= {name: _pages([("", html)]) for name, html in _SYNTHETIC.items()}
        for number, (name, pages) in enumerate(pages_of.items(), 1):
            step(name, min(number, len(_SETS) + 1))
            times = np.array([measure(page, vocabulary, options.rounds) for page in pages], float)
            parse, page, features, texts, nodes, size = times.mean(axis=0).tolist()
            ratios[name] = features / parse
            row = [name, f"{len(times)}", f"{texts:,.0f}", f"{nodes:,.0f}", f"{size / 1000:,.0f}"]
            row += [f"{milliseconds:.2f}" for milliseconds in (parse, page, features)]
            rows.append([*row, f"{features / parse:.2f}", f"{features / page:.2f}"])
    intro = _INTRO.format(
        features=len(NAMES),
        rounds=options.rounds,
        most=_MOST,
        words=len(vocabulary),
        python=platform.python_version(),
        numpy=np.__version__,
        machine=machine(),
        load=load,
    )
    reached = ratios[_SETS[0]] <= _GOAL
    goal = f"Goal: at most {_GOAL:g} × the parse on {_SETS[0]}: {'reached' if reached else 'missed'}."
    report = f"{intro}\n{markdown_table(_HEADER, rows)}\n\n{goal}\n"
    tell(report, options.out)
    return 1 if options.check and not reached else 0


def learn(pages: Iterable[Page]) -> Vocabulary:
    """Make a vocabulary of the words that occur on at least two pages, with random weights."""
    counts: Counter[int] = Counter()
    for page in pages:
        counts.update(set(word_hashes(page)[1].tolist()))
    words = np.array([word for word, count in counts.items() if count >= 2], np.uint64)
    return Vocabulary(words, np.random.default_rng(0).normal(size=len(words)).astype(np.float32))


def measure(page: Page, vocabulary: Vocabulary, rounds: int) -> Times:
    """Time one page."""
    return Times(
        least(page.parse_source, rounds),
        least(lambda: Page(page.url, page.source), rounds),
        least(lambda: segment_features(page, vocabulary), rounds),
        len(page.segments),
        len(page.columns),
        len(page.canonical),
    )


def _pages(sources: Iterable[tuple[str, str | bytes]]) -> list[Page]:
    """Construct pages, of their URLs and HTML; leave out what is no page."""
    pages = []
    for url, html in sources:
        try:
            pages.append(Page(url, html))
        except PageError:
            continue
    return pages


if __name__ == "__main__":
    run(main)
