"""Cluster pages with and without templates: purity and adjusted Rand index."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError
from detemplate.report.terminal import step_progress
from lab.classification.pages import (
    WEBKB,
    WEBKB_CLASSES,
    ClassPage,
    made_pages,
    own_pages,
    page_texts,
    set_pages,
)
from lab.harness.charts import COLOURS, named_bars, panel_grid
from lab.harness.command import run
from lab.harness.common import checked_folder, require_sklearn
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import chosen_extractors
from lab.harness.tables import section, table
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import is_own, load_sets
from lab.labelled.pages import LabelledSet
from lab.labelled.words import words
from lab.pagelevel.segmentation import adjusted_rand

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.harness.tables import Column

USE: Final = "clustering pages"
OWN: Final = "own pages"  # a user's pages whose gold names a type
LABELS: Final = "labels"  # folder with one file a site: page and class, separated by a tab
MIN_PAGES: Final = 5
STARTS: Final = 10  # starts of k-means
_INTRO: Final = """\
# Clusters of pages, with and without templates

The papers name clustering as a use of clean pages, without figures. **Real**: `webkb` (page types of
several universities) and sites whose pages have a type or category. **Made**: contents of several
sites, the classes, in templates of others. k-means on tf-idf, as many clusters as classes; means over
{starts} starts. Purity: share of the pages whose class is the most frequent one of their cluster. ARI:
adjusted Rand index, 0 for chance. *Sites*: the same index of clusters and sites; a high one means that
clusters follow templates. Seed {seed}.
"""


def measure(chosen: Namespace) -> Report:
    """Read and make pages, clean them by each method, and cluster them."""
    require_sklearn(USE)
    extractors = chosen_extractors(chosen.methods)
    folder, pages, seed = checked_folder(chosen.data), chosen.pages, chosen.seed
    groups = (
        {OWN: own_pages(folder, pages, seed)}
        if is_own(folder)
        else {
            "made pages": made_pages(chosen.names, chosen.data, pages, seed),
            WEBKB: set_pages(LabelledSet(WEBKB, "text", folder / WEBKB), WEBKB_CLASSES, pages, seed),
            **{
                path.stem: labelled_pages(folder, path.stem)
                for path in sorted((folder / LABELS).glob("*.tsv"))
            },
        }
    )
    groups = {group: of_group for group, of_group in groups.items() if len(of_group) > 1}
    found = {}
    with step_progress(len(groups) * len(extractors)) as step:
        for group, own in groups.items():
            texts = page_texts(extractors, own, step)
            found[group] = {
                name: agreement(each, own, starts=STARTS, seed=seed) for name, each in texts.items()
            }
    return report(groups, found, seed)


def report(
    pages: Mapping[str, Sequence[ClassPage]], found: Mapping[str, Mapping[str, Agreement]], seed: int
) -> Report:
    """Report how well the clusters of each method agree with the classes of each group of `pages`."""
    rows = [
        {"group": group, "method": name, **each._asdict()}
        for group, of_group in found.items()
        for name, each in of_group.items()
    ]
    names = list(next(iter(found.values())))
    means = [
        {"method": name}
        | {
            key: float(np.mean([getattr(of_group[name], key) for of_group in found.values()]))
            for key in ("purity", "rand")
        }
        for name in names
    ]
    columns: list[Column] = [("method", "method"), ("purity", "purity", ".1%"), ("ARI", "rand", ".3f")]
    sections = [section("Means over the groups", table(columns, means))]
    for group, own in pages.items():
        sites = len({page.site for page in own})
        sizes = f"{len(own):,} pages, {len({page.label for page in own})} classes, {sites} sites."
        more: list[Column] = [("ARI with sites", "sites", ".3f")] if sites > 1 else []
        of_group = [row for row in rows if row["group"] == group]
        sections.append(section(group, sizes, table([*columns, *more], of_group)))
    record = {"seed": seed, "starts": STARTS, "groups": {group: len(own) for group, own in pages.items()}}
    intro = _INTRO.format(starts=STARTS, seed=seed)
    return Report(intro, sections, rows, {"clusters": clusters_chart(found)}, record)


def clusters_chart(found: Mapping[str, Mapping[str, Agreement]]) -> Figure:
    """Draw the adjusted Rand index of clusters and classes, one panel a group."""
    names = list(next(iter(found.values())))
    size = (9.4, (0.22 * len(names) + 0.9) * -(-len(found) // 3))
    figure, panels = panel_grid(len(found), 3, size, sharey=True)
    for axes, (group, of_group), colour in zip(panels, found.items(), COLOURS * 4, strict=False):
        named_bars(axes, [(group, colour, {name: of_group[name].rand for name in names})], "ARI")
        axes.set_title(group, fontsize=9)
    for axes in panels:  # with a shared axis, each panel has turned it around
        axes.set_ylim(len(names) - 0.5, -0.5)
    return figure


class Agreement(NamedTuple):
    """Purity, adjusted Rand index with classes and with sites (NaN for one): means over starts of k-means."""

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
    """Cluster texts by k-means on tf-idf, as many clusters as classes, and compare."""
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


_EXAMPLE: Final = "--pages 8 --methods sitelevel,auto --out results/"
EXPERIMENT: Final = Experiment("clustering", __doc__, {"pages": 8, "methods": "all"}, measure, _EXAMPLE)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
