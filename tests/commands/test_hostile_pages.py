"""Pages made to take time or memory, or to break a reader: through the command, in every format."""

import json

import pytest

from tests.support.commands import cli, read_rows

PRODUCT = {"@type": "Product", "name": "Red chair", "sku": "AB-123", "offers": {"price": "1299.00"}}
ARTICLE = {"@type": "Article", "headline": "x"}
for _ in range(90):
    ARTICLE = {"@graph": [ARTICLE]}
NESTED = '{"@graph":' * 900 + '{"@type": "Product", "sku": "AB-123"}' + "}" * 900

DATA = [
    '{"@type": "Product", ' + "[" * 100_000, "[" * 200_000 + '"Product"' + "]" * 200_000, "[" * 100_000, '{"@type":', "null",
    '{"a":' * 50_000 + '{"@type": "Product"}' + "}" * 50_000, NESTED, json.dumps(ARTICLE), "{" * 100_000, '"text"', "1e999",
    json.dumps([PRODUCT] * 5000), json.dumps({**PRODUCT, "offers": [{"price": number} for number in range(20_000)]}),
    json.dumps({**PRODUCT, "hasVariant": [PRODUCT] * 5000, "sku": ["AB-123"] * 5000, "name": "x" * 100_000}),
    '{"@type": "Product", "price": ' + "9" * 100_000 + "}", '{"@type": null, "@graph": {}}', '"Product"', '{"@type": "Product"',
    '{"@type": "Product", "price": NaN, "offers": {"price": Infinity, "sku": null}, "sku": true, "brand": {"name": {}}}',
    '{"@type": {"Product": 1}, "name": ["Product", {"@type": "Product"}]}', "", 'null // "Product"',
    '{"@type": [["Product"], null, "Product"], "offers": [[[{"price": "12.99"}]], "x"], "sku": {"value": {"x": 1}}}',
    '{"sku": "\\ud800", "@type": "Product", "name": "\\udfff"}', '{"@type": "Product", "offers": {"price": "..,,"}, "sku": "(?P<x>["}',
    '{"@type": "Product", "sku": "AB-123\n\t", "offers": {"price": "' + "1," * 100 + '"}}', json.dumps([{"@type": "Article"}] * 20_000),
    json.dumps({"@type": "Article", "headline": ["a"] * 50_000, "author": [["x"], {"name": {"name": 1}}, None, 7]}),
    json.dumps({"@type": ["Article"] * 10_000}), json.dumps({"@type": "Article", "@id": "a", "author": {"@id": "a"}}),
    json.dumps({"@type": "Article", "headline": {"@value": 3}, "datePublished": ["9999-99-99", {}], "inLanguage": {"name": "German"}}),
    json.dumps({"@type": "Article", "image": [[["x"]]], "url": ["//[::1"], "mainEntityOfPage": [1]}),
]  # fmt: skip
"""Linked data; each is in a page of a product."""
NOTES = "".join(f"<sup><a href=#n{n}>{n}</a></sup>" for n in range(3000))
XHTML = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><script/></head><body>'
MARKUP = [
    # Data in markup, prices and titles.
    "<p itemscope itemtype='http://schema.org/Product' itemprop=sku>" * 20_000 + "x",
    "<div itemscope itemtype='http://schema.org/Product'>" + "<b itemprop=price>1.99</b>" * 20_000,
    "<div itemscope itemtype='http://schema.org/Product'><b itemprop=sku>x1234</b></div>" * 10_000,
    "<meta property=product:price:amount content=1.99>" * 20_000 + "<p>$1.99</p>" * 20_000,
    "<meta property=product:price:amount content=1.99>" + "<p>1</p><p>.</p>" * 20_000,
    "<meta property=product:price:amount content=1.99>" + "1." * 30 + "<br>" + "<b>1</b>" * 50_000,
    "<h1>Red chair</h1>" + "<b>$</b><b>9</b>" * 20_000, "<h1>Red chair</h1>" * 20_000 + "<p>Price: $9</p>",
    "<h1>Red chair</h1><p>" + "<b>" * 400 + "Price: $9", "<h1>Red chair</h1>" + "<p class='" + "pric" * 50_000 + "'>$9.99</p>",
    "<h1>Red chair</h1>" + "<p>$" + "1 " * 12 + "</p>" * 20_000, f"<title>{'word ' * 20_000}</title>" + "<p>word</p>" * 1000,
    "<title>" + " ".join(map(str, range(20_000))) + "</title>" + "<p>" + "<b>1 2 3</b>" * 20_000,
    *(f"<title>{title}</title><p>{title}</p><p>b" for title in ("x" * 5000, " | ".join("abcdefghijk"), "- - -", ": ", "|")),
    # Elements without an end, that hide or hold the page.
    "<iframe" * 30_000, "<iframe>" * 30_000 + "</body>x", "<iframe a='" * 30_000, "<iframe>" + "<iframe a=\"'" * 30_000 + "</body> x",
    "<iframe>" + "<script>" * 30_000 + "</body>", "<iframe>" + "<!--" * 30_000 + "</body>", "<iframe><p>x</iframe>" * 20_000,
    "<iframe>" + "=" + " " * 100_000 + "<iframe =" + " " * 100_000 + "</body>x", "<textarea/>" * 20_000 + "</html>",
    "<textarea>&lt;/body>" * 20_000, "<object>" * 20_000 + "x" * 300, "<object>x</object>" * 20_000,
    "<video><object><audio>" * 5000 + "word " * 100, "<video>" + "\ud800 half " * 100, "<object" + " a" * 1000 + ">" + "words " * 100,
    "<textarea>" + "x" * 300 + "</textarea>" + "<object>" * 20 + "<noscript>" + "y" * 3000,
    "<table><object><tr><td>" + "cell " * 100 + "</table>" + "x" * 300, "<select><object><option>" + "option " * 100,
    *(XHTML + piece * 100_000 + "<p>x" for piece in ("<a ", '<a b="', "<a '", "<a", "<a \n  ", "<a b='\"'", "<script/>", "<p/>")),
    # Depth, length and number.
    "<div>" * 600 + "x", "<div>" * 3000 + "x", "<b>" * 200_000 + "x", "<b><a href=x>" * 400 + "x", "<p>" + "é" * 1_000_000,
    "<ul>" + "".join(f"<li class=c{n}a{n}><a href=/x>one two</a>" for n in range(20_000)), "<table><tr><td>" * 3000 + "x",
    "<div class='a b'>" * 400 + "<b>x</b> y " * 600, "<p " + " ".join(f"a{n}=1" for n in range(20_000)) + ">x",
    f"<p class='{'abc ' * 100_000}' id='{'x' * 1_000_000}'>{'word, ' * 200_000}", "<img width=999999999999 height=99999999999>x",
    "<p style='width:1e30px;height:1e30px'>x", "<table>" + "<tr>" + "<td>x" * 100 + "<tr><td rowspan=65000 colspan=100000>y" * 3000,
    "<table><tr><th>x" + "<tr><td rowspan=65000 colspan=100000>y" * 3000, "<table>" + ("<tr>" + "<td>x" * 100) * 100 + "</table>",
    "<pre>" * 3000 + "x", "<pre><span class=lineno>1</span>" + "<div>x" * 3000, "<sup>" * 3000 + "x", "<dl><dt>" * 3000 + "x",
    "<math>" + "<mrow><msup>" * 3000 + "<mi>x", "<ul><li><p>" * 3000 + "x", "<p>x\x00\x01\x1f\x7f</p><table><tr><td>a\x1fb<td>c",
    "<b><i>" * 3000 + "x", "<p>" + "<br> " * 50_000 + "x" + "<br> " * 50_000 + "<b>y" + "<br>" * 50_000, "<p>x" + "<b>a</b>" * 10_000,
    "<p>x<b>" + "\xa0 " * 100_000 + "</b><br>" + " \xa0" * 100_000 + "<h2>" + "\xa0" * 100_000 + "y" + "\xa0" * 100_000,
    "<a href=x>" * 3000 + "x", "<h2><a href=x>" * 3000 + "x", "<table><tr><td><a href=x>" * 100 + "word " * 20_000,
    f"<p>x{NOTES}<ol>" + "".join(f"<li id=n{n}>note" for n in range(3000)), "<ul><div>" * 20_000 + "x", "<ul>" + "<div>x</div>" * 50_000,
    "<p>x<img srcset='" + "a 1w, " * 100_000 + "'><a href='" + "x" * 10**6 + "'>t</a>", "<p>x</p>" + "<table><caption>" * 20_000,
]  # fmt: skip


@pytest.mark.parametrize("method", ["auto", "pagelevel"])
def test_pages_that_are_made_to_break_readers_cost_little(method, tmp_path):
    """Ten seconds each at most, for all formats and metadata; none is rejected."""
    product = "<h1>Red chair</h1>" + "<p>AB-123</p><p>$12.99</p><b>1</b><b>2</b>" * 500
    pages = [f'<script type="application/ld+json">{data}</script>{product}' for data in DATA] + MARKUP
    source, lost, out = (tmp_path / name for name in ("in.jsonl", "lost.jsonl", "out.jsonl"))
    source.write_text(
        "".join(json.dumps({"url": f"http://e{n}.org/", "html": html}) + "\n" for n, html in enumerate(pages))
    )
    given = [
        "clean",
        str(source),
        "-m",
        method,
        "-f",
        "text,markdown,html",
        "--workers",
        "0",
        "--stream",
        "-q",
    ]
    cli(*given, "--max-page-seconds", "10", "--rejects", lost, "-o", out)
    assert lost.read_text() == ""
    rows = read_rows(out)
    assert [row["url"] for row in rows] == [f"http://e{n}.org/" for n in range(len(pages))]
    assert all(row["text"] and row["markdown"] for row in rows[: len(DATA)])
