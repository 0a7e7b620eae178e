"""Product pages whose price and SKU are known: stated in machine-readable data, and shown in the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import turbohtml

from lab.labelled.metrics import visible_text
from lab.labelled.pages import Gold, LabelledSet
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.labelled.pages import LabelledPage

MIXED: Final = "wcxb-dev"  # set of pages of many sites; those of type ``product`` are taken
ATTRIBUTES: Final = ("swde-22", "swde-booksamillion")
"""Sets of pages with attributes; those with a price are taken."""
_META: Final = 'meta[property="product:price:amount"], meta[property="og:price:amount"]'
"""CSS selector of the elements that state a price for link previews."""
_OTHERS: Final = frozenset({"isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "itemListElement"})
"""Properties whose values are other products."""
_NUMBER: Final = re.compile(r"([0-9](?:[.,'’\s]?[0-9])*?)(?:[.,]([0-9]{1,2}|[0-9]{4,}))?(?![.,'’\s]?[0-9])")
"""A number: its whole part, maybe with separators, and its decimals."""
_FEWEST_DIGITS: Final = 3  # minimum digits of a shown price: shorter numbers occur anywhere
_FEWEST_CHARACTERS: Final = 4  # minimum letters and digits of a SKU


@dataclass(frozen=True, slots=True)
class ProductSet(LabelledSet):
    """Product pages with their price and SKU, derived from the sets beside its folder.

    A page of :data:`MIXED` counts if it shows the price or the SKU that its machine-readable data state; a
    page of :data:`ATTRIBUTES` if it has a price.
    """

    def pages(self) -> Iterator[LabelledPage]:
        """Read the product pages of all sets; see :meth:`LabelledSet.pages`."""
        data = self.folder.parent
        for page in LabelledSet(MIXED, "text", data / MIXED).pages():
            if page.type != "product":
                continue
            text = visible_text(page.html)
            found = [shown(page.html, text) for shown in (shown_price, shown_sku)]
            price, sku = (tuple(filter(None, (value,))) for value in found)
            if price or sku:
                gold = Gold(values=price + sku, price=price, sku=sku)
                yield replace(page, id=f"{MIXED}/{page.id}", gold=gold)
        for name in ATTRIBUTES:
            for page in LabelledSet(name, "values", data / name).pages():
                if page.gold and page.gold.price:
                    yield replace(page, id=f"{name}/{page.id}")

    def sites(self) -> Iterator[list[LabelledPage]]:
        """Read the product pages, and return them site by site; all are in memory."""
        by_site: dict[str, list[LabelledPage]] = {}
        for page in self.pages():
            by_site.setdefault(page.site, []).append(page)
        yield from by_site.values()

    def count_gold(self) -> int:
        """Count the product pages: each has gold."""
        return sum(1 for _ in self.pages())


def shown_price(html: str, text: str) -> str | None:
    """Find a product's price as its text has it: by JSON-LD, else microdata, else meta elements."""
    document = turbohtml.parse(html)
    meta = (element.attr("content") for element in document.select(_META))
    for stated in chain(_stated(document, "price", "lowPrice"), meta):
        amount = parse_amount(str(stated))
        shown = find_amount(amount, text) if amount is not None else None
        if shown and sum(character.isdigit() for character in shown) >= _FEWEST_DIGITS:
            return shown
    return None


def shown_sku(html: str, text: str) -> str | None:
    """Find the SKU of a page's product, or the first of its offers' SKUs, that the text shows."""
    for sku in map(str, _stated(turbohtml.parse(html), "sku")):
        parts = words(sku)
        proves = len("".join(parts)) >= _FEWEST_CHARACTERS and any(map(str.isdigit, sku))
        if proves and (found := _find_words(parts, text)):
            return found
    return None


def parse_amount(stated: str) -> Decimal | None:
    """Parse a stated price: ``1,299.00``, ``1.299,00`` and ``$1299`` are the same; None for none or 0."""
    number = _NUMBER.search(stated)
    if not number:
        return None
    whole, part = number.groups()
    amount = Decimal(f"{re.sub('[^0-9]', '', whole)}.{part or 0}")
    return amount if amount > 0 else None


def find_amount(amount: Decimal, text: str) -> str | None:
    """Find the first place where a text has an amount in full, else without cents where they are 0.

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
    """Yield the values of properties of a page's product, of its offers and variants, outer ones first."""
    for node in _nodes(_product(document)):
        for name in names:
            value = node.get(name)
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str | int | float):
                    yield one


def _product(document: turbohtml.Document) -> object:
    """Find what a page states about its product: the first in JSON-LD, else the only one in microdata."""
    for node in _nodes(document.json_ld()):
        if "Product" in str(node.get("@type")):
            return node
    items = [_record(json.loads(item.json())) for item in document.microdata()]
    found = [item for item in items if "Product" in str(item.get("@type"))]
    return found[0] if len(found) == 1 else None


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    """Yield all objects in a JSON value, outer ones first, without those of other products."""
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
