"""Classify pages with and without templates; training and test pages are of different sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.classification.experiment import run_classification
from lab.harness.command import Parser, run, run_experiment

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.classification --pages 8 --methods sitelevel,auto --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.classification", __doc__, _EXAMPLE)
    parser.add_experiment(pages=8, methods="all")
    return run_experiment(parser, run_classification, arguments)


if __name__ == "__main__":
    run(main)
