"""k-means on tf-idf, and how well clusters agree with classes and with sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lab.classification.runs import page_texts
from lab.harness.common import require_sklearn
from lab.labelled.words import words
from lab.pagelevel.segmentation import adjusted_rand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lab.classification.problems import ClassPage
    from lab.labelled.measure import Extractor

USE: Final = "clustering pages"
"""What scikit-learn is for here."""


class Agreement(NamedTuple):
    """How well clusters agree with classes; means over several starts of k-means.

    Attributes
    ----------
    purity
        Share of the pages whose class is the most frequent one of their cluster.
    rand
        Adjusted Rand index of clusters and classes: 1 for equal ones, 0 for chance.
    sites
        Adjusted Rand index of clusters and sites; NaN where all pages are of one site.
    """

    purity: float
    rand: float
    sites: float


def numbered(names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Give each name a number: 0, 1, … in their alphabetical order."""
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int32)


def purity(clusters: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> float:
    """Compute the share of pages whose class is the most frequent one of their cluster."""
    right = sum(int(np.bincount(classes[clusters == cluster]).max()) for cluster in np.unique(clusters))
    return right / max(len(classes), 1)


def agreement(texts: Sequence[str], pages: Sequence[ClassPage], *, seeds: int, seed: int) -> Agreement:
    """Cluster texts into as many clusters as there are classes, and compare.

    Parameters
    ----------
    texts
        Text of each page. Words on one page only, and on more than half of the pages, do not count.
    pages
        The pages.
    seeds
        Number of starts of k-means.
    seed
        First seed.

    Raises
    ------
    MissingExtra
        scikit-learn is not installed.
    """
    kit = require_sklearn(USE)
    split = [words(text) for text in texts]
    table = kit.feature_extraction.text.TfidfVectorizer(
        analyzer=lambda number: split[number] or [""], sublinear_tf=True, min_df=2, max_df=0.5
    ).fit_transform(range(len(split)))
    classes, sites = (numbered([getattr(page, name) for page in pages]) for name in ("label", "site"))
    found = []
    for start in range(seed, seed + seeds):
        kmeans = kit.cluster.KMeans(int(classes.max()) + 1, n_init=1, random_state=start)
        clusters = kmeans.fit(table).labels_
        clusters = clusters.astype(np.int32)
        by_site = adjusted_rand(sites, clusters) if sites.max() > 0 else float("nan")
        found.append((purity(clusters, classes), adjusted_rand(classes, clusters), by_site))
    return Agreement(*(float(value) for value in np.mean(found, axis=0)))


def measure(
    extractors: Mapping[str, Extractor],
    pages: Sequence[ClassPage],
    *,
    seeds: int,
    seed: int,
    show: Callable[[str], object] = lambda _: None,
) -> dict[str, Agreement]:
    """Return how well the clusters of each method's texts agree with classes and sites."""
    return {
        name: agreement(texts, pages, seeds=seeds, seed=seed)
        for name, texts in page_texts(extractors, pages, show).items()
    }
