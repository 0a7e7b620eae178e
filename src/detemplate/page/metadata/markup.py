"""Finds what the body of a page marks as its author and its day: by attributes, or by a text near the heading."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.page import tags
from detemplate.page.metadata.dates import day
from detemplate.page.metadata.record import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

_BEFORE: Final = 16 << 10
"""Bytes before the heading in which marks are looked for."""

_AFTER: Final = 64 << 10
"""Bytes behind the heading in which marks are looked for."""

_MOST: Final = 60
"""Marked elements of one kind that are looked at."""

_MOST_PIECES: Final = 12
"""Segments of a marked element."""

_LONGEST: Final = 160
"""Characters of a text that tells an author or a day."""

_TEXTS_BEFORE: Final = 15
"""Segments before the heading in which a day is looked for."""

_TEXTS_AFTER: Final = 40
"""Segments behind the heading in which a day is looked for."""

_START: Final = re.compile(rb'<([a-z][a-z0-9-]*)((?:\s[^\s"=>]+="[^"]*")*)>')
"""A start tag; group 1 is its name, group 2 its attributes."""

_ATTRIBUTE: Final = re.compile(rb'\s(class|id|rel|itemprop|property|datetime|content|pubdate|title|data-testid)="([^"]*)"')
"""Attributes that mark an element; groups 1 and 2 are name and value."""

_AUTHOR: Final = re.compile(r"(?:^|[\s_.-])(?:author|authors|autor|auteur|autore|byline|by-line|bylines|writer|contributor|creator|reporter|posted-?by|articleauthor|author-?name|byline-?name|post-?author|entry-?author)(?=$|[\s_.-])|(?:^|[a-z])(?:Author|Byline)", re.ASCII)
"""Words of attributes that mark an author."""

_NO_AUTHOR: Final = re.compile(r"comment|avatar|gravatar|photo|image|img|related|social|share|follow|bio\b|desc|date|time|twitter|email|more|list|teaser|card|sidebar|footer|popular|recommend", re.IGNORECASE)
"""Words of attributes that mark something else near an author."""

_DAY: Final = re.compile(r"date|time|publish|pubdate|posted|created|byline|meta|stamp|info|datum|fecha|data", re.IGNORECASE)
"""Words of attributes that mark a day."""

_NO_DAY: Final = re.compile(r"comment|update|modif|related|sidebar|footer|popular|recommend|recent|widget|copyright|latest|teaser|expir|event|upcoming", re.IGNORECASE)
"""Words of attributes that mark a day of something else."""

_H1: Final = tags.IDS["h1"]
"""Number of tag ``h1``."""

_H2: Final = tags.IDS["h2"]
"""Number of tag ``h2``."""

_BODY: Final = tags.IDS["body"]
"""Number of tag ``body``."""

_TIME: Final = tags.IDS["time"]
"""Number of tag ``time``."""


class Mark(NamedTuple):
    """An element with attributes that may mark something."""

    row: int
    """Its row."""
    tag: bytes
    """Its tag name."""
    attributes: dict[str, str]
    """Its attributes by name."""

    def words(self) -> str:
        """Give the names that class, id and the like give to the element."""
        return " ".join(self.attributes[name] for name in ("class", "id", "itemprop", "property", "rel", "data-testid") if name in self.attributes)


def heading_row(page: Page, title: str) -> int:
    """Give the row of the heading that shows the title; else of the first ``h1``, else of the body."""
    columns = page.columns
    rows = np.flatnonzero((columns.tag == _H1) | (columns.tag == _H2))[:40].tolist()
    for row in rows:
        inside = page.segments_in(row)
        if inside and plain(" ".join(page.segment_text(number) for number in inside[:_MOST_PIECES])) == title:
            return row
    first = [row for row in rows if columns.tag[row] == _H1] or np.flatnonzero(columns.tag == _BODY)[:1].tolist()
    return first[0] if first else 0


class Markup:
    """The marked elements near a page's heading.

    Parameters
    ----------
    page
        The page.
    title
        Its title.
    """

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._heading = heading_row(page, title)
        at = int(page.columns.start[self._heading])
        self._at = at
        self._low, self._high = max(0, at - _BEFORE), min(len(page.canonical), at + _AFTER)

    def _marks(self, *needles: bytes) -> Iterator[Mark]:
        """Give the elements whose start tags hold one of the needles: those behind the heading first."""
        canonical, columns = self._page.canonical, self._page.columns
        places: set[int] = set()
        for needle in needles:
            at = canonical.find(needle, self._low, self._high)
            count = 0
            while at >= 0 and count < _MOST:
                places.add(canonical.rfind(b"<", self._low, at + 1))
                count += 1
                at = canonical.find(needle, at + len(needle), self._high)
        for place in sorted(places, key=lambda place: (place < self._at, place if place >= self._at else -place)):
            found = _START.match(canonical, place, place + 4000) if place >= 0 else None
            if found is None or not any(needle in found[0] for needle in needles):
                continue
            row = int(np.searchsorted(columns.start, place))
            if row < len(columns.start) and columns.start[row] == place:
                attributes = {
                    name.decode(): unescape(value.decode("utf-8", "ignore")) for name, value in _ATTRIBUTE.findall(found[2])
                }
                yield Mark(row, found[1], attributes)

    def _texts(self, row: int) -> list[str]:
        inside = self._page.segments_in(row)
        if len(inside) > _MOST_PIECES:
            return []
        return [plain(self._page.segment_text(number)) for number in inside]

    def authors(self) -> Iterator[list[str]]:
        """Give the texts of the elements that are marked as author, those with the surest marks first."""
        marks = [mark for mark in self._marks(b"uthor", b"yline", b"utor", b"riter", b"auteur") if not _NO_AUTHOR.search(mark.words())]
        for sure in (
            lambda mark: mark.attributes.get("itemprop") in ("author", "creator"),
            lambda mark: "author" in mark.attributes.get("rel", "").split(),
            lambda mark: _AUTHOR.search(mark.words()),
        ):
            for mark in marks:
                if sure(mark):
                    content = mark.attributes.get("content", "") if mark.tag == b"meta" else ""
                    texts = [content] if content else self._texts(mark.row)
                    if texts and sum(map(len, texts)) <= _LONGEST:
                        yield texts

    def published(self, *, month_first: bool) -> str | None:
        """Tell the day that the body gives for the page."""
        marks = list(self._marks(b"<time", b"ublish", b"ubdate", b"date", b"Date", b"time", b"Time", b"posted", b"byline", b"meta", b"stamp"))
        marks = [mark for mark in marks if not _NO_DAY.search(mark.words())]
        for sure in (
            lambda mark: "published" in mark.words().lower() or "pubdate" in mark.attributes or "pubdate" in mark.words().lower(),
            lambda mark: mark.tag == b"time",
            lambda mark: _DAY.search(mark.words()),
        ):
            for mark in marks:
                if sure(mark):
                    attributes = mark.attributes
                    told = [attributes[name] for name in ("datetime", "content", "title") if name in attributes]
                    texts = self._texts(mark.row)
                    if sum(map(len, texts)) <= _LONGEST:
                        told.append(" ".join(texts))
                    for text in told:
                        found = day(text, month_first=month_first)
                        if found:
                            return found
        return self._day_in_texts(month_first=month_first)

    def _day_in_texts(self, *, month_first: bool) -> str | None:
        """Find a day in the short texts near the heading: behind it, then before it."""
        page = self._page
        inside = page.segments_in(self._heading)
        behind = inside.stop if self._page.columns.tag[self._heading] != _BODY else 0
        chars = page.segment_chars
        near = [*range(behind, min(behind + _TEXTS_AFTER, len(chars))), *range(max(0, behind - _TEXTS_BEFORE), behind)[::-1]]
        for number in near:
            if 6 <= chars[number] <= _LONGEST:
                found = day(page.segment_text(number), month_first=month_first)
                if found:
                    return found
        return None
