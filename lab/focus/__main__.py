"""Crawl webs made of real pages for topics, with and without knowledge of templates: harvest rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.focus.experiment import run_focus
from lab.harness.command import Parser, run, run_experiment

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.focus --methods pagelets --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.focus", __doc__, _EXAMPLE)
    parser.add_experiment(pages=100, methods="pagelets,auto")
    parser.add_argument("--webs", type=int, default=1, metavar="N", help="number of webs")
    return run_experiment(parser, run_focus, arguments)


if __name__ == "__main__":
    run(main)
