"""Index and search pages with and without templates: sizes, average precision, peers, lines kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.command import Parser, run, run_experiment
from lab.index.experiment import run_index

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.index --sites erlang,marinebon --methods sandwich --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.index", __doc__, _EXAMPLE)
    parser.add_experiment(pages=20, methods="all")
    return run_experiment(parser, run_index, arguments)


if __name__ == "__main__":
    run(main)
