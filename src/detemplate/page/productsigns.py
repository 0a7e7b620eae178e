"""What of a page may be about products: fast tests before it is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.page import tags
from detemplate.page.columns import CODE

if TYPE_CHECKING:
    from detemplate.page.page import Page

_TINY: Final = 5  # bytes of a text that may be the name of a currency
_META: Final = tags.IDS["meta"]
_LINKED: Final = (b"Product", b'Vehicle"', b'Car"')  # what JSON-LD of a product holds

# A digit, or a byte with which the sign of a currency begins.
_AMOUNT: Final = re.compile(rb"[0-9$\xc2\xe0\xef]|\xe2\x82")

_NAME: Final = re.compile(rb"[A-Za-z\x80-\xff]+")  # what may be the name of a currency


class Currencies(NamedTuple):
    """How currencies are written, in UTF-8."""

    signs: tuple[bytes, ...]
    """Signs, each of at least one byte."""
    names: frozenset[bytes]
    """Names, in lower case: letters from ``a`` to ``z``, and characters beyond ASCII."""


def product_signs(page: Page) -> bool:
    """Tell whether a page may have data of products.

    Returns: False only if :func:`~detemplate.page.productdata.product_data` finds nothing.
    """
    text, start, stop = page.canonical, page.columns.start.data, page.columns.stop.data
    for row in page.landmarks.get(_META, ()):
        if text.find(b'price:amount"', start[row], stop[row]) >= 0:
            return True
    at = 0
    for row in (page.columns.kind == CODE).nonzero()[0].tolist():
        if text.find(b'Product"', at, start[row]) >= 0:
            return True
        at = stop[row]
        linked = row and text.find(b"ld+json", start[row - 1], start[row]) >= 0
        if linked and any(text.find(name, start[row], at) >= 0 for name in _LINKED):
            return True
    return text.find(b'Product"', at) >= 0


def price_signs(page: Page, first: int, behind: int, longest: int, currencies: Currencies) -> list[int]:
    """List the segments that may be prices, or pieces of them.

    ``first``, ``behind``: numbers of the first segment that is looked at, and of the one behind the last.
    ``longest``: maximum characters of a segment.
    ``currencies``: how currencies are written. A name is a whole run of ASCII letters, in any case, and of
        bytes beyond ASCII.
    Returns: numbers of the segments of at most ``longest`` characters that have a digit or a byte with which
        the sign of a currency begins, or at most five bytes; ascending. Empty if none of them has the sign or
        the name of a currency.
    """
    columns, rows = page.columns, page.segments[first:behind]
    short = (columns.chars[rows] <= longest).nonzero()[0]
    ranges = zip(columns.start[rows[short]].tolist(), columns.stop[rows[short]].tolist(), strict=True)
    texts = [page.canonical[start:stop] for start, stop in ranges]
    likely = [len(text) <= _TINY or _AMOUNT.search(text) is not None for text in texts]
    shown = b" ".join([text for text, is_likely in zip(texts, likely, strict=True) if is_likely])
    if any(sign in shown for sign in currencies.signs) or not currencies.names.isdisjoint(
        _NAME.findall(shown.lower())
    ):
        return (first + short[likely]).tolist()
    return []
