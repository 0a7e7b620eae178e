"""Which nodes of a page are links, whether these lead to pages, and whether to pages of the same site.

The site of a page is the host of its URL, with the port if it is not the scheme's own; if the URL is no
page's address, the host of its ``base`` element; without either, only relative links stay.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.kernels import compiled
from detemplate.page import address, tags
from detemplate.page.links import HREF, LINK_TAGS, attribute_values, base_url
from detemplate.page.urls import LONGEST, canonical_url, resolve

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

KERNEL: Final[Any] = compiled("detemplate.features._sitelinks")
"""The kernel, None if it was not compiled."""

LINK: Final = 1
LEADS: Final = 2
STAYS: Final = 4
_HARD: Final = 8

_NOWHERE: Final = "http://page.invalid/"
"""Where a page is that nobody knows the address of: its links can only say that they stay there."""

_NAME_BYTES: Final = {tags.IDS["a"]: 2, tags.IDS["area"]: 5}

# What leads nowhere else, and what names its host, as most pages write it. White space, which browsers
# drop from URLs, and all else is left to the resolver.
_EASY: Final = re.compile(
    rb"https?://([a-z0-9.-]*[a-z0-9])(?=[/?#]|\Z)"
    rb"|(?:/(?![/\\\x00- ])|\.{1,2}/|[#?]|[A-Za-z0-9_~-][A-Za-z0-9_.~-]*(?:[/?#]|\Z)|\Z)"
)


def site_links(page: Page) -> npt.NDArray[np.uint8]:
    """Tell where the links of a page lead.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    array of uint8
        One a row of ``page.columns``: 0 for what is no link (:func:`~detemplate.page.links.link_rows`);
        else ``LINK``, with ``LEADS`` added where it leads to a page (not ``mailto:``, ``javascript:`` and
        the like) and ``STAYS`` where this is one of the page's site.
    """
    columns = page.columns
    found = np.zeros(len(columns), np.uint8)
    base = base_url(page) or _NOWHERE
    site = address.host(canonical_url(page.url) or base)
    here = address.host(base) == site
    # What is no longer cannot be longer than a URL may be, however it is escaped.
    short = (LONGEST - len(base)) // 3

    def looked_up(href: bytes) -> int:
        url = resolve(base, unescape(href.decode()))
        return LINK if url is None else LINK | LEADS | (STAYS if address.host(url) == site else 0)

    if KERNEL is not None:
        KERNEL.read_links(
            page.canonical,
            *map(np.ascontiguousarray, (columns.kind, columns.tag, columns.parent, columns.start)),
            tags.FLAGS,
            tags.IN_SVG | tags.IN_MATH,
            tags.UNSEEN,
            tags.FOREIGN_UNSEEN,
            *LINK_TAGS,
            site.encode(),
            here,
            short,
            found,
        )
        for row in np.flatnonzero(found & _HARD).tolist():
            tag = HREF.match(page.canonical, int(columns.start[row]) + _NAME_BYTES[int(columns.tag[row])])
            found[row] = looked_up(tag[1]) if tag else 0
        return found
    rows, written = attribute_values(page, LINK_TAGS, HREF)
    for row, href in zip(rows.tolist(), written, strict=True):
        easy = _EASY.match(href) if len(href) <= short else None
        if easy is None:
            found[row] = looked_up(href)
        else:
            stays = here if easy[1] is None else easy[1] == site.encode()
            found[row] = LINK | LEADS | (STAYS if stays else 0)
    return found
