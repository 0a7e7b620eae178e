"""Naive Bayes on the texts of each method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lab.classification.problems import sites_of
from lab.harness.common import require_sklearn
from lab.harness.extractors import site_texts
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lab.classification.problems import ClassPage, Problem, Task
    from lab.labelled.measure import Extractor

USE: Final = "classifying pages"
"""What scikit-learn is for here."""


def page_texts(
    extractors: Mapping[str, Extractor],
    pages: Sequence[ClassPage],
    show: Callable[[str], object] = lambda _: None,
) -> dict[str, list[str]]:
    """Return the texts of all pages, by method."""
    sites = sites_of(pages)
    sources = {
        site: [(pages[number].url, pages[number].html) for number in numbers]
        for site, numbers in sites.items()
    }
    found = {}
    for name, extractor in extractors.items():
        [of_method] = site_texts({name: extractor}, sources).values()
        texts = [""] * len(pages)
        for site, numbers in sites.items():
            for number, text in zip(numbers, of_method[site], strict=True):
                texts[number] = text
        found[name] = texts
        show(name)
    return found


def accuracies(texts: Sequence[str], problems: Sequence[Problem]) -> list[float]:
    """Return the accuracy of naive Bayes on each problem.

    Parameters
    ----------
    texts
        Text of each page.
    problems
        The problems.

    Returns
    -------
    list of float
        Mean over the two classes of the share of test pages classified rightly: both weigh the same.

    Raises
    ------
    MissingExtra
        scikit-learn is not installed.
    """
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


def measure(
    extractors: Mapping[str, Extractor], task: Task, show: Callable[[str], object] = lambda _: None
) -> dict[str, list[float]]:
    """Return the accuracy on each problem, by method."""
    return {
        name: accuracies(texts, task.problems)
        for name, texts in page_texts(extractors, task.pages, show).items()
    }
