"""What the experiments' charts share: panels, legends, bars, and saving as SVG and PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lab.labelled.bootstrap import Estimate

COLOURS: Final = ("#0b6e99", "#d9730d", "#6940a5", "#0f7b6c", "#ad1a72")
RESOLUTION: Final = 90


def require_matplotlib() -> None:
    """Raise `MissingExtra` if charts cannot be drawn, before a long run starts."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise MissingExtra("drawing an experiment's charts", "lab") from None


def panel_grid(
    panels: int,
    columns: int,
    size: tuple[float, float],
    **shared: Any,  # noqa: ANN401
) -> tuple[Figure, list[Axes]]:
    """Make a figure with a grid of panels; return it and its panels, row by row. `size` is in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = [*figure.subplots(-(-panels // columns), columns, squeeze=False, **shared).flat]
    for unused in axes[panels:]:
        unused.set_visible(False)
    return figure, axes[:panels]


def legend_above(figure: Figure, axes: Axes) -> None:
    """Put the legend of one panel above the figure, in one row."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=max(1, len(labels)), frameon=False)


def grouped_bars(
    axes: Axes, series: Sequence[tuple[str, str, Sequence[Estimate]]], error_width: float
) -> None:
    """Draw series (label, colour, estimates) side by side; lines of intervals are `error_width` points."""
    width = 0.8 / len(series)
    for place, (label, colour, estimates) in enumerate(series):
        values = np.array(estimates)
        means, bounds = values[:, 0], values[:, 1:].T
        at = np.arange(len(means)) + (place - (len(series) - 1) / 2) * width
        axes.bar(
            at, means, width, color=colour, label=label,
            yerr=np.abs(bounds - means), error_kw={"lw": error_width},
        )  # fmt: skip


def estimate_bars(
    axes: Axes,
    names: Collection[str],
    estimates: Sequence[Estimate] | npt.NDArray[np.float64],
    **style: Any,  # noqa: ANN401
) -> None:
    """Draw means by name as horizontal bars with their intervals, the first name on top."""
    values = np.asarray(estimates)
    means, bounds = values[:, 0], values[:, 1:].T
    axes.barh(range(len(names)), means, xerr=np.abs(bounds - means), **style)
    axes.set_yticks(range(len(names)), list(names))
    axes.invert_yaxis()


def save_charts(charts: Iterable[tuple[str, Figure]], folder: Path) -> list[Path]:
    """Write charts into a folder, each as .svg and .png; return the files. Equal figures give equal files."""
    import matplotlib as mpl

    written = []
    with mpl.rc_context({"svg.hashsalt": "detemplate", "svg.fonttype": "none"}):
        for name, figure in charts:
            for suffix, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
                path = folder / f"{name}.{suffix}"
                figure.savefig(path, dpi=RESOLUTION, metadata=metadata)
                written.append(path)
    return written


def named_bars(axes: Axes, series: Sequence[tuple[str, str, Mapping[str, float]]], x_label: str) -> None:
    """Draw series (label, colour, values by name) as horizontal bars, the first name on top."""
    names = list(series[0][2])
    height = 0.8 / len(series)
    for place, (label, colour, values) in enumerate(series):
        at = np.arange(len(names)) + (place - (len(series) - 1) / 2) * height
        axes.barh(at, [values[name] for name in names], height, color=colour, label=label)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(x_label)
    axes.grid(visible=True, axis="x", alpha=0.3)
    axes.set_axisbelow(True)


def bar_chart(
    series: Mapping[str, Mapping[str, float]],
    x_label: str,
    size: tuple[float, float],
    *,
    limit: float | None = None,
) -> Figure:
    """Make a chart of horizontal bars from values by name in each series. `size` is in inches."""
    figure, (axes,) = panel_grid(1, 1, size)
    coloured = zip(series, COLOURS, strict=False)
    named_bars(axes, [(label, colour, series[label]) for label, colour in coloured], x_label)
    if limit is not None:
        axes.set_xlim(0, limit)
    figure.legend(loc="outside upper center", ncols=len(series), frameon=False)
    return figure
