"""Chart of the experiment on clusters: agreement with the classes, by method and group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.charts import COLOURS, named_bars, panel_grid, save_charts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.clustering.runs import Agreement


def write_charts(outcomes: Mapping[str, Mapping[str, Agreement]], folder: Path) -> list[Path]:
    """Write ``clusters`` into a folder."""
    return save_charts((("clusters", clusters_chart(outcomes)),), folder)


def clusters_chart(outcomes: Mapping[str, Mapping[str, Agreement]]) -> Figure:
    """Draw the adjusted Rand index of clusters and classes, one panel a group."""
    names = list(next(iter(outcomes.values())))
    size = (9.4, (0.22 * len(names) + 0.9) * -(-len(outcomes) // 3))
    figure, panels = panel_grid(len(outcomes), 3, size, sharey=True)
    for axes, (group, of_group), colour in zip(panels, outcomes.items(), COLOURS * 4, strict=False):
        named_bars(axes, [(group, colour, {name: of_group[name].rand for name in names})], "ARI")
        axes.set_title(group, fontsize=9)
    for axes in panels:  # with a shared axis, each panel has turned it around
        axes.set_ylim(len(names) - 0.5, -0.5)
    return figure
