"""Chart of the experiment on browser layouts: F and segmentation by the layouts of training and testing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.detectors.pagelevel.options import SMOOTH
from lab.harness.charts import COLOURS, named_bars, panel_grid, save_charts
from lab.pagelevel.counts import MEASURES
from lab.rendered.report import mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.pagelevel.summary import GroupFigures


def write_charts(figures: Mapping[tuple[str, str], Sequence[GroupFigures]], folder: Path) -> list[Path]:
    """Write ``layouts`` into a folder."""
    return save_charts((("layouts", layouts_chart(figures)),), folder)


def layouts_chart(figures: Mapping[tuple[str, str], Sequence[GroupFigures]]) -> Figure:
    """Draw F of the three measures and the adjusted Rand index, with smoothing."""
    figure, (axes,) = panel_grid(1, 1, (7.4, 3.6))
    series = [
        (
            label,
            colour,
            {
                f"{train} / {test}": mean_of(of_pair, SMOOTH, place)
                for (train, test), of_pair in figures.items()
            },
        )
        for (label, place), colour in zip(
            [*((name, place) for place, name in enumerate(MEASURES)), ("adjusted Rand", None)],
            COLOURS,
            strict=False,
        )
    ]
    named_bars(axes, series, "F of template; adjusted Rand index")
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    return figure
