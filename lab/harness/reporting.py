"""Pieces that the experiments' Markdown reports share."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lab.labelled.bootstrap import Estimate


def join_sections(intro: str, note: str, sections: Iterable[str]) -> str:
    """Join the parts of a report.

    Parameters
    ----------
    intro
        Title and introduction.
    note
        A paragraph below the introduction; empty for none.
    sections
        The sections, each with its heading.

    Returns
    -------
    str
        Markdown, with one blank line between the parts and a line break at the end.
    """
    parts = [intro + (f"\n{note}\n" if note else ""), *sections]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def percent(value: float | None, digits: int = 1) -> str:
    """Format a share in per cent, such as ``93.8 %``; a dash for None."""
    return "–" if value is None else f"{value:.{digits}%}".replace("%", " %").replace("-", "−")


def percent_interval(estimate: Estimate, digits: int = 1) -> str:
    """Format a mean share with its interval in per cent, such as ``93.8 % [92.1 %, 95.0 %]``."""
    mean, low, high = (percent(value, digits) for value in estimate)
    return f"{mean} [{low}, {high}]"


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a table as CSV: floats with four decimals, an empty cell for None."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row])
    return text.getvalue()
