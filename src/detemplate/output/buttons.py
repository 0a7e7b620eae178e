"""Buttons beside blocks of code, and the lines with them: they copy the code, or name its language."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.columns import ELEMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

LABELS: Final = ("button", "div", "figure", "span", "header", "figcaption", "section")
"""Tags of elements that may be a line with a button, or be around code and what is beside it."""

NODES: Final = 7
"""Maximum number of nodes, white space included, right inside such a line or around it."""

AROUND: Final = 3
"""Number of elements, from the code upwards, that may have such a line or line numbers beside them."""

_LONGEST: Final = 40  # maximum number of characters of a line with a button
_LABELS: Final = tags.numbers(" ".join(LABELS))
_CONTENT: Final = tags.numbers("h1 h2 h3 h4 h5 h6 p a img input summary pre table")
_CELLS: Final = tags.numbers("td th")
_CODE: Final = sorted(tags.numbers("pre table"))
_TABLE: Final = tags.IDS["table"]
_BUTTON: Final = tags.IDS["button"]


def with_buttons(page: Page, removed: list[int]) -> list[int]:
    """Add the buttons beside blocks of code, and the short lines with one, to the nodes to cut.

    A line with a button has at most 40 characters and seven nodes right inside, and neither headings,
    paragraphs, links, images, fields, code nor tables. It stands right beside a ``pre`` or a table of code,
    or right beside one of the two elements around that, where these have no more than seven nodes.

    ``page``, ``removed``: the page, and the rows of the nodes to cut, in document order; none is inside
        another.
    Returns: all rows of nodes to cut, in document order; none is inside another.
    """
    code = np.flatnonzero(np.isin(page.columns.tag, _CODE)).tolist()
    end = page.columns.end.data
    found = _Buttons(page, removed)
    for row in code:
        place = bisect_right(removed, row) - 1
        if (place < 0 or row >= end[removed[place]]) and found.is_code(row):
            found.cut_beside(row)
    rows: list[int] = []
    for row in sorted({*removed, *found.cut}) if found.cut else ():
        if not rows or row >= end[rows[-1]]:
            rows.append(row)
    return rows or removed


class _Buttons:
    """The buttons of a page, and the lines with them, that are cut."""

    def __init__(self, page: Page, removed: list[int]) -> None:
        columns = self._columns = page.columns
        self._canonical = page.canonical
        self._kind, self._tag, self._parent = columns.kind.data, columns.tag.data, columns.parent.data
        self._end, self._chars = columns.end.data, columns.chars.data
        self._gone = frozenset(removed)
        self._small: dict[int, bool] = {}
        self._lines: dict[int, bool] = {}
        self.cut: set[int] = set()

    def is_code(self, row: int) -> bool:
        """Tell whether an element is a ``pre``, or a table whose first cell has digits and no other text."""
        if self._tag[row] != _TABLE:
            return True
        cell = next((node for node in range(row + 1, self._end[row]) if self._tag[node] in _CELLS), None)
        if cell is None:
            return False
        columns, inside = self._columns, slice(cell, self._end[cell])
        texts = cell + np.flatnonzero((columns.kind[inside] != ELEMENT) & (columns.chars[inside] > 0))
        return len(texts) > 0 and all(
            word.isdigit()
            for text in texts.tolist()
            for word in self._canonical[columns.start.data[text] : columns.stop.data[text]].split()
        )

    def cut_beside(self, row: int) -> None:
        """Cut the lines with buttons beside a block of code, and beside the elements around it alone."""
        for _ in range(AROUND):
            above = self._parent[row]
            if above < 0:
                return
            for siblings in (self._before(row), self._behind(row)):
                for node in siblings:
                    shown = self._kind[node] == ELEMENT or self._chars[node]
                    if shown and node not in self._gone and node not in self.cut:
                        if not self._is_button_line(node):
                            break
                        self.cut.add(node)
            if self._tag[above] not in _LABELS or not self._is_small(above):
                return
            row = above

    def _before(self, row: int) -> Iterator[int]:
        """Yield the siblings before a node, the nearest first."""
        above, node = self._parent[row], row - 1
        while node > above:
            while self._parent[node] != above:
                node = self._parent[node]
            yield node
            node -= 1

    def _behind(self, row: int) -> Iterator[int]:
        """Yield the siblings behind a node."""
        stop, node = self._end[self._parent[row]], self._end[row]
        while node < stop:
            yield node
            node = self._end[node]

    def _is_small(self, row: int) -> bool:
        """Tell whether few nodes right inside an element stay."""
        known = self._small.get(row)
        if known is None:
            count, child = 0, row + 1
            while child < self._end[row] and count <= NODES:
                count += child not in self._gone
                child = self._end[child]
            known = self._small[row] = count <= NODES
        return known

    def _is_button_line(self, row: int) -> bool:
        """Tell whether an element is a button, or a short line with one and no content."""
        known = self._lines.get(row)
        if known is None:
            known = self._tag[row] in _LABELS and self._is_small(row) and self._has_only_a_button(row)
            self._lines[row] = known
        return known

    def _has_only_a_button(self, row: int) -> bool:
        said, found, node = 0, False, row
        while node < self._end[row]:
            if node in self._gone:
                node = self._end[node]
                continue
            if self._tag[node] in _CONTENT:
                return False
            if self._tag[node] == _BUTTON:
                found = True
            elif self._kind[node] != ELEMENT:
                said += self._chars[node]
                if said > _LONGEST:
                    return False
            node += 1
        return found
