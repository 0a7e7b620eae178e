"""The fast tests for products, against reading the data."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from detemplate.page.page import Page
from detemplate.page.productdata import product_data
from detemplate.page.productsigns import Currencies, price_signs, product_signs

PARTS = (
    '<script>var kind = "Product"</script>',
    '<script type="application/ld+json">{"@type": "Article", "about": "Car"}</script>',
    '<script type="application/ld+json">{"@type": "NewsArticle"}</script>',
    '<script type="application/ld+json">{"@type": "Vehicle", "name": "V", "sku": "123"}</script>',
    '<script type="application/ld+json">{"@type": "SomeProducts", "name": "V", "sku": "123"}</script>',
    "<meta property=product:sale_price:amount content=3>",
    "<meta property=og:title content='Product'>",
    '<div itemscope itemtype="http://schema.org/Product"><b itemprop=name>Red</b></div>',
    "<style>p { color: red }</style>",
    "<p>Products, and a Product",
    "<p>text",
)


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5))
def test_no_data_are_missed(parts):
    page = Page("http://e.org/", "".join(parts))
    found = product_signs(page)
    assert found or product_data(page) is None


CURRENCIES = Currencies((b"$", "€".encode(), "円".encode()), frozenset({b"kr", "zł".encode()}))


def likely(page: Page, first: int, behind: int, longest: int) -> list[int]:
    return price_signs(page, first, behind, longest, CURRENCIES)


@given(
    st.lists(st.text("0129$€£¥円฿ akr\n.,", max_size=9), max_size=12),
    st.integers(0, 12), st.integers(0, 14), st.integers(0, 9),
)  # fmt: skip
def test_texts_that_may_be_prices(texts, first, behind, longest):
    page = Page("u", "x" + "".join(f"<p>{text}</p>" for text in texts))
    found = likely(page, first, behind, longest)
    for number in range(first, min(behind, len(page.segments))):
        text = page.segment_text(number)
        if found and set(text) & set("0129$€£¥฿") and len(text) <= longest:
            assert number in found
        if set(text) & set("$€円") and len(text) <= longest:
            assert found
