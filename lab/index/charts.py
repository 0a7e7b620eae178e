"""Charts of the experiment on the index: the paper's figure 1 for several methods, and the sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lab.harness.charts import COLOURS, named_bars, panel_grid, save_charts
from lab.harness.extractors import FULL_TEXT
from lab.index.report import groups

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.index.report import Results

PANELS: Final = 6
"""Most methods in the chart of single queries."""


def write_charts(results: Results, folder: Path) -> list[Path]:
    """Write ``queries`` and ``sizes`` into a folder."""
    return save_charts((("queries", queries_chart(results)), ("sizes", sizes_chart(results))), folder)


def queries_chart(results: Results) -> Figure:
    """Draw the average precision of each query, full text across, cleaned text up: the paper's figure 1."""
    names = [name for name in next(iter(results.outcomes.values())) if name != FULL_TEXT][:PANELS] or [
        FULL_TEXT
    ]
    figure, panels = panel_grid(len(names), 3, (8.4, 2.9 * -(-len(names) // 3)), sharex=True, sharey=True)
    for axes, name in zip(panels, names, strict=True):
        colours = iter(COLOURS)
        for label, corpus in results.corpora.items():
            full = groups(corpus, results.outcomes[label][FULL_TEXT].precision)
            clean = groups(corpus, results.outcomes[label][name].precision)
            for kind, values in clean.items():
                axes.scatter(full[kind], values, s=7, alpha=0.4, color=next(colours), label=kind)
        axes.plot([0, 1], [0, 1], color="#999999", lw=0.8)
        axes.set_title(name, fontsize=9)
    figure.supxlabel("average precision, full text", fontsize=9)
    figure.supylabel("average precision, cleaned", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def sizes_chart(results: Results) -> Figure:
    """Draw what is left of the postings, and of the index, as a share of those of the full text."""
    label, outcomes = next(iter(results.outcomes.items()))
    figure, (axes,) = panel_grid(1, 1, (7.4, 0.36 * len(outcomes) + 1.2))
    base = outcomes[FULL_TEXT]
    series = [
        (
            shown,
            colour,
            {name: getattr(each, field) / max(getattr(base, field), 1) for name, each in outcomes.items()},
        )
        for (field, shown), colour in zip(
            (("postings", "postings"), ("index_bytes", "index, bytes")), COLOURS, strict=False
        )
    ]
    named_bars(axes, series, f"share of the full text's, {label}")
    axes.axvline(1.0, color="#999999", lw=0.8)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure
