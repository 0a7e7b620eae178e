"""Time single steps: features of nodes, features of segments, the nearest file name.

Times are processor times of one thread, which a busy machine distorts less: the least of some rounds, garbage
collector off.
"""

from __future__ import annotations

import gc
import os
import random
from collections import Counter
from functools import partial
from itertools import islice
from time import process_time, thread_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from benchmarks.support.reports import goal, measured_on
from detemplate.detectors.sandwich.nearest import EXACT, NEIGHBOURS, NearestNames
from detemplate.features import node, segment
from detemplate.layout.layout import estimated_layout
from detemplate.page.page import Page
from lab.harness.command import RESULTS, Parser, log, positive, run, tell
from lab.harness.tables import table
from lab.labelled.datasets import load_sets
from lab.labelled.measure import page_or_none

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from lab.harness.tables import Column

    Row = dict[str, float]
    """Figures of a row by name; times in milliseconds."""
    Report = tuple[str, bool]
    """A report, and whether its goal is reached."""

_EXAMPLE = """\
examples:
  python -m benchmarks.kernels features
  python -m benchmarks.kernels evidence --rounds 5 --out -
  python -m benchmarks.kernels nearest --names 1000,8000 --pages 20 --out -
"""
_MOST: Final = 300  # maximum number of pages of a set
_FEATURE_SETS: Final = {
    "wcxb-dev": 5,
    "sites/postgresql": 6,
    "sites/0cch-zh": 6,
    "sites/dostips-forum": 6,
    "sites/scrapy-rtd": 6,
}
"""Sets for the features of nodes; of a set with n, every nth page is taken."""
_EVIDENCE_SETS: Final = dict.fromkeys(("wcxb-dev", "sites/postgresql", "sites/dostips-forum"), 1)
"""Sets for the features of segments."""
_EVIDENCE_GOAL: Final = 0.7
"""Maximum time of the features of segments on the first set, relative to the parse."""
_NEAREST_GOAL: Final = 10.0  # maximum time to choose a file name, in milliseconds
_FEATURES = """\
# Features of nodes

{features} features of every node, compared with the construction of the page (parsing, serialising, the
scan). Mean processor times of a page, each the least of {rounds} rounds. The features read the estimated
layout, which is timed by itself. Ratios are those of the sums. {where}; load average at the start {load:.1f}.
"""
_EVIDENCE = """\
# Features of segments

Processor time of the {features} features of all segments, compared with that of parsing the page and of
constructing it (parsing, serialising, the scan). Means over the first {most} pages of each set; for each page
the least of {rounds} rounds. The vocabulary has {words:,} words. Ratios are those of the sums.
{where}; load average at the start {load:.1f}.
"""
_NEAREST = """\
# The nearest file name

File names of one directory: numbers with gaps (`story-0123456.html`), and titles of three to six words out
of 1,600. *Index* is the time of a choice in method `sandwich` with `peer=nearest`; *all names* that of a
comparison with each name, which is the definition; *equal* the share of {pages} pages for which both choose
the same name, and *further* by how many edits the index's choice is further away on the others, at most.
*Made in* is the time that the index takes to be made and sorted, for all names. Up to {exact:,} names the
index compares all; beyond, names at distance 1, and {neighbours:,} names on each side in two orders. Times
are of the processor.
{where}.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    report, reached = _MEASURED[options.what](options)
    tell(report, options.out or str(RESULTS / f"{options.what}.md"))
    return 1 if options.check and not reached else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.kernels", __doc__, _EXAMPLE)
    parser.add_argument("what", choices=list(_MEASURED), help="what is timed")
    parser.add_argument("--rounds", type=positive, default=3, help="rounds (default 3)")
    parser.add_argument(
        "--names", default="1000,8000,16000,64000,1000000", metavar="N,…", help="of nearest: sizes"
    )
    parser.add_argument("--pages", type=positive, default=50, help="of nearest: choices (default 50)")
    parser.add_argument("--out", metavar="FILE", help="Markdown file, - for standard output only")
    parser.add_check()
    return parser.parse_args(arguments)


def least(work: Callable[[], object], rounds: int) -> float:
    """Return the least time of some rounds, in milliseconds."""
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


# Features of pages.


def _pages(sources: Iterable[tuple[str, str]]) -> list[Page]:
    """Construct pages; leave out what is no page."""
    found = (page_or_none(url, html) for url, html in sources)
    return [page for page in found if page is not None]


def _set_pages(name: str, every: int) -> list[Page]:
    """Read every nth page of a set."""
    pages = islice(load_sets([name])[0].pages(), 0, _MOST * every, every)
    return _pages((page.url, page.html) for page in pages)


def _made_pages(attribute: str, classes: str) -> dict[str, list[Page]]:
    """Make two pages: a long list and a deep tree, with some attributes."""
    items = f"<ul>{f'<li{attribute}><a href=/x>one two</a>' * 50_000}"
    deep = f"<div{classes}>" * 500 + "<b>one</b> two " * 10_000
    return {
        "made: a list of 50,000": _pages([("", items)]),
        "made: 500 deep, 20,000 texts": _pages([("", deep)]),
    }


def _timed(
    groups: dict[str, list[Page]], steps: Callable[[Page], dict[str, Callable[[], object]]], rounds: int
) -> dict[str, Row]:
    """Time the steps of each page; return the means of each group."""
    rows = {}
    for name, pages in groups.items():
        log(name)
        figures = [
            {step: least(work, rounds) for step, work in steps(page).items()}
            | {"texts": len(page.segments), "nodes": len(page.columns), "size": len(page.canonical)}
            for page in pages
        ]
        means = {key: float(np.mean([row[key] for row in figures])) for key in figures[0]}
        rows[name] = means | {"number": len(pages)}
    return rows


_SIZES: Final[dict[str, Column]] = {
    "number": ("number", "number", ",d"),
    "texts": ("texts", "texts", ",.0f"),
    "nodes": ("nodes", "nodes", ",.0f"),
    "kB": ("kB", lambda row: row["size"] / 1000, ",.0f"),
}
"""Columns that describe a group of pages."""


def _ratio(step: str, unit: str, row: Row) -> float:
    return row[step] / row[unit]


def _table(rows: dict[str, Row], sizes: Sequence[str], steps: Sequence[str], ratios: Sequence[str]) -> str:
    """Write a table of sizes, times of steps, and ratios of times such as ``features / page``."""
    columns: list[Column] = [("pages", "name"), *(_SIZES[size] for size in sizes)]
    columns += [(f"{step}, ms", step, ".2f") for step in steps]
    for ratio in ratios:
        step, _, unit = ratio.partition(" / ")
        columns.append((ratio, partial(_ratio, step, unit), ".2f"))
    return table(columns, [{"name": name, **row} for name, row in rows.items()])


def _features(options: argparse.Namespace) -> Report:
    load = os.getloadavg()[0]
    node.node_features(warm := Page("", "<p>é"), estimated_layout(warm))  # builds the tables of characters

    def steps(page: Page) -> dict[str, Callable[[], object]]:
        layout = estimated_layout(page)
        return {
            "page": lambda: Page(page.url, page.source),
            "layout": lambda: estimated_layout(page),
            "features": lambda: node.node_features(page, layout),
        }

    sets = {name: _set_pages(name, every) for name, every in _FEATURE_SETS.items()}
    rows = _timed(sets | _made_pages("", ""), steps, options.rounds)
    intro = _FEATURES.format(
        features=len(node.NAMES), rounds=options.rounds, where=measured_on("numpy"), load=load
    )
    reached = all(rows[name]["features"] <= rows[name]["page"] for name in _FEATURE_SETS)
    told = goal("at most 1 × the page's construction on each real set", reached=reached)
    sizes, steps_timed = ("number", "nodes", "kB"), ("page", "layout", "features")
    shown = _table(rows, sizes, steps_timed, ("layout / page", "features / page"))
    return f"{intro}\n{shown}\n\n{told}\n", reached


def _evidence(options: argparse.Namespace) -> Report:
    load = os.getloadavg()[0]
    sets = {name: _set_pages(name, every) for name, every in _EVIDENCE_SETS.items()}
    vocabulary = _learn(page for pages in sets.values() for page in pages)

    def steps(page: Page) -> dict[str, Callable[[], object]]:
        return {
            "parse": page.parse_source,
            "page": lambda: Page(page.url, page.source),
            "features": lambda: segment.segment_features(page, vocabulary),
        }

    rows = _timed(sets | _made_pages(" class='item new'", " class='a b'"), steps, options.rounds)
    intro = _EVIDENCE.format(
        features=len(segment.NAMES), rounds=options.rounds, most=_MOST, words=len(vocabulary),
        where=measured_on("numpy"), load=load,
    )  # fmt: skip
    first = rows["wcxb-dev"]
    reached = first["features"] <= _EVIDENCE_GOAL * first["parse"]
    told = goal(f"at most {_EVIDENCE_GOAL:g} × the parse on wcxb-dev", reached=reached)
    sizes, steps_timed = ("number", "texts", "nodes", "kB"), ("parse", "page", "features")
    shown = _table(rows, sizes, steps_timed, ("features / parse", "features / page"))
    return f"{intro}\n{shown}\n\n{told}\n", reached


def _learn(pages: Iterable[Page]) -> segment.Vocabulary:
    """Make a vocabulary of the words on two pages and more; its weights, which cost no time, are random."""
    counts: Counter[int] = Counter()
    for page in pages:
        counts.update(set(segment.word_hashes(page)[1].tolist()))
    words = np.array([word for word, count in counts.items() if count >= 2], np.uint64)
    return segment.Vocabulary(words, np.random.default_rng(0).normal(size=len(words)).astype(np.float32))


# The nearest file name.


def _nearest(options: argparse.Namespace) -> Report:
    rows: list[dict[str, Any]] = []
    for kind, name_of in (("numbers", _numbered), ("titles", _titled)):
        for size in map(int, options.names.split(",")):
            log(f"{kind} {size}")
            rows.append({"kind": kind, "size": size, **_choices(name_of, size, options.pages)})
    intro = _NEAREST.format(pages=options.pages, exact=EXACT, neighbours=NEIGHBOURS, where=measured_on())
    columns: list[Column] = [
        ("names", "kind"),
        ("pages", "size", ",d"),
        ("made in, s", "made", ".2f"),
        ("index, ms", "index", ".2f"),
        ("all names, ms", "all", ".2f"),
        ("equal", "equal", ".0%"),
        ("further", "further"),
    ]
    text = table(columns, rows)
    reached = all(row["index"] <= _NEAREST_GOAL for row in rows)
    return f"{intro}\n{text}\n\n{goal(f'a choice within {_NEAREST_GOAL:g} ms', reached=reached)}\n", reached


_SYLLABLES: Final = [a + b for a in "bdfklmrt" for b in "aeiou"]  # parts of made words


def _numbered(rng: random.Random) -> str:
    return f"story-{rng.randrange(3_000_000):07}.html"


def _titled(rng: random.Random) -> str:
    words = [rng.randrange(1600) for _ in range(rng.randint(3, 6))]
    return "-".join(f"{_SYLLABLES[word % 40]}{_SYLLABLES[word // 40]}" for word in words)


def _choices(name_of: Callable[[random.Random], str], size: int, pages: int) -> dict[str, float]:
    """Time the index and the definition on made names, and compare their choices."""
    rng = random.Random(2009)
    names = list({name_of(rng): None for _ in range(size)})
    asked = rng.sample(names, min(pages, len(names)))
    start = process_time()
    index = NearestNames()
    for name in names:
        index.add(name, name)
    index.nearest(names[0], names[0])
    made = process_time()
    chosen = [index.nearest(name, name) or "" for name in asked]
    took = process_time()
    names.sort()
    again = process_time()
    wanted = [_by_definition(name, names) for name in asked]
    linear = process_time() - again
    distance = Levenshtein.distance
    triples = list(zip(asked, chosen, wanted, strict=True))
    return {
        "made": made - start,
        "index": 1000 * (took - made) / len(asked),
        "all": 1000 * linear / len(asked),
        "equal": sum(one == other for _, one, other in triples) / len(asked),
        "further": max(distance(name, one) - distance(name, other) for name, one, other in triples),
    }


def _by_definition(name: str, names: list[str]) -> str:
    others = [other for other in names if other != name]
    return str(process.extractOne(name, others, scorer=Levenshtein.distance, processor=None)[0])


_MEASURED: Final = {"features": _features, "evidence": _evidence, "nearest": _nearest}
"""What is timed, by name."""


if __name__ == "__main__":
    run(main)
