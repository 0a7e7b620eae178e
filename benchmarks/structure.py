"""Measure how well the structure of content survives in Markdown: text, code, tables, formulas, links, lists.

Measured on made pages, whose structure is known, and on small pages with the Markdown that another tool's
tests expect (docs/structure.md). Peers' scores of each page are kept in
benchmarks/results/structure_peers.json, and only missing ones are measured.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.support.floors import floor, gate
from benchmarks.support.results import PeerResults, labelled_peers, peer_scores
from benchmarks.support.structure_peers import OURS, PEERS
from benchmarks.support.structure_scores import SCORES
from benchmarks.support.structure_sets import (
    SETS,
    load_set,
    means,
    measure_structure,
    page_digests,
    scores_digest,
)
from lab.harness.command import RESULTS, Parser, positive, progress, run, split_names, write
from lab.labelled.tables import markdown_table
from lab.peers.known import find_peers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from benchmarks.support.floors import Floors
    from lab.labelled.measure import SetScores

    Measured = dict[str, dict[str, SetScores]]
    """Scores by set, then by the label of the extractor."""

_EXAMPLE: Final = """\
examples:
  python -m benchmarks.structure                          both sets, with peers' kept scores
  python -m benchmarks.structure --peers none --check     the gate
  python -m benchmarks.structure --sets made --pages 20   a look
"""

_INTRO: Final = """\
# Structure

How well structural elements survive in an extractor's Markdown: scores in [0, 1], mean over the pages that
have such elements (their number is in the first row). [docs/structure.md](../../docs/structure.md) says how
each is measured.
**Bold**: the best of a column. `python -m benchmarks.structure` makes these tables.
"""

_ABOUT: Final = {
    "made": "Made pages, whose structure is known: an article in a template.",
    "defuddle": "Small pages of defuddle's tests, with the Markdown that defuddle wants: what one tool "
    "specifies, not what people judged.",
}
"""What each set is."""

_FAILURES: Final = "Pages on which an extractor raised an error or took too long; each counts as empty."
"""What the numbers of failures are."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sets = {name: load_set(name, options.pages) for name in split_names(options.sets)}
    results = PeerResults(options.peer_scores)
    peers = labelled_peers(find_peers(options.peers, PEERS), results, kept=options.kept_peers)
    measured: Measured = {}
    failed: dict[str, int] = {}
    whole = options.pages is None
    with progress(len(sets) * (len(OURS) + len(peers))) as show:
        done = 0
        for name, pages in sets.items():
            measured[name] = {}
            for label, peer in {**{peer.name: peer for peer in OURS}, **peers}.items():
                show(f"{label} · {name}", done)
                done += 1
                measure = partial(measure_structure, peer, pages)
                current = [scores_digest()] * len(pages), page_digests(pages)
                scores = (
                    measure()
                    if peer in OURS
                    # Scores of a part of the pages would drop those of all.
                    else peer_scores(results, (label, name), options, measure, *current, keep=whole)
                )
                if scores is not None:
                    measured[name][label] = scores
                    failed[label] = failed.get(label, 0) + scores.crashed + scores.timed_out
    _report(options, measured, {label: count for label, count in failed.items() if count})
    return gate(options, _floors(measured), complete=list(measured) == list(SETS))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.structure", __doc__, _EXAMPLE)
    parser.add_argument(
        "--sets", default=",".join(SETS), help=f"names separated by commas (default {','.join(SETS)})"
    )
    parser.add_argument("--pages", type=positive, help="measure the first pages of each set only")
    parser.add_argument("--out", type=Path, help="Markdown file for the tables")
    parser.add_argument("--json", type=Path, help="JSON file for the figures")
    parser.add_peers("structure_peers.json")
    parser.add_floors("structure_floors.json")
    return parser.parse_args(arguments)


def _report(options: argparse.Namespace, measured: Measured, failed: Mapping[str, int]) -> None:
    """Write tables and figures: into the committed files if all was measured and no others are named."""
    whole = options.pages is None and list(measured) == list(SETS) and options.peers == "all"
    out = options.out or (RESULTS / "structure.md" if whole else None)
    data = options.json or (RESULTS / "structure.json" if whole else None)
    report = _tables(measured, failed)
    if out:
        write(out, report)
    else:
        print(report)
    if data:
        figures = {
            name: {
                label: {score: [round(mean, 5), pages] for score, (mean, pages) in means(scores).items()}
                for label, scores in by_label.items()
            }
            for name, by_label in measured.items()
        }
        write(data, json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


def _tables(measured: Measured, failed: Mapping[str, int]) -> str:
    sections = [_INTRO]
    for name, by_label in measured.items():
        figures = {label: means(scores) for label, scores in by_label.items()}
        rows = [["(pages)", *(str(_pages(figures, score)) for score in SCORES)]]
        best = {
            score: max((f"{found[score][0]:.3f}" for found in figures.values() if score in found), default="")
            for score in SCORES
        }
        for label, found in figures.items():
            cells = {score: f"{found[score][0]:.3f}" if score in found else "–" for score in SCORES}
            rows.append([label, *(f"**{c}**" if c == best[score] else c for score, c in cells.items())])
        sections.append(f"## {name}\n\n{_ABOUT[name]}\n\n{markdown_table(['', *SCORES], rows)}\n")
    if failed:
        lines = "\n".join(f"- {label}: {count}" for label, count in failed.items())
        sections.append(f"## Failures\n\n{_FAILURES}\n\n{lines}\n")
    return "\n".join(sections)


def _pages(figures: Mapping[str, Mapping[str, tuple[float, int]]], score: str) -> int:
    return max((found[score][1] for found in figures.values() if score in found), default=0)


def _floors(measured: Measured) -> Floors:
    """Turn our scores into floors, rounded down to 4 decimals."""
    floors: Floors = {}
    for peer in OURS:
        floors[peer.name] = {
            name: {
                "pages": len(by_label[peer.name].sites),
                **{score: floor(mean) for score, (mean, _) in means(by_label[peer.name]).items()},
            }
            for name, by_label in measured.items()
        }
    return floors


if __name__ == "__main__":
    run(main)
