"""k-means on tf-idf, and how well clusters agree with classes and with sites."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError
from lab.classification.pages import ClassPage
from lab.harness.common import require_sklearn
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import load_sets
from lab.labelled.words import words
from lab.pagelevel.segmentation import adjusted_rand

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

USE: Final = "clustering pages"
LABELS: Final = "labels"
"""Folder with one file a site: page and class, separated by a tab."""
MIN_PAGES: Final = 5


class Agreement(NamedTuple):
    """How well clusters agree with classes; means over several starts of k-means.

    Purity, adjusted Rand index of clusters and classes, and that of clusters and sites (NaN for one site).
    """

    purity: float
    rand: float
    sites: float


def labelled_pages(folder: Path, site: str) -> list[ClassPage]:
    """Read the pages of a site that have one class, of classes with :data:`MIN_PAGES` pages or more."""
    path = folder / LABELS / f"{site}.tsv"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the classes {path}: {error}") from error
    labels = dict(line.split("\t", 1) for line in lines if "\t" in line and not line.startswith("#"))
    sizes = Counter(labels.values())
    [labelled] = load_sets([f"{SITES}/{site}"], folder)
    return [
        ClassPage(site, label, page.url, page.html)
        for page in labelled.pages()
        if (label := labels.get(page.id, "")) and sizes[label] >= MIN_PAGES and "," not in label
    ]


def purity(clusters: np.ndarray[Any, Any], classes: np.ndarray[Any, Any]) -> float:
    """Compute the share of pages whose class is the most frequent one of their cluster."""
    right = sum(int(np.bincount(classes[clusters == cluster]).max()) for cluster in np.unique(clusters))
    return right / max(len(classes), 1)


def agreement(texts: Sequence[str], pages: Sequence[ClassPage], *, starts: int, seed: int) -> Agreement:
    """Cluster texts by k-means on tf-idf, as many clusters as classes, and compare.

    Words on one page only, and on more than half of the pages, do not count.
    """
    kit = require_sklearn(USE)
    split = [words(text) for text in texts]
    tfidf = kit.feature_extraction.text.TfidfVectorizer(
        analyzer=lambda number: split[number] or [""], sublinear_tf=True, min_df=2, max_df=0.5
    ).fit_transform(range(len(split)))
    classes, sites = (
        np.unique([getattr(page, name) for page in pages], return_inverse=True)[1].astype(np.int32)
        for name in ("label", "site")
    )
    found = []
    for start in range(seed, seed + starts):
        kmeans = kit.cluster.KMeans(int(classes.max()) + 1, n_init=1, random_state=start)
        clusters = kmeans.fit(tfidf).labels_.astype(np.int32)
        by_site = adjusted_rand(sites, clusters) if sites.max() > 0 else float("nan")
        found.append((purity(clusters, classes), adjusted_rand(classes, clusters), by_site))
    return Agreement(*(float(value) for value in np.mean(found, axis=0)))
