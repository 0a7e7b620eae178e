"""Reads what a page's own product data say: JSON-LD, microdata or RDFa of schema.org, and Open Graph tags.

Pages with many products (lists, related products) have data of all of them. Only a product that the page is
about is read: the only one at the top of the data, or the one whose name or URL is the page's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.columns import CODE, ELEMENT
from detemplate.page.jsonld import linked_items
from detemplate.page.whitespace import collapse

if TYPE_CHECKING:
    from detemplate.page.page import Page

_MOST: Final = 12  # values of one kind that are read, and products that are compared

_LONGEST_VALUE: Final = 300  # characters of a value; longer ones are ignored

# Types of schema.org that are products.
_TYPES: Final = frozenset(
    ("Product", "IndividualProduct", "ProductGroup", "ProductModel", "SomeProducts", "Vehicle", "Car")
)

# Properties of schema.org, and the fields that hold their values.
_KINDS: Final = {
    "name": "names",
    **dict.fromkeys(("price", "lowPrice", "highPrice"), "prices"),
    **dict.fromkeys(("sku", "mpn", "productID", "identifier"), "codes"),
    **dict.fromkeys(("gtin", "gtin8", "gtin12", "gtin13", "gtin14"), "codes"),
    "brand": "brands",
    "priceCurrency": "currencies",
    **dict.fromkeys(("url", "@id"), "urls"),
}

# Properties that lead from a product to its offers.
_PART_KEYS: Final = ("offers", "priceSpecification", "hasVariant")

_H1: Final = tags.IDS["h1"]
_META: Final = tags.IDS["meta"]

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
_OPEN_GRAPH: Final = re.compile(rb'\s(?:property|name)="((?:product|og):[^"]*)"')

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


@dataclass(slots=True)
class ProductData:
    """What data say about one product.

    ``names``, ``prices``, ``codes``, ``brands``, ``currencies``, ``urls``: values as written; at most 12 of
        each. Codes are SKU, GTIN, MPN and product numbers.
    ``rows``: rows of the elements that show values, as microdata or RDFa say.
    """

    names: list[str] = field(default_factory=list)
    prices: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    brands: list[str] = field(default_factory=list)
    currencies: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    def add(self, kind: str, value: object) -> None:
        """Add a value to a field, if it is a short text that is not there yet."""
        if not isinstance(value, str) or len(value) > _LONGEST_VALUE:
            return
        values: list[str] = getattr(self, kind)
        text = collapse(unescape(value).encode(errors="replace").decode())
        if text and len(values) < _MOST and text not in values:
            values.append(text)

    def join(self, other: ProductData) -> None:
        """Add all that another record of this product says."""
        for kind in (*set(_KINDS.values()), "rows"):
            values = getattr(self, kind)
            values += [value for value in getattr(other, kind) if value not in values]


def product_data(page: Page) -> ProductData | None:
    """Read the data of the product that a page is about.

    Returns: None if there are no data, or if they are of several products and none of them is the page's.
    """
    found = ProductData()
    linked = [_described(item) for item in linked_items(page.linked, _TYPES)]
    for products in (linked, marked_products(page), tagged_products(page)):
        own = _own(page, products, found.names)
        if own is not None:
            found.join(own)
    return found if found.prices or found.codes or found.rows else None


def _own(page: Page, products: list[ProductData], names: list[str]) -> ProductData | None:
    """Choose the product that the page is about."""
    if len(products) <= 1:
        return products[0] if products else None
    title = page.title.casefold()
    headings = {name.casefold() for name in names}
    for row in page.landmarks.get(_H1, ())[:_MOST]:
        pieces = [page.segment_text(number) for number in page.segments_in(row)[:8]]
        headings.add(" ".join(pieces).casefold())
    address = page.url.split("#")[0].rstrip("/")
    ways = (
        [any(name.casefold() in headings for name in one.names) for one in products],
        [any(address == url.split("#")[0].rstrip("/") for url in one.urls if "/" in url) for one in products],
        [any(len(name) > 3 and title.startswith(name.casefold()) for name in one.names) for one in products],
    )
    for fits in ways:
        fitting = [one for one, fit in zip(products, fits, strict=True) if fit]
        if fitting and all(one.names == fitting[0].names for one in fitting):
            for other in fitting[1:]:
                fitting[0].join(other)
            return fitting[0]
    return None


def _described(product: dict[str, Any]) -> ProductData:
    """Read one product of JSON-LD, with its offers and variants."""
    found = ProductData()
    pending: list[tuple[Any, bool]] = [(product, True)]
    steps = 0
    while pending and steps < 50 * _MOST:
        item, itself = pending.pop(0)
        steps += 1
        if isinstance(item, list):
            pending += [(each, False) for each in item[: 10 * _MOST]]
        if not isinstance(item, dict):
            continue
        for key, kind in _KINDS.items():
            value = item.get(key)
            if kind in ("names", "urls", "brands") and not itself:
                continue
            for each in value[:_MOST] if isinstance(value, list) else [value]:
                inner = "name" if kind == "brands" else "value"
                found.add(kind, each.get(inner) if isinstance(each, dict) else each)
        pending += [(item[key], False) for key in _PART_KEYS if key in item]
    return found


def tagged_products(page: Page) -> list[ProductData]:
    """Read the product of Open Graph tags."""
    start, stop = page.columns.start.data, page.columns.stop.data
    found = ProductData()
    for row in page.landmarks.get(_META, ())[: 50 * _MOST]:
        tag = page.canonical[start[row] : stop[row]]
        if b"product:" in tag or b'"og:price' in tag:
            named, content = _OPEN_GRAPH.search(tag), _CONTENT.search(tag)
            if named and content and named[1] in _META_KINDS:
                found.add(_META_KINDS[named[1]], content[1].decode())
    return [found] if found.prices else []


def marked_products(page: Page) -> list[ProductData]:
    """Read the products of microdata and RDFa, outside of one another."""
    columns, canonical = page.columns, page.canonical
    if canonical.find(b'Product"') < 0:  # most pages
        return []
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
        if kind in _TYPES and not items and len(products) < 2 * _MOST:
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
    kind = _KINDS.get(prop, "")
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
    if inside and len(about.rows) < 2 * _MOST and kind not in ("urls", "currencies"):
        about.rows.append(row)
