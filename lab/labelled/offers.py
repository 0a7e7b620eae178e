"""The price and the SKU of a product page: stated in its machine-readable data, and shown in its text."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import turbohtml

from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator

_META: Final = 'meta[property="product:price:amount"], meta[property="og:price:amount"]'
"""CSS selector of the elements that state a price for link previews."""
_OTHERS: Final = frozenset({"isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "itemListElement"})
"""Properties whose values are other products."""
_NUMBER: Final = re.compile(r"([0-9](?:[.,'’\s]?[0-9])*?)(?:[.,]([0-9]{1,2}|[0-9]{4,}))?(?![.,'’\s]?[0-9])")
"""A number: its whole part, maybe with separators, and its decimals."""
_FEWEST_DIGITS: Final = 3
"""Least digits of a shown price: shorter numbers occur anywhere."""
_FEWEST_CHARACTERS: Final = 4
"""Least letters and digits of a SKU."""


def shown_price(html: str, text: str) -> str | None:
    """Find the price of a page's product as its text has it.

    Stated prices are tried in this order: JSON-LD, microdata, meta elements. The first that is shown counts.

    Parameters
    ----------
    html
        Markup of the page.
    text
        Its visible text.

    Returns
    -------
    str or None
        The price as shown, without currency, for example ``1.299,00``; None where no price is stated, none of
        the stated ones is shown, or the shown one has fewer than three digits.
    """
    document = turbohtml.parse(html)
    meta = (element.attr("content") for element in document.select(_META))
    for stated in chain(_stated(document, "price", "lowPrice"), meta):
        amount = parse_amount(str(stated))
        shown = find_amount(amount, text) if amount is not None else None
        if shown and sum(character.isdigit() for character in shown) >= _FEWEST_DIGITS:
            return shown
    return None


def shown_sku(html: str, text: str) -> str | None:
    """Find the SKU of a page's product, or of the first of its offers that shows one.

    Parameters
    ----------
    html
        Markup of the page.
    text
        Its visible text.

    Returns
    -------
    str or None
        The SKU; None where none is stated, or none of those with a digit and four characters is shown.
    """
    for sku in map(str, _stated(turbohtml.parse(html), "sku")):
        parts = words(sku)
        if len("".join(parts)) >= _FEWEST_CHARACTERS and any(map(str.isdigit, sku)):
            found = _find_words(parts, text)
            if found:
                return found
    return None


def parse_amount(stated: str) -> Decimal | None:
    """Parse a stated price.

    The last separator is the decimal one, unless three digits follow it: ``1,299.00``, ``1.299,00`` and
    ``$1299`` are the same.

    Parameters
    ----------
    stated
        A number, maybe with a currency and separators of thousands.

    Returns
    -------
    decimal.Decimal or None
        The amount, above 0; None where there is no number or it is 0.
    """
    number = _NUMBER.search(stated)
    if not number:
        return None
    whole, part = number.groups()
    amount = Decimal(f"{re.sub('[^0-9]', '', whole)}.{part or 0}")
    return amount if amount > 0 else None


def find_amount(amount: Decimal, text: str) -> str | None:
    """Find an amount in a text, with or without separators of thousands; cents may be left out if they are 0.

    Parameters
    ----------
    amount
        The amount.
    text
        Any text.

    Returns
    -------
    str or None
        The first place where it is written in full, else the first where it is written without cents.

    Examples
    --------
    >>> find_amount(Decimal("1299"), "was $1,499.00, now $1,299.00")
    '1,299.00'
    """
    whole, cents = divmod(int((amount * 100).to_integral_value()), 100)
    groups = [f"{whole:,}".split(","), [str(whole)]]
    spelled = [[*group, f"{cents:02}"] for group in groups]
    if cents % 10 == 0 and cents:
        spelled += [[*group, str(cents // 10)] for group in groups]
    if not cents:
        spelled += groups
    return next(filter(None, (_find_words(parts, text) for parts in spelled)), None)


def _find_words(parts: list[str], text: str) -> str | None:
    """Find words that are separated by one or two characters that are none."""
    pattern = r"\W{1,2}".join(map(re.escape, parts))
    found = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
    return found[0] if found else None


def _stated(document: turbohtml.Document, *names: str) -> Iterator[object]:
    """Give the values of properties of a page's product, of its offers and variants, outer ones first."""
    for node in _nodes(_product(document)):
        for name in names:
            value = node.get(name)
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str | int | float):
                    yield one


def _product(document: turbohtml.Document) -> object:
    """Find what a page states about its product: the first in JSON-LD, else the only one in microdata."""
    first = next(filter(_is_product, _nodes(document.json_ld())), None)
    if first:
        return first
    items = [_record(json.loads(item.json())) for item in document.microdata()]
    found = [item for item in items if _is_product(item)]
    return found[0] if len(found) == 1 else None


def _is_product(node: object) -> bool:
    return isinstance(node, dict) and "Product" in str(node.get("@type"))


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    """Give all objects in a JSON value, outer ones first, without those of other products."""
    if isinstance(value, list):
        for one in value:
            yield from _nodes(one)
    elif isinstance(value, dict):
        yield value
        for name, one in value.items():
            if name not in _OTHERS:
                yield from _nodes(one)


def _record(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Convert a microdata item to the form of JSON-LD."""
    if not isinstance(value, dict):
        return value
    properties = {name: [_record(one) for one in values] for name, values in value["properties"].items()}
    return {"@type": value.get("type"), **properties}
