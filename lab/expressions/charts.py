"""Charts of the experiment on template expressions: recall and precision, recall by share, mirrors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lab.expressions.mirrors import METHODS
from lab.expressions.runs import LEVELS, Setting
from lab.expressions.summary import (
    ALL_SHARES,
    at_share,
    estimate,
    mirror_means,
    precision,
    recall,
    select,
    sizes,
)
from lab.harness.charts import COLOURS, panel_grid, save_charts

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lab.expressions.summary import Results
    from lab.labelled.bootstrap import Estimate

_COLOURS: Final = (*COLOURS, "#64473a")
"""Colours of levels, sizes or methods, in their order."""


def write_charts(results: Results, folder: Path) -> list[Path]:
    """Write ``documents``, ``shares`` and ``mirrors`` into a folder."""
    charts = {"documents": by_documents, "shares": by_share, "mirrors": by_method}
    return save_charts(((name, draw(results)) for name, draw in charts.items()), folder)


def _grid_row(panels: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Make a row of panels with grid lines; width and height of the figure in inches."""
    figure, axes = panel_grid(panels, panels, (width, height))
    for axis in axes:
        axis.grid(visible=True, alpha=0.3)
    return figure, axes


def _line(
    axis: Axes, points: list[tuple[float, Estimate | None]], colour: str, label: str, style: str = "-"
) -> None:
    """Draw means as a line and their intervals as a band, in per cent."""
    known = [(x, value) for x, value in points if value is not None]
    xs = [x for x, _ in known]
    means = [100 * value.mean for _, value in known]
    axis.plot(xs, means, style, color=colour, label=label, marker="o", ms=3)
    lows, highs = [100 * value.low for _, value in known], [100 * value.high for _, value in known]
    axis.fill_between(xs, lows, highs, color=colour, alpha=0.1, lw=0)


def by_documents(results: Results) -> Figure:
    """Draw recall and precision against the number of documents mined."""
    figure, axes = _grid_row(2, 9, 3.6)
    for colour, level in zip(_COLOURS, LEVELS, strict=False):
        for held_out, style in ((True, "-"), (False, ":")):
            for axis, score in zip(axes, (recall, precision), strict=True):
                points: list[tuple[float, Estimate | None]] = [
                    (size, estimate(select(results, Setting(size), level, held_out=held_out), score))
                    for size in sizes(results)
                ]
                _line(axis, points, colour, f"{level}, {'held out' if held_out else 'mined'}", style)
    for axis, name in zip(axes, ("recall", "precision"), strict=True):
        axis.set_xscale("log")
        axis.set_xticks(sizes(results), [str(size) for size in sizes(results)])
        axis.minorticks_off()
        axis.set_xlabel("documents mined")
        axis.set_ylabel(f"{name} of removed characters, %")
    axes[1].legend(fontsize=7, frameon=False)
    return figure


def by_share(results: Results) -> Figure:
    """Draw recall against the share of the documents that have a block."""
    figure, axes = _grid_row(1, 6, 3.8)
    for colour, size in zip(_COLOURS, sizes(results), strict=False):
        outcomes = select(results, Setting(size), held_out=False)
        points: list[tuple[float, Estimate | None]] = [
            (100 * share, estimate(outcomes, at_share(share))) for share in sorted(ALL_SHARES)
        ]
        _line(axes[0], points, colour, f"{size} documents")
    axes[0].set_xlabel("share of the documents that have a block, %")
    axes[0].set_ylabel("recall, %")
    axes[0].legend(fontsize=8, frameon=False)
    return figure


def by_method(results: Results) -> Figure:
    """Draw the edit distance between mirrors by method, one panel a setting."""
    tried = list(dict.fromkeys(pair.setting for pair in results.pairs))
    figure, axes = _grid_row(max(1, len(tried)), 4 + 2.2 * len(tried), 2.8)
    for axis, setting in zip(axes, tried, strict=False):
        distances = [mirror_means(results, setting, method)[0] for method in METHODS]
        means = [100 * each.mean for each in distances]
        errors = [
            [100 * (each.mean - each.low) for each in distances],
            [100 * (each.high - each.mean) for each in distances],
        ]
        axis.barh(range(len(METHODS)), means, xerr=errors, color=_COLOURS[: len(METHODS)], alpha=0.8)
        axis.set_yticks(range(len(METHODS)), METHODS if axis is axes[0] else [""] * len(METHODS), fontsize=8)
        axis.invert_yaxis()
        axis.set_title(f"{setting.documents} documents, slots {setting.slots}", fontsize=8)
    figure.supxlabel("edit distance between mirrors, % of the words", fontsize=9)
    return figure
