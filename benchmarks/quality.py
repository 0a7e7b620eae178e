"""Score this package's methods and its peers on every labelled set.

Peers are slow: their scores of each page are kept in benchmarks/results/peers.json, and only missing ones are
measured. Without --sets, the tables are written to benchmarks/results, training halves of sets are left
out, and on further sets (detemplate.labelled.catalogue) only method auto and the peers are measured.

--check compares the figures with the floors, and method auto with itself judging each page alone.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.command import FOLDER, RESULTS, Parser, known_methods, progress, run, split_names, write
from benchmarks.support.floors import (
    check_floors,
    figures_to_floors,
    read_floors,
    update_floors,
    write_floors,
)
from benchmarks.support.peers import find_peers
from benchmarks.support.quality_report import quality_report
from benchmarks.support.results import PeerResults
from benchmarks.support.siteevidence import BY_PAGE, BY_SITE, compare, has_several_pages
from benchmarks.support.worst import Case, Worst, overview
from detemplate.labelled.catalogue import TRAINING_HALVES, measured_by_default
from detemplate.labelled.datasets import load_sets
from detemplate.labelled.measure import MAIN_SCORE, Method, PageScores, SetScores, measure, summarise
from detemplate.labelled.tables import Summaries, to_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.support.runner import Peer
    from detemplate.labelled.measure import Figures
    from detemplate.labelled.pages import LabelledPage, LabelledSet

_EXAMPLE = """\
examples:
  python -m benchmarks.quality                                   everything, with peers' kept scores
  python -m benchmarks.quality --peers none --check              the gate
  python -m benchmarks.quality --sets all --out all.md           every method on every set
  python -m benchmarks.quality --peers none --sets sites/django --worst 20 --html worst
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sets = _sets(options.sets)
    methods = known_methods(options.methods)
    peers = find_peers(options.peers)
    worst = {name: Worst(options.worst) for name in methods} if options.worst else {}
    results = PeerResults(options.peer_scores)
    summaries: Summaries = {}
    tasks = _tasks(methods, sets, named=bool(options.sets), check=options.check)
    with progress(len(tasks) + len(sets) * len(peers)) as show:
        done = 0
        ours: dict[str, dict[str, SetScores]] = {method.label: {} for method, _ in tasks}
        for (method, labelled), scores in zip(tasks, _scores(tasks, worst, options.jobs), strict=True):
            show(f"{method.label} · {labelled.name}", done)
            ours[method.label][labelled.name] = scores
            done += 1
        by_page = summarise(sets, ours.pop(BY_PAGE.label, {}))
        summaries |= {name: summarise(sets, scores) for name, scores in ours.items()}
        peer_scores: dict[str, dict[str, SetScores]] = {peer.label: {} for peer in peers}
        # Set by set: a run that is stopped leaves complete sets behind.
        for labelled in sets:
            for peer in peers:
                show(f"{peer.label} · {labelled.name}", done)
                done += 1
                scores_of_peer = _peer(peer, labelled, results, options)
                if scores_of_peer is not None:
                    peer_scores[peer.label][labelled.name] = scores_of_peer
        summaries |= {label: summarise(sets, scores) for label, scores in peer_scores.items()}

    note = "" if not options.sets else f"Measured on {options.sets} only."
    report = quality_report(summaries, methods, note)
    out = options.out or (None if options.sets else RESULTS / "quality.md")
    data = options.json or (None if options.sets else RESULTS / "quality.json")
    if out:
        write(out, report)
    else:
        print(report)
    if data:
        figures = {label: to_json(summary) for label, summary in summaries.items()}
        write(data, json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    for name, kept in worst.items():
        write(options.html / f"worst-{name}.html", overview(f"{name}: its worst pages", kept.cases()))
    return _gate(options, {name: summaries[name] for name in methods if name in summaries}, by_page)


def _sets(names: str) -> list[LabelledSet]:
    """Find the sets named by the option; by default all but the training halves."""
    if names:
        return load_sets(() if names == "all" else split_names(names))
    return [labelled for labelled in load_sets() if labelled.name not in TRAINING_HALVES]


def _tasks(
    methods: Sequence[str], sets: Sequence[LabelledSet], *, named: bool, check: bool
) -> list[tuple[Method, LabelledSet]]:
    """List what to measure: methods other than auto on further sets only where sets are named."""
    tasks = [
        (Method(name), labelled)
        for name in methods
        for labelled in sets
        if named or measured_by_default(name, labelled.name)
    ]
    if check and BY_SITE.name in methods:
        tasks += [(BY_PAGE, labelled) for labelled in sets if has_several_pages(labelled)]
    return tasks


def _scores(
    tasks: list[tuple[Method, LabelledSet]], worst: dict[str, Worst], jobs: int
) -> Iterator[SetScores]:
    """Measure methods on sets, in order; in several processes, unless the worst pages are collected."""
    if worst or jobs < 2:
        for method, labelled in tasks:
            watch = _watch(worst[method.label], labelled) if method.label in worst else None
            yield measure(method, labelled, watch)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_score, tasks)


def _score(task: tuple[Method, LabelledSet]) -> SetScores:
    return measure(*task)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("quality", __doc__, _EXAMPLE)
    parser.add_argument("--methods", default="all", help="all, none, or names separated by commas")
    parser.add_argument("--peers", default="all", help="all, none, or names separated by commas")
    parser.add_argument("--sets", default="", help="names separated by commas; 'sites': all sites; 'all'")
    parser.add_argument("--out", type=Path, help="Markdown file for the tables")
    parser.add_argument("--json", type=Path, help="JSON file for the figures with 95 %% intervals")
    parser.add_argument("--peer-scores", type=Path, default=RESULTS / "peers.json", help="peers' kept scores")
    parser.add_argument(
        "--fresh-peers", action="store_true", help="measure peers again, also where scores are kept"
    )
    parser.add_argument(
        "--kept-peers", action="store_true", help="leave out peers' scores that are not kept, measure none"
    )
    parser.add_argument("--floors", type=Path, default=FOLDER / "floors.json", help="the recorded floors")
    parser.add_argument("--check", action="store_true", help="exit 1 when a figure fell below its floor")
    parser.add_argument("--update-floors", action="store_true", help="raise the floors to what was measured")
    parser.add_argument(
        "--lower-floors", action="store_true", help="record what was measured, even where it is lower"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="show each method's N worst pages")
    parser.add_argument("--html", type=Path, default=Path(), metavar="DIR", help="folder for --worst")
    return parser.parse_args(arguments)


def _peer(
    peer: Peer, labelled: LabelledSet, results: PeerResults, options: argparse.Namespace
) -> SetScores | None:
    """Give a peer's kept scores, or measure it; None if only kept scores are wanted and there are none."""
    kept = results.get(peer.label, labelled.name)
    if kept is None and options.kept_peers:
        return None
    if kept is None or options.fresh_peers:
        kept = measure(peer, labelled)
        results.put(peer.label, labelled.name, kept)
    return kept


def _watch(worst: Worst, labelled: LabelledSet) -> Callable[[LabelledPage, str, PageScores], None]:
    def observe(page: LabelledPage, text: str, row: PageScores) -> None:
        score = row[MAIN_SCORE[labelled.kind]]
        if page.gold is not None and score is not None:
            gold = "\n".join(page.gold.values) if labelled.kind == "values" else page.gold.text
            outside = None if labelled.kind == "text" else page.gold.outside
            worst.add(Case(score, labelled.name, page.id, page.url, gold, outside, text))

    return observe


def _gate(options: argparse.Namespace, ours: Summaries, by_page: dict[str, Figures]) -> int:
    recorded = read_floors(options.floors)
    measured = figures_to_floors(ours)
    problems: list[str] = []
    if options.check:
        complete = not options.sets and options.methods == "all"
        problems = check_floors(recorded, measured, complete=complete)
        print("\n".join(["below the floor:", *problems]) if problems else "no figure fell", file=sys.stderr)
        compared, worse = compare(ours.get(BY_SITE.name, {}), by_page)
        print("\n".join(compared), file=sys.stderr)
        if worse:
            print("\n".join(["other pages of the site make auto worse:", *worse]), file=sys.stderr)
        problems += worse
    if options.update_floors or options.lower_floors:
        new, refused = update_floors(recorded, measured, lower=options.lower_floors)
        write_floors(options.floors, new)
        print(f"wrote {options.floors}", file=sys.stderr)
        if refused:
            print("kept, as only --lower-floors lowers a floor:\n" + "\n".join(refused), file=sys.stderr)
        problems += refused
    return 1 if problems else 0


if __name__ == "__main__":
    run(main)
