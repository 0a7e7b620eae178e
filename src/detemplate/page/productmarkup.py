"""Reads products from the markup of a page: microdata or RDFa of schema.org, and Open Graph tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.columns import CODE, ELEMENT
from detemplate.page.productrecord import KINDS, MOST, TYPES, ProductData

if TYPE_CHECKING:
    from detemplate.page.page import Page

# Types of schema.org that hold a product's price.
_OFFERS: Final = frozenset(
    (
        "Offer", "AggregateOffer", "OfferForPurchase", "PriceSpecification", "UnitPriceSpecification",
        "CompoundPriceSpecification",
    )
)  # fmt: skip

# Open Graph properties, and the fields that hold their values.
_META_KINDS: Final = {
    b"product:price:amount": "prices",
    b"product:sale_price:amount": "prices",
    b"product:original_price:amount": "prices",
    b"og:price:amount": "prices",
    b"product:price:currency": "currencies",
    b"og:price:currency": "currencies",
    b"product:retailer_item_id": "codes",
    b"product:retailer_part_no": "codes",
    b"product:mfr_part_no": "codes",
    b"product:ean": "codes",
    b"product:upc": "codes",
    b"product:isbn": "codes",
    b"product:brand": "brands",
}

# Attribute of a ``meta`` start tag; group 1 is an Open Graph property.
_META: Final = re.compile(rb'\s(?:property|name)="((?:product|og):[^"]*)"')

# Attribute ``content``; group 1 is its value, with entities.
_CONTENT: Final = re.compile(rb'\scontent="([^"]*)"')

# An attribute that begins an item of microdata or RDFa.
_ITEM: Final = re.compile(rb'\s(?:itemscope|typeof)="')

# The type of an item; group 1 is its name.
_ITEM_TYPE: Final = re.compile(rb'\s(?:itemtype="[^"]*schema\.org/|typeof="(?:[^"]*schema\.org/|\w+:)?)(\w+)')

# A property of microdata or RDFa; group 1 is its name.
_PROPERTY: Final = re.compile(rb'\s(?:itemprop|property)="(?:[\w:/.]*[/:])?(\w+)"')

# Attributes of microdata and RDFa.
_MARKS: Final = tuple(
    re.compile(name + rb'="') for name in (b"itemscope", b"typeof", b"itemprop", b"property")
)

_META_TAG: Final = tags.IDS["meta"]


def tagged_products(page: Page) -> list[ProductData]:
    """Read the product of Open Graph tags."""
    columns, canonical = page.columns, page.canonical
    found = ProductData()
    for row in page.landmarks.get(_META_TAG, ())[: 50 * MOST]:
        tag = canonical[columns.start[row] : columns.stop[row]]
        if b"product:" in tag or b'"og:price' in tag:
            named, content = _META.search(tag), _CONTENT.search(tag)
            if named and content and named[1] in _META_KINDS:
                found.add(_META_KINDS[named[1]], content[1].decode())
    return [found] if found.prices else []


def marked_products(page: Page) -> list[ProductData]:
    """Read the products of microdata and RDFa, outside of one another."""
    columns, canonical = page.columns, page.canonical
    code = np.flatnonzero(columns.kind == CODE)
    ranges = list(
        zip([0, *columns.stop[code].tolist()], [*columns.start[code].tolist(), len(canonical)], strict=True)
    )
    if not any(canonical.find(b'Product"', start, stop) >= 0 for start, stop in ranges):
        return []
    elements = np.flatnonzero(columns.kind == ELEMENT)
    starts = columns.start[elements]
    marks = [match.start() for pattern in _MARKS for match in pattern.finditer(canonical)]
    places = np.searchsorted(starts, np.array(sorted(marks), np.int64), side="right") - 1
    products: list[ProductData] = []
    # Open items: their last rows, and the product that they tell about, if they do.
    items: list[tuple[int, ProductData | None, str]] = []
    for row in elements[np.unique(places[places >= 0])].tolist():
        start = int(columns.start[row])
        tag = canonical[start : canonical.find(b">", start) + 1]
        while items and row >= items[-1][0]:
            items.pop()
        _, about, of = items[-1] if items else (0, None, "")
        named = _PROPERTY.search(tag)
        prop = named[1].decode() if named else ""
        if about is not None and prop:
            _read_property(page, row, "brand" if (of, prop) == ("brand", "name") else prop, of, about)
        if not _ITEM.search(tag):
            continue
        typed = _ITEM_TYPE.search(tag)
        kind = typed[1].decode() if typed else ""
        inner: ProductData | None = None
        if kind in TYPES and not items and len(products) < 2 * MOST:
            inner, of = ProductData(), "product"
            products.append(inner)
        elif about is not None and (kind in _OFFERS or prop == "brand"):
            inner, of = about, "brand" if prop == "brand" else "offer"
        elif not items and kind.endswith("Page"):
            continue  # the item of the page holds all others
        items.append((int(columns.end[row]), inner, of))
    return products


def _read_property(page: Page, row: int, prop: str, of: str, about: ProductData) -> None:
    """Read an element of a product's, an offer's or a brand's item that has a property."""
    kind = KINDS.get(prop, "")
    if not (kind or prop == "availability") or (kind in ("names", "urls") and of != "product"):
        return
    columns = page.columns
    start = int(columns.start[row])
    content = _CONTENT.search(page.canonical, start, page.canonical.find(b">", start))
    inside = page.segments_in(row)
    if content is not None and kind:
        about.add(kind, content[1].decode())
    elif kind and len(inside) == 1:
        about.add(kind, page.segment_text(inside[0]))
    if inside and len(about.rows) < 2 * MOST and kind not in ("urls", "currencies"):
        about.rows.append(row)
