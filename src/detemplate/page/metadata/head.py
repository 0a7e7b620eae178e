"""Reads what the tags of a page say of it: ``html``, ``meta`` and ``link``."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.metadata.record import LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

_HTML: Final = tags.IDS["html"]
"""Number of tag ``html``."""

_BASE: Final = tags.IDS["base"]
"""Number of tag ``base``."""

_NAMED: Final = re.compile(rb'\s(?:property|name|itemprop|http-equiv)="([^"]+)"')
"""Attribute of a ``meta`` start tag; group 1 is the name of the value."""

_CONTENT: Final = re.compile(rb'\s(?:content|value)="([^"]+)"')
"""Attribute ``content``, or ``value``, which some pages have for it; group 1 is the value, with entities."""

_REL: Final = re.compile(rb'\srel="([^"]+)"')
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
    value = found[1][:_LONGEST].decode("utf-8", "ignore")
    return unescape(value) if "&" in value else value


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
        canonical, tag = page.canonical, page.columns.tag
        rows = np.flatnonzero((tag == _META) | (tag == _LINK) | (tag == _HTML) | (tag == _BASE))[:_MOST]
        starts = page.columns.start[rows].tolist()
        stops = page.columns.stop[rows].tolist()
        for kind, start, stop in zip(tag[rows].tolist(), starts, stops, strict=True):
            if kind == _META:
                self._read_meta(canonical, start, stop)
            elif kind == _LINK:
                self._read_link(canonical, start, stop)
            elif kind == _BASE:
                self.base = self.base or attribute(_HREF, canonical, start, stop)
            else:
                tag_stop = start_tag_end(canonical, start)
                self.language = self.language or attribute(_LANGUAGE, canonical, start, tag_stop)

    def _read_meta(self, canonical: bytes, start: int, stop: int) -> None:
        content = _CONTENT.search(canonical, start, stop)
        if content is None:
            return
        value = content[1][:_LONGEST].decode("utf-8", "ignore")
        for named in _NAMED.finditer(canonical, start, stop):
            if len(named[1]) < 100:
                values = self._values.setdefault(named[1].decode("utf-8", "ignore").strip().lower(), [])
                if len(values) < _MOST_VALUES:
                    values.append(value)

    def _read_link(self, canonical: bytes, start: int, stop: int) -> None:
        rel = _REL.search(canonical, start, stop)
        if rel is not None and len(rel[1]) < 100:
            for word in rel[1].decode("utf-8", "ignore").lower().split():
                if word not in self._links:
                    self._links[word] = attribute(_HREF, canonical, start, stop)

    def link(self, rel: str) -> str:
        """Give the URL of the first ``link`` element with this ``rel``; ``""`` if there is none."""
        return self._links.get(rel, "")

    def values(self, names: Iterable[str]) -> Iterator[str]:
        """Give the values with one of these names; those of the first name first."""
        for name in names:
            for value in self._values.get(name, ()):
                yield unescape(value) if "&" in value else value

    def first(self, names: Iterable[str]) -> str:
        """Give the first value with one of these names that is not blank; ``""`` if there is none."""
        return next((value for value in self.values(names) if not value.isspace()), "")
