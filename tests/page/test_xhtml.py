"""XHTML pages with self-closed scripts."""

import pytest

from detemplate.page import tags
from detemplate.page.page import Page
from tests.support.helpers import texts

XML = '<?xml version="1.0" encoding="utf-8"?>'
NAMESPACE = ' xmlns="http://www.w3.org/1999/xhtml"'
XHTML = "application/xhtml+xml"
LINES = ["First line of the page.", "Second line."]
SHOWN = f"<p>{LINES[0]}</p><div class='empty'/><br/><p>{LINES[1]}</p>"


def xhtml(head, *, start=XML, namespace=NAMESPACE, tail=""):
    return f"{start}<!DOCTYPE html><html{namespace}><head>{head}</head><body>{SHOWN}{tail}</body></html>"


@pytest.mark.parametrize(
    "head",
    [
        '<title>T</title><script type="text/javascript" src="a.js" />',
        "<script src='a.js'/>\n<script src='b>.js'/>",
        "<style media='all'/><title>T</title>",
        "<title/><link rel='x' href='y'/>",
        "<script src='a.js'/><script>if (a < b) write('</body>');</script>",
    ],
)
def test_empty_elements_of_xhtml_are_empty(head):
    """``<script/>`` is empty where a page says that it is XML; as HTML it would hold the rest of the page."""
    given = Page("http://e.org/", xhtml(head))
    assert texts(given) == LINES
    assert texts(Page("http://e.org/", xhtml(head).encode())) == LINES
    marked = "\ufeff" + xhtml(head)
    assert texts(Page("http://e.org/", marked.encode())) == LINES
    assert [
        text.strip("\ufeff") for text in texts(Page("http://e.org/", marked)) if text != "\ufeff"
    ] == LINES
    assert given.columns.tag.tolist().count(tags.IDS["div"]) == 1
    end = "<script>last();</script><p>tail</p>"
    assert texts(Page("http://e.org/", xhtml(head, tail=end))) == [*LINES, "tail"]


@pytest.mark.parametrize(
    ("start", "namespace", "media_type", "meta", "is_xhtml"),
    [
        (XML, "", None, "", True),
        ("", NAMESPACE, XHTML, "", True),
        ("", NAMESPACE, None, f'<meta http-equiv="Content-Type" content="{XHTML}; charset=utf-8"/>', True),
        ("", NAMESPACE, "text/html", "", False),
        ("", NAMESPACE, None, "", False),
        ("", "", XHTML, "", False),
    ],
)
def test_what_says_xhtml(start, namespace, media_type, meta, is_xhtml):
    html = xhtml(f"{meta}<script src='a.js'/>", start=start, namespace=namespace)
    assert texts(Page("http://e.org/", html, media_type=media_type)) == (LINES if is_xhtml else [])


@pytest.mark.parametrize(
    "head",
    [
        "<script src='a.js'></script>",
        "<script src='a.js'/></script>",
        "<script src='a.js'/><script>var a = '<p>text</p>';</script>",
        "<script>document.write('<body><p>text</p></body>');</script>",
        "<title>a < b</title>",
    ],
)
def test_pages_whose_text_is_seen_stay(head):
    html = xhtml(head)
    given = Page("http://e.org/", html)
    assert given.source is html
    assert texts(given) == LINES
