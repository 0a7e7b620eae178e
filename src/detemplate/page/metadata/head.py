"""Reads what the tags of a page say of it: ``html``, ``meta`` and ``link``."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

from detemplate.page import tags
from detemplate.page.metadata import names as names_of
from detemplate.page.metadata.record import LONG

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.page.page import Page

_MOST: Final = 500
"""``meta`` and ``link`` elements of a page that are read."""

_MOST_VALUES: Final = 50
"""Values of one name that are kept."""

_LONGEST: Final = 8 * LONG
"""Bytes of a value that are read."""

_META: Final = tags.IDS["meta"]
"""Number of tag ``meta``."""

_LINK: Final = tags.IDS["link"]
"""Number of tag ``link``."""

_BASE: Final = tags.IDS["base"]
"""Number of tag ``base``."""

_HTML: Final = tags.IDS["html"]
"""Number of tag ``html``."""

_NAMES: Final = {name.encode(): name for names in names_of.ALL for name in names}
"""Names of ``meta`` elements that are read, by their bytes."""

_PARTS: Final = re.compile(
    rb'<meta(?:\sproperty="([^"]+)"|\sname="([^"]+)"|\sitemprop="([^"]+)"|\shttp-equiv="([^"]+)"|'
    rb'\s(?:content|value)="([^"]+)"|\s[^\s"=>]+="[^"]*")+'
)
"""Start tags of ``meta`` elements: groups 1 to 4 are names of a value, group 5 is the value.

Some pages have ``value`` for ``content``.
"""

_REL: Final = re.compile(rb'\srel="([^"]*)"')
"""Attribute ``rel``; group 1 are its words."""

_HREF: Final = re.compile(rb'\shref="([^"]+)"')
"""Attribute ``href``; group 1 is a URL, with entities."""

_START: Final = re.compile(rb'<[a-z]+(?:\s[^\s"=>]+="[^"]*")*')
"""A start tag; its end is that of the last attribute."""

_LANGUAGE: Final = re.compile(rb'\s(?:xml:)?lang="([^"]+)"')
"""Attribute ``lang``; group 1 is a language."""


def attribute(pattern: re.Pattern[bytes], canonical: bytes, start: int, stop: int) -> str:
    """Read the value of an attribute from a start tag; ``""`` if the tag does not have it."""
    found = pattern.search(canonical, start, stop)
    if found is None:
        return ""
    return _text(found[1][:_LONGEST])


def _text(value: bytes) -> str:
    """Give the text of an attribute's value."""
    text = value.decode("utf-8", "ignore")
    return unescape(text) if "&" in text else text


def start_tag_end(canonical: bytes, start: int) -> int:
    """Give the end of the attributes of the start tag that begins here, or of the first of them."""
    found = _START.match(canonical, start, start + _LONGEST)
    return found.end() if found is not None else start


class Head:
    """The values that a page's ``html``, ``meta``, ``link`` and ``base`` elements have for it.

    Parameters
    ----------
    page
        The page. Only its canonical serialisation and its columns are read.

    Attributes
    ----------
    language : str
        Attribute ``lang`` of the ``html`` element.
    base : str
        URL of the ``base`` element.
    """

    def __init__(self, page: Page) -> None:
        self._values: dict[str, list[str]] = {}
        self._links: dict[str, str] = {}
        self.language = self.base = ""
        self._page = page
        canonical, starts = page.canonical, page.columns.start
        for row in page.landmarks.get(_HTML, ())[:1]:
            start = int(starts[row])
            self.language = attribute(_LANGUAGE, canonical, start, start_tag_end(canonical, start))
        for row in page.landmarks.get(_BASE, ())[:_MOST]:
            self.base = self.base or attribute(
                _HREF, canonical, int(starts[row]), int(page.columns.stop[row])
            )
        self._read_metas(b"".join(self._elements(_META)))
        for link in self._elements(_LINK):
            if b"anonical" in link or b"mage_src" in link:
                self._read_link(link)

    def _elements(self, tag: int) -> list[bytes]:
        """Give the start tags of elements without content."""
        rows = self._page.landmarks.get(tag, ())[:_MOST]
        columns, canonical = self._page.columns, self._page.canonical
        starts, stops = columns.start[rows].tolist(), columns.stop[rows].tolist()
        return [
            canonical[start:stop] if stop - start < _LONGEST else canonical[start : start + _LONGEST] + b'"'
            for start, stop in zip(starts, stops, strict=True)
        ]

    def _read_metas(self, metas: bytes) -> None:
        """Read the start tags of ``meta`` elements, one behind the other."""
        for *names, content in _PARTS.findall(metas):
            if not content:
                continue
            for name in names:
                if name and (known := _NAMES.get(name) or _NAMES.get(name.strip().lower())):
                    values = self._values.setdefault(known, [])
                    if len(values) < _MOST_VALUES:
                        values.append(_text(content))

    def _read_link(self, link: bytes) -> None:
        rel = _REL.search(link)
        if rel is not None:
            for word in rel[1][:100].decode("utf-8", "ignore").lower().split():
                if word not in self._links:
                    self._links[word] = attribute(_HREF, link, 0, len(link))

    def link(self, rel: str) -> str:
        """Give the URL of the first ``link`` element with this ``rel``; ``""`` if there is none."""
        return self._links.get(rel, "")

    def known(self, names: Iterable[str]) -> list[str]:
        """Give those of the names that have values, in the same order."""
        return [name for name in names if name in self._values]

    def values(self, names: Iterable[str]) -> list[str]:
        """Give the values with one of these names; those of the first name first."""
        return [value for name in names if name in self._values for value in self._values[name]]

    def first(self, names: Iterable[str]) -> str:
        """Give the first value with one of these names that is not blank; ``""`` if there is none."""
        return next((value for value in self.values(names) if not value.isspace()), "")
