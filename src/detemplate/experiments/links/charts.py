"""Charts of the experiment on ranking: the paper's figures 6 and 7, for our made web."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.experiments.charts import require_matplotlib, save_charts
from detemplate.experiments.links.runs import DEPTHS, column
from detemplate.labelled.bootstrap import bootstrap_mean
from detemplate.links.configurations import CONFIGURATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from detemplate.experiments.links.runs import WorldOutcome

COLOURS: Final = ("#9b9b9b", "#444444", "#d9730d", "#ad1a72", "#0f7b6c", "#0b6e99")
"""One a configuration, in the paper's order."""


def write_links_charts(outcomes: Sequence[WorldOutcome], folder: Path) -> list[Path]:
    """Draw both charts.

    Parameters
    ----------
    outcomes
        What was measured.
    folder
        Where they go.

    Returns
    -------
    list of pathlib.Path
        ``precision`` and ``overlap``, each as .svg and .png; the same figures give the same files.

    Raises
    ------
    MissingExtra
        Without Matplotlib.
    """
    require_matplotlib()
    return save_charts(
        (("precision", precision_chart(outcomes)), ("overlap", overlap_chart(outcomes))), folder
    )


def precision_chart(outcomes: Sequence[WorldOutcome]) -> Figure:
    """Draw precision@N of the six configurations, with 95 % intervals, as the paper's figure 6 has them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(CONFIGURATIONS)
    for place, (name, colour) in enumerate(zip(CONFIGURATIONS, COLOURS, strict=True)):
        found = [bootstrap_mean(*column(outcomes, name, depth)) for depth in DEPTHS]
        means = np.array([each.mean for each in found])
        spread = np.abs(np.array([[each.low for each in found], [each.high for each in found]]) - means)
        where = np.arange(len(DEPTHS)) + (place - (len(CONFIGURATIONS) - 1) / 2) * width
        axes.bar(where, means, width, color=colour, label=name, yerr=spread, error_kw={"lw": 0.7})
    axes.set_xticks(range(len(DEPTHS)), [str(depth) for depth in DEPTHS])
    axes.set_xlabel("N")
    axes.set_ylabel("mean precision@N")
    axes.set_ylim(0, 1.02)
    axes.grid(visible=True, axis="y", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def overlap_chart(outcomes: Sequence[WorldOutcome]) -> Figure:
    """Draw the overlap with the known best pages; the paper's figure 7 has that with Google's results."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    axes = figure.subplots()
    found = [bootstrap_mean(*column(outcomes, name, None)) for name in CONFIGURATIONS]
    means = np.array([each.mean for each in found])
    spread = np.abs(np.array([[each.low for each in found], [each.high for each in found]]) - means)
    places = np.arange(len(found))
    axes.barh(places, means, color=COLOURS, xerr=spread, error_kw={"lw": 0.8})
    axes.set_yticks(places, list(CONFIGURATIONS))
    axes.invert_yaxis()
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("share of the 50 best pages among the first 50 results")
    axes.grid(visible=True, axis="x", alpha=0.3)
    return figure
