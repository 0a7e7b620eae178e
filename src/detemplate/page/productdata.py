"""Reads what a page's own product data say: JSON-LD, microdata or RDFa of schema.org, and Open Graph tags.

Pages with many products (lists, related products) have data of all of them. Only a product that the page is
about is read: the only one at the top of the data, or the one whose name or URL is the page's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.page import tags
from detemplate.page.jsonld import at_top, linked_texts, loaded
from detemplate.page.productmarkup import marked_products, tagged_products
from detemplate.page.productrecord import KINDS, MOST, TYPES, ProductData

if TYPE_CHECKING:
    from detemplate.page.page import Page

_TYPE_ENDS: Final = tuple(name.encode() + b'"' for name in sorted(TYPES))  # the ends of these types in JSON

# Properties that lead from a product to its offers.
_PART_KEYS: Final = ("offers", "priceSpecification", "hasVariant")

_H1: Final = tags.IDS["h1"]


def product_data(page: Page) -> ProductData | None:
    """Read the data of the product that a page is about.

    Returns: None if there are no data, or if they are of several products and none of them is the page's.
    """
    found = ProductData()
    for products in (_linked(page), marked_products(page), tagged_products(page)):
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
    for row in page.landmarks.get(_H1, ())[:MOST]:
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


def _linked(page: Page) -> list[ProductData]:
    """Read the products of JSON-LD."""
    products: list[ProductData] = []
    for written in linked_texts(page):
        if any(name in written for name in _TYPE_ENDS):
            products += map(_described, at_top(loaded(written.decode()), TYPES))
    return products


def _described(product: dict[str, Any]) -> ProductData:
    """Read one product of JSON-LD, with its offers and variants."""
    found = ProductData()
    pending: list[tuple[Any, bool]] = [(product, True)]
    steps = 0
    while pending and steps < 50 * MOST:
        item, itself = pending.pop(0)
        steps += 1
        if isinstance(item, list):
            pending += [(each, False) for each in item[: 10 * MOST]]
        if not isinstance(item, dict):
            continue
        for key, kind in KINDS.items():
            value = item.get(key)
            if kind in ("names", "urls", "brands") and not itself:
                continue
            for each in value[:MOST] if isinstance(value, list) else [value]:
                inner = "name" if kind == "brands" else "value"
                found.add(kind, each.get(inner) if isinstance(each, dict) else each)
        pending += [(item[key], False) for key in _PART_KEYS if key in item]
    return found
