"""What of a page may be about products: fast tests before it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.page import _productsigns, tags
from detemplate.page.columns import CODE

if TYPE_CHECKING:
    from detemplate.page.page import Page

TINY: Final = 5
"""Bytes of a text that may be the name of a currency."""

_META: Final = tags.IDS["meta"]


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
    columns = page.columns
    found: bool = _productsigns.product_signs(
        page.canonical, columns.kind, columns.tag, columns.start, columns.stop, CODE, _META
    )
    return found


def price_signs(page: Page, first: int, behind: int, longest: int, currencies: Currencies) -> list[int]:
    """List the segments that may be prices, or pieces of them.

    ``first``, ``behind``: numbers of the first segment that is looked at, and of the one behind the last.
    ``longest``: maximum characters of a segment.
    ``currencies``: how currencies are written. A name is a whole run of ASCII letters, in any case, and of
        bytes beyond ASCII.
    Returns: numbers of the segments of at most ``longest`` characters that have a digit or a byte with which
        the sign of a currency begins, or at most :data:`TINY` bytes; ascending. Empty if none of them has the
        sign or the name of a currency.
    """
    columns = page.columns
    found: list[int] = _productsigns.price_signs(
        page.canonical,
        columns.start,
        columns.stop,
        columns.chars,
        columns.segments,
        first,
        behind,
        longest,
        TINY,
        *currencies,
    )
    return found
