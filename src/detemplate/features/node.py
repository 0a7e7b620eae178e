"""The features of nodes, by which a classifier judges them.

They are those of Chakrabarti, Kumar, Punera 2007, section 5.2. The paper names closeness to the margins of
the page, distance from its centre, area, links per word, the share of text inside anchors, the size of
anchors, the share of links that stay on the site, visible characters per HTML character, and the words shared
with the title. It adds "several other features from the position and area annotations of DOM nodes as well as
from the text, links, anchortext they contain". ``docs/features.md`` defines each. The paper removes stop
words. Here no word is removed, since that takes a list for each language.

The text, links and images of a node are those in its subtree.
"""

from __future__ import annotations

import math
import re
from html import unescape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from detemplate.algorithms.intervals import characters
from detemplate.features.words import count_words
from detemplate.page import address, tags
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.links import HREF, LINK_TAGS, attribute_values, base_url
from detemplate.page.urls import LONGEST, canonical_url, resolve

if TYPE_CHECKING:
    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page


LINK: Final = 1
"""The node is a link."""
LEADS: Final = 2
"""It leads to a page."""
STAYS: Final = 4
"""It leads to a page of the same site."""

_UNKNOWN: Final = "http://page.invalid/"
"""Stands for the base of a page that has neither a canonical URL nor a ``base`` element."""

_ESCAPED_BYTES: Final = 3  # bytes that a byte of a URL takes if it is escaped

# References as most pages write them: on the host of group 1, or relative to the base.
_USUAL: Final = re.compile(
    rb"https?://([a-z0-9.-]*[a-z0-9])(?=[/?#]|\Z)|/(?![\x00- /\\])|[#?]|\.\.?/|[\w~.-]+(?=[/?#]|\Z)|\Z"
)


def site_links(page: Page) -> npt.NDArray[np.uint8]:
    """Tell where the links of a page lead.

    Returns: flags, one entry a row of ``page.columns``. 0: no link
        (:func:`~detemplate.page.links.link_rows`). ``LINK``: a link; with ``LEADS`` if it leads to a page
        (not ``mailto:``, ``javascript:`` and the like), and with ``STAYS`` if that is a page of the site.
    """
    base = base_url(page) or _UNKNOWN
    site = address.host(canonical_url(page.url) or base)
    encoded = site.encode()
    base_stays = address.host(base) == site
    # Shorter references cannot resolve to a URL that is too long, however they are escaped.
    longest = (LONGEST - len(base)) // _ESCAPED_BYTES
    here = LINK | LEADS | (STAYS if base_stays else 0)
    known: dict[bytes, int] = {}
    rows, hrefs = attribute_values(page, LINK_TAGS, HREF)
    for href in hrefs:
        if href not in known:
            usual = _USUAL.match(href) if len(href) <= longest else None
            if usual is None:
                url = resolve(base, unescape(href.decode()))
                stays = url is not None and address.host(url) == site
                known[href] = LINK | (0 if url is None else LEADS) | (STAYS if stays else 0)
            elif usual[1] is None:
                known[href] = here
            else:
                known[href] = LINK | LEADS | (STAYS if usual[1] == encoded else 0)
    flags = np.zeros(len(page.columns), np.uint8)
    flags[rows] = [known[href] for href in hrefs]
    return flags


_WORDS: Final = {
    # where it is
    "margin": "distance to the nearest edge of the page",
    "margin_left": "distance to the page's left edge",
    "margin_right": "distance to the page's right edge",
    "margin_top": "distance to the page's top",
    "margin_bottom": "distance to the page's bottom",
    "centre": "distance to the page's centre",
    "centre_x": "distance to the page's centre, across",
    "centre_y": "distance to the page's centre, down",
    # how large it is
    "width": "width",
    "height": "height",
    "area": "area",
    "log_area": "area in square pixels",
    # its text
    "log_words": "number of words",
    "log_words_a_text": "words in each piece of text",
    "text": "share of the page's text",
    "text_per_html": "text in its markup",
    "in_title": "words that are in the page's title",
    "of_title": "share of the title's words",
    # its links
    "log_links": "number of links",
    "links_per_word": "links by words",
    "anchor_text": "text inside links",
    "log_anchor_size": "characters in each link",
    "intra_site": "links that stay on the site",
    # its markup
    "log_images": "number of images",
    "log_depth": "depth in the page's tree",
    "log_children": "number of child elements",
    "log_nodes": "amount of markup, in nodes",
}

NAMES: Final = tuple(_WORDS)
"""Names of the columns of :func:`node_features`."""

_BOXES: Final = NAMES[: NAMES.index("log_area") + 1]  # the features of boxes, which are the first

_IMG: Final = tags.IDS["img"]

_SVG: Final = tags.IDS["svg"] | tags.IN_SVG

_LOGS: Final = [number for number, name in enumerate(NAMES) if name.startswith("log_")]
"""Columns whose logarithm is taken."""


def node_features(page: Page, layout: Layout) -> npt.NDArray[np.float32]:
    """Return the features of all nodes of a page.

    ``layout``: its layout, estimated or from a browser.
    Returns: a row for each row of ``page.columns``, comments and scripts included; a column for each of
        :data:`NAMES`. Finite, and within the ranges that ``docs/features.md`` gives. Columns are contiguous
        in memory.
    Raises ValueError: the layout is another page's: it has another number of rows.
    """
    nodes = len(page.columns)
    if len(layout) != nodes:
        raise ValueError(f"the layout has {len(layout)} rows, the page has {nodes} nodes")
    across, down = max(layout.page_width, 1.0), max(layout.page_height, 1.0)
    table = np.empty((len(NAMES), nodes), np.float32)
    table[: len(_BOXES)] = _box_features(layout, across, down)
    for number, values in enumerate(_content_features(page).values(), len(_BOXES)):
        table[number] = values
    for number in _LOGS:
        np.log1p(table[number], out=table[number])
    return table.T


def _box_features(layout: Layout, across: float, down: float) -> npt.NDArray[np.float32]:
    """Return :data:`_BOXES` of all nodes of a page of this size, a row each; ``log_area`` is the area."""
    left, top, wide, high = (
        box.astype(np.float64) for box in (layout.left, layout.top, layout.width, layout.height)
    )
    margins = _shares(
        np.stack([left / across, (across - left - wide) / across, top / down, (down - top - high) / down])
    )
    centres = _shares(
        np.stack([np.abs(2 * left + wide - across) / across, np.abs(2 * top + high - down) / down])
    )
    unseen = (wide <= 0) & (high <= 0)
    margins[:, unseen], centres[:, unseen] = 0, 1
    centre = np.sqrt(np.square(centres, dtype=np.float64).sum(axis=0) / 2).astype(np.float32)
    area = wide * high
    sizes = _shares(np.stack([wide / across, high / down, area / (across * down)]))
    # In single precision the largest areas are infinite.
    rows = [
        margins.min(axis=0),
        *margins,
        centre,
        *centres,
        *sizes,
        np.minimum(area, 3e38).astype(np.float32),
    ]
    return np.stack(rows)


def _content_features(page: Page) -> dict[str, npt.NDArray[Any]]:
    """Return the other features of all nodes of a page, in the order of :data:`NAMES`, before logarithms."""
    columns, counted, links = page.columns, count_words(page), site_links(page)
    parent, end, tag, chars = columns.parent, columns.end, columns.tag, columns.chars
    rows, elements, texts = np.arange(len(columns)), columns.kind == ELEMENT, columns.kind == TEXT
    linked = links & LINK > 0
    # The outermost link around each node, or the node itself; -1: none.
    reach = np.maximum.accumulate(np.where(linked, end, 0))
    outermost = linked & (rows >= np.append(0, reach[:-1]))
    link = np.where(rows < reach, np.maximum.accumulate(np.where(outermost, rows, -1)), -1)
    amounts = [
        *counted.counts, texts, np.where(texts & (link >= 0), chars, 0),
        linked, links & LEADS > 0, links & STAYS > 0, elements & ((tag == _IMG) | (tag == _SVG)),
    ]  # fmt: skip
    before = np.zeros((len(amounts), len(rows) + 1), np.int64)
    np.cumsum(np.stack(amounts), axis=1, out=before[:, 1:])
    words, titled, different, segments, anchors, count, leading, staying, images = (
        before[:, end] - before[:, :-1]
    )  # of each subtree
    start, stop = characters(page.canonical, np.stack([columns.start, columns.stop], dtype=np.int64))
    inside = (count == 0) & (link >= 0)  # a node inside of a link counts as that link
    mine = np.where(inside, 1, count)
    return {
        "log_words": words,
        "log_words_a_text": _ratios(words, segments),
        "text": chars / max(int(chars[texts].sum(dtype=np.int64)), 1),
        "text_per_html": _ratios(chars, stop - start),
        "in_title": _ratios(titled, words),
        "of_title": _ratios(different, counted.title),
        "log_links": mine,
        "links_per_word": _ratios(mine, np.maximum(words, count)),
        "anchor_text": _ratios(anchors, chars),
        "log_anchor_size": _ratios(anchors, count),
        "intra_site": np.where(inside, links[link] & STAYS > 0, _ratios(staying, leading)),
        "log_images": images,
        "log_depth": rows - np.cumsum(np.bincount(end, minlength=len(rows) + 1)[: len(rows)]),
        "log_children": np.bincount(parent[elements & (parent >= 0)], minlength=len(rows)),
        "log_nodes": end - rows,
    }


def _ratios(parts: npt.NDArray[np.integer], wholes: npt.NDArray[np.integer] | int) -> npt.NDArray[np.float64]:
    """Divide, by 1 where the whole is less."""
    return np.asarray(parts / np.maximum(wholes, 1))


def _shares(quotients: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Cut quotients off at 0 and 1."""
    return np.where(quotients > 0, np.minimum(quotients, 1), 0).astype(np.float32)


def phrase(name: str, value: float) -> tuple[str, float]:
    """Tell a node's feature in words, such as ``text inside links (85%)``; return the number in them, too.

    The number is a share, or a count where the feature is a logarithm.
    """
    if not name.startswith("log_"):
        return f"{_WORDS[name]} ({value:.0%})", round(value, 2)
    count = round(math.expm1(min(value, 40.0)))
    return f"{_WORDS[name]} ({count:,})", count
