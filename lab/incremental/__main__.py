"""Compare incremental detection with detection in batches: storage, precision and delay at equal recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.command import Parser, run, run_experiment
from lab.incremental.experiment import run_incremental

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.incremental --sites django,postgresql --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.incremental", __doc__, _EXAMPLE)
    parser.add_experiment(seed=False)
    parser.add_argument(
        "--recall",
        type=float,
        default=0.8,
        metavar="X",
        help="recall at which methods are compared",
    )
    parser.add_quick("few settings, only the first pages of each site")
    return run_experiment(parser, run_incremental, arguments)


if __name__ == "__main__":
    run(main)
