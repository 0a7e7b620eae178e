"""The record of a product: what machine-readable data of a page say about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import unescape
from typing import Final

from detemplate.page.whitespace import collapse

MOST: Final = 12
"""Values of one kind that are read, and products that are compared."""

_LONGEST_VALUE: Final = 300  # characters of a value; longer ones are ignored

TYPES: Final = frozenset(
    ("Product", "IndividualProduct", "ProductGroup", "ProductModel", "SomeProducts", "Vehicle", "Car")
)
"""Types of schema.org that are products."""

KINDS: Final = {
    "name": "names",
    **dict.fromkeys(("price", "lowPrice", "highPrice"), "prices"),
    **dict.fromkeys(("sku", "mpn", "productID", "identifier"), "codes"),
    **dict.fromkeys(("gtin", "gtin8", "gtin12", "gtin13", "gtin14"), "codes"),
    "brand": "brands",
    "priceCurrency": "currencies",
    **dict.fromkeys(("url", "@id"), "urls"),
}
"""Properties of schema.org, and the fields that hold their values."""


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
        if text and len(values) < MOST and text not in values:
            values.append(text)

    def join(self, other: ProductData) -> None:
        """Add all that another record of this product says."""
        for kind in (*set(KINDS.values()), "rows"):
            values = getattr(self, kind)
            values += [value for value in getattr(other, kind) if value not in values]
