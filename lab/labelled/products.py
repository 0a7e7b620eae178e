"""Product pages whose price and SKU are known: taken from other labelled sets as they are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lab.labelled.metrics import visible_text
from lab.labelled.offers import shown_price, shown_sku
from lab.labelled.pages import Gold, LabelledSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.labelled.pages import LabelledPage

MIXED: Final = "wcxb-dev"
"""Set of pages of many sites; those of type ``product`` are taken."""
ATTRIBUTES: Final = ("swde-22", "swde-booksamillion")
"""Sets of pages with attributes; those with a price are taken."""


@dataclass(frozen=True, slots=True)
class ProductSet(LabelledSet):
    """Product pages with their price and SKU, derived from the sets beside its folder.

    A page of :data:`MIXED` counts if it shows the price or the SKU that its machine-readable data state; they
    are its values. A page of :data:`ATTRIBUTES` counts if it has a price; it keeps all its values.

    Parameters are those of :class:`~lab.labelled.pages.LabelledSet`.
    """

    def pages(self) -> Iterator[LabelledPage]:
        """Read the product pages of all sets; see :meth:`LabelledSet.pages`."""
        data = self.folder.parent
        for page in LabelledSet(MIXED, "text", data / MIXED).pages():
            if page.type == "product" and (product := _with_values(page)):
                yield product
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


def _with_values(page: LabelledPage) -> LabelledPage | None:
    text = visible_text(page.html)
    price, sku = shown_price(page.html, text), shown_sku(page.html, text)
    values = tuple(filter(None, (price, sku)))
    if not values:
        return None
    gold = Gold(values=values, price=tuple(filter(None, (price,))), sku=tuple(filter(None, (sku,))))
    return replace(page, id=f"{MIXED}/{page.id}", gold=gold)
