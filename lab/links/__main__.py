"""Rank pages by links with and without templates, on webs made of real pages: precision at 10 to 50."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.command import Parser, run, run_experiment
from lab.links.experiment import run_links

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.links --quick --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.links", __doc__, _EXAMPLE)
    parser.add_experiment(seed=False)
    parser.add_argument("--seeds", type=int, metavar="N", help="number of webs (default: 5; 2 with --quick)")
    parser.add_quick("few topics, few webs")
    return run_experiment(parser, run_links, arguments)


if __name__ == "__main__":
    run(main)
