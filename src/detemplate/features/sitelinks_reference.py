"""The reference of the link reader: finds the links of a page, and where the plain ones lead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features.linkflags import HARD, LEADS, LINK, STAYS
from detemplate.page.links import HREF, LINK_TAGS, attribute_values

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

_PLAIN: Final = re.compile(
    rb"https?://([a-z0-9.-]*[a-z0-9])(?=[/?#]|\Z)"
    rb"|(?:/(?![/\\\x00- ])|\.{1,2}/|[#?]|[A-Za-z0-9_~-][A-Za-z0-9_.~-]*(?:[/?#]|\Z)|\Z)"
)
"""URLs as most pages write them: with a host, which is group 1, or relative without one. All others are left
to the resolver, also those with white space, which browsers drop."""


def read_links(page: Page, host: bytes, longest: int, *, base_stays: bool) -> npt.NDArray[np.uint8]:
    """Find the links of a page.

    Parameters
    ----------
    page
        The page.
    host
        Host of its site.
    longest
        Bytes of an ``href`` from which on it is :data:`~detemplate.features.linkflags.HARD`.
    base_stays
        Whether relative links stay on the site.

    Returns
    -------
    array of uint8
        Flags (:mod:`detemplate.features.linkflags`), one entry a row of ``page.columns``; 0: no link.
    """
    flags = np.zeros(len(page.columns), np.uint8)
    rows, hrefs = attribute_values(page, LINK_TAGS, HREF)
    for row, href in zip(rows.tolist(), hrefs, strict=True):
        plain = _PLAIN.match(href) if len(href) <= longest else None
        if plain is None:
            flags[row] = LINK | HARD
        else:
            stays = base_stays if plain[1] is None else plain[1] == host
            flags[row] = LINK | LEADS | (STAYS if stays else 0)
    return flags
