"""What the texts of a page may have that its Markdown writes in another way: formulas, notes without links.

It is told by the page's columns, without a DOM, and never denied where the modules
:mod:`~detemplate.output.delimited` and :mod:`~detemplate.output.loosenotes` would find one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.output.delimited import CODE, has_delimited
from detemplate.output.loosenotes import BRACKETS, ELSEWHERE, NUMBER
from detemplate.page import columns as kinds
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from detemplate.page.page import Page

_FORMULA_SIGNS: Final = re.compile(rb"[$\\]")
"""Signs of which every formula between delimiters has one."""

_MARKS: Final = re.compile(rb"\[[1-9][0-9]{0,2}\]")
"""Numbers in brackets."""

_TAGS: Final = re.compile(rb"<[^>\"]*(?:\"[^\"]*\"[^>\"]*)*>")
"""Tags, as a page's serialisation has them."""

_KEPT_LINK: Final = re.compile(
    rb'<a (?:[^"]*"[^"]*" )*?href="(?:https?://[\w.-]+[/"]|[#/?]|[\w./-]*[\w/](?:"|[?#]))'
)
"""The tag of a link that stays one."""


class Texts:
    """The texts of what remains of a page.

    Parameters
    ----------
    page, rows, spaced
        The page, the nodes to cut (:func:`~detemplate.output.remains.remaining`), and which leave a space.
    """

    def __init__(self, page: Page, rows: npt.NDArray[np.int32], spaced: npt.NDArray[np.uint8]) -> None:
        self._page, self._rows, self._spaced = page, rows, spaced
        self._columns = page.columns

    def have_formulas(self) -> bool:
        """Tell whether there are formulas between delimiters."""
        return any(
            has_delimited(text)
            for row, text in self._with(_FORMULA_SIGNS)
            if not any(name in CODE for name in self._around(row))
        )

    def may_have_notes(self) -> bool:
        """Tell whether there may be notes whose references are numbers in brackets."""
        numbers: list[int] = []
        begun = False
        for row, text in self._with(_MARKS):
            if self._is_elsewhere(row):
                continue
            numbers += [int(found[1]) for found in BRACKETS.finditer(text)]
            begun = begun or text.lstrip().startswith("[1]")
        return self._are_notes(numbers, begun=begun)

    def may_have_raised_notes(self) -> bool:
        """Tell whether there may be notes whose references are raised numbers."""
        columns, data = self._columns, self._page.canonical
        numbers: list[int] = []
        begun = False
        for row in self._kept(np.flatnonzero(columns.tag == tags.IDS["sup"])):
            start = int(columns.start[row])
            number = NUMBER.fullmatch(_decoded(_TAGS.sub(b"", self._source(start, int(columns.stop[row])))))
            if number is None or self._is_elsewhere(row) or self._has_link(row):
                continue
            numbers.append(int(number[1]))
            begun = begun or (number[1] == "1" and data[:start].rstrip()[-1:] in (b">", b";"))
        return self._are_notes(numbers, begun=begun)

    def _are_notes(self, numbers: list[int], *, begun: bool) -> bool:
        """Tell whether numbers are 1, 2, 3, …, repetitions aside, and there may be notes.

        ``begun`` tells whether the first begins a text, as in a note; else notes are the items of a list.
        """
        order = list(dict.fromkeys(numbers))
        if not order or order != list(range(1, len(order) + 1)):
            return False
        lists = np.flatnonzero(self._columns.tag == tags.IDS["ol"])
        return begun or (len(order) > 1 and next(self._kept(lists), None) is not None)

    def _with(self, signs: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
        """Yield a row and the whole of each text with one of some signs, across nodes that are cut."""
        columns, data = self._columns, self._page.canonical
        texts = np.flatnonzero((columns.kind == kinds.TEXT) | (columns.kind == kinds.CODE))
        places = np.array([found.start() for found in signs.finditer(data)], np.int64)
        numbers = np.unique(columns.start[texts].searchsorted(places, side="right") - 1)
        done = -1
        before: dict[int, int] | None = None
        for row in self._kept(texts[numbers[numbers >= 0]]):
            low = int(columns.start[row])
            if low < done or signs.search(data, low, int(columns.stop[row])) is None:
                continue
            if before is None:
                before = {int(columns.stop[each]): int(columns.start[each]) for each in self._rows}
            while True:
                low = data.rfind(b">", 0, low) + 1
                if low not in before:
                    break
                low = before[low]
            parts, done = self._text(low)
            yield row, parts

    def _text(self, low: int) -> tuple[str, int]:
        """Give the text that begins at a byte, and its end."""
        columns, data = self._columns, self._page.canonical
        parts: list[bytes] = []
        number = int(columns.start[self._rows].searchsorted(low))
        while True:
            high = data.find(b"<", low)
            high = len(data) if high < 0 else high
            parts.append(data[low:high])
            while number < len(self._rows) and columns.start[self._rows[number]] < high:
                number += 1
            if number == len(self._rows) or columns.start[self._rows[number]] != high:
                return _decoded(b"".join(parts)), high
            if self._spaced[number]:
                parts.append(b" ")
            low = int(columns.stop[self._rows[number]])

    def _source(self, low: int, high: int) -> bytes:
        """Give a part of the page without the nodes that are cut."""
        columns, data = self._columns, self._page.canonical
        parts: list[bytes] = []
        for row in self._rows[columns.start[self._rows].searchsorted(low) :].tolist():
            if columns.start[row] >= high:
                break
            parts.append(data[low : columns.start[row]])
            low = int(columns.stop[row])
        return b"".join([*parts, data[low:high]])

    def _kept(self, rows: npt.NDArray[np.int64]) -> Iterator[int]:
        """Yield the rows that are in none of the nodes to cut."""
        if len(self._rows):
            number = self._rows.searchsorted(rows, side="right") - 1
            rows = rows[(number < 0) | (rows >= self._columns.end[self._rows[number]])]
        yield from rows.tolist()

    def _around(self, row: int) -> Iterable[str]:
        """Yield the tags of the elements around a node."""
        row = int(self._columns.parent[row])
        while row >= 0:
            number = int(self._columns.tag[row])
            yield tags.NAMES[number] if number < len(tags.NAMES) else ""
            row = int(self._columns.parent[row])

    def _is_elsewhere(self, row: int) -> bool:
        """Tell whether no reference stands here; links that may not stay links do not count."""
        if not any(name in ELSEWHERE for name in self._around(row)):
            return False
        above, columns = int(self._columns.parent[row]), self._columns
        while above >= 0:
            number = int(columns.tag[above])
            name = tags.NAMES[number] if number < len(tags.NAMES) else ""
            if name == "a":
                if _KEPT_LINK.match(self._page.canonical, int(columns.start[above])):
                    return True
            elif name in ELSEWHERE:
                return True
            above = int(columns.parent[above])
        return False

    def _has_link(self, row: int) -> bool:
        columns = self._columns
        return (
            next(self._kept(row + np.flatnonzero(columns.tag[row : columns.end[row]] == tags.IDS["a"])), -1)
            >= 0
        )


def _decoded(text: bytes) -> str:
    """Give a text without its entities."""
    for written, character in ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&nbsp;", b"\xc2\xa0"), (b"&amp;", b"&")):
        text = text.replace(written, character)
    return text.decode("utf-8", "replace")
