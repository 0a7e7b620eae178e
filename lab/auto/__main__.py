"""Train the model of method auto on folders of labelled pages. Needs the extra train.

A folder is a set, with pages.jsonl.zst (id, url, site, html) and gold.jsonl.zst (id, text); or it has
sites.json and a folder for each site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.io.sources.inputnames import refuse_outputs
from lab.auto.run import train_from_labelled
from lab.harness.command import Parser, log, run

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
example:
  python -m lab.auto labelled/ labelled-sites/ --family 'docs-*' -o my.model
  detemplate clean pages/ --set model=my.model -o clean.jsonl
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, and write the model; return the exit code."""
    parser = Parser("lab.auto", __doc__, _EXAMPLE)
    parser.add_argument("inputs", nargs="+", metavar="FOLDER", help="folders of labelled pages")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the file of the model")
    parser.add_argument("--folds", type=int, default=5, metavar="N", help="folds of the cross-validation")
    parser.add_argument(
        "--family", action="append", default=[], metavar="PATTERN",
        help="sites that match are one family, which is not split over folds; can be repeated",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random choices")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    options = parser.parse_args(arguments)
    refuse_outputs(options.inputs, [options.output])
    train_from_labelled(
        options.inputs,
        options.output,
        folds=options.folds,
        families=options.family,
        seed=options.seed,
        tell=(lambda _: None) if options.quiet else log,
    )
    return 0


if __name__ == "__main__":
    run(main)
