"""Charts of the experiment on tokens: what is left, and how much of it is repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.harness.charts import COLOURS, named_bars, panel_grid, save_charts
from lab.harness.extractors import FULL_TEXT
from lab.tokens.report import shares

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.figure import Figure

    from lab.tokens.runs import MethodOutcome


def write_charts(outcomes: Mapping[str, MethodOutcome], folder: Path) -> list[Path]:
    """Write ``tokens`` into a folder."""
    return save_charts((("tokens", tokens_chart(outcomes)),), folder)


def tokens_chart(outcomes: Mapping[str, MethodOutcome]) -> Figure:
    """Draw the share of tokens left, of content kept and of words repeated, by method."""
    figure, (axes,) = panel_grid(1, 1, (7.4, 0.45 * len(outcomes) + 1.2))
    means = {name: shares(outcome, outcomes[FULL_TEXT]) for name, outcome in outcomes.items()}
    labels = {"left": "tokens left", "content": "content kept", "repeated": "repeated words"}
    series = [
        (label, colour, {name: of_method[key] for name, of_method in means.items()})
        for (key, label), colour in zip(labels.items(), COLOURS, strict=False)
    ]
    named_bars(axes, series, "share")
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure
