"""Classify pages with and without templates; training and test pages are of different sites."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError
from detemplate.report.terminal import step_progress
from lab.classification.pages import (
    WEBKB,
    WEBKB_CLASSES,
    by_class_and_site,
    made_pages,
    own_pages,
    page_texts,
    set_pages,
)
from lab.harness.charts import bar_chart
from lab.harness.command import run
from lab.harness.common import checked_folder, require_sklearn
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import FULL_TEXT, chosen_extractors
from lab.harness.tables import cell, mark_best, section
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.datasets import is_own
from lab.labelled.pages import LabelledSet
from lab.labelled.tables import markdown_table
from lab.labelled.words import words

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping, Sequence

    from lab.classification.pages import ClassPage

    Places = dict[str, list[int]]

USE: Final = "classifying pages"
SHOPS: Final = "swde-22"  # set of pages of shops and the like: each site has one class
OWN: Final = "own pages"  # a user's pages, of which each class should be on several sites
SHORT: Final = 100  # words of short contents
EXACT: Final = "sitelevel equality=exact"
BASIC: Final = "pagelevel variant=basic"
PAPER: Final = {FULL_TEXT: 0.3822, EXACT: 0.4345, BASIC: 0.436, "pagelevel": 0.4513}
"""Mean accuracy by method, in the paper."""
COLUMNS: Final = (FULL_TEXT, EXACT, BASIC, "pagelevel", "sitelevel", "auto")
"""Methods that are compared pair by pair of classes: first the paper's."""
METHODS: Final = "all,sitelevel:equality=exact,pagelevel:variant=basic"
_INTRO: Final = """\
# Classification, with and without templates

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), section
6.3, table 3. The paper's SITELEVEL hashes a node's HTML: `sitelevel equality=exact`; its PAGELEVEL is
`pagelevel variant=basic` and, smoothed, `pagelevel`.

The paper's shops are not to be had. **Real**: `swde-22` (each site has one class) and
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


def measure(chosen: Namespace) -> Report:
    """Read and make pages, clean them by each method, and classify them."""
    require_sklearn(USE)
    extractors = chosen_extractors(chosen.methods)
    folder, pages, seed = checked_folder(chosen.data), chosen.pages, chosen.seed
    if is_own(folder):
        sources = {OWN: own_pages(folder, pages, seed)}
    else:
        sources = {
            "made pages": made_pages(chosen.names, chosen.data, pages, seed),
            f"made pages, {SHORT} words": made_pages(chosen.names, chosen.data, pages, seed, SHORT),
            **{
                name: set_pages(LabelledSet(name, "text", folder / name), classes, pages, seed)
                for name, classes in ((SHOPS, ()), (WEBKB, WEBKB_CLASSES))
            },
        }
    tasks = {}
    with step_progress(len(sources) * len(extractors)) as step:
        for label, found in sources.items():
            problems = (one_site_out if label == WEBKB else one_site_each)(found)
            if not problems and label == OWN:
                problems = one_site_out(found)
            if problems:
                texts = page_texts(extractors, found, step)
                accuracy = {name: accuracies(each, problems) for name, each in texts.items()}
                tasks[label] = Task(found, problems, accuracy)
    if not tasks:
        raise UserError(
            "no two classes are on several sites: none can be learned on one and tested on another"
        )
    return report(tasks, seed)


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
    average = "Accuracy (the average of the paper's table 3)"
    sections = [section(average, f"{counts}.", markdown_table(header, shown))]
    sections += [section(f"{label}: pairs of classes", _pairs(task)) for label, task in tasks.items()]
    of_tasks = {
        label: {
            "pages": len(task.pages),
            "problems": [
                [*each.classes, *(sorted({task.pages[n].site for n in numbers}) for numbers in each.train)]
                for each in task.problems
            ],
        }
        for label, task in tasks.items()
    }
    series = {
        label: {name: float(np.mean(values)) for name, values in task.accuracy.items()}
        for label, task in tasks.items()
    }
    chart = bar_chart(series, "accuracy", (7.4, 0.45 * len(names) + 1.2))
    chart.axes[0].axvline(0.5, color="#444444", lw=0.8, ls=":")
    record = {"seed": seed, "tasks": of_tasks}
    return Report(_INTRO.format(seed=seed), sections, rows, {"accuracy": chart}, record)


def _pairs(task: Task) -> str:
    """Write the mean accuracy on each pair of classes; the best is bold."""
    names = [name for name in COLUMNS if name in task.accuracy]
    rows = []
    for pair in dict.fromkeys(problem.name for problem in task.problems):
        places = [place for place, problem in enumerate(task.problems) if problem.name == pair]
        means = [float(np.mean([task.accuracy[name][place] for place in places])) for name in names]
        rows.append([pair, *mark_best(means, ".1%")])
    return markdown_table(["classes", *names], rows)


class Problem(NamedTuple):
    """A two-class problem: the classes, and the numbers of each class's training and test pages."""

    classes: tuple[str, str]
    train: tuple[tuple[int, ...], tuple[int, ...]]
    test: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def name(self) -> str:
        """The classes in one text."""
        return " / ".join(self.classes)


def one_site_each(pages: Sequence[ClassPage]) -> list[Problem]:
    """Make the paper's problems: each class is learned from one site, and tested on all its other sites."""
    problems = []
    for classes, one, two in _pairs_of_classes(pages):
        for first in one:
            for second in two:
                rest = (_but(one, first), _but(two, second))
                if first != second and all(rest):
                    problems.append(Problem(classes, (tuple(one[first]), tuple(two[second])), rest))
    return problems


def one_site_out(pages: Sequence[ClassPage]) -> list[Problem]:
    """Make problems in which one site is tested, and both classes are learned from all others."""
    problems = []
    for classes, one, two in _pairs_of_classes(pages):
        for site in sorted(set(one) & set(two)):
            train = (_but(one, site), _but(two, site))
            if all(train):
                problems.append(Problem(classes, train, (tuple(one[site]), tuple(two[site]))))
    return problems


def _pairs_of_classes(pages: Sequence[ClassPage]) -> Iterator[tuple[tuple[str, str], Places, Places]]:
    """Yield each pair of classes, with the numbers of their pages by site."""
    for (one, places), (two, others) in combinations(by_class_and_site(pages).items(), 2):
        yield (one, two), places, others


def _but(places: Places, site: str) -> tuple[int, ...]:
    """Return the numbers of a class's pages on all sites but one."""
    return tuple(number for other, numbers in places.items() if other != site for number in numbers)


def accuracies(texts: Sequence[str], problems: Sequence[Problem]) -> list[float]:
    """Return the accuracy of naive Bayes on each problem; both classes weigh the same."""
    kit = require_sklearn(USE)
    split = [words(text) for text in texts]
    results = []
    # Words of all pages: which of them a problem knows, its training pages decide.
    counter = kit.feature_extraction.text.CountVectorizer(analyzer=lambda number: split[number] or [""])
    table = counter.fit_transform(range(len(split)))
    for problem in problems:
        train = [number for of_class in problem.train for number in of_class]
        labels = np.repeat([0, 1], [len(of_class) for of_class in problem.train])
        known = np.flatnonzero(table[train].sum(axis=0))
        classifier = kit.naive_bayes.MultinomialNB().fit(table[train][:, known], labels)
        shares = [
            float(np.mean(classifier.predict(table[list(of_class)][:, known]) == label))
            for label, of_class in enumerate(problem.test)
        ]
        results.append(float(np.mean(shares)))
    return results


_EXAMPLE: Final = "--pages 8 --methods sitelevel,auto --out results/"
EXPERIMENT: Final = Experiment("classification", __doc__, {"pages": 8, "methods": METHODS}, measure, _EXAMPLE)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
