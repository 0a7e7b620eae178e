"""Train and test page-level detection on layouts of the browser, beside the estimate.

Needs Chromium or Chrome, and the extra lab.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.command import Parser, run, run_experiment
from lab.rendered.experiment import run_rendered

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.rendered --sites django,sklearn,linuxdoc --pages 6 --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.rendered", __doc__, _EXAMPLE)
    parser.add_experiment(pages=8)
    return run_experiment(parser, run_rendered, arguments)


if __name__ == "__main__":
    run(main)
