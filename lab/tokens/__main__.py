"""Count tokens for model training before and after cleaning: how many, how often repeated, how fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.command import Parser, run, run_experiment
from lab.tokens.experiment import run_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.tokens --sites erlang,marinebon --methods auto,segments --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.tokens", __doc__, _EXAMPLE)
    parser.add_experiment(pages=30, methods="all")
    return run_experiment(parser, run_tokens, arguments)


if __name__ == "__main__":
    run(main)
