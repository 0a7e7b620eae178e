"""The report on clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lab.harness.charts import COLOURS, named_bars, panel_grid
from lab.harness.experiment import Report
from lab.harness.tables import section, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from lab.classification.pages import ClassPage
    from lab.clustering.clusters import Agreement
    from lab.harness.tables import Column

    Groups = Mapping[str, Mapping[str, Agreement]]
    """Group → method → agreement."""

_INTRO: Final = """\
# Clusters of pages, with and without templates

The papers name clustering as a use of clean pages, without figures. **Real**: `webkb` (page types of
several universities) and sites whose pages have a type or category. **Made**: contents of several
sites, the classes, in templates of others. k-means on tf-idf, as many clusters as classes; means over
{starts} starts. Purity: share of the pages whose class is the most frequent one of their cluster. ARI:
adjusted Rand index, 0 for chance. *Sites*: the same index of clusters and sites; a high one means that
clusters follow templates. Seed {seed}.
"""


def report(pages: Mapping[str, Sequence[ClassPage]], found: Groups, *, starts: int, seed: int) -> Report:
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
    record = {"seed": seed, "starts": starts, "groups": {group: len(own) for group, own in pages.items()}}
    intro = _INTRO.format(starts=starts, seed=seed)
    return Report(intro, sections, rows, {"clusters": clusters_chart(found)}, record)


def clusters_chart(found: Groups) -> Figure:
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
