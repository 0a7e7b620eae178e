"""Chart of the experiment on classification: accuracy by method and task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lab.harness.charts import COLOURS, named_bars, panel_grid, save_charts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure


def write_charts(outcomes: Mapping[str, Mapping[str, Sequence[float]]], folder: Path) -> list[Path]:
    """Write ``accuracy`` into a folder."""
    return save_charts((("accuracy", accuracy_chart(outcomes)),), folder)


def accuracy_chart(outcomes: Mapping[str, Mapping[str, Sequence[float]]]) -> Figure:
    """Draw the mean accuracy of each method on each task."""
    names = list(next(iter(outcomes.values())))
    figure, (axes,) = panel_grid(1, 1, (7.4, 0.45 * len(names) + 1.2))
    series = [
        (label, colour, {name: float(np.mean(values)) for name, values in of_task.items()})
        for (label, of_task), colour in zip(outcomes.items(), COLOURS, strict=False)
    ]
    named_bars(axes, series, "accuracy")
    axes.axvline(0.5, color="#444444", lw=0.8, ls=":")
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure
