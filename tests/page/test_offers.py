import json

import pytest

from detemplate.page.offers import own_offer
from detemplate.page.page import Page

OFFER = {"@type": "Offer", "price": "1299.00", "priceCurrency": "USD"}
PRODUCT = {
    "@context": "https://schema.org/", "@type": "Product", "name": "Red chair", "sku": "AB-123", "offers": OFFER,
    "brand": {"@type": "Brand", "name": "Acme"},
}  # fmt: skip
RELATED = "<h3>Others</h3>" + "<div><h4>Blue chair</h4><p>$77.00</p></div>" * 3


def linked(data):
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def page(body, data=None, head="", title="Red chair | Shop"):
    script = "" if data is None else linked(data)
    return Page("http://e.org/red-chair", f"<title>{title}</title>{head}{script}<body>{body}")


def stated(given):
    return own_offer(given, given.title_segments).stated


def shown(given):
    return [given.segment_text(number) for number in own_offer(given, given.title_segments).shown.tolist()]


def found(given):
    return [given.segment_text(number) for number in stated(given).tolist()]


def offered(price, shown, currency="USD"):
    offer = {**OFFER, "price": price, "priceCurrency": currency}
    return found(page(f"<h1>Red chair</h1>{shown}{RELATED}", {**PRODUCT, "offers": offer}))[1:]


def test_name_price_code_and_brand():
    body = f"<nav>Home</nav><h1>Red chair</h1><p>Acme</p><p>$1,299.00</p><p>SKU: AB-123</p><p>A chair.</p>{RELATED}"
    assert found(page(body, PRODUCT)) == ["Red chair", "Acme", "$1,299.00", "SKU: AB-123"]
    assert found(page(body)) == []


@pytest.mark.parametrize("data", [
    [PRODUCT], {"@graph": [{"@type": "WebSite", "name": "Shop"}, PRODUCT]}, {"@type": "ItemPage", "mainEntity": PRODUCT},
    {**PRODUCT, "@type": ["Thing", "Product"]}, {**PRODUCT, "@type": "http://schema.org/Product"},
    {**PRODUCT, "offers": [OFFER]}, {**PRODUCT, "offers": {"@type": "AggregateOffer", "lowPrice": 1299, "highPrice": 1500}},
    {**PRODUCT, "offers": {"@type": "AggregateOffer", "offers": [OFFER, OFFER]}},
    {**PRODUCT, "offers": {"@type": "Offer", "priceSpecification": [{"price": 1299.0}]}},
    {"@type": "ProductGroup", "name": "Red chair", "hasVariant": [PRODUCT, PRODUCT]},
    [{"@type": "ItemList", "itemListElement": [{"@type": "Product", "name": "Blue chair", "offers": {"price": 77}}]}, PRODUCT],
    {**PRODUCT, "isRelatedTo": [{"@type": "Product", "name": "Blue chair", "offers": {"price": 77}}]},
    [{"@type": "Product", "name": "Blue chair", "offers": {"price": 77}}, PRODUCT],
], ids=range(13))  # fmt: skip
def test_shapes_of_data(data):
    given = page(f"<h1>Red chair</h1><p>1.299,00 €</p><p>AB-123</p>{RELATED}", data)
    assert found(given)[:2] == ["Red chair", "1.299,00 €"]
    assert "$77.00" not in found(given)


@pytest.mark.parametrize("data", [
    [{**PRODUCT, "name": "Blue chair"}, {**PRODUCT, "name": "Green chair"}],
    {"@type": "ItemList", "itemListElement": [PRODUCT]},
    {"@type": "Article", "name": "Product"}, {"@type": "Product"}, {"@type": "Product", "name": "Red chair"},
], ids=range(5))  # fmt: skip
def test_lists_and_pages_without_an_offer(data):
    assert found(page(f"<h1>Red chair</h1><p>$1,299.00</p><p>AB-123</p>{RELATED}", data)) == []


@pytest.mark.parametrize(("price", "shown"), [
    ("1299.00", "$1299"), ("1299.00", "$1,299.00"), ("1299.00", "1.299,00 €"), ("1299", "1 299 zł"), ("1299.00", "1\xa0299,-"),
    ("1299.00", "US$ 1'299.00"), ("129900.00", "₹1,29,900"), ("1299.5", "1299,50 kr"), ("12.99", "Now 12.99 only"),
    ("1,299.00", "$1,299"), ("1.299,00", "$1,299"), ("12,99", "12.99"), ("$12.99", "$12.99"), ("12.9", "12,90 €"), ("0.5", "€0.50"),
    ("2500000", "2.500.000 ₫"), ("1,299", "$1,299"), ("10", "USD 10"), ("10", "$10"),
])  # fmt: skip
def test_prices_as_shown(price, shown):
    assert offered(price, f"<p>{shown}</p>") == [shown]


@pytest.mark.parametrize(("price", "shown"), [
    ("12.99", "$112.99"), ("12.99", "$12.991"), ("12.99", "$12.9"), ("12.99", "$12"), ("10", "10"), ("10", "Page 10 of 20"),
    ("299", "$1,299"), ("1", "$1,299"), ("99", "$12.99"), ("0", "$0"), ("", "$5"), ("free", "$5"), ("1299", "$1,299.50"),
    ("299", "in a long text that goes on about 299 and other things, as such texts do, for more than a line: $299"),
])  # fmt: skip
def test_what_is_no_place_of_a_price(price, shown):
    assert offered(price, f"<p>{shown}</p>") == []


@pytest.mark.parametrize(("shown", "pieces"), [
    ("<span>$</span><span>12</span><sup>99</sup>", ["$", "12", "99"]),
    ("<span>$</span><b>12</b><i>.</i><sup>99</sup>", ["$", "12", ".", "99"]),
    ("<span>$12</span><sup>.99</sup>", ["$12", ".99"]),
    ("<b>12</b><sup>99</sup> <i>€</i>", ["12", "99", "€"]),
    ("<b>12,</b><sup>99</sup> <i>zł</i>", ["12,", "99", "zł"]),
    ("<b>12.99</b> <i>USD</i>", ["12.99", "USD"]),
    ("<b>Price:</b> <i>$12.99</i>", ["Price:", "$12.99"]),
    ("<b>12.99</b> <i>per piece</i>", ["12.99"]),
])  # fmt: skip
def test_prices_in_pieces(shown, pieces):
    assert offered("12.99", f"<p>{shown}</p>") == pieces


def test_the_nearest_places_of_a_value():
    """Related products may have the same price."""
    others = "".join(f"<div><h4>Chair {number}</h4><p>$1,299.00</p></div>" for number in range(40))
    given = page(f"{others}<h1>Red chair</h1><p>$1,299.00</p><p>Words</p>{others}", PRODUCT)
    numbers = stated(given).tolist()
    assert [given.segment_text(number) for number in numbers] == ["$1,299.00", "Red chair", "$1,299.00"]
    assert numbers == [79, 80, 81]


def test_values_far_from_the_name():
    """A price, and a number, that are nowhere near are looked for farther away; a brand is not."""
    words = "<p>Words</p>"
    far = f"<h1>Red chair</h1>{words * 200}<p>$1,299.00</p><p>AB-123</p><p>Acme</p>"
    assert found(page(far, PRODUCT)) == ["Red chair", "$1,299.00", "AB-123"]
    assert found(page(f"<p>$1,299.00</p>{far}", PRODUCT)) == ["$1,299.00", "Red chair", "AB-123"]
    assert found(page(f"<h1>Red chair</h1>{words * 2000}<p>$1,299.00</p>", PRODUCT)) == ["Red chair"]


def test_each_spelling_of_a_value():
    """One place of each spelling, and a second place of the nearest."""
    body = "<h1>Red chair</h1><p>$1299</p><p>$1299</p><p>$1299</p><p>$1,299.00</p><p>1299.00 USD</p><p>1,299 USD</p>"
    prices = ["$1299", "$1299", "$1,299.00"]
    assert found(page(body, PRODUCT)) == ["Red chair", *prices]


@pytest.mark.parametrize(("heading", "price"), [
    ("<h1>Red chair</h1>", True), ("<h1>RED <b>Chair</b></h1>", True), ("<h1>Chair, red, of oak</h1>", True),
    ("<h1>Chair</h1>", False), ("<h1>Our blue table</h1>", False), ("<h2>Chair, red, of oak</h2>", False),
])  # fmt: skip
def test_a_heading_that_shortens_the_name(heading, price):
    """The heading is raised where it is the name; it is the anchor in any case."""
    given = page(f"{heading}<p>$1,299.00</p>", {**PRODUCT, "name": "Acme Chair (Red, Oak, of 2020)"} if "oak" in heading else PRODUCT, title="Shop")  # fmt: skip
    texts = found(given)
    assert "$1,299.00" in texts
    assert (len(texts) > 1) is price


def test_shown_prices_only_where_no_price_is_stated():
    body = "<h1>Red chair</h1><p>Price: $77.00</p>"
    assert shown(page(body)) == ["Price: $77.00"]
    assert shown(page(body, PRODUCT)) == ["Price: $77.00"]
    assert shown(page(f"{body}<p>$1,299.00</p>", PRODUCT)) == []
    assert shown(page("")) == []


@pytest.mark.parametrize(("code", "shown", "said"), [
    ("AB-123", "SKU: ab-123", True), ("AB-123", "(AB-123)", True), ("AB-123", "AB-1234", False), ("AB-123", "X-AB-123", False),
    ("10", "10", False), ("1234", "1234", False), ("12345", "12345", True), ("12345", "123456", False), ("chair", "chair", False),
    ("A1B2", "x A1B2 y", True), ("4006381333931", "EAN 4006381333931", True),
])  # fmt: skip
def test_product_numbers(code, shown, said):
    assert (shown in found(page(f"<h1>Red chair</h1><p>{shown}</p>", {**PRODUCT, "sku": code}))) is said


def test_a_label_beside_a_product_number():
    assert found(page("<h1>Red chair</h1><p><b>No.:</b> <i>AB-123</i></p>", PRODUCT)) == [
        "Red chair",
        "No.:",
        "AB-123",
    ]


def test_brands_are_whole_texts():
    body = "<h1>Red chair</h1><p>Acme makes chairs</p><p>Brand: Acme</p><p>ACME</p><p>Acme</p>"
    assert found(page(body, PRODUCT)) == ["Red chair", "Brand: Acme", "ACME"]


def test_names_with_entities_and_in_other_case():
    assert found(page("<h1>Salt &amp; pepper</h1>x", {**PRODUCT, "name": "Salt &amp; pepper"})) == [
        "Salt & pepper"
    ]
    assert found(page("<h1>RED <b>chair</b></h1>x", PRODUCT)) == ["RED", "chair"]


MARKED = (
    "<div itemscope itemtype='https://schema.org/WebPage'><div itemscope itemtype='http://schema.org/Product'>"
    "<h1 itemprop=name>Red chair</h1><div itemprop=brand itemscope itemtype='http://schema.org/Brand'><a itemprop=name>Acme</a></div>"
    "<div itemprop=offers itemscope itemtype='http://schema.org/Offer'><meta itemprop=price content=1299.00>"
    "<p>$1,299</p><link itemprop=availability href='http://schema.org/InStock'></div><p>No. <b itemprop=sku>10</b></p>"
    "<div itemprop=review itemscope itemtype='http://schema.org/Review'><b itemprop=name>Good</b></div>"
    "<p itemprop=description>A chair</p>"
    "<div itemscope itemtype='http://schema.org/Product' itemprop=isRelatedTo><b itemprop=name>Other</b><i itemprop=sku>X99</i></div>"
    "</div></div>"
)


def test_microdata():
    assert found(page(MARKED)) == ["Red chair", "Acme", "$1,299", "10"]


def test_microdata_of_several_products():
    red = MARKED.replace("h1", "h2")
    blue = red.replace("Red chair", "Blue chair").replace("1299.00", "77.00").replace("$1,299", "$77")
    assert found(page(red + blue, title="All chairs")) == []
    assert found(page(f"<h1>Green chair</h1>{red}{blue}", title="All chairs")) == []
    assert found(page(f"<h1>Blue chair</h1>{red}{blue}")) == ["Blue chair", "Blue chair", "Acme", "$77", "10"]


def test_rdfa():
    body = (
        "<div vocab='https://schema.org/' typeof=Product><h1 property=name>Red chair</h1><div property=offers typeof=Offer>"
        "<span property=price content=1299.00>1299.-</span><b property=availability content=InStock>In stock</b></div></div>"
    )
    assert found(page(body)) == ["Red chair", "1299.-", "In stock"]
    assert found(page(body.replace("=Product", "='schema:Product'").replace("=price", "='schema:price'")))[
        :2
    ] == ["Red chair", "1299.-"]


def test_open_graph():
    head = "<meta property=product:price:amount content=1299.00><meta property=product:retailer_item_id content=AB-123>"
    given = page(f"<h1>Red chair</h1><p>$1,299</p><p>AB-123</p>{RELATED}", head=head)
    assert found(given) == ["$1,299", "AB-123"]
    assert found(page("<h1>Red chair</h1><p>$1,299</p>", head=head.replace("product:price", "og:price"))) == [
        "$1,299"
    ]
