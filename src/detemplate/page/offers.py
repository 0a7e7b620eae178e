"""Finds the segments that show a page's own product: its name, price, brand and product numbers.

Product data (:mod:`detemplate.page.productdata`) say the values. A value may be shown at several places, also
of other products, so those nearest to the product's name are taken.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import xxhash

from detemplate.page import tags
from detemplate.page.offertexts import FAR, MOST_INSIDE, PLACES, REACH, OfferTexts
from detemplate.page.productdata import product_data
from detemplate.page.shownprices import shown_prices

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.offertexts import Range
    from detemplate.page.page import Page
    from detemplate.page.productdata import ProductData

    Numbers = npt.NDArray[np.intp]

_NONE: Final = np.zeros(0, np.intp)  # no segments

_NONE.flags.writeable = False

_MOST_HEADINGS: Final = 50  # headings in which the name is looked for
_HEADINGS: Final = tags.numbers("h1 h2 h3")  # numbers of the tags of headings that may show a product's name
_H1: Final = tags.IDS["h1"]
_WORD: Final = re.compile(r"\w+")  # a word of a name

# Least share of a heading's words that a product's name has, for a heading that shortens the name.
_WORDS_SHARED: Final = 0.7


class Offer(NamedTuple):
    """The segments that show the product that a page is about.

    ``stated``: numbers of segments, ascending: those of the elements that microdata or RDFa name, and those
        that repeat the name, a price, a product number or the brand of the page's product; of each value the
        places nearest to the name. Empty if the page has no product data, or is about several products.
    ``shown``: if no price is among them, the prices that the page shows as its own
        (:mod:`detemplate.page.shownprices`).
    """

    stated: Numbers
    shown: Numbers


def own_offer(page: Page, titles: list[int]) -> Offer:
    """Find the segments that show the product that a page is about.

    ``page``: the page.
    ``titles``: the segments that show its title: see :attr:`~detemplate.Page.title_segments`.
    """
    if not len(page.segments):
        return Offer(_NONE, _NONE)
    data = product_data(page)
    found: set[int] = set()
    priced = data is not None and _find_values(page, data, titles, found)
    shown = [] if priced else [number for number in shown_prices(page, titles) if number not in found]
    return Offer(_numbers(sorted(found)), _numbers(shown))


def _numbers(found: list[int]) -> Numbers:
    return np.array(found, np.intp) if found else _NONE


def _find_values(page: Page, data: ProductData, titles: list[int], found: set[int]) -> bool:
    """Add the segments that show what the data say; tell whether a price is among them."""
    for row in data.rows:
        inside = page.segments_in(row)
        if len(inside) <= MOST_INSIDE:
            found.update(inside)
    marked = frozenset(found)
    names = _names(page, data)
    found.update(names)
    # Values are near the name, best near the one that is marked.
    places = [*(name for name in names if name in marked), *names, *sorted(marked)]
    anchor = next(iter(places or titles or _first_heading(page)), None)

    def add(texts: OfferTexts, ranges: list[Range]) -> bool:
        nearest = texts.nearest(ranges)
        if marked.isdisjoint(nearest):
            found.update(nearest)
        return bool(nearest)

    def add_prices(texts: OfferTexts) -> bool:
        added = [add(texts, ranges) for ranges in texts.prices(data.prices)]
        return any(added)

    near = OfferTexts(page, anchor, data, REACH)
    priced = add_prices(near)
    lacking = [code for code in data.codes if not add(near, near.code(code))]
    for brand in data.brands:
        add(near, near.brand(brand))
    if (lacking or not priced) and len(near.texts) < len(page.segments):
        far = OfferTexts(page, anchor, data, FAR)
        for code in lacking:
            add(far, far.code(code))
        priced = priced or add_prices(far)
    return priced


def _names(page: Page, data: ProductData) -> list[int]:
    """Give the segments that show the product's name; those in headings first, at most two."""
    columns, rows = page.columns, page.segments
    written = [escape(name, quote=False).replace("\xa0", "&nbsp;").encode() for name in data.names]
    found = np.flatnonzero(np.isin(columns.content[rows], [xxhash.xxh64_intdigest(name) for name in written]))
    headings = np.isin(columns.tag, list(_HEADINGS)).nonzero()[0]
    reach = np.append(np.maximum.accumulate(columns.end[headings]), 0)
    in_heading = rows[found] < reach[np.searchsorted(headings, rows[found]) - 1]
    if not in_heading.any():
        # A heading may be written in other case, in pieces, or shorter than the name.
        wanted = {name.casefold() for name in data.names}
        words = set(_WORD.findall(" ".join(wanted)))
        shorter: list[int] = []
        for row in headings[:_MOST_HEADINGS].tolist():
            inside = page.segments_in(row)
            if 0 < len(inside) <= MOST_INSIDE:
                heading = " ".join(page.segment_text(number).casefold() for number in inside)
                if heading in wanted:
                    return list(inside)
                own = set(_WORD.findall(heading)) if not shorter and columns.tag[row] == _H1 else set()
                if len(own) > 1 and len(own & words) >= _WORDS_SHARED * len(own):
                    shorter = list(inside)
        if shorter:
            return shorter
    order = np.argsort(~in_heading, kind="stable")
    return [int(number) for number in found[order][:PLACES]]


def _first_heading(page: Page) -> list[int]:
    """Give the first segment of the first ``h1`` that has any."""
    for row in page.landmarks.get(_H1, ())[:_MOST_HEADINGS]:
        inside = page.segments_in(row)
        if inside:
            return [inside[0]]
    return []
