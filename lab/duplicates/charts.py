"""Charts of the experiment on duplicates: the paper's table 2, and how it depends on the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lab.duplicates.runs import KEY_METHODS
from lab.harness.charts import COLOURS, named_bars, panel_grid, save_charts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.duplicates.runs import KindOutcome


def write_charts(outcomes: Sequence[KindOutcome], folder: Path) -> list[Path]:
    """Write ``pairs`` and ``kinds`` into a folder."""
    return save_charts((("pairs", pairs_chart(outcomes[0])), ("kinds", kinds_chart(outcomes))), folder)


def pairs_chart(outcome: KindOutcome) -> Figure:
    """Draw the shares of pairs judged rightly, by method."""
    figure, (axes,) = panel_grid(1, 1, (7.4, 0.36 * len(outcome.methods) + 1.2))
    found = {name: float(np.mean(each.duplicates)) for name, each in outcome.methods.items()}
    apart = {name: float(np.mean(each.others)) for name, each in outcome.methods.items()}
    named_bars(
        axes,
        [("duplicates found", COLOURS[0], found), ("others told apart", COLOURS[1], apart)],
        "share of the pairs",
    )
    axes.set_xlim(0, 1.02)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure


def kinds_chart(outcomes: Sequence[KindOutcome]) -> Figure:
    """Draw the share of duplicates found on each kind of made pages."""
    figure, (axes,) = panel_grid(1, 1, (7.4, 0.7 * len(outcomes) + 1.4))
    names = [name for name in KEY_METHODS if all(name in each.methods for each in outcomes)]
    series = [
        (
            name,
            colour,
            {each.kind.name: float(np.mean(each.methods[name].duplicates)) for each in outcomes},
        )
        for name, colour in zip(names, COLOURS, strict=False)
    ]
    named_bars(axes, series, "share of duplicates found")
    axes.set_xlim(0, 1.02)
    figure.legend(loc="outside upper center", ncols=len(names), frameon=False)
    return figure
