"""Product pages: what is stated, what is shown, and the set that is made of them."""

from decimal import Decimal

import pytest

from lab.labelled.datasets import load_sets
from lab.labelled.products import parse_amount, shown_price
from tests.support.made_sets import page, product, write_set


@pytest.mark.parametrize(
    ("stated", "amount"),
    [
        ("1299", "1299"),
        ("0,99 €", "0.99"),
        ("EUR 94.9", "94.9"),
        ("65.833332", "65.833332"),
        ("", None),
        ("0", None),
    ],
)
def test_stated_prices(stated, amount):
    assert parse_amount(stated) == (amount and Decimal(amount))


@pytest.mark.parametrize(
    "markup",
    [
        '<script type="application/ld+json">{"@graph": [{"@type": "Product", "offers": [{"price": 49.5}]}]}</script>',
        '<script type="application/ld+json">{"@type": ["Product"], "offers": {"@type": "AggregateOffer", '
        '"lowPrice": "49.50"}}</script>',
        '<div itemscope itemtype="https://schema.org/Product"><div itemprop="offers" itemscope>'
        '<meta itemprop="price" content="49.50"></div></div>',
        '<meta property="product:price:amount" content="49,50">',
    ],
)
def test_prices_are_stated_in_several_ways(markup):
    assert shown_price(f"<html>{markup}<p>49,50 €", "49,50 €") == "49,50"
    assert shown_price(f"<html>{markup}<p>sold out", "sold out") is None


def test_the_set(labelled_data):
    pages = [
        product(0, "d", {"sku": "AB-12", "offers": {"price": "1299"}}, "AB-12 for $1,299.00"),
        product(1, "d", {"offers": {"price": "1299"}}, "sold out"),
        product(2, "e", {"offers": {"price": "12.50"}}, "$12.50"),
        page(3, "e", "no product"),
    ]
    types = ["product", "product", "article", "product"]
    gold = [{"id": str(n), "type": name, "text": "x"} for n, name in enumerate(types)]
    write_set(labelled_data / "wcxb-dev", pages, gold)
    [labelled] = load_sets(["products"], labelled_data)
    found = {page.id: page.gold for page in labelled.pages()}
    assert list(found) == ["wcxb-dev/0", "swde-22/0", "swde-booksamillion/0"]
    first, second = found["wcxb-dev/0"], found["swde-22/0"]
    assert first
    assert (first.values, first.price, first.sku) == (("1,299.00", "AB-12"), ("1,299.00",), ("AB-12",))
    assert second
    assert (second.values, second.price, second.sku) == (("One Two", "$5"), ("$5",), ())
    assert [[page.id for page in site] for site in labelled.sites()] == [["wcxb-dev/0"], list(found)[1:]]
    assert labelled.count_gold() == 3
