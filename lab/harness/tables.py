"""Cells, tables and sections of reports in Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lab.labelled.bootstrap import Estimate
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Value = str | Callable[[Any], object]
    Column = tuple[str, Value] | tuple[str, Value, str]


def cell(value: object, form: str = "") -> str:
    """Format a number, text or `Estimate` for a table; None and NaN become a dash.

    `form` is as for ``format``, such as ``.3f``, ``+.1f`` or ``,d``; ``.1%`` gives ``93.8 %``, ``.1p`` the
    same without the sign. Texts are not formatted.

    >>> cell(0.938, ".1%"), cell(-0.02, "+.1p"), cell(None), cell(Estimate(0.5, 0.4, 0.6), ".2f")
    ('93.8 %', '−2.0', '–', '0.50 [0.40, 0.60]')
    """
    if isinstance(value, Estimate):
        mean, low, high = (cell(part, form) for part in value)
        return mean if mean == "–" else f"{mean} [{low}, {high}]"
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, str):
        return value
    text = f"{100 * value:{form[:-1]}f}" if form.endswith("p") else f"{value:{form}}"  # type: ignore[operator]
    return text.replace("%", " %").replace("-", "−")


def mark_best(values: Sequence[float], form: str, best: float | None = None) -> list[str]:
    """Format values for a table, the greatest ones (or those equal to `best`) in bold."""
    most = max(values) if best is None else best
    return [f"**{cell(value, form)}**" if value == most else cell(value, form) for value in values]


def table(columns: Sequence[Column], rows: Iterable[Any]) -> str:
    """Write a Markdown table; a column: title, attribute, key or function of the row, perhaps a format."""
    return markdown_table(
        [column[0] for column in columns],
        [[cell(_value(row, column[1]), *column[2:]) for column in columns] for row in rows],
    )


def _value(row: Any, value: Value) -> object:  # noqa: ANN401
    if callable(value):
        return value(row)
    return row[value] if isinstance(row, Mapping) else getattr(row, value)


def section(heading: str, *parts: str) -> str:
    """Write a section: its heading, then texts and tables with a blank line between them."""
    return "\n\n".join([f"## {heading}", *(part.strip("\n") for part in parts if part)])


def join_sections(intro: str, note: str, sections: Iterable[str]) -> str:
    """Join the introduction, a note below it (may be empty) and the sections of a report."""
    parts = [intro.rstrip("\n") + (f"\n\n{note}" if note else ""), *sections]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"
