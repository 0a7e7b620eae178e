"""Tells which nodes of a page are links, whether they lead to pages, and whether to pages of the same site.

The site is the host of the page's URL, with the port unless that is the scheme's default. If the URL has no
canonical form, it is the host of the ``base`` element. Without either, only relative links stay on the site.
"""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features import _sitelinks
from detemplate.page import address, tags
from detemplate.page.links import HREF, LINK_TAGS, NAME_BYTES, base_url
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
HARD: Final = 8
"""Only the resolver of URLs can tell where it leads. Internal."""

_UNKNOWN: Final = "http://page.invalid/"
"""Stands for the base of a page that has neither a canonical URL nor a ``base`` element."""

_ESCAPED_BYTES: Final = 3  # bytes that a byte of a URL takes if it is escaped


def site_links(page: Page) -> npt.NDArray[np.uint8]:
    """Tell where the links of a page lead.

    Returns: flags, one entry a row of ``page.columns``. 0: no link
        (:func:`~detemplate.page.links.link_rows`). ``LINK``: a link; with ``LEADS`` if it leads to a page
        (not ``mailto:``, ``javascript:`` and the like), and with ``STAYS`` if that is a page of the site.
    """
    columns = page.columns
    base = base_url(page) or _UNKNOWN
    site = address.host(canonical_url(page.url) or base)
    base_stays = address.host(base) == site
    # Shorter references cannot resolve to a URL that is too long, however they are escaped.
    longest = (LONGEST - len(base)) // _ESCAPED_BYTES
    flags = np.zeros(len(columns), np.uint8)
    _sitelinks.read_links(
        page.canonical,
        *(columns.kind, columns.tag, columns.parent, columns.start),
        tags.FLAGS,
        *LINK_TAGS,
        site.encode(),
        base_stays,
        longest,
        flags,
    )
    for row in np.flatnonzero(flags & HARD).tolist():
        href = HREF.match(page.canonical, int(columns.start[row]) + NAME_BYTES[int(columns.tag[row])])
        url = resolve(base, unescape(href[1].decode())) if href else None
        stays = url is not None and address.host(url) == site
        flags[row] = (LINK if href else 0) | (0 if url is None else LEADS) | (STAYS if stays else 0)
    return flags
