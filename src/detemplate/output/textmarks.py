"""Whether the texts of a page may have marks of notes without links: raised numbers, numbers in brackets.

It is told by the page's columns, without a DOM, and never denied where :mod:`~detemplate.output.loosenotes`
would find notes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.output.loosenotes import BRACKETS, ELSEWHERE, NOTES, NUMBER
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from detemplate.page.columns import Columns
    from detemplate.page.page import Page

    Rows = npt.NDArray[np.int32]
    """The nodes to cut (:func:`~detemplate.output.remains.remaining`)."""

_TAGS: Final = re.compile(rb"<[^>\"]*(?:\"[^\"]*\"[^>\"]*)*>")
"""Tags, as a page's serialisation has them."""

_NOTES: Final = sorted(tags.numbers(" ".join(NOTES)))
"""Numbers of the tags of what may be notes."""

_KEPT_LINK: Final = re.compile(
    rb'<a (?:[^"]*"[^"]*" )*?href="(?:https?://[\w.-]+[/"]|[#/?]|[\w./-]*[\w/](?:"|[?#]))'
)
"""The tag of a link that stays one."""


def may_be_notes(texts: Sequence[str], page: Page, rows: Rows) -> bool:
    """Tell whether there may be notes whose references are numbers in brackets.

    Parameters
    ----------
    texts
        The texts with such numbers, in order, outside of links and code.
    page, rows
        The page, and the nodes that are cut.
    """
    numbers = [int(found[1]) for text in texts for found in BRACKETS.finditer(text)]
    begun = any(text.lstrip().startswith("[1]") for text in texts)
    return _are_notes(numbers, page.columns, rows, begun=begun)


def may_have_raised_notes(page: Page, rows: Rows) -> bool:
    """Tell whether there may be notes whose references are raised numbers; parameters as above."""
    columns, data = page.columns, page.canonical
    numbers: list[int] = []
    begun = False
    for row in _kept(np.array(page.landmarks.get(tags.IDS["sup"], ()), np.intp), columns, rows):
        start = int(columns.start[row])
        source = _source(data, start, int(columns.stop[row]), columns, rows)
        number = NUMBER.fullmatch(_decoded(_TAGS.sub(b"", source)))
        if number is None or _is_elsewhere(row, page) or _has_link(row, columns, rows):
            continue
        numbers.append(int(number[1]))
        begun = begun or (number[1] == "1" and data[:start].rstrip()[-1:] in (b">", b";"))
    return _are_notes(numbers, columns, rows, begun=begun)


def _are_notes(numbers: list[int], columns: Columns, rows: Rows, *, begun: bool) -> bool:
    """Tell whether numbers are 1, 2, 3, …, repetitions aside, and there may be notes.

    ``begun`` tells whether the first begins a text, as in a note; else notes are the items of a list.
    """
    order = list(dict.fromkeys(numbers))
    if not order or order != list(range(1, len(order) + 1)):
        return False
    if begun:
        return True
    return len(order) > 1 and _may_end_in_list(columns, rows)


def _may_end_in_list(columns: Columns, rows: Rows) -> bool:
    """Tell whether a list with numbers may end the page: no paragraph or similar element is behind it."""
    lists = list(_kept(np.flatnonzero(columns.tag == tags.IDS["ol"]), columns, rows))
    if not lists:
        return False
    end = int(columns.end[lists[-1]])
    behind = end + np.flatnonzero(np.isin(columns.tag[end:], _NOTES) & (columns.chars[end:] > 0))
    tables = np.flatnonzero(columns.tag == tags.IDS["table"])
    reach = np.maximum.accumulate(np.append(-1, columns.end[tables]))

    def is_in_table(row: int) -> bool:
        return bool(reach[tables.searchsorted(row)] > row)

    # What is in tables may not be in the DOM as it was.
    return any(map(is_in_table, lists)) or all(map(is_in_table, _kept(behind, columns, rows)))


def _source(data: bytes, low: int, high: int, columns: Columns, rows: Rows) -> bytes:
    """Give a part of the page without the nodes that are cut."""
    parts: list[bytes] = []
    for row in rows[columns.start[rows].searchsorted(low) :].tolist():
        if columns.start[row] >= high:
            break
        parts.append(data[low : columns.start[row]])
        low = int(columns.stop[row])
    return b"".join([*parts, data[low:high]])


def _kept(found: npt.NDArray[np.int64], columns: Columns, rows: Rows) -> Iterator[int]:
    """Yield the rows found that are in none of the nodes to cut."""
    if len(rows):
        number = rows.searchsorted(found, side="right") - 1
        found = found[(number < 0) | (found >= columns.end[rows[number]])]
    yield from found.tolist()


def _is_elsewhere(row: int, page: Page) -> bool:
    """Tell whether no reference stands here; links that may not stay links do not count."""
    columns = page.columns
    above = int(columns.parent[row])
    while above >= 0:
        number = int(columns.tag[above])
        name = tags.NAMES[number] if number < len(tags.NAMES) else ""
        if name in ELSEWHERE and (name != "a" or _KEPT_LINK.match(page.canonical, int(columns.start[above]))):
            return True
        above = int(columns.parent[above])
    return False


def _has_link(row: int, columns: Columns, rows: Rows) -> bool:
    links = row + np.flatnonzero(columns.tag[row : columns.end[row]] == tags.IDS["a"])
    return next(_kept(links, columns, rows), -1) >= 0


def _decoded(text: bytes) -> str:
    """Give a text without its entities."""
    for written, character in ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&nbsp;", b"\xc2\xa0"), (b"&amp;", b"&")):
        text = text.replace(written, character)
    return text.decode("utf-8", "replace")
