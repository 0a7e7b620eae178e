"""Scores as Markdown tables and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lab.labelled.measure import Figures

Summaries = dict[str, dict[str, "Figures"]]  # figures by extractor, then by set or part of a set


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table, its first column aligned left, the others right, without a last line break."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" + "---:|" * (len(header) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def to_json(summary: Mapping[str, Figures]) -> dict[str, dict[str, object]]:
    """Convert one extractor's figures for JSON: counts, and ``[mean, low, high]`` of scores."""
    return {
        name: {
            "pages": figures.pages,
            "sites": figures.sites,
            "crashed": figures.crashed,
            "timed_out": figures.timed_out,
            **{score: [round(part, 5) for part in mean] for score, mean in figures.means.items()},
        }
        for name, figures in summary.items()
    }
