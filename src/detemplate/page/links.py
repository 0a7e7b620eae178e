"""The links of a page, read from its columns and start tags, without a DOM.

A link is an HTML ``a`` or ``area`` element with an ``href``, outside of unseen elements (``template``,
``noscript``, …). :func:`page_links` gives those that lead to pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.intervals import covering
from detemplate.page import tags
from detemplate.page.columns import ELEMENT
from detemplate.page.urls import canonical_url, resolve, signed_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page
    from detemplate.page.visible import VisibleText

    Rows = npt.NDArray[np.int32]

WINDOW: Final = 50
"""Characters of context on either side of an anchor (the text window of Chakrabarti et al. 1998)."""

LONGEST_ANCHOR: Final = 1000
"""Characters of an anchor's text that are kept: nested links around a whole page take quadratic space."""

LINK_TAGS: Final = [tags.IDS["a"], tags.IDS["area"]]
"""Numbers of the tags of links."""

_BASE: Final = tags.IDS["base"]
_IMG: Final = tags.IDS["img"]

NAME_BYTES: Final = {tags.IDS[name]: len(name) + 1 for name in ("a", "area", "base", "img")}
"""Bytes of ``<`` and tag name, by tag number: attributes begin behind them."""


def attribute_pattern(name: str) -> re.Pattern[bytes]:
    """Match the attributes of a canonical start tag up to one of this name; its value is group 1.

    Values are quoted and have no quotes inside. Attributes are skipped as a whole, so a value that looks like
    the wanted attribute is not mistaken for it.
    """
    wanted = name.encode()
    return re.compile(rb'(?: (?!%b=")=?[^ =]*="[^"]*")*+ %b="([^"]*)"' % (wanted, wanted))


HREF: Final = attribute_pattern("href")
"""Matches from behind the tag name on; group 1 is the value of ``href``, with entities."""

# Matches from behind the tag name on; group 1 is the value of ``alt``, with entities.
_ALT: Final = attribute_pattern("alt")


@dataclass(slots=True)
class Links:
    """The links of a page that lead to pages, in document order.

    ``rows``: rows of their elements. int32.
    ``hrefs``: values of ``href``, unescaped.
    ``urls``: canonical URLs of their targets.
    ``keys``: keys of their targets (:func:`~detemplate.page.urls.page_key`). int64.
    """

    rows: Rows
    hrefs: list[str]
    urls: list[str]
    keys: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.urls)


def unseen(page: Page) -> npt.NDArray[np.bool_]:
    """Tell for every row whether it is, or is inside of, an element with unseen content."""
    columns = page.columns
    tag = columns.tag
    wanted = np.where(tag & tags.FOREIGN, np.uint16(tags.FOREIGN_UNSEEN), np.uint16(tags.UNSEEN))
    flags = tags.FLAGS[np.where(columns.kind == ELEMENT, tag & tags.NUMBER, 0)]
    rows = np.flatnonzero(flags & wanted)
    return covering(rows, columns.end[rows], len(tag)) > 0


def attribute_values(page: Page, tag: list[int], pattern: re.Pattern[bytes]) -> tuple[Rows, list[bytes]]:
    """Find the seen elements of some tags that have an attribute.

    ``tag``: numbers of the tags, of those in :data:`NAME_BYTES`.
    ``pattern``: finds the attribute, as :data:`HREF` does.
    Returns: rows of the elements, and the attribute's values, with entities.
    """
    columns = page.columns
    rows = np.flatnonzero((columns.kind == ELEMENT) & np.isin(columns.tag, tag))
    if len(rows):
        rows = rows[~unseen(page)[rows]]
    canonical, match = page.canonical, pattern.match
    starts = zip(columns.start[rows].tolist(), columns.tag[rows].tolist(), strict=True)
    matches = [match(canonical, start + NAME_BYTES[number]) for start, number in starts]
    present = np.fromiter((one is not None for one in matches), np.bool_, len(matches))
    return rows[present].astype(np.int32), [one[1] for one in matches if one is not None]


def link_rows(page: Page) -> Rows:
    """Give the rows of a page's links, wherever they lead, in document order."""
    return attribute_values(page, LINK_TAGS, HREF)[0]


def base_url(page: Page) -> str:
    """Give the base of relative links: the first ``base`` with an ``href``, else the page's URL.

    It is canonical; empty if there is no such element and the page's URL has no canonical form.
    """
    address = canonical_url(page.url) or ""
    for written in attribute_values(page, [_BASE], HREF)[1][:1]:
        return resolve(address, unescape(written.decode())) or address
    return address


def page_links(page: Page) -> Links:
    """Give the links of a page that lead to pages: ``http``, ``https``, and on files ``file``.

    ``mailto:``, ``javascript:``, ``data:`` and the like lead to no page; neither do URLs of more than
    :data:`detemplate.page.urls.LONGEST` characters.
    """
    rows, written = attribute_values(page, LINK_TAGS, HREF)
    base = base_url(page)
    hrefs = [unescape(one.decode()) for one in written]
    urls = [resolve(base, href) for href in hrefs]
    there = [at for at, url in enumerate(urls) if url is not None]
    known = [url for url in urls if url is not None]
    keys = np.fromiter(map(signed_key, known), np.int64, len(known))
    return Links(rows[there], [hrefs[at] for at in there], known, keys)


def anchors(page: Page, rows: Rows, text: VisibleText, around: Rows) -> tuple[list[str], list[str]]:
    """Give the texts of anchors, without and with their context.

    ``rows``: rows of links.
    ``text``: the page's visible text.
    ``around``: for each link, the row of the element (its pagelet) that bounds its context; -1: it has no
        context.
    Returns: the visible text of each link; if it has none, the ``alt`` of its images; at most
        :data:`LONGEST_ANCHOR` characters. Then the same with :data:`WINDOW` characters of visible text on
        either side, cut at the bounds of the element: the text window of Chakrabarti et al. 1998 (Clever).
    """
    inner = text.spans(page, rows)
    outer = np.where(around[:, None] < 0, inner, text.spans(page, np.maximum(around, 0)))
    images: Rows | None = None
    alts: list[bytes] = []
    texts, contexts = [], []
    for row, (start, stop), (least, most) in zip(rows.tolist(), inner.tolist(), outer.tolist(), strict=True):
        anchor = text.text[start : min(stop, start + LONGEST_ANCHOR)].strip()
        if not anchor:
            if images is None:
                images, alts = attribute_values(page, [_IMG], _ALT)
            first, last = np.searchsorted(images, (row, page.columns.end[row]))
            named = [" ".join(unescape(alt.decode()).split()) for alt in alts[first : min(last, first + 8)]]
            anchor = " ".join(filter(None, named))[:LONGEST_ANCHOR]
        before = text.text[max(least, start - WINDOW) : start]
        after = text.text[stop : min(most, stop + WINDOW)]
        if start == stop:  # an image between two texts
            before, after = f"{before} ", f" {after}"
        texts.append(anchor)
        contexts.append(" ".join(f"{before}{anchor}{after}".split()))
    return texts, contexts
