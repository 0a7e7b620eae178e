"""Measures time and memory of tree smoothing.

On generated trees shaped like pages, and on the two worst shapes: one long list, one long chain. All scores
differ, which is the slowest case.
"""

from __future__ import annotations

import platform
import sys
import tracemalloc
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.algorithms import isotonic
from lab.harness.command import Parser, machine, run, tell
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.algorithms.isotonic_task import Reals, Rows

_EXAMPLE = """\
examples:
  python -m benchmarks.isotonic
  python -m benchmarks.isotonic --rounds 1 --out -
"""
_PAGES = (100, 300, 1_000, 2_000, 5_000)
"""Nodes of the trees shaped like pages."""
_HUGE = 50_000
"""Nodes of the trees of the worst shapes."""
_GOAL = 40
"""Maximum time for 1,000 nodes, in milliseconds."""
_INTRO = """\
# Isotonic smoothing

Random scores, penalties 0.01 · N / N_i (the page's nodes over the subtree's), weights 1. Times are the
least of {rounds} rounds, checks of the input included. Memory is the most that was allocated at a time, in
a round of its own. Python {python}, NumPy {numpy}, {machine}.
"""


class Case(NamedTuple):
    """One tree with its scores.

    Attributes
    ----------
    name
        Nodes and shape, for the report.
    parent, x, penalty
        As for :func:`~detemplate.algorithms.isotonic.isotonic_smooth`.
    """

    name: str
    parent: Rows
    x: Reals
    penalty: Reals


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.isotonic", __doc__, _EXAMPLE)
    parser.add_timing(rounds=5)
    options = parser.parse_args(arguments)
    rows, reached = [], True
    for case in cases():
        print(case.name, file=sys.stderr, flush=True)
        values = len(isotonic.smoothing_task(case.parent, case.x, case.penalty).values)
        took = least_time(case, options.rounds)
        rows.append([case.name, f"{values:,}", f"{took:.2f}", f"{peak(case):.1f}"])
        if len(case.x) <= 1_000:
            reached = reached and took <= _GOAL
    intro = _INTRO.format(
        rounds=options.rounds,
        python=platform.python_version(),
        numpy=np.__version__,
        machine=machine(),
    )
    header = ["nodes", "candidate values", "ms", "MB"]
    goal = f"Goal: 1,000 nodes within {_GOAL} ms: {'reached' if reached else 'missed'}."
    report = f"{intro}\n{markdown_table(header, rows)}\n\n{goal}\n"
    tell(report, options.out)
    return 1 if options.check and not reached else 0


def cases() -> list[Case]:
    """Generate the trees: the same ones every time."""
    rng = np.random.default_rng(2007)
    trees = [(f"{count:,}, page", page_tree(count, rng)) for count in _PAGES]
    trees += [(f"{_HUGE:,}, list", [-1] + [0] * (_HUGE - 1)), (f"{_HUGE:,}, chain", [*range(-1, _HUGE - 1)])]
    return [
        Case(name, np.array(parent, np.int32), rng.random(len(parent)), penalties(parent))
        for name, parent in trees
    ]


def page_tree(count: int, rng: np.random.Generator) -> list[int]:
    """Generate a tree in document order: after each node, go deeper, stay, or close some elements."""
    parent, way = [-1], [0]
    for row in range(1, count):
        closed = min(int(rng.geometric(0.5)) - 1, len(way) - 1)
        way = way[: len(way) - closed]
        parent.append(way[-1])
        way.append(row)
    return parent


def penalties(parent: Sequence[int]) -> Reals:
    """Compute 0.01 · N / N_i, with the subtree's nodes in place of its area."""
    size = [1] * len(parent)
    for row in range(len(parent) - 1, 0, -1):
        size[parent[row]] += size[row]
    return 0.01 * len(parent) / np.array(size)


def least_time(case: Case, rounds: int) -> float:
    """Measure the least time of some rounds, in milliseconds."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        isotonic.isotonic_smooth(case.parent, case.x, case.penalty)
        times.append(perf_counter() - start)
    return min(times) * 1000


def peak(case: Case) -> float:
    """Measure the most memory that is allocated at a time, in MB (10⁶ bytes)."""
    tracemalloc.start()
    try:
        isotonic.isotonic_smooth(case.parent, case.x, case.penalty)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    run(main)
