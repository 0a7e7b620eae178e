"""Compare the metadata of pages with gold, beside trafilatura, and measure what reading them costs."""

from __future__ import annotations

import shlex
import sys
from itertools import islice
from typing import TYPE_CHECKING, Final

from benchmarks.support.metadatascores import HALVES, cost, ours, scores_of, trafilatura
from detemplate.errors import UserError
from lab.harness.command import Parser, positive, progress, run, split_names, tell
from lab.labelled.datasets import data_folder, load_sets
from lab.labelled.pages import LabelledSet
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.support.metadatascores import Scores
    from lab.labelled.pages import LabelledPage

_DEFUDDLE: Final = "structure/defuddle"
"""Pages that a tool has as its specification; no set of the catalogue."""

_FIELDS: Final = {
    "wcxb-dev": ("title",),
    _DEFUDDLE: ("title", "author", "published", "site_name"),
    "daniel-test": ("language",),
    "magic-forum": ("language",),
    "postlight-test": ("language",),
    "zh-web": ("language",),
}
"""Fields that the gold of each set has."""

_INTRO: Final = """\
# Metadata

*Right*: share of the pages on which the value is that of the gold; *given*: share of the pages with a value.
Titles and names of sites are compared word by word, authors as sets of words, languages as ISO 639-1 codes;
capitals and punctuation do not count. While the rules were written, only the pages of the half *development*
were looked at, but for some 40 titles of wcxb-dev; the scores of both halves were seen, and some
rules were kept or dropped with a view to both. trafilatura gives no language without a model of its own.

{cost}

Made with `{command}`.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = _parse(words)
    readers: dict[str, Callable[[LabelledPage], Mapping[str, str | None]]] = {"detemplate": ours}
    if options.peers != "none":
        name, read = trafilatura()
        readers[name] = read
    sets = _sets(split_names(options.sets))
    rows: list[list[str]] = []
    with progress(len(sets)) as show:
        for number, labelled in enumerate(sets):
            show(labelled.name, number)
            fields = _FIELDS[labelled.name]
            scores = scores_of(labelled, fields, readers)
            rows += [_row(labelled.name, name, scores, list(readers)) for name in fields]
    header = ["set, field", *(f"{half}: {what}" for half in HALVES for what in _columns(list(readers)))]
    command = shlex.join(["python", "-m", "benchmarks.metadata", *words])
    report = _INTRO.format(cost=_cost(options), command=command) + "\n" + markdown_table(header, rows) + "\n"
    tell(report, options.out)
    return 0


def _columns(readers: list[str]) -> list[str]:
    return ["pages", *(f"{reader} {what}" for reader in readers for what in ("right", "given"))]


def _row(name: str, field: str, scores: Mapping[tuple[str, str], Scores], readers: list[str]) -> list[str]:
    cells = [f"{name}, {field}"]
    for half in HALVES:
        found = scores.get((field, half))
        if found is None:
            cells += ["0", *["–"] * (2 * len(readers))]
            continue
        best = max(found.right[reader] for reader in readers)
        cells.append(str(found.pages))
        for reader in readers:
            right = f"{found.right[reader] / found.pages:.3f}"
            bold = found.right[reader] == best and len(readers) > 1
            cells += [f"**{right}**" if bold else right, f"{found.given[reader] / found.pages:.2f}"]
    return cells


def _cost(options: argparse.Namespace) -> str:
    [labelled] = load_sets(["wcxb-dev"])
    parse, read = cost(islice(labelled.pages(), options.pages), options.rounds)
    return (
        f"On the first {options.pages} pages of wcxb-dev, turbohtml's parse takes {parse:.3f} ms a page, and "
        f"reading the metadata of the parsed page {read:.3f} ms: {read / parse:.2f} × the parse."
    )


def _sets(names: list[str]) -> list[LabelledSet]:
    """Find the sets by name; one stands beside the catalogue."""
    wanted = names or list(_FIELDS)
    unknown = [name for name in wanted if name not in _FIELDS]
    if unknown:
        raise UserError(f"{unknown[0]!r} has no metadata as gold; known are {', '.join(_FIELDS)}")
    folder = data_folder()
    listed = [name for name in wanted if name != _DEFUDDLE]
    beside = [LabelledSet(_DEFUDDLE, "text", folder / _DEFUDDLE)] if _DEFUDDLE in wanted else []
    return [*(load_sets(listed, folder) if listed else []), *beside]


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = Parser("benchmarks.metadata", __doc__)
    parser.add_argument("--sets", default="", metavar="NAMES", help=f"sets (default {','.join(_FIELDS)})")
    parser.add_argument("--peers", default="trafilatura", choices=["trafilatura", "none"], help="the peer")
    parser.add_argument("--pages", type=positive, default=300, help="pages by which the cost is measured")
    parser.add_argument("--rounds", type=positive, default=5, help="rounds of that (default 5)")
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
