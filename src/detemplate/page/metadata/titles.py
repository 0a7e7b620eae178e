"""Chooses a page's own title, and takes the name of its site off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.address import host
from detemplate.page.metadata.record import LONG, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.page.page import Page

_H1: Final = tags.IDS["h1"]
"""Number of tag ``h1``."""

_MOST_HEADINGS: Final = 5
"""``h1`` elements that are read."""

_SEPARATOR: Final = re.compile(r"(\s+(?:[|/~:–—·•»«›‹<>⋅*-]|::|\|\|)+\s+|\s*[|｜]\s*|\s+@\s+|\s*(?:_|－|–|—)\s*(?=\S+$))")
"""Separates the pieces of a title."""

_WORDS: Final = re.compile(r"\w+")
"""Words."""

_LEAST_SHARE: Final = 0.5
"""Least share of a title's words that a heading must have to stand for it."""


def key(text: str) -> str:
    """Give a text's letters and digits only, in lower case, to compare texts."""
    return "".join(_WORDS.findall(text.casefold()))


def headings(page: Page) -> list[str]:
    """Give the texts of a page's first ``h1`` elements."""
    columns = page.columns
    found = []
    for row in np.flatnonzero(columns.tag == _H1)[:_MOST_HEADINGS].tolist():
        inside = page.segments_in(row)[:20]
        found.append(plain(" ".join(page.segment_text(number) for number in inside)))
    return [text for text in found if text]


def site_names(page: Page, told: Iterable[str]) -> set[str]:
    """Give the keys of what names a page's site: the names that it tells, and its host."""
    address = host(page.url).rpartition(":")[0] or host(page.url)
    labels = [label for label in address.split(".") if label not in ("www", "m", "blog", "news", "en")]
    names = {key(address), key(address.removeprefix("www.")), key(labels[0]) if labels else ""}
    if len(labels) > 2:
        names.add(key(labels[-2]))
    names |= {key(name) for name in told}
    return {name for name in names if len(name) > 2}


def own_title(title: str, sites: set[str]) -> str:
    """Take the name of the site off a title, from its end or its start.

    Parameters
    ----------
    title
        A title, white space collapsed.
    sites
        Keys of the names of the site.
    """
    pieces = _SEPARATOR.split(title)
    while len(pieces) > 2 and _names_site(pieces[-1], sites):
        pieces = pieces[:-2]
    while len(pieces) > 2 and _names_site(pieces[0], sites):
        pieces = pieces[2:]
    return "".join(pieces).strip() or title


def _names_site(piece: str, sites: set[str]) -> bool:
    own = key(piece)
    return own in sites or any(
        len(name) > 3 and (own.startswith(name) or (len(own) > 3 and own in name)) and len(own) < 3 * len(name)
        for name in sites
    )


def choose_title(page: Page, told: Iterable[str], sites: set[str]) -> str:
    """Choose a page's own title.

    A heading that a title of the page's head holds is the page's title. Without such a heading, it is the
    first title of the head without the site's name.

    Parameters
    ----------
    page
        The page.
    told
        Titles of the head, the most reliable first.
    sites
        Keys of the names of the site.
    """
    whole = plain(page.title)
    titles = [title for title in (*map(plain, told), whole) if title]
    shown = [text for text in headings(page) if key(text) not in sites]
    keys = [key(title) for title in titles]
    for heading in shown:
        own = key(heading)
        if len(own) > 2 and any(own in title for title in keys):
            return heading
    for title in titles:
        own_words = own_title(title, sites)
        if key(own_words) not in sites:
            return own_words[:LONG]
    return shown[0] if shown else (titles[0] if titles else "")
