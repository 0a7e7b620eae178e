"""Score this package's methods and its peers on every labelled set.

Peers are slow: their scores of each page are kept in benchmarks/results/peers.json, and only missing ones are
measured. Without --sets and --check, the tables are written to benchmarks/results. Without --sets, training
halves of sets are left out, and on further sets (lab.labelled.catalogue) only method auto and the peers are
measured; with --check, what has no floors is left out, too.

Method auto is compared with itself judging each page alone; --check fails where that is better, and where a
figure is below its floor. --left-out scores all sites, and the sets that models may learn from, by models
that have not seen their families.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.support.cases import CASES, measure_cases
from benchmarks.support.floors import BY_PAGE, BY_SITE, compare, figures_to_floors, gate
from benchmarks.support.leftout import left_out_sets, measure_left_out, unseeing_models
from benchmarks.support.quality_report import quality_report
from benchmarks.support.results import PeerResults, labelled_peers, peer_scores
from benchmarks.support.worst import Case, Worst, overview
from detemplate.commands.shared import settings_of
from detemplate.errors import UserError
from lab.harness.command import RESULTS, Parser, known_methods, progress, run, split_names, write
from lab.harness.parallel import results_in_order
from lab.labelled.catalogue import SITES, TRAINING_HALVES, has_floors, measured_by_default
from lab.labelled.datasets import data_folder, load_sets
from lab.labelled.measure import MAIN_SCORE, Method, PageScores, SetScores, measure, measure_all, summarise
from lab.labelled.tables import Summaries, to_json
from lab.peers.known import find_peers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.support.leftout import UnseeingModel
    from detemplate.report.terminal import ShowStep
    from lab.labelled.measure import Figures
    from lab.labelled.pages import LabelledPage, LabelledSet

    Task = tuple[list[Method], LabelledSet]
    """Methods, and the set on which they are measured."""

_EXAMPLE = """\
examples:
  python -m benchmarks.quality                                   everything, with peers' kept scores
  python -m benchmarks.quality --peers none --check              the gate
  python -m benchmarks.quality --sets all --out all.md           every method on every set
  python -m benchmarks.quality --peers none --sets sites/django --worst 20 --html worst
  python -m benchmarks.quality --peers none --methods auto --set comments=drop --sets daniel-test,zh-web
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sets = _sets(options.sets)
    set_to = tuple(settings_of(options.set, example="comments=drop").items())
    methods = [Method(name, set_to) for name in known_methods(options.methods)]
    if set_to and (not options.sets or options.check or options.update_floors or options.lower_floors):
        raise UserError("--set is for named sets and has no floors: give --sets, and no --check")
    results = PeerResults(options.peer_scores)
    peers = labelled_peers(find_peers(options.peers), results, kept=options.kept_peers)
    labels = [method.label for method in methods]
    worst = {label: Worst(options.worst) for label in labels} if options.worst else {}
    summaries: Summaries = {}
    tasks = _tasks(methods, sets, named=bool(options.sets), check=options.check)
    models = unseeing_models(options.left_out) if options.left_out else []
    unseen = left_out_sets(sets if options.sets else load_sets()) if models else []
    with progress(len(unseen) + len(tasks) + len(sets) * len(peers)) as show:
        by_left_out = _left_out(models, unseen, options.jobs, show)
        ours: dict[str, dict[str, SetScores]] = {}
        for (of_set, labelled), measured in _scores(tasks, worst, options.jobs):
            show(labelled.name)
            for method, scores in zip(of_set, measured, strict=True):
                ours.setdefault(method.label, {})[labelled.name] = scores
        by_page = summarise(sets, ours.pop(BY_PAGE.label, {}))
        summaries |= {name: summarise(sets, scores) for name, scores in ours.items()}
        if BY_SITE.label in summaries and not options.sets:
            summaries[BY_SITE.label][CASES] = measure_cases(data_folder() / CASES)
        scores_of_peers: dict[str, dict[str, SetScores]] = {label: {} for label in peers}
        # Set by set: a run that is stopped leaves complete sets behind.
        for labelled in sets:
            for label, peer in peers.items():
                show(f"{label} · {labelled.name}")
                work = partial(measure, peer, labelled)
                found = peer_scores(results, (label, labelled.name), options, work)
                if found is not None:
                    scores_of_peers[label][labelled.name] = found
        summaries |= {label: summarise(sets, scores) for label, scores in scores_of_peers.items()}

    note = "" if not options.sets else f"Measured on {options.sets} only."
    parts = {labelled.name: labelled.part for labelled in unseen}
    report = quality_report(summaries, labels, note, by_page=by_page, left_out=by_left_out, parts=parts)
    partial_run = options.sets or options.check
    out = options.out or (None if partial_run else RESULTS / "quality.md")
    data = options.json or (None if partial_run else RESULTS / "quality.json")
    if out:
        write(out, report)
    else:
        print(report)
    if data:
        more = {BY_PAGE.label: by_page, "auto, families left out": by_left_out}
        all_of_them = summaries | {label: summary for label, summary in more.items() if summary}
        figures = {label: to_json(summary) for label, summary in all_of_them.items()}
        write(data, json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    for label, kept in worst.items():
        file = options.html / f"worst-{label.replace(' ', '-')}.html"
        write(file, overview(f"{label}: its worst pages", kept.cases()))
    gated = {label: summaries[label] for label in labels if label in summaries}
    return gate(
        options,
        figures_to_floors(gated),
        complete=not options.sets and options.methods == "all",
        more=lambda: _worse(gated, by_page),
    )


def _sets(names: str) -> list[LabelledSet]:
    """Find the sets named by the option; by default all but the training halves."""
    if names:
        return load_sets(() if names == "all" else split_names(names))
    return [labelled for labelled in load_sets() if labelled.name not in TRAINING_HALVES]


def _tasks(methods: Sequence[Method], sets: Sequence[LabelledSet], *, named: bool, check: bool) -> list[Task]:
    """List the methods to measure on each set: other than auto, on further sets only where sets are named.

    To ``check`` floors, they are measured only where they have floors.
    """
    tasks = []
    for labelled in sets:
        group = f"{SITES}/{labelled.part}" if labelled.kind == "site" else labelled.name
        wanted = has_floors if check else measured_by_default
        here = [each for each in methods if named or wanted(each.name, group)]
        if BY_SITE in here:
            here.append(BY_PAGE)
        if here:
            tasks.append((here, labelled))
    return tasks


def _left_out(
    models: list[UnseeingModel], sets: Sequence[LabelledSet], jobs: int, show: ShowStep
) -> dict[str, Figures]:
    """Score each site of the sets by the model that has not seen its family."""
    scores = {}
    for labelled, found in results_in_order(measure_left_out, models, sets, max(jobs, 1)):
        show(f"left out · {labelled.name}")
        scores[labelled.name] = found
    return summarise(sets, scores)


def _scores(tasks: list[Task], worst: dict[str, Worst], jobs: int) -> Iterator[tuple[Task, list[SetScores]]]:
    """Measure methods on sets, in order; in several processes, unless the worst pages are collected."""
    if not worst:
        yield from results_in_order(_score, None, tasks, max(jobs, 1))
        return
    for methods, labelled in tasks:
        watches = [_watch(worst[each.label], labelled) if each.label in worst else None for each in methods]
        scores = [measure(each, labelled, watch) for each, watch in zip(methods, watches, strict=True)]
        yield (methods, labelled), scores


def _score(_: None, task: Task) -> list[SetScores]:
    return measure_all(*task)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.quality", __doc__, _EXAMPLE)
    parser.add_argument("--methods", default="all", help="all, none, or names separated by commas")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="set an option of the methods"
    )
    parser.add_argument("--sets", default="", help="names separated by commas; 'sites': all sites; 'all'")
    parser.add_argument("--out", type=Path, help="Markdown file for the tables")
    parser.add_argument("--json", type=Path, help="JSON file for the figures with 95 %% intervals")
    parser.add_argument(
        "--left-out", type=Path, metavar="DIR", help="models of python -m lab.auto --left-out DIR"
    )
    parser.add_peers("peers.json")
    parser.add_floors("floors.json")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="show each method's N worst pages")
    parser.add_argument("--html", type=Path, default=Path(), metavar="DIR", help="folder for --worst")
    return parser.parse_args(arguments)


def _watch(worst: Worst, labelled: LabelledSet) -> Callable[[LabelledPage, str, PageScores], None]:
    def observe(page: LabelledPage, text: str, row: PageScores) -> None:
        score = row[MAIN_SCORE[labelled.kind]]
        if page.gold is not None and score is not None:
            gold = "\n".join(page.gold.values) if labelled.kind == "values" else page.gold.text
            outside = None if labelled.kind == "text" else page.gold.outside
            worst.add(Case(score, labelled.name, page.id, page.url, gold, outside, text))

    return observe


def _worse(ours: Summaries, by_page: dict[str, Figures]) -> list[str]:
    """Compare method auto with itself judging each page alone; give a line for each set where it is worse."""
    compared, worse = compare(ours.get(BY_SITE.name, {}), by_page)
    print("\n".join(compared), file=sys.stderr)
    if worse:
        print("\n".join(["other pages of the site make auto worse:", *worse]), file=sys.stderr)
    return worse


if __name__ == "__main__":
    run(main)
