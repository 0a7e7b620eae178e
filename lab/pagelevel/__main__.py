"""Find template on single pages, with and without smoothing: F of text and links, segmentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.command import Parser, run, run_experiment, split_names
from lab.pagelevel.experiment import run_pagelevel

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.pagelevel --sets cleanportaleval,chaos --out results/
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return the exit code."""
    parser = Parser("lab.pagelevel", __doc__, _EXAMPLE)
    parser.add_experiment(seed=False, sites=False)
    parser.add_argument(
        "--sets", dest="names", type=split_names, default=[], metavar="NAMES",
        help="text sets, sites or sites/NAME, separated by commas (default: all)",
    )  # fmt: skip
    parser.add_quick("few pages, few settings")
    parser.add_argument(
        "--layout", default="", metavar="FILE", help="layouts from 'lab.layouts' (default: all are estimated)"
    )
    parser.add_argument(
        "--model",
        default="",
        metavar="FILE",
        help="classifiers from 'detemplate train'",
    )
    return run_experiment(parser, run_pagelevel, arguments)


if __name__ == "__main__":
    run(main)
