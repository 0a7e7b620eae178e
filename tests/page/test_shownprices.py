"""Prices that a page shows as its own, where no data name them."""

import pytest

from detemplate.page.page import Page
from detemplate.page.shownprices import shown_prices

OTHERS = "<ul>" + "<li><b>Blue chair</b><span class=price>$77.00</span></li>" * 5 + "</ul>"


def found(body, title="Red chair | Shop"):
    page = Page("http://e.org/red-chair", f"<title>{title}</title><body>{body}")
    return [page.segment_text(number) for number in shown_prices(page, page.title_segments)]


@pytest.mark.parametrize("price", [
    "$9", "$9.99", "US $9.99", "$ 1,299.00", "1.299,00 €", "EUR 12,-", "£5", "¥1,200", "1,200円", "99 kr", "99 kr.", "1 299,00 zł",
    "Kč 99", "99,90 Kč", "500 руб.", "₹1,29,900", "R$ 1.299,90", "CHF 12.50", "12.50 CHF", "$9.99 USD", "12\xa0€", "3500 元",
])  # fmt: skip
def test_what_a_price_is(price):
    """Its label marks it."""
    assert found(f"<h1>Red chair</h1><dl><dt>Price:</dt><dd>{price}</dd></dl>") == [price]


@pytest.mark.parametrize(
    "text", ["9.99", "May 5", "5 stars", "$", "p. 12", "12 km", "$9.99 and more", "call 555-1234"]
)
def test_what_is_no_price(text):
    assert found(f"<h1>Red chair</h1><dl><dt>Price:</dt><dd>{text}</dd></dl>") == []


@pytest.mark.parametrize(("body", "wanted"), [
    ("<p>$9.99</p>", []),
    ("<p>Price:</p><p>$9.99</p>", ["$9.99"]),
    ("<p><b>Price:</b> <i>$9.99</i></p>", ["Price:", "$9.99"]),
    ("<p>Our price: $9.99</p>", ["Our price: $9.99"]),
    ("<p>Unser Preis</p><p>9,99 €</p>", ["9,99 €"]),
    ("<p>Weight</p><p>$9.99</p>", []),
    ("<p class=product-price>$9.99</p>", ["$9.99"]),
    ("<div id=price><p><b>$9.99</b></p></div>", ["$9.99"]),
    ("<div id=price><p><i><u><b>$9.99</b></u></i></p></div>", []),
    ("<p>$9.99</p><button>Add to cart</button>", ["$9.99"]),
    ("<p>$9.99</p><p>In stock</p><a href=b>In den Warenkorb</a>", ["$9.99"]),
    ("<p>$9.99</p><p>Add to cart what you like</p>", []),
    ("<a href=x>Price: $9.99</a>", []),
    ("<p>Price: <b>$</b><b>9</b><b>.</b><b>99</b></p>", ["Price:", "$", "9", ".", "99"]),
    ("<p>List price: $19.99</p><p>Price: $9.99</p>", ["List price: $19.99", "Price: $9.99"]),
    ("<p>Price: $9.99</p>" + "<p>word</p>" * 9 + "<p>Price: $19.99</p>", ["Price: $9.99"]),
    ("<p>Price: $1</p><i>Price: $2</i><b>Price: $3</b><u>Price: $4</u>", ["Price: $1", "Price: $2", "Price: $3"]),
    ("<p>Price: $9.99</p>" * 4, []),
    (OTHERS, []),
    (f"{OTHERS}<div class=price>$9.99</div>", ["$9.99"]),
    ("<p>word</p>" * 160 + "<p>Price: $9.99</p>", []),
])  # fmt: skip
def test_which_price_is_the_pages_own(body, wanted):
    assert found(f"<h1>Red chair</h1>{body}") == wanted


def test_prices_stand_behind_the_title():
    price, words = "<p>Price: $9.99</p>", "<p>word</p>"
    assert found(f"{price}{words * 5}<h1>Red chair</h1>") == ["Price: $9.99"]
    assert found(f"{price}{words * 20}<h1>Red chair</h1>") == []
    assert found(f"<p>Red chair</p>{words * 155}<h1>Red chair</h1>{price}") == ["Price: $9.99"]
    assert found(f"<h1>Oak</h1>{price}", title="Shop") == ["Price: $9.99"]
    assert found(f"<p>Oak</p>{price}", title="Shop") == []
