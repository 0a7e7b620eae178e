"""Time the choice of the nearest file name in large directories, and compare it with the definition.

Times are processor times.
"""

from __future__ import annotations

import random
from time import process_time
from typing import TYPE_CHECKING, Any, Final

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from benchmarks.support.reports import goal, measured_on
from detemplate.detectors.sandwich.nearest import EXACT, NEIGHBOURS, NearestNames
from lab.harness.command import Parser, log, positive, run, tell
from lab.harness.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.nearest
  python -m benchmarks.nearest --names 1000,8000 --pages 20 --out -
"""
_GOAL: Final = 10.0  # maximum time to choose a file name, in milliseconds
_INTRO = """\
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
    parser = Parser("benchmarks.nearest", __doc__, _EXAMPLE)
    parser.add_argument("--names", default="1000,8000,16000,64000,1000000", metavar="N,…", help="sizes")
    parser.add_argument("--pages", type=positive, default=50, help="choices (default 50)")
    parser.add_out()
    parser.add_check()
    options = parser.parse_args(arguments)
    rows: list[dict[str, Any]] = []
    for kind, name_of in (("numbers", _numbered), ("titles", _titled)):
        for size in map(int, options.names.split(",")):
            log(f"{kind} {size}")
            rows.append({"kind": kind, "size": size, **_choices(name_of, size, options.pages)})
    intro = _INTRO.format(pages=options.pages, exact=EXACT, neighbours=NEIGHBOURS, where=measured_on())
    columns: list[Column] = [
        ("names", "kind"),
        ("pages", "size", ",d"),
        ("made in, s", "made", ".2f"),
        ("index, ms", "index", ".2f"),
        ("all names, ms", "all", ".2f"),
        ("equal", "equal", ".0%"),
        ("further", "further"),
    ]
    reached = all(row["index"] <= _GOAL for row in rows)
    told = goal(f"a choice within {_GOAL:g} ms", reached=reached)
    tell(f"{intro}\n{table(columns, rows)}\n\n{told}\n", options.out)
    return 1 if options.check and not reached else 0


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


if __name__ == "__main__":
    run(main)
