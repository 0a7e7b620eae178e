"""Measure what methods lose on pages in a script without letters, capitals and spaces.

The words of pages and gold are replaced by ideographs. Method `segments` does not depend on scripts: where
another method loses more, it depended on the script.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.support.ideographs import IdeographSet
from detemplate.errors import UserError
from lab.harness.command import RESULTS, Parser, progress, run, split_names, write
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.datasets import load_sets
from lab.labelled.measure import Method, measure
from lab.labelled.tables import markdown_table
from lab.peers.known import find_peers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from lab.labelled.measure import Extractor
    from lab.labelled.pages import LabelledSet

_SETS: Final = "cleanportaleval,dragnet-hosts,chaos"
_METHODS: Final = "auto,auto:evidence=page,segments"
_PEERS: Final = "readability-lxml,trafilatura"
_EXAMPLE = """\
examples:
  python -m benchmarks.scripts
  python -m benchmarks.scripts --sets chaos --methods auto,pagelevel --peers none
"""
_INTRO = """\
# Scripts

Word F1 on pages as they are, and on the same pages with ideographs for words of Latin letters: one for
3.4 letters, no spaces between them, full-width marks behind them; the gold alike. An ideograph
counts as a word, so the figures of a method that knows nothing of scripts (`segments`) change too. 95 %:
bootstrap interval of the difference, resampling sites. Made with `{command}`.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = _parse(words)
    sets = load_sets(split_names(options.sets))
    wrong = [labelled.name for labelled in sets if labelled.kind != "text"]
    if wrong:
        raise UserError(f"{wrong[0]} has no text as gold; name sets such as {_SETS}")
    extractors: list[Extractor] = [
        *map(_method, split_names(options.methods)),
        *find_peers(options.peers),
    ]
    rows: list[list[str]] = []
    with progress(len(sets) * len(extractors)) as show:
        for labelled in sets:
            for extractor in extractors:
                show(f"{extractor.label} · {labelled.name}", len(rows))
                rows.append(_row(extractor, labelled))
    header = ["set", "method", "as it is", "in ideographs", "difference", "95 %"]
    command = shlex.join(["python", "-m", "benchmarks.scripts", *words])
    write(options.out, f"{_INTRO.format(command=command)}\n{markdown_table(header, rows)}")
    return 0


def _row(extractor: Extractor, labelled: LabelledSet) -> list[str]:
    plain, rewritten = (measure(extractor, each) for each in (labelled, IdeographSet.of(labelled)))
    before, after = (np.array(scores.columns["f1"], float) for scores in (plain, rewritten))
    change = bootstrap_mean((after - before).tolist(), plain.sites)
    return [
        labelled.name,
        extractor.label,
        f"{before.mean():.3f}",
        f"{after.mean():.3f}",
        f"{change.mean:+.3f}",
        f"{change.low:+.3f} – {change.high:+.3f}",
    ]


def _method(text: str) -> Method:
    """Parse a method and its options: ``name:option=value:…``."""
    name, *options = text.split(":")
    pairs = [option.partition("=") for option in options]
    return Method(name, tuple((option, value) for option, _, value in pairs))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser("benchmarks.scripts", __doc__, _EXAMPLE)
    parser.add_argument("--sets", default=_SETS, metavar="NAMES", help=f"text sets (default {_SETS})")
    parser.add_argument(
        "--methods", default=_METHODS, metavar="NAMES",
        help=f"methods, options behind colons (default {_METHODS})",
    )  # fmt: skip
    parser.add_argument("--peers", default=_PEERS, metavar="NAMES", help=f"peers, or none (default {_PEERS})")
    parser.add_argument(
        "--out", type=Path, default=RESULTS / "scripts.md", metavar="FILE", help="table (default %(default)s)"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
