"""Tells which nodes of a page are links, whether they lead to pages, and whether to pages of the same site.

The site is the host of the page's URL, with the port unless that is the scheme's default. If the URL has no
canonical form, it is the host of the ``base`` element. Without either, only relative links stay on the site.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import address
from detemplate.page.links import HREF, LINK_TAGS, attribute_values, base_url
from detemplate.page.urls import LONGEST, canonical_url, resolve

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

# ``_linkflags.pxd`` repeats these flags.
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
