"""Chart of the experiment on focused crawls: harvest rate by strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.focus.report import estimate, names_of
from lab.focus.runs import DEPTHS
from lab.harness.charts import COLOURS, named_bars, panel_grid, save_charts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.focus.runs import CrawlOutcome


def write_charts(outcomes: Sequence[CrawlOutcome], folder: Path) -> list[Path]:
    """Write ``harvest`` into a folder."""
    return save_charts((("harvest", harvest_chart(outcomes)),), folder)


def harvest_chart(outcomes: Sequence[CrawlOutcome]) -> Figure:
    """Draw the mean harvest rate of each strategy after different numbers of pages."""
    names = names_of(outcomes)
    figure, (axes,) = panel_grid(1, 1, (7.4, 0.5 * len(names) + 1.2))
    series = [
        (f"{depth} pages", colour, {name: estimate(outcomes, name, place).mean for name in names})
        for place, (depth, colour) in enumerate(zip(DEPTHS, COLOURS, strict=False))
    ]
    named_bars(axes, series, "harvest rate")
    axes.set_xlim(0, 1.02)
    figure.legend(loc="outside upper center", ncols=len(DEPTHS), frameon=False)
    return figure
