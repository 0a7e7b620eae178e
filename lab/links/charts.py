"""Charts of the experiment on ranking: the paper's figures 6 and 7, for made webs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.links.ranking import CONFIGURATIONS
from lab.harness.charts import grouped_bars, panel_grid, save_charts
from lab.links.runs import DEPTHS
from lab.links.summary import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.links.runs import WorldOutcome

CONFIGURATION_COLOURS: Final = ("#9b9b9b", "#444444", "#d9730d", "#ad1a72", "#0f7b6c", "#0b6e99")
"""Colours of the configurations, in the paper's order."""


def write_charts(outcomes: Sequence[WorldOutcome], folder: Path) -> list[Path]:
    """Write ``precision`` and ``overlap`` into a folder."""
    return save_charts(
        (("precision", precision_chart(outcomes)), ("overlap", overlap_chart(outcomes))), folder
    )


def precision_chart(outcomes: Sequence[WorldOutcome]) -> Figure:
    """Draw precision@N of the six configurations, with 95 % intervals: the paper's figure 6."""
    figure, (axes,) = panel_grid(1, 1, (8.4, 4.2))
    series = [
        (name, colour, [estimate(outcomes, name, depth) for depth in DEPTHS])
        for name, colour in zip(CONFIGURATIONS, CONFIGURATION_COLOURS, strict=True)
    ]
    grouped_bars(axes, series, 0.7)
    axes.set_xticks(range(len(DEPTHS)), [str(depth) for depth in DEPTHS])
    axes.set_xlabel("N")
    axes.set_ylabel("mean precision@N")
    axes.set_ylim(0, 1.02)
    axes.grid(visible=True, axis="y", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def overlap_chart(outcomes: Sequence[WorldOutcome]) -> Figure:
    """Draw the overlap with the best pages. The paper's figure 7 has the overlap with Google's results."""
    figure, (axes,) = panel_grid(1, 1, (6.4, 3.2))
    values = np.array([estimate(outcomes, name, None) for name in CONFIGURATIONS])
    means, bounds = values[:, 0], values[:, 1:].T
    places = np.arange(len(means))
    axes.barh(places, means, color=CONFIGURATION_COLOURS, xerr=np.abs(bounds - means), error_kw={"lw": 0.8})
    axes.set_yticks(places, list(CONFIGURATIONS))
    axes.invert_yaxis()
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("share of the 50 best pages among the first 50 results")
    axes.grid(visible=True, axis="x", alpha=0.3)
    return figure
