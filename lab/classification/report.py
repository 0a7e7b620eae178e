"""The report on classification: the paper's table 3 beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lab.harness.charts import bar_chart
from lab.harness.experiment import Report
from lab.harness.extractors import FULL_TEXT
from lab.harness.tables import cell, mark_best, section
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.classification.pages import ClassPage
    from lab.classification.problems import Problem

PAPER: Final = {FULL_TEXT: 0.3822, "sitelevel": 0.4345, "pagelevel": 0.4513}
"""Mean accuracy by method, in the paper."""
COLUMNS: Final = (FULL_TEXT, "sitelevel", "pagelevel", "auto")
_INTRO: Final = """\
# Classification, with and without templates

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), section
6.3, table 3. The paper's shops are not to be had. **Real**: `swde-22` (each site has one class) and
`webkb`. **Made**: pages with contents of one site, the class, in the templates of others; each site has
as many pages of every class. Training and test pages are of different sites. Naive Bayes on counts of
words. Accuracy: mean over problems; both classes weigh the same, so 50 % is chance. Seed {seed}. In
brackets: 95 % bootstrap interval, resampling pairs of classes.
"""


class Task(NamedTuple):
    """Pages, the problems on them, and the accuracy on each problem, by method."""

    pages: list[ClassPage]
    problems: list[Problem]
    accuracy: dict[str, list[float]]


def report(tasks: Mapping[str, Task], seed: int) -> Report:
    """Report the accuracies of all methods on all tasks."""
    names = list(next(iter(tasks.values())).accuracy)
    counts = "; ".join(
        f"{label}: {len(task.pages):,} pages, {len(task.problems):,} problems"
        for label, task in tasks.items()
    )
    header, shown, rows = ["method", "paper"], [[name, cell(PAPER.get(name), ".1%")] for name in names], []
    for label, task in tasks.items():
        header += [label, "points"]
        pairs = [problem.name for problem in task.problems]
        for cells, (name, values) in zip(shown, task.accuracy.items(), strict=True):
            mean = bootstrap_mean(values, pairs)
            gain = float(np.mean(np.subtract(values, task.accuracy[FULL_TEXT])))
            cells += [cell(mean, ".1%"), cell(None if name == FULL_TEXT else gain, "+.1p")]
            rows.append({"task": label, "method": name, "accuracy": mean, "by problem": values})
    first = section(
        "Accuracy (the average of the paper's table 3)", f"{counts}.", markdown_table(header, shown)
    )
    record = {
        label: {
            "pages": len(task.pages),
            "problems": [
                [*each.classes, *(sorted({task.pages[n].site for n in numbers}) for numbers in each.train)]
                for each in task.problems
            ],
        }
        for label, task in tasks.items()
    }
    chart = bar_chart(
        {
            label: {name: float(np.mean(values)) for name, values in task.accuracy.items()}
            for label, task in tasks.items()
        },
        "accuracy",
        (7.4, 0.45 * len(names) + 1.2),
    )
    chart.axes[0].axvline(0.5, color="#444444", lw=0.8, ls=":")
    pairs_of = [section(f"{label}: pairs of classes", _pairs(task)) for label, task in tasks.items()]
    return Report(
        _INTRO.format(seed=seed),
        [first, *pairs_of],
        rows,
        {"accuracy": chart},
        {"seed": seed, "tasks": record},
    )


def _pairs(task: Task) -> str:
    """Write the mean accuracy on each pair of classes; the best is bold."""
    names = [name for name in COLUMNS if name in task.accuracy]
    rows = []
    for pair in dict.fromkeys(problem.name for problem in task.problems):
        places = [place for place, problem in enumerate(task.problems) if problem.name == pair]
        means = [float(np.mean([task.accuracy[name][place] for place in places])) for name in names]
        rows.append([pair, *mark_best(means, ".1%")])
    return markdown_table(["classes", *names], rows)
