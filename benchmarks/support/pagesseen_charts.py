"""Charts of quality against the pages seen: one line a method and set, with 95 % intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.support.pagesseen_summary import SCORES
from lab.harness.charts import require_matplotlib, save_charts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from benchmarks.support.pagesseen import Plan
    from benchmarks.support.pagesseen_summary import Group

_COLOURS: Final = ("#0b6e99", "#d9730d", "#6940a5", "#0f7b6c", "#ad1a72", "#444444", "#9b9b9b", "#b8860b")
"""Colours of the lines; they repeat after the last."""
_WIDE: Final = 3
"""Most panels side by side."""


def write_pagesseen_charts(groups: Sequence[Group], plan: Plan, folder: Path) -> list[Path]:
    """Draw the charts.

    Parameters
    ----------
    groups
        The averaged scores, at least one group.
    plan
        The plan of the measurements.
    folder
        Folder of the charts.

    Returns
    -------
    list of pathlib.Path
        ``pages-seen`` (a panel a method, a line a set or part), and with several methods ``by-set`` (a
        panel a set or part, a line a method), each as .svg and .png. Equal figures give equal files.

    Raises
    ------
    MissingExtra
        Matplotlib is not installed.
    """
    require_matplotlib()
    charts = [("pages-seen", by_method(groups, plan.seen))]
    if len(plan.methods) > 1:
        charts.append(("by-set", by_set(groups, plan.seen)))
    return save_charts(charts, folder)


def by_method(groups: Sequence[Group], seen: Sequence[int]) -> Figure:
    """Draw a panel a method, with a line a set or part."""
    return _panels([(group.method, group.name, group) for group in groups], seen)


def by_set(groups: Sequence[Group], seen: Sequence[int]) -> Figure:
    """Draw a panel a set or part, with a line a method."""
    return _panels([(group.name, group.method, group) for group in groups], seen)


def _panels(named: Sequence[tuple[str, str, Group]], seen: Sequence[int]) -> Figure:
    """Draw a panel for each title; ``named`` has (title of the panel, label of the line, group)."""
    from matplotlib.figure import Figure

    titles = list(dict.fromkeys(title for title, _, _ in named))
    labels = list(dict.fromkeys(label for _, label, _ in named))
    colours = {label: _COLOURS[place % len(_COLOURS)] for place, label in enumerate(labels)}
    wide = min(_WIDE, len(titles))
    high = -(-len(titles) // wide)
    size = (6.6, 4.4) if len(titles) == 1 else (3.6 * wide + 0.6, 2.9 * high + 0.5)
    figure = Figure(figsize=size, layout="constrained")
    panels = [*figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True).flat]
    handles = {}
    for title, axes in zip(titles, panels, strict=False):
        for of, label, group in named:
            if of == title:
                handles[label] = _curve(axes, group, colours[label])
        axes.set_title(title, fontsize=9)
        axes.set_xscale("log")
        axes.set_xticks(seen, [str(number) for number in seen])
        axes.minorticks_off()
        axes.tick_params(labelsize=8, labelbottom=True)
        axes.grid(visible=True, alpha=0.3)
    for axes in panels[len(titles) :]:
        axes.set_visible(False)
    figure.supxlabel("pages of the site seen, the page itself included", fontsize=9)
    names = dict.fromkeys({"f1": "F1"}.get(score, score) for *_, g in named for score in SCORES[g.kind][:1])
    figure.supylabel(f"{' or '.join(names)} (mean, 95 % interval)", fontsize=9)
    columns = min(len(handles), 3 * wide)
    figure.legend(
        handles.values(), handles.keys(),
        loc="outside upper center", ncols=columns, frameon=False, fontsize=9,
    )  # fmt: skip
    return figure


def _curve(axes: Axes, group: Group, colour: str) -> Artist:
    """Draw the group's main score with its interval; give the line for the legend."""
    score = SCORES[group.kind][0]
    points = [point for point in group.same if score in point.scores]
    across = [point.seen for point in points]
    means = [point.scores[score] for point in points]
    axes.fill_between(
        across, [each.low for each in means], [each.high for each in means], color=colour, alpha=0.12, lw=0
    )
    [line] = axes.plot(across, [each.mean for each in means], color=colour, lw=1.4, marker="o", ms=3)
    return line
