"""Cluster pages with and without templates: purity and adjusted Rand index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.clustering.experiment import run_clustering
from lab.harness.command import Parser, run, run_experiment

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.clustering --pages 8 --methods sitelevel,auto --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.clustering", __doc__, _EXAMPLE)
    parser.add_experiment(pages=8, methods="all")
    return run_experiment(parser, run_clustering, arguments)


if __name__ == "__main__":
    run(main)
