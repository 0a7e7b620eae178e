"""Mine and clean documents with injected template, and mirrors; measure on labelled sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.expressions.experiment import run_expressions
from lab.harness.command import Parser, run, run_experiment

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.expressions --quick --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.expressions", __doc__, _EXAMPLE)
    parser.add_experiment()
    parser.add_quick("one seed, few settings, only the first sites")
    return run_experiment(parser, run_expressions, arguments)


if __name__ == "__main__":
    run(main)
