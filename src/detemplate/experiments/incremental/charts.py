"""Charts of the experiments, as SVG and PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.experiments.charts import require_matplotlib, save_charts
from detemplate.experiments.incremental.summary import comparison_of, sweep_means
from detemplate.experiments.incremental.sweep import INCREMENTAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from detemplate.experiments.incremental.summary import Kind
    from detemplate.experiments.incremental.sweep import SiteOutcome

_COLOURS: Final = ("#0b6e99", "#d9730d", "#6940a5", "#0f7b6c", "#ad1a72")
_SHOWN_SITES: Final = 5
_COLUMNS: Final = 6


def write_charts(sites: Sequence[SiteOutcome], folder: Path) -> list[Path]:
    """Draw the charts of the comparison of incremental detection with batches.

    Parameters
    ----------
    sites
        What was measured.
    folder
        Where they go.

    Returns
    -------
    list of pathlib.Path
        ``storage-over-time``, ``recall-storage`` and ``recall-storage-by-site``, each as .svg and .png.

    Raises
    ------
    MissingExtra
        Without Matplotlib.
    """
    require_matplotlib()
    return save_charts(
        (
            ("storage-over-time", storage_over_time(sites)),
            ("recall-storage", recall_storage(sites)),
            ("recall-storage-by-site", recall_storage_by_site(sites)),
        ),
        folder,
    )


def _grid(panels: int, columns: int, width: float, height: float, **shared: Any) -> tuple[Figure, list[Axes]]:  # noqa: ANN401
    from matplotlib.figure import Figure

    rows = -(-panels // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = [*figure.subplots(rows, columns, squeeze=False, **shared).flat]
    for unused in axes[panels:]:
        unused.set_visible(False)
    return figure, axes[:panels]


def _methods(sites: Sequence[SiteOutcome]) -> dict[str, str]:
    """Give each method its colour."""
    names = dict.fromkeys(outcome.setting.method for outcome in sites[0].sweep)
    return {name: _COLOURS[number % len(_COLOURS)] for number, name in enumerate(names)}


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=max(1, len(labels)), frameon=False)


def storage_over_time(sites: Sequence[SiteOutcome], kind: Kind = "common") -> Figure:
    """Draw the storage after each page: a few sites, and the mean.

    Parameters
    ----------
    sites
        What was measured.
    kind
        The comparison whose settings are drawn.

    Returns
    -------
    matplotlib.figure.Figure
        Panels with logarithmic storage. The mean is over the sites that have so many pages, as far as
        half of the sites have them.
    """
    colours = _methods(sites)
    able = [site for site in sites if comparison_of(site, kind).complete] or list(sites)
    shown = sorted(able, key=lambda site: (-site.pages, site.name))[:_SHOWN_SITES]
    figure, axes = _grid(len(shown) + 1, 3, 4.2, 2.9)
    for axis, site in zip(axes[1:], shown, strict=True):
        comparison = comparison_of(site, kind)
        for method, choice in comparison.choices.items():
            _line(axis, choice.outcome.series, colours[method], method)
        axis.set_title(f"{site.name}: recall {comparison.target:.0%}", fontsize=9)
    for method, colour in colours.items():
        series = [comparison_of(site, kind).choices[method].outcome.series for site in able]
        _line(axes[0], _mean_series(series), colour, method)
    axes[0].set_title(f"mean of {len(able)} sites", fontsize=9)
    for axis in axes:
        axis.set_yscale("log")
        axis.grid(visible=True, alpha=0.3)
        axis.set_xlabel("pages")
    for axis in axes[::3]:
        axis.set_ylabel("stored, KB")
    _legend(figure, axes[0])
    return figure


def _line(axis: Axes, series: npt.NDArray[Any], colour: str, label: str) -> None:
    axis.plot(np.arange(1, len(series) + 1), np.maximum(series, 1) / 1000, color=colour, label=label, lw=1.1)


def _mean_series(series: Iterable[npt.NDArray[np.int64]]) -> npt.NDArray[np.float64]:
    known = list(series)
    length = int(np.median([len(each) for each in known]))
    return np.array([np.mean([each[n] for each in known if len(each) > n]) for n in range(length)])


def _front(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Keep the (storage, recall) points that no cheaper point equals in recall."""
    front: list[tuple[float, float]] = []
    for storage, recall in sorted(points):
        if not front or recall > front[-1][1]:
            front.append((storage, recall))
    return front


def _curves(axis: Axes, points: dict[str, list[tuple[float, float]]], colours: dict[str, str]) -> None:
    """Draw recall against storage: the settings that no cheaper one equals."""
    for method, found in points.items():
        front = _front(found)
        axis.plot(
            [storage / 1000 for storage, _ in front], [recall for _, recall in front],
            color=colours[method], label=method, lw=1.3, marker="o", ms=2.5,
        )  # fmt: skip
    axis.set_xscale("log")
    axis.set_ylim(-0.02, 1.02)
    axis.grid(visible=True, alpha=0.3)


def recall_storage(sites: Sequence[SiteOutcome]) -> Figure:
    """Draw mean recall against mean storage over all sites, each method over its settings."""
    colours = _methods(sites)
    points: dict[str, list[tuple[float, float]]] = {}
    for mean in sweep_means(sites):
        points.setdefault(mean.setting.method, []).append((mean.storage, mean.recall))
    figure, axes = _grid(1, 1, 6.6, 4.2)
    for method, found in points.items():
        sizes, recalls = [storage / 1000 for storage, _ in found], [recall for _, recall in found]
        axes[0].scatter(sizes, recalls, s=5, lw=0, color=colours[method], alpha=0.35)
    _curves(axes[0], points, colours)
    axes[0].axhline(sites[0].wanted.target, color="grey", ls=":", lw=1)
    axes[0].set_xlabel("average storage, KB (mean of sites)")
    axes[0].set_ylabel("recall of template (mean of sites)")
    axes[0].set_title(f"{len(sites)} sites; {INCREMENTAL} keeps a table, the others cache pages", fontsize=10)
    _legend(figure, axes[0])
    return figure


def recall_storage_by_site(sites: Sequence[SiteOutcome]) -> Figure:
    """Draw recall against storage, one panel a site."""
    colours = _methods(sites)
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
    _legend(figure, axes[0])
    return figure
