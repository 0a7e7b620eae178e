"""Finds the segments that show a page's own product: its name, price, brand and product numbers.

Product data (:mod:`detemplate.page.productdata`) say the values. A value may be shown at several places, also
of other products, so those nearest to the product's name are taken.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page import tags
from detemplate.page.offertexts import MOST_INSIDE, PLACES, OfferTexts
from detemplate.page.productdata import product_data
from detemplate.page.productsigns import product_signs
from detemplate.page.title import title_segments

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page
    from detemplate.page.productrecord import ProductData

_MOST_HEADINGS: Final = 50
"""Headings in which the name is looked for."""

_HEADINGS: Final = tags.numbers("h1 h2 h3")
"""Numbers of the tags of headings that may show a product's name."""


def offer_segments(page: Page) -> npt.NDArray[np.intp]:
    """Find the segments that show the product that a page is about.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    array of int64
        Numbers of segments, ascending: those of the elements that microdata or RDFa name, and those that
        repeat the name, a price, a product number or the brand of the page's product; of each value the
        places nearest to the name, at most two. Empty if the page has no product data, or is about several
        products.
    """
    data = product_data(page) if product_signs(page) else None
    if data is None or not len(page.segments):
        return np.zeros(0, np.intp)
    found: set[int] = set()
    for row in data.rows:
        inside = page.segments_in(row)
        if len(inside) <= MOST_INSIDE:
            found.update(inside)
    marked = frozenset(found)
    names = _names(page, data)
    found.update(names)
    # Values are near the name, best near the one that is marked.
    places = [*(name for name in names if name in marked), *names, *sorted(marked)]
    anchor = next(iter(places or title_segments(page).tolist()), None)
    shown = OfferTexts(page, anchor, data)
    for ranges in (*shown.prices(data.prices), *shown.words(data)):
        nearest = shown.nearest(ranges)
        if marked.isdisjoint(nearest):
            found.update(nearest)
    return np.array(sorted(found), np.intp)


def _names(page: Page, data: ProductData) -> list[int]:
    """Give the segments that show the product's name; those in headings first, at most two."""
    columns, rows = page.columns, page.segments
    written = [escape(name, quote=False).replace("\xa0", "&nbsp;").encode() for name in data.names]
    found = np.flatnonzero(np.isin(columns.content[rows], [xxhash.xxh64_intdigest(name) for name in written]))
    headings = np.isin(columns.tag, list(_HEADINGS)).nonzero()[0]
    reach = np.append(np.maximum.accumulate(columns.end[headings]), 0)
    in_heading = rows[found] < reach[np.searchsorted(headings, rows[found]) - 1]
    if not in_heading.any():
        # A heading may be written in other case, or in pieces.
        wanted = {name.casefold() for name in data.names}
        for row in headings[:_MOST_HEADINGS].tolist():
            inside = page.segments_in(row)
            if 0 < len(inside) <= MOST_INSIDE:
                pieces = [page.segment_text(number).casefold() for number in inside]
                if " ".join(pieces) in wanted:
                    return list(inside)
    order = np.argsort(~in_heading, kind="stable")
    return [int(number) for number in found[order][:PLACES]]
