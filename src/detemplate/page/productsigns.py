"""What of a page may be about products: fast tests before it is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.page import tags
from detemplate.page.columns import CODE

if TYPE_CHECKING:
    from detemplate.page.page import Page

TINY: Final = 5
"""Bytes of a text that may be the name of a currency."""

_META: Final = tags.IDS["meta"]
"""Number of tag ``meta``."""

_LINKED: Final = (b"Product", b'Vehicle"', b'Car"')
"""What JSON-LD with the type of a product holds."""

_PRICE: Final = re.compile(rb"[0-9$\xc2\xe0\xef]|\xe2\x82")
"""A digit, or the beginning of a currency's sign in UTF-8."""

_WORD: Final = re.compile(rb"[a-z\x80-\xff]+")
"""A word in UTF-8, in lower case."""


class Currencies(NamedTuple):
    """How currencies are written, in UTF-8."""

    signs: tuple[bytes, ...]
    """Signs, each of at least one byte."""
    names: frozenset[bytes]
    """Names, in lower case: letters from ``a`` to ``z``, and characters beyond ASCII."""


def product_signs(page: Page) -> bool:
    """Tell whether a page may have data of products.

    Parameters
    ----------
    page
        The page.

    Returns
    -------
    bool
        False only if :func:`~detemplate.page.productdata.product_data` finds nothing.
    """
    canonical, columns = page.canonical, page.columns

    def holds(needle: bytes, start: int, stop: int) -> bool:
        return canonical.find(needle, start, stop) >= 0

    at = 0  # behind the last code
    for row in ((columns.kind == CODE) | (columns.tag == _META)).nonzero()[0].tolist():
        start, stop = int(columns.start[row]), int(columns.stop[row])
        if columns.kind[row] != CODE:
            if holds(b'price:amount"', start, stop):
                return True
            continue
        if holds(b'Product"', at, start):
            return True
        linked = row and holds(b"ld+json", int(columns.start[row - 1]), start)
        if linked and any(holds(needle, start, stop) for needle in _LINKED):
            return True
        at = stop
    return holds(b'Product"', at, len(canonical))


def price_signs(page: Page, first: int, behind: int, longest: int, currencies: Currencies) -> list[int]:
    """List the segments that may be prices, or pieces of them.

    Parameters
    ----------
    page
        The page.
    first, behind
        Numbers of the first segment that is looked at, and of the one behind the last.
    longest
        Maximum characters of a segment.
    currencies
        How currencies are written. A name is a whole run of ASCII letters, in any case, and of bytes beyond
        ASCII.

    Returns
    -------
    list of int
        Numbers of the segments of at most ``longest`` characters that have a digit or a byte with which the
        sign of a currency begins, or at most :data:`TINY` bytes; ascending. Empty if none of them has the
        sign or the name of a currency.
    """
    columns = page.columns
    rows = columns.segments[first:behind]
    numbers = (columns.chars[rows] <= longest).nonzero()[0]
    rows = rows[numbers]
    starts, stops = columns.start[rows].tolist(), columns.stop[rows].tolist()
    found, texts = [], []
    for number, start, stop in zip((numbers + first).tolist(), starts, stops, strict=True):
        text = page.canonical[start:stop]
        if len(text) <= TINY or _PRICE.search(text):
            found.append(number)
            texts.append(text)
    return found if any(_has_currency(text, currencies) for text in texts) else []


def _has_currency(text: bytes, currencies: Currencies) -> bool:
    if any(sign in text for sign in currencies.signs):
        return True
    return not currencies.names.isdisjoint(_WORD.findall(text.lower()))
