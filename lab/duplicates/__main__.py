"""Find duplicates by shingles, on pages made of real contents in other sites' real templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.duplicates.experiment import run_duplicates
from lab.harness.command import Parser, run, run_experiment

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.duplicates --pages 20 --methods sitelevel,pagelevel --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.duplicates", __doc__, _EXAMPLE)
    parser.add_experiment(pages=0, methods="all")
    return run_experiment(parser, run_duplicates, arguments)


if __name__ == "__main__":
    run(main)
