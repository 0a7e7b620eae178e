"""Shares the width of a table among its columns, for the reference of the flow layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.layout.defaults import CELL, GROUP, NONE, ROW
from detemplate.layout.flowrows import (
    COLUMN,
    ENOUGH,
    MOST_COLUMNS,
    NATURAL,
    PADDING,
    SHOWN,
    SPACING,
    SPAN,
    UNSTATED,
    WIDTH,
    W,
    X,
)
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from detemplate.layout.flow_measured import Measured


def place_cells(page: Measured, table: int) -> None:
    """Share a table's width among its columns; give its cells their left edges and widths."""
    work, inside = page.work, page.work[W][table]
    cells = _cells(page, table)
    wide = [0.0] * MOST_COLUMNS
    used = 0
    for cell, column in cells:
        span = min(int(work[SPAN][cell]), MOST_COLUMNS - column)
        used = max(used, column + span)
        if span == 1:
            stated = work[WIDTH][cell]
            needed = inside * -stated / 100 if UNSTATED < stated < 0 else work[NATURAL][cell]
            wide[column] = max(wide[column], needed)
    for cell, column in cells:
        span = min(int(work[SPAN][cell]), MOST_COLUMNS - column)
        if span > 1:
            total = 0.0
            for place in range(column, column + span):
                total += wide[place]
            if total < work[NATURAL][cell]:
                more = (work[NATURAL][cell] - total) / span
                for place in range(column, column + span):
                    wide[place] += more
    _share(wide, used, max(inside - SPACING * (used + 1), 0.0))
    for cell, column in cells:
        span = min(int(work[SPAN][cell]), MOST_COLUMNS - column)
        left = work[X][table] + SPACING
        for place in range(column):
            left += wide[place] + SPACING
        width = SPACING * (span - 1)
        for place in range(column, column + span):
            width += wide[place]
        work[X][cell], work[W][cell] = left + PADDING, max(width - 2 * PADDING, ENOUGH)


def _cells(page: Measured, table: int) -> list[tuple[int, int]]:
    """Give the cells of a table, and the column in which each begins."""
    cells = []
    row = table + 1
    while row < page.end[table]:
        display = page.display(row) if page.work[SHOWN][row] and page.kind[row] == ELEMENT else NONE
        if display == GROUP:
            row += 1
            continue
        if display == ROW:
            cell, column = row + 1, 0
            while cell < page.end[row]:
                if page.work[SHOWN][cell] and page.kind[cell] == ELEMENT and page.display(cell) == CELL:
                    cells.append((cell, min(column, MOST_COLUMNS - 1)))
                    column += int(page.work[SPAN][cell])
                cell = page.end[cell]
        row = page.end[row]
    return cells


def _share(wide: list[float], used: int, room: float) -> None:
    """Fit columns into ``room`` pixels: widen them in proportion, or shrink them, the widest most."""
    total = low = 0.0
    for place in range(used):
        total += wide[place]
        low += min(wide[place], COLUMN)
    for place in range(used):
        least = min(wide[place], COLUMN)
        if total <= 0:
            wide[place] = room / used
        elif total <= room:
            wide[place] *= room / total
        elif low >= room:
            wide[place] = least * room / low
        else:
            wide[place] = least + (wide[place] - least) * (room - low) / (total - low)
