"""Two-class problems whose training and test pages are of different sites, and naive Bayes on them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lab.classification.pages import by_class_and_site
from lab.harness.common import require_sklearn
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lab.classification.pages import ClassPage

    Places = dict[str, list[int]]

USE: Final = "classifying pages"


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
    """Make the paper's problems: each class is learnt from one site, and tested on all its other sites.

    The two training sites differ. A site on which one class is learnt may have test pages of the other.
    """
    problems = []
    for classes, one, two in _pairs_of_classes(pages):
        for first in one:
            for second in two:
                rest = (_but(one, first), _but(two, second))
                if first != second and all(rest):
                    problems.append(Problem(classes, (tuple(one[first]), tuple(two[second])), rest))
    return problems


def one_site_out(pages: Sequence[ClassPage]) -> list[Problem]:
    """Make problems in which one site is tested, and both classes are learnt from all others."""
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
