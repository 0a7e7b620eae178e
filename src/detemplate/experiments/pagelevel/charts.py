"""Charts of the experiment on page-level templateness: the paper's figures 1, 2 and 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.pagelevel.options import BASIC, MERGE, SMOOTH
from detemplate.experiments.charts import require_matplotlib, save_charts
from detemplate.experiments.pagelevel.counts import MEASURES
from detemplate.experiments.pagelevel.summary import smooth_settings, threshold_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from detemplate.experiments.pagelevel.runs import Setting
    from detemplate.experiments.pagelevel.summary import Figures

VARIANTS: Final = {BASIC: "#9b9b9b", MERGE: "#d9730d", SMOOTH: "#0b6e99"}
COLOURS: Final = ("#0b6e99", "#d9730d", "#6940a5", "#0f7b6c", "#ad1a72", "#444444")


def write_pagelevel_charts(
    figures: Sequence[Figures], settings: Sequence[Setting], folder: Path
) -> list[Path]:
    """Draw the charts.

    Parameters
    ----------
    figures
        What was measured, one a set.
    settings
        What was measured of each.
    folder
        Where they go.

    Returns
    -------
    list of pathlib.Path
        ``segmentation`` (the paper's figure 1), ``penalty-detection`` (2), ``penalty-segmentation`` (3) and
        ``threshold``, each as .svg and .png; the same figures give the same files.

    Raises
    ------
    MissingExtra
        Without Matplotlib.
    """
    require_matplotlib()
    return save_charts(
        (
            ("segmentation", segmentation_chart(figures)),
            ("penalty-detection", detection_chart(figures, settings)),
            ("penalty-segmentation", penalty_chart(figures, settings)),
            ("threshold", threshold_chart(figures, settings)),
        ),
        folder,
    )


def segmentation_chart(figures: Sequence[Figures]) -> Figure:
    """Draw the adjusted Rand index of the three variants, with 95 % intervals: the paper's figure 1."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(VARIANTS)
    for place, (variant, colour) in enumerate(VARIANTS.items()):
        found = np.array([each.rand(each.variants[variant]) for each in figures])
        where = np.arange(len(figures)) + (place - (len(VARIANTS) - 1) / 2) * width
        spread = np.abs(found[:, 1:].T - found[:, 0])
        axes.bar(where, found[:, 0], width, color=colour, label=variant, yerr=spread, error_kw={"lw": 0.9})
    axes.set_xticks(np.arange(len(figures)), [each.name for each in figures])
    axes.set_ylabel("adjusted Rand index (mean of pages)")
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=len(VARIANTS), frameon=False)
    return figure


def detection_chart(figures: Sequence[Figures], settings: Sequence[Setting]) -> Figure:
    """Draw the F of text, anchor text and links against the penalty, a panel a set: figure 2.

    Dotted lines are ``basic``.
    """
    chosen = smooth_settings(settings)

    def draw(axes: Axes, each: Figures) -> None:
        for place, (measure, colour) in enumerate(zip(MEASURES, COLOURS, strict=False)):
            axes.axhline(each.f_mean(each.variants[BASIC], place), color=colour, ls=":", lw=1)
            _curve(axes, chosen, [each.f_mean(setting, place) for setting in chosen], colour, measure)

    return _panels(figures, draw, "factor multiplied into the penalty")


def threshold_chart(figures: Sequence[Figures], settings: Sequence[Setting]) -> Figure:
    """Draw the F of text, anchor text and links against the threshold; dotted lines are ``basic``."""

    def draw(axes: Axes, each: Figures) -> None:
        for place, (measure, colour) in enumerate(zip(MEASURES, COLOURS, strict=False)):
            for variant, style in ((BASIC, ":"), (SMOOTH, "-")):
                chosen = threshold_settings(settings, variant)
                values = [each.f_mean(setting, place) for setting in chosen]
                label = measure if variant == SMOOTH else None
                axes.plot(
                    [one.threshold for one in chosen], values, color=colour, ls=style, lw=1.3, label=label
                )
        axes.grid(visible=True, alpha=0.3)
        axes.tick_params(labelsize=7)

    return _panels(figures, draw, "score above which a segment is template")


def _panels(figures: Sequence[Figures], draw: Callable[[Axes, Figures], None], across: str) -> Figure:
    """Draw a panel a set."""
    from matplotlib.figure import Figure

    wide = min(3, len(figures))
    high = -(-len(figures) // wide)
    figure = Figure(figsize=(3.2 * wide + 0.6, 2.7 * high + 0.4), layout="constrained")
    panels = [*figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True).flat]
    for axes, each in zip(panels, figures, strict=False):
        draw(axes, each)
        axes.set_title(each.name, fontsize=9)
    for axes in panels[len(figures) :]:
        axes.set_visible(False)
    figure.supxlabel(across, fontsize=9)
    figure.supylabel("F of template (mean of pages)", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(MEASURES), frameon=False)
    return figure


def penalty_chart(figures: Sequence[Figures], settings: Sequence[Setting]) -> Figure:
    """Draw the adjusted Rand index against the penalty, a curve a set: figure 3."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.6, 4.2), layout="constrained")
    axes = figure.subplots()
    chosen = smooth_settings(settings)
    for place, each in enumerate(figures):
        colour = COLOURS[place % len(COLOURS)]
        _curve(axes, chosen, [each.rand_mean(setting) for setting in chosen], colour, each.name)
    axes.set_xlabel("factor multiplied into the penalty")
    axes.set_ylabel("adjusted Rand index (mean of pages)")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def _curve(axes: Axes, chosen: Sequence[Setting], values: Sequence[float], colour: str, label: str) -> None:
    factors = [setting.factor for setting in chosen]
    axes.plot(factors, values, color=colour, label=label, lw=1.3, marker="o", ms=2.5)
    axes.set_xscale("log", base=2)
    ticks = factors[::2] if len(factors) > 7 else factors
    axes.set_xticks(ticks, [f"{value:g}" if value >= 1 else f"1/{1 / value:g}" for value in ticks])
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, alpha=0.3)
