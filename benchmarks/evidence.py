"""Times the evidence of pages against their parsing and their construction.

Pages of many sites, and of two whole sites; and two made pages. Processor time of one thread, so that a
busy machine distorts it less; the least of some rounds a page, the cyclic garbage collector off. The
vocabulary has every word that two of the pages or more have, with weights drawn at random: what a word
weighs costs nothing.
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
from detemplate.errors import PageError, UserError
from detemplate.features.segment import KERNEL, NAMES, Vocabulary, segment_features, word_hashes
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
_MOST = 300
_GOAL = 0.7
_MADE = {
    "made: a list of 50,000": "<ul>" + "<li class='item new'><a href=/x>one two</a>" * 50_000,
    "made: 500 deep, 20,000 texts": "<div class='a b'>" * 500 + "<b>one</b> two " * 10_000,
}
_INTRO = """\
# Evidence of pages

{features} numbers of every visible text, by the processor time of parsing the page, and of constructing it
(parsing, serialising, the scan). Means a page, the least of {rounds} rounds, of the first {most} pages of
each set. The vocabulary has {words:,} words. Ratios are those of the sums. Python {python}, NumPy {numpy},
{machine}; load average at the start {load:.1f}.
"""
_HEADER = [
    *("pages", "number", "texts", "nodes", "kB", "parse, ms", "page, ms", "evidence, ms", "evidence / parse"),
    "evidence / page",
]


class Times(NamedTuple):
    """Milliseconds that a page took, and its size."""

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
    if KERNEL is None:
        raise UserError("the kernels are not built: run python setup.py build_ext --inplace")
    load = os.getloadavg()[0]
    rows, ratios = [], {}
    with progress(len(_SETS) + 2) as step:
        step("pages", 0)
        sets = {name: list(islice(load_sets([name])[0].pages(), _MOST)) for name in _SETS}
        given = {name: _pages((page.url, page.html) for page in pages) for name, pages in sets.items()}
        vocabulary = learn(page for pages in given.values() for page in pages)
        given |= {name: _pages([("", html)]) for name, html in _MADE.items()}
        for number, (name, pages) in enumerate(given.items(), 1):
            step(name, min(number, len(_SETS) + 1))
            times = np.array([measure(page, vocabulary, options.rounds) for page in pages], float)
            parse, page, its, texts, nodes, size = times.mean(axis=0).tolist()
            ratios[name] = its / parse
            row = [name, f"{len(times)}", f"{texts:,.0f}", f"{nodes:,.0f}", f"{size / 1000:,.0f}"]
            row += [f"{milliseconds:.2f}" for milliseconds in (parse, page, its)]
            rows.append([*row, f"{its / parse:.2f}", f"{its / page:.2f}"])
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
    """Make a vocabulary of the words that two pages or more have."""
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


def _pages(given: Iterable[tuple[str, str | bytes]]) -> list[Page]:
    pages = []
    for url, html in given:
        try:
            pages.append(Page(url, html))
        except PageError:
            continue
    return pages


if __name__ == "__main__":
    run(main)
