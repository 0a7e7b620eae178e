"""The report on classification: the paper's table 3 beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lab.harness.extractors import FULL_TEXT
from lab.harness.reporting import csv_text, join_sections, percent, percent_interval
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.classification.problems import Problem, Task
    from lab.labelled.bootstrap import Estimate

PAPER: Final = {FULL_TEXT: 0.3822, "sitelevel": 0.4345, "pagelevel": 0.4513}
"""Mean accuracy by method, in the paper."""
COLUMNS: Final = (FULL_TEXT, "sitelevel", "pagelevel", "auto")
"""Methods in the tables of single class pairs."""

_INTRO: Final = """\
# Classification, with and without templates

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), section
6.3, table 3. The paper's shops are not to be had. **Real**: `swde-22` (each site has one class) and
`webkb`. **Made**: pages with contents of one site, the class, in the templates of others; each site has
as many pages of every class. Training and test pages are of different sites. Naive Bayes on counts of
words. Accuracy: mean over problems; both classes weigh the same, so 50 % is chance. Seed {seed}. In
brackets: 95 % bootstrap interval, resampling pairs of classes.
"""
"""Title and introduction in Markdown, with a field for ``str.format``."""


def pair_name(problem: Problem) -> str:
    """Name the classes of a problem."""
    return " / ".join(problem.classes)


def estimate(problems: Sequence[Problem], values: Sequence[float]) -> Estimate:
    """Average over problems; the interval comes from resampling pairs of classes."""
    return bootstrap_mean(values, [pair_name(problem) for problem in problems])


def report(
    tasks: Mapping[str, Task], outcomes: Mapping[str, Mapping[str, Sequence[float]]], seed: int
) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    tasks
        The tasks by name.
    outcomes
        Accuracy on each problem: task → method → one a problem.
    seed
        The seed.
    """
    names = list(next(iter(outcomes.values())))
    rows = []
    for name in names:
        cells = [name, percent(PAPER.get(name))]
        for label, task in tasks.items():
            values = outcomes[label][name]
            gain = float(np.mean(np.subtract(values, outcomes[label][FULL_TEXT])))
            cells.append(percent_interval(estimate(task.problems, values)))
            cells.append("–" if name == FULL_TEXT else f"{100 * gain:+.1f}".replace("-", "−"))
        rows.append(cells)
    header = ["method", "paper"]
    for label in tasks:
        header += [label, "points"]
    counts = "; ".join(
        f"{label}: {len(task.pages):,} pages, {len(task.problems):,} problems"
        for label, task in tasks.items()
    )
    sections = [
        f"## Accuracy (the average of the paper's table 3)\n\n{counts}.\n\n" + markdown_table(header, rows)
    ]
    sections += [
        f"## {label}: pairs of classes\n\n" + _pairs(task.problems, outcomes[label])
        for label, task in tasks.items()
    ]
    return join_sections(_INTRO.format(seed=seed), "", sections)


def _pairs(problems: Sequence[Problem], values: Mapping[str, Sequence[float]]) -> str:
    columns = [name for name in COLUMNS if name in values]
    pairs = list(dict.fromkeys(map(pair_name, problems)))
    rows = []
    for pair in pairs:
        places = [place for place, problem in enumerate(problems) if pair_name(problem) == pair]
        means = [float(np.mean([values[name][place] for place in places])) for name in columns]
        best = max(means)
        rows.append([pair, *(f"**{percent(x)}**" if x == best else percent(x) for x in means)])
    return markdown_table(["classes", *columns], rows)


def to_csv(tasks: Mapping[str, Task], outcomes: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Write the mean accuracies with their intervals as CSV: one line a task and method."""
    rows = [
        [label, name, *estimate(tasks[label].problems, values)]
        for label, of_task in outcomes.items()
        for name, values in of_task.items()
    ]
    return csv_text(["task", "method", "mean", "low", "high"], rows)


def as_dict(
    tasks: Mapping[str, Task], outcomes: Mapping[str, Mapping[str, Sequence[float]]], seed: int
) -> dict[str, Any]:
    """Convert all results to data that JSON can represent."""
    return {
        "seed": seed,
        "tasks": {
            label: {
                "pages": len(task.pages),
                "problems": [
                    [
                        *problem.classes,
                        *(sorted({task.pages[n].site for n in of_class}) for of_class in problem.train),
                    ]
                    for problem in task.problems
                ],
                "accuracy": {
                    name: [round(value, 4) for value in values] for name, values in outcomes[label].items()
                },
            }
            for label, task in tasks.items()
        },
    }
