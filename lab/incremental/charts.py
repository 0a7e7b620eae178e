"""Charts of incremental detection against batches: storage over time, recall against storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lab.harness.charts import COLOURS, legend_above, panel_grid, save_charts
from lab.incremental.summary import comparison_of, sweep_means
from lab.incremental.sweep import INCREMENTAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lab.incremental.summary import Kind
    from lab.incremental.sweep import SiteOutcome

_SHOWN_SITES: Final = 5
"""Number of sites whose storage over time is drawn: those with most pages."""
_COLUMNS: Final = 6
"""Panels in a row of the chart with one panel a site."""


def write_charts(sites: Sequence[SiteOutcome], folder: Path) -> list[Path]:
    """Write ``storage-over-time``, ``recall-storage`` and ``recall-storage-by-site`` into a folder."""
    return save_charts(
        (
            ("storage-over-time", storage_over_time(sites)),
            ("recall-storage", recall_storage(sites)),
            ("recall-storage-by-site", recall_storage_by_site(sites)),
        ),
        folder,
    )


def _grid(panels: int, columns: int, width: float, height: float, **shared: Any) -> tuple[Figure, list[Axes]]:  # noqa: ANN401
    """Make a grid of panels, each of this width and height in inches."""
    rows = -(-panels // columns)
    return panel_grid(panels, columns, (width * columns, height * rows), **shared)


def _method_colours(sites: Sequence[SiteOutcome]) -> dict[str, str]:
    names = dict.fromkeys(outcome.setting.method for outcome in sites[0].sweep)
    return {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}


def storage_over_time(sites: Sequence[SiteOutcome], kind: Kind = "common") -> Figure:
    """Draw the storage after each page, on a logarithmic axis: the mean, and a few sites.

    The mean after n pages is over the sites with n pages or more. It ends where fewer than half of the
    sites have so many pages.

    Parameters
    ----------
    sites
        Results of all sites.
    kind
        Comparison whose settings are drawn.
    """
    colours = _method_colours(sites)
    complete = [site for site in sites if comparison_of(site, kind).complete] or list(sites)
    shown = sorted(complete, key=lambda site: (-site.pages, site.name))[:_SHOWN_SITES]
    figure, axes = _grid(len(shown) + 1, 3, 4.2, 2.9)
    for axis, site in zip(axes[1:], shown, strict=True):
        comparison = comparison_of(site, kind)
        for method, choice in comparison.choices.items():
            _line(axis, choice.outcome.series, colours[method], method)
        axis.set_title(f"{site.name}: recall {comparison.target:.0%}", fontsize=9)
    for method, colour in colours.items():
        series = [comparison_of(site, kind).choices[method].outcome.series for site in complete]
        _line(axes[0], _mean_series(series), colour, method)
    axes[0].set_title(f"mean of {len(complete)} sites", fontsize=9)
    for axis in axes:
        axis.set_yscale("log")
        axis.grid(visible=True, alpha=0.3)
        axis.set_xlabel("pages")
    for axis in axes[::3]:
        axis.set_ylabel("stored, KB")
    legend_above(figure, axes[0])
    return figure


def _line(axis: Axes, series: npt.NDArray[Any], colour: str, label: str) -> None:
    """Draw bytes after each page as kilobytes."""
    axis.plot(np.arange(1, len(series) + 1), np.maximum(series, 1) / 1000, color=colour, label=label, lw=1.1)


def _mean_series(series: Iterable[npt.NDArray[np.int64]]) -> npt.NDArray[np.float64]:
    """Average over sites, page by page, as far as half of the sites have pages."""
    of_sites = list(series)
    length = int(np.median([len(each) for each in of_sites]))
    return np.array([np.mean([each[n] for each in of_sites if len(each) > n]) for n in range(length)])


def _front(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Keep the (storage, recall) points whose recall no cheaper point reaches."""
    front: list[tuple[float, float]] = []
    for storage, recall in sorted(points):
        if not front or recall > front[-1][1]:
            front.append((storage, recall))
    return front


def _curves(axis: Axes, points: dict[str, list[tuple[float, float]]], colours: dict[str, str]) -> None:
    """Draw recall against storage: the settings whose recall no cheaper setting reaches."""
    for method, of_method in points.items():
        front = _front(of_method)
        axis.plot(
            [storage / 1000 for storage, _ in front], [recall for _, recall in front],
            color=colours[method], label=method, lw=1.3, marker="o", ms=2.5,
        )  # fmt: skip
    axis.set_xscale("log")
    axis.set_ylim(-0.02, 1.02)
    axis.grid(visible=True, alpha=0.3)


def recall_storage(sites: Sequence[SiteOutcome]) -> Figure:
    """Draw recall against storage, both averaged over all sites: one point a setting."""
    colours = _method_colours(sites)
    points: dict[str, list[tuple[float, float]]] = {}
    for mean in sweep_means(sites):
        points.setdefault(mean.setting.method, []).append((mean.storage, mean.recall))
    figure, axes = _grid(1, 1, 6.6, 4.2)
    for method, of_method in points.items():
        sizes, recalls = [storage / 1000 for storage, _ in of_method], [recall for _, recall in of_method]
        axes[0].scatter(sizes, recalls, s=5, lw=0, color=colours[method], alpha=0.35)
    _curves(axes[0], points, colours)
    axes[0].axhline(sites[0].wanted.target, color="grey", ls=":", lw=1)
    axes[0].set_xlabel("average storage, KB (mean of sites)")
    axes[0].set_ylabel("recall of template (mean of sites)")
    axes[0].set_title(f"{len(sites)} sites; {INCREMENTAL} keeps a table, the others cache pages", fontsize=10)
    legend_above(figure, axes[0])
    return figure


def recall_storage_by_site(sites: Sequence[SiteOutcome]) -> Figure:
    """Draw recall against storage, one panel a site."""
    colours = _method_colours(sites)
    figure, axes = _grid(len(sites), min(_COLUMNS, len(sites)), 2.1, 1.7, sharex=True, sharey=True)
    for axis, site in zip(axes, sites, strict=True):
        points: dict[str, list[tuple[float, float]]] = {}
        for outcome in site.sweep:
            points.setdefault(outcome.setting.method, []).append((outcome.storage, outcome.recall))
        _curves(axis, points, colours)
        axis.axhline(site.wanted.target, color="grey", ls=":", lw=0.8)
        axis.set_title(f"{site.name} ({site.pages})", fontsize=7)
        axis.tick_params(labelsize=6)
        axis.minorticks_off()
    figure.supxlabel("average storage, KB", fontsize=8)
    figure.supylabel("recall of template", fontsize=8)
    legend_above(figure, axes[0])
    return figure
