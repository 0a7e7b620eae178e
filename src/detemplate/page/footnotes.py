"""The footnotes of a page: raised links to notes, and the notes that link back, read from its columns."""

from __future__ import annotations

import re
from bisect import bisect_left
from html import unescape
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.page import tags
from detemplate.page.columns import ELEMENT
from detemplate.page.links import HREF, attribute_pattern, attribute_values

if TYPE_CHECKING:
    from detemplate.page.columns import Columns
    from detemplate.page.page import Page

ITEMS: Final = ("li", "p", "dd", "aside")
"""Elements that are notes if what a link to a note leads to is in them."""

ABOVE: Final = 4
"""So many elements may be between what a link to a note leads to and the note."""

LONGEST: Final = 4000
"""Maximum characters of a note."""

_LINK: Final = tags.IDS["a"]
"""Number of tag ``a``."""
_RAISED: Final = tags.IDS["sup"]
"""Number of tag ``sup``."""
_ITEMS: Final = frozenset(tags.IDS[name] for name in ITEMS)
"""Numbers of the tags of :data:`ITEMS`."""
_DIV: Final = tags.IDS["div"]
"""Number of tag ``div``: a note if the link leads to it."""

_ID: Final = re.compile(rb"<[^ >]*" + attribute_pattern("id").pattern)
"""Matches a start tag with an ``id``, which is group 1."""
_NAME: Final = re.compile(rb"<[^ >]*" + attribute_pattern("name").pattern)
"""The same of ``name``."""


class Footnote(NamedTuple):
    """A note and a link to it: rows of ``page.columns``."""

    link: int
    """Row of the link."""
    note: int
    """Row of the note."""


def footnotes(page: Page) -> list[Footnote]:
    """Find the links to notes, and their notes.

    A link is to a note if it is raised (in a ``sup``, or around one), and leads to an element of the page
    that is in an item or a paragraph of at most :data:`LONGEST` characters, from which another link leads
    back: to the raised link, the ``sup``, or the element around them.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    list of Footnote
        In the order of the links.
    """
    columns = page.columns
    raised = page.landmarks.get(_RAISED)
    if raised is None:  # most pages
        return []
    links = {link: sup for sup in raised if (link := _raised_link(columns, sup)) is not None}
    targets = _targets(page) if links else {}
    wanted = {link: targets[link] for link in links if link in targets}
    if not wanted:
        return []
    places, leading = _places(page), dict[str, list[int]]()
    for row, name in targets.items():
        leading.setdefault(name, []).append(row)
    found: list[Footnote] = []
    for link, name in wanted.items():
        note = _note(page, places.get(name))
        if note is None or note <= link < columns.end[note]:
            continue
        ends = {row for row in (link, links[link], int(columns.parent[min(link, links[link])])) if row >= 0}
        own = {name for row in ends for name in _names(page, row)}
        if any(_within(leading.get(name, []), note, int(columns.end[note])) for name in own):
            found.append(Footnote(link, note))
    return found


def _raised_link(columns: Columns, sup: int) -> int | None:
    """Give the link that a ``sup`` is directly in, or that it begins with, but for one node."""
    end = int(columns.end[sup])
    for row in (int(columns.parent[sup]), sup + 1, sup + 2):
        if 0 <= row < end and columns.tag[row] == _LINK and columns.kind[row] == ELEMENT:
            return row
    return None


def _targets(page: Page) -> dict[int, str]:
    """Give the names of the elements that links within the page lead to, by the links' rows, in order."""
    rows, hrefs = attribute_values(page, [_LINK], HREF)
    return {
        row: unescape(href.decode())[1:]
        for row, href in zip(rows.tolist(), hrefs, strict=True)
        if href[:1] == b"#" and len(href) > 1
    }


def _value(page: Page, row: int, pattern: re.Pattern[bytes]) -> str | None:
    found = pattern.match(page.canonical, int(page.columns.start[row]))
    return unescape(found[1].decode()) if found else None


def _names(page: Page, row: int) -> list[str]:
    """Give the names by which links lead to an element: its ``id``, and a link's ``name``."""
    name = _value(page, row, _NAME) if page.columns.tag[row] == _LINK else None
    return [one for one in (_value(page, row, _ID), name) if one]


def _places(page: Page) -> dict[str, int]:
    """Give the rows of the elements that links can lead to, by name; the first of a name counts."""
    places: dict[str, int] = {}
    for row in np.flatnonzero(page.columns.kind == ELEMENT).tolist():
        for name in _names(page, row):
            places.setdefault(name, row)
    return places


def _note(page: Page, row: int | None) -> int | None:
    """Give the note that an element is, or is in."""
    columns, first = page.columns, row
    for _ in range(ABOVE + 1):
        if row is None or row < 0:
            return None
        if columns.tag[row] in _ITEMS or (row == first and columns.tag[row] == _DIV):
            inside = page.segments_in(row)
            chars = int(page.segment_chars[inside.start : inside.stop].sum())
            return row if 0 < chars <= LONGEST else None
        row = int(columns.parent[row])
    return None


def _within(rows: list[int], start: int, end: int) -> bool:
    """Tell whether one of some rows, in order, is in a range."""
    at = bisect_left(rows, start)
    return at < len(rows) and rows[at] < end
