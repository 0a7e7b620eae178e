"""Links and URLs: canonical forms, resolution, links of a page, their context."""

import numpy as np
import pytest
import turbohtml
from hypothesis import assume, given, strategies as st

from detemplate.page.links import anchors, base_url, link_rows, page_links
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelet_of, pagelets
from detemplate.page.urls import LONGEST, canonical_url, page_key, resolve
from detemplate.page.visible import visible_text
from tests.support.soup import parsed, soups


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://e.org:80/a", "http://e.org/a"),
        ("https://e.org:443", "https://e.org/"),
        ("https://e.org:80/", "https://e.org:80/"),
        ("http://e.org:0080/", "http://e.org/"),
        ("http://e.org:/", "http://e.org/"),
        ("http://e.org./", "http://e.org/"),
        ("http://user:secret@e.org/", "http://e.org/"),
        ("http://e.org/a#b?c", "http://e.org/a"),
        ("http://e.org?b#c", "http://e.org/?b"),
        ("http://e.org/?", "http://e.org/"),
        ("http://e.org/a/./b/../c", "http://e.org/a/c"),
        ("http://e.org/../..", "http://e.org/"),
        ("http://e.org/a/..", "http://e.org/"),
        ("http://e.org/a/.", "http://e.org/a/"),
        ("http://e.org/a//b//", "http://e.org/a//b//"),
        ("http://e.org/a/%2e%2E/b", "http://e.org/b"),
        ("http://e.org/.../.a", "http://e.org/.../.a"),
        ("http://e.org/%7euser/%c3%a4", "http://e.org/~user/%C3%A4"),
        ("http://e.org/ä b?ö=ü \"<>", "http://e.org/%C3%A4%20b?%C3%B6=%C3%BC%20%22%3C%3E"),
        ("http://e.org/a%2fb", "http://e.org/a%2Fb"),
        ("http://e.org/100%/%zz%%34%31", "http://e.org/100%25/%25zz%2541"),
        ("http://e.org/?b=2&a=1&&a=&c", "http://e.org/?b=2&a=1&&a=&c"),
        ("http://e.org/?q=a+b%2B", "http://e.org/?q=a+b%2B"),
        ("http://e.org\\a\\b?c\\d", "http://e.org/a/b?c%5Cd"),
        (" \thttp://e.org/a\nb\r ", "http://e.org/ab"),
        ("http:e.org/a", "http://e.org/a"),
        ("http:////e.org/a", "http://e.org/a"),
        ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://B%C3%BCcher.example:81/", "http://xn--bcher-kva.example:81/"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("file:///a b/../c.html", "file:///c.html"),
        ("file://localhost/c", "file:///c"),
        ("file:c", "file:///c"),
        ("http://", None),
        ("http://e.org:x/", None),
        ("http://e.org:123456/", None),
        ("http://a b/", None),
        ("http://[::1", None),
        ("ftp://e.org/", None),
        ("mailto:a@e.org", None),
        ("page.html", None),
        ("", None),
    ],
)  # fmt: skip
def test_canonical_urls(url, canonical):
    assert canonical_url(url) == canonical
    if canonical is not None:
        assert canonical_url(canonical) == canonical
        assert page_key(url) == page_key(canonical)
        assert page_key(url.rstrip() + "#top") == page_key(canonical)


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        # RFC 3986, sections 5.4.1 and 5.4.2, for the base http://a/b/c/d?q (";p" is of the path).
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d?q"),
        ("g#s", "http://a/b/c/g"), ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        # What browsers do beyond it.
        ("http:g", "http://a/b/c/g"), ("https:g", "https://g/"), ("\\g\\h", "http://a/g/h"), ("\\\\g\\h", "http://g/h"),
        (" g\n ", "http://a/b/c/g"), ("javascript:void(0)", None), ("MAILTO:x@y", None), ("data:,x", None),
        ("tel:1", None), ("file:///x", None), ("x:y", None), ("?a/b", "http://a/b/c/d?a/b"),
    ],
)  # fmt: skip
def test_references(reference, meant):
    assert resolve("http://a/b/c/d?q", reference) == meant


def test_files_link_to_files_and_to_the_web():
    assert resolve("file:///a/b.html", "../c.html") == "file:///c.html"
    assert resolve("file:///a/b.html", "file:///d") == "file:///d"
    assert resolve("file:///a/b.html", "http://e.org") == "http://e.org/"
    assert resolve("", "c.html") is None


odd = st.text("aZ09 /\\.:?#%@[]&=+;~\t\n\xe4\u6f22\ud800", max_size=20)


@given(st.sampled_from(["http://", "HTTPS://e.org", "file://", "http://e.org/", "http:", ""]), odd, odd)
def test_canonical_urls_do_not_change_and_are_plain(start, one, reference):
    url = canonical_url(start + one)
    page_key(start + one)
    if url is None:
        return
    assert url.isascii()
    assert not set(url) & set(' \\#"<>\t\n')
    assert canonical_url(url) == url
    target = resolve(url, reference)
    assert target is None or canonical_url(target) == target
    assert resolve(url, "") == url
    assert resolve(url, "#" + reference) == url


def test_long_urls_are_no_pages_and_cost_little():
    assert canonical_url("http://e.org/" + "x" * LONGEST) is None
    assert canonical_url("http://e.org/" + "x" * (LONGEST - 13)) is not None
    long = "/y" * 500_000
    page = Page(
        "http://e.org/", f"<base href='http://e.org{long}'>" + f"<a href='{long}'>a</a><a href=b>b</a>" * 20
    )
    assert page_links(page).urls == ["http://e.org/b"] * 20


def by_dom(page):
    """Give the hrefs of all links by walking the DOM."""
    found = []
    stack = [(turbohtml.parse(page.source, positions=False), False)]
    unseen = {
        "datalist", "noembed", "noframes", "noscript", "rp", "script", "style", "template", "title",
        "audio", "canvas", "iframe", "object", "textarea", "video",
    }  # fmt: skip
    while stack:
        node, hidden = stack.pop()
        if isinstance(node, turbohtml.Element):
            html = node.namespace is turbohtml.Namespace.HTML
            hidden = hidden or (node.tag in unseen if html else node.tag in ("script", "style"))
            if html and not hidden and node.tag in ("a", "area") and "href" in node.attrs:
                found.append(node.attr("href") or "")
        stack += [(child, hidden) for child in reversed(list(node.children))]
    return found


@given(st.one_of(soups, st.lists(st.sampled_from([
    "<a href=/x>", "<a title='see href=' href=y>", "<a x\" href=z>", "<a ahref=n href='&quot;&lt;&amp;amp;'>", "<AREA HREF=q>",
    "<a =href=no>", "<a href>", "</a>", "<template>", "</template>", "<svg><a href=s>", "<p>", "text", "<a data-href=d>",
    "<noscript>", "</noscript>", "<a title=' href=\"f\"' id=g>", "<a href='\u00a0\u00e4'>", "<svg><script>", "<title>", "</title>",
]), max_size=12).map("".join)))  # fmt: skip
def test_links_are_those_of_the_dom(html):
    page = parsed(html, "http://e.org/d/")
    assume(page is not None)
    meant = by_dom(page)
    assert len(link_rows(page)) == len(meant)
    base = base_url(page)
    kept = [(href, url) for href in meant if (url := resolve(base, href)) is not None]
    links = page_links(page)
    assert list(zip(links.hrefs, links.urls, strict=True)) == kept
    assert links.keys.tolist() == [page_key(url) for url in links.urls]


def test_base():
    def base(html, url="http://e.org/a/b?c#d"):
        return base_url(Page(url, html))

    assert base("<p>") == "http://e.org/a/b?c"
    assert base("<base target=x><base href='../up/'><base href=/later/>") == "http://e.org/up/"
    assert base("<base href='https://other.org'>") == "https://other.org/"
    assert base("<base href='javascript:x'>") == "http://e.org/a/b?c"
    assert base("<template><base href=/no/></template>") == "http://e.org/a/b?c"
    assert base("<p>", "no url") == ""
    assert base("<base href='http://e.org/x'>", "no url") == "http://e.org/x"
    assert page_links(Page("no url", "<a href=x>x</a><a href=http://e.org/y>y</a>")).urls == [
        "http://e.org/y"
    ]


# --- anchors and contexts


def anchors_and_contexts(html, k=3):
    page = Page("http://e.org/", html)
    links, rows = page_links(page), pagelets(page, k)
    around = np.append(rows, np.int32(-1))[pagelet_of(page, rows, links.rows)]
    return list(zip(*anchors(page, links.rows, visible_text(page), around), strict=True))


def test_anchor_and_context():
    words = " ".join(f"w{at}" for at in range(40))
    [(anchor, context)] = anchors_and_contexts(f"<p>{words} <a href=x>the  <b>anc</b>hor</a>, {words}")
    assert anchor == "the anchor"
    assert context == f"{words} the anchor, {words}"[len(words) + 1 - 50 : len(words) + 11 + 50].strip()


def test_the_context_stays_in_the_pagelet():
    item = "<li><a href=x>one</a>"
    assert anchors_and_contexts(f"<p>before<ul>{item * 3}</ul><p>behind")[1] == ("one", "one one one")
    assert anchors_and_contexts(f"<p>before<ul>{item * 2}</ul><p>behind")[1] == (
        "one",
        "before one one behind",
    )


def test_images():
    image = "<img alt='a &amp;  b'><img><img alt=''><img alt=c>"
    assert anchors_and_contexts(f"<p>before<a href=x>{image}</a>behind") == [
        ("a & b c", "before a & b c behind")
    ]
    assert anchors_and_contexts(f"<p><a href=x>text{image}</a>") == [("text", "text")]
    assert anchors_and_contexts("<a href=x></a>") == [("", "")]


def test_visible_text():
    page = Page(
        "http://e.org/",
        "<p>bo<b>ld</b> and<i> it</i>alic<br>next&nbsp;line<script>no</script><p>a &amp;amp; b<p><a>x</a> <a>y</a>"
        "<a>z</a><img>w<pre>1\n 2</pre><xmp>&amp;</xmp>v<video>u</video>t<iframe></iframe>s",
    )
    text = visible_text(page)
    assert text.text == "bold and italic next line a &amp; b x yz w 1 2 &amp; v t s"
    for index, (start, stop) in enumerate(zip(text.starts, text.stops, strict=True)):
        assert text.text[start:stop] == " ".join(page.segment_text(index).replace("\xa0", " ").split())
