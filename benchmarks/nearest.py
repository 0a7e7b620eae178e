"""Measures the choice of the nearest file name in directories of up to a million pages.

Method sandwich compares a page with the page of its directory whose file name has the smallest edit distance.
"""

from __future__ import annotations

import platform
import random
import sys
from time import process_time
from typing import TYPE_CHECKING

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from detemplate.detectors.sandwich.nearest import EXACT, NEIGHBOURS, NearestNames
from lab.harness.command import Parser, machine, run, tell
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.nearest
  python -m benchmarks.nearest --names 1000,8000 --pages 20 --out -
"""
_INTRO = """\
# The nearest file name

File names of one directory: numbers with gaps (`story-0123456.html`), and titles of three to six words out
of 1,600. *Index* is the time of a choice in method `sandwich` with `peer=nearest`; *all names* that of a
comparison with each name, which is the definition; *equal* the share of {pages} pages for which both choose
the same name, and *further* by how many edits the index's choice is further away on the others, at most.
*Made in* is the time that the index takes to be made and sorted, for all names. Up to {exact:,} names the
index compares all; beyond, names at distance 1, and {neighbours:,} names on each side in two orders. Times
are of the processor.
Python {python}, {machine}.
"""
_GOAL = 10.0
"""Maximum time of a choice, in milliseconds."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.nearest", __doc__, _EXAMPLE)
    parser.add_argument("--names", default="1000,8000,16000,64000,1000000", metavar="N,…", help="sizes")
    parser.add_argument("--pages", type=int, default=50, help="choices that are measured (default 50)")
    parser.add_out()
    parser.add_check()
    options = parser.parse_args(arguments)
    rows, slowest = [], 0.0
    for kind, name_of in (("numbers", _numbered), ("titles", _titled)):
        for size in map(int, options.names.split(",")):
            print(kind, size, file=sys.stderr, flush=True)
            row, took = _measure(name_of, size, options.pages)
            rows.append([kind, f"{size:,}", *row])
            slowest = max(slowest, took)
    header = ["names", "pages", "made in, s", "index, ms", "all names, ms", "equal", "further"]
    intro = _INTRO.format(
        pages=options.pages, exact=EXACT, neighbours=NEIGHBOURS, python=platform.python_version(),
        machine=machine(),
    )  # fmt: skip
    goal = f"Goal: a choice within {_GOAL:g} ms: {'reached' if slowest <= _GOAL else 'missed'}."
    tell(f"{intro}\n{markdown_table(header, rows)}\n\n{goal}\n", options.out)
    return 1 if options.check and slowest > _GOAL else 0


def _numbered(rng: random.Random) -> str:
    return f"story-{rng.randrange(3_000_000):07}.html"


def _titled(rng: random.Random) -> str:
    words = (f"{_SYLLABLES[word % 40]}{_SYLLABLES[word // 40]}" for word in _draw(rng))
    return "-".join(words)


def _draw(rng: random.Random) -> list[int]:
    return [rng.randrange(1600) for _ in range(rng.randint(3, 6))]


_SYLLABLES = [a + b for a in "bdfklmrt" for b in "aeiou"]
"""Parts of made words."""


def _measure(name_of: Callable[[random.Random], str], size: int, pages: int) -> tuple[list[str], float]:
    rng = random.Random(2009)
    names = list({name_of(rng): None for _ in range(size)})
    asked = rng.sample(names, min(pages, len(names)))
    start = process_time()
    index = NearestNames()
    for name in names:
        index.add(name, name)
    index.nearest(names[0], names[0])
    made = process_time() - start
    start = process_time()
    chosen = [index.nearest(name, name) or "" for name in asked]
    took = 1000 * (process_time() - start) / len(asked)
    names.sort()
    start = process_time()
    wanted = [_by_definition(name, names) for name in asked]
    linear = 1000 * (process_time() - start) / len(asked)
    equal = sum(one == other for one, other in zip(chosen, wanted, strict=True)) / len(asked)
    further = max(
        Levenshtein.distance(name, one) - Levenshtein.distance(name, other)
        for name, one, other in zip(asked, chosen, wanted, strict=True)
    )
    row = [f"{made:.2f}", f"{took:.2f}", f"{linear:.2f}", f"{100 * equal:.0f} %", str(further)]
    return row, took


def _by_definition(name: str, names: list[str]) -> str:
    others = [other for other in names if other != name]
    found = process.extractOne(name, others, scorer=Levenshtein.distance, processor=None)
    return str(found[0])


if __name__ == "__main__":
    run(main)
