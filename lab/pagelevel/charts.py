"""Charts of the page-level experiment: the paper's figures 1, 2 and 3, and one on the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.detectors.pagelevel.options import BASIC, MERGE, SMOOTH
from lab.harness.charts import (
    COLOURS,
    grouped_bars,
    legend_above,
    panel_grid,
    save_charts,
)
from lab.pagelevel.counts import MEASURES
from lab.pagelevel.summary import smooth_settings, threshold_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lab.pagelevel.runs import Setting
    from lab.pagelevel.summary import GroupFigures

VARIANTS: Final = {BASIC: "#9b9b9b", MERGE: "#d9730d", SMOOTH: "#0b6e99"}
"""Colour of each variant."""
SET_COLOURS: Final = (*COLOURS, "#444444")
"""Colours of the sets."""
_MOST_TICKS: Final = 7
"""With more factors than this, every second one is labelled."""


def write_charts(figures: Sequence[GroupFigures], settings: Sequence[Setting], folder: Path) -> list[Path]:
    """Write the charts into a folder.

    They are ``segmentation`` (the paper's figure 1), ``penalty-detection`` (figure 2),
    ``penalty-segmentation`` (figure 3) and ``threshold``.
    """
    return save_charts(
        (
            ("segmentation", segmentation_chart(figures)),
            ("penalty-detection", detection_chart(figures, settings)),
            ("penalty-segmentation", penalty_chart(figures, settings)),
            ("threshold", threshold_chart(figures, settings)),
        ),
        folder,
    )


def segmentation_chart(figures: Sequence[GroupFigures]) -> Figure:
    """Draw the adjusted Rand index of the three variants, with 95 % intervals: the paper's figure 1."""
    figure, (axes,) = panel_grid(1, 1, (8.4, 3.8))
    series = [
        (variant, colour, [each.rand(each.variants[variant]) for each in figures])
        for variant, colour in VARIANTS.items()
    ]
    grouped_bars(axes, series, 0.9)
    axes.set_xticks(range(len(figures)), [each.name for each in figures])
    axes.set_ylabel("adjusted Rand index (mean of pages)")
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=len(VARIANTS), frameon=False)
    return figure


def detection_chart(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> Figure:
    """Draw F of text, anchor text and links against the penalty, one panel a set: the paper's figure 2.

    Dotted lines are ``basic``.
    """
    smoothed = smooth_settings(settings)

    def draw(axes: Axes, each: GroupFigures) -> None:
        for place, (measure, colour) in enumerate(zip(MEASURES, COLOURS, strict=False)):
            axes.axhline(each.f_mean(each.variants[BASIC], place), color=colour, ls=":", lw=1)
            _curve(axes, smoothed, [each.f_mean(setting, place) for setting in smoothed], colour, measure)

    return _set_panels(figures, draw, "factor multiplied into the penalty")


def threshold_chart(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> Figure:
    """Draw F of text, anchor text and links against the threshold. Dotted lines are ``basic``."""

    def draw(axes: Axes, each: GroupFigures) -> None:
        for place, (measure, colour) in enumerate(zip(MEASURES, COLOURS, strict=False)):
            for variant, style in ((BASIC, ":"), (SMOOTH, "-")):
                of_variant = threshold_settings(settings, variant)
                thresholds = [setting.threshold for setting in of_variant]
                values = [each.f_mean(setting, place) for setting in of_variant]
                label = measure if variant == SMOOTH else None
                axes.plot(thresholds, values, color=colour, ls=style, lw=1.3, label=label)
        axes.grid(visible=True, alpha=0.3)
        axes.tick_params(labelsize=7)

    return _set_panels(figures, draw, "score above which a segment is template")


def _set_panels(
    figures: Sequence[GroupFigures], draw: Callable[[Axes, GroupFigures], None], x_label: str
) -> Figure:
    """Draw one panel a set, three in a row."""
    columns = min(3, len(figures))
    rows = -(-len(figures) // columns)
    size = (3.2 * columns + 0.6, 2.7 * rows + 0.4)
    figure, panels = panel_grid(len(figures), columns, size, sharex=True, sharey=True)
    for axes, each in zip(panels, figures, strict=True):
        draw(axes, each)
        axes.set_title(each.name, fontsize=9)
    figure.supxlabel(x_label, fontsize=9)
    figure.supylabel("F of template (mean of pages)", fontsize=9)
    legend_above(figure, panels[0])
    return figure


def penalty_chart(figures: Sequence[GroupFigures], settings: Sequence[Setting]) -> Figure:
    """Draw the adjusted Rand index against the penalty, one curve a set: the paper's figure 3."""
    figure, (axes,) = panel_grid(1, 1, (6.6, 4.2))
    smoothed = smooth_settings(settings)
    for place, each in enumerate(figures):
        colour = SET_COLOURS[place % len(SET_COLOURS)]
        _curve(axes, smoothed, [each.rand_mean(setting) for setting in smoothed], colour, each.name)
    axes.set_xlabel("factor multiplied into the penalty")
    axes.set_ylabel("adjusted Rand index (mean of pages)")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def _curve(axes: Axes, settings: Sequence[Setting], values: Sequence[float], colour: str, label: str) -> None:
    """Draw values against the factor of each setting, on a logarithmic axis."""
    factors = [setting.factor for setting in settings]
    axes.plot(factors, values, color=colour, label=label, lw=1.3, marker="o", ms=2.5)
    axes.set_xscale("log", base=2)
    ticks = factors[::2] if len(factors) > _MOST_TICKS else factors
    axes.set_xticks(ticks, [f"{value:g}" if value >= 1 else f"1/{1 / value:g}" for value in ticks])
    axes.tick_params(labelsize=7)
    axes.grid(visible=True, alpha=0.3)
