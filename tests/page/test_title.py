"""The segments that show a page's title."""

import html as markup
import re

import pytest
from hypothesis import given, strategies as st

from detemplate.page.page import Page
from detemplate.page.title import PART


def shown_in(html, url="http://e.org/"):
    page = Page(url, html)
    return [page.segment_text(number) for number in page.title_segments]


def shown(title, body):
    return shown_in(f"<title>{title}</title><body>{body}")


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("A fine day", "A fine day"),
        ("A fine day - The Daily News", "A fine day"),
        ("The Daily News | A fine day", "A fine day"),
        ("The Daily News: A fine day", "A fine day"),
        ("News &raquo; Local » A fine day for all of us", "A fine day for all of us"),
        ("Tom &amp; Jerry — Films", "Tom & Jerry"),
        ("中文标题_网站", "中文标题"),
        ("中文标题-网站", "中文标题"),
        ("他说A-B很好-BBC 中文", "他说A-B很好"),
        ("BBC--中文标题很长", "中文标题很长"),
        ("A fine day\n  - News", "A fine day"),
        ("A  fine\n\tday | News", "A\n fine   day"),
        ("It’s “the” day – News", "It’s “the” day"),
        ("他的“故事”很长很长——新闻网", "他的“故事”很长很长"),
        ("‘à la carte’ … et après « Le Journal", "‘à la carte’ … et après"),
        ("Well-known words – Dictionary", "Well-known words"),
        ("Part 1: The start - Site", "Part 1: The start"),
        ("How to ask for it: - Help - Forum", "How to ask for it:"),
        ("Wie es geht: – Fragen über alles", "Wie es geht:"),
    ],
)
def test_titles_and_their_parts(title, heading):
    body = f"<p>before</p><h1>\n {markup.escape(heading)} </h1><p>after it</p>"
    assert shown(title, body) == [" ".join(heading.split())]


@pytest.mark.parametrize(
    "logo",
    [
        '<a class="logo" href="/">The Daily News</a>',
        '<div><a href="https://e.org"><span>The <b>x</b></span><em>The Daily News</em></a></div>',
        '<h2><a href="../index.html">The Daily News</a></h2>',
    ],
)
def test_a_link_to_the_first_page_shows_the_name_of_the_site(logo):
    page = f"<title>A fine day | The Daily News</title><body>{logo}<h2>What the sun did</h2>"
    assert shown_in(page, "http://e.org/a") == []
    assert shown_in(page, "http://e.org/") == ["The Daily News"]
    assert shown_in(f"{page}<p>A fine day", "http://e.org/a") == ["A fine day"]


def test_the_longest_part_that_is_shown():
    body = "<p>News</p><p>A fine day</p><h1>A fine day - News</h1><p>A fine day - News</p>"
    assert shown("A fine day - News - Site", body) == ["A fine day - News"] * 2


@pytest.mark.parametrize(
    "body",
    [
        "<p>A fine day it was</p><p>Oh! A fine day</p>",  # a part of a longer text
        "<script>var t='>A fine day<'</script><p>text</p>",
        "<p title='A fine day'>text</p><!-- A fine day --><p>More</p>",
        "",
    ],
)
def test_what_is_no_title(body):
    assert shown("A fine day", body) == []


@pytest.mark.parametrize(
    "meta",
    [
        '<meta property="og:title" content="A &quot;fine&quot; day &amp; more | News">',
        "<meta content='A \"fine\" day &amp; more' name=x property='og:title'>",
        '<meta name="a>b" property="og:title" content=" A &quot;fine&quot;  day &amp; more ">',
    ],
)
def test_og_title_stands_in_for_the_title(meta):
    head = f"<title>Something else</title>{meta}"
    page = Page("http://e.org/", f'{head}<p>News</p><h1>A "fine" day &amp; more</h1>')
    assert [page.segment_text(number) for number in page.title_segments] == ['A "fine" day & more']
    # Only if no text shows the title itself.
    page = Page("http://e.org/", f'{head}<h2>Something else</h2><h1>A "fine" day &amp; more</h1>')
    assert [page.segment_text(number) for number in page.title_segments] == ["Something else"]


def test_og_title_is_read_before_a_late_title_element():
    meta = "<meta property='og:title' content='A fine day'>"
    assert shown_in(f"{meta}<p>A fine day</p><title>A fine day</title><p>text</p>") == ["A fine day"]
    assert shown_in(f"<p>A fine day</p><title>A fine day</title>{meta}<p>text</p>") == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<h1>What the sun did</h1>", ["What the sun did"]),
        ("<h1><a href='/a'>What the sun did</a></h1>", ["What the sun did"]),
        ("<h1><a href='/'>The Daily</a></h1><h1><img></h1><h1>What the sun did</h1>", ["What the sun did"]),
        ("<h1><a href='/'>The Daily</a></h1>", []),
        ("<h1>What the sun did</h1><h1>What the moon did</h1>", []),
        ("<h1>What <i>the sun</i> did</h1>", []),
        ("<h2>What the sun did</h2>", []),
    ],
)
def test_the_only_heading_stands_in_for_a_title_that_nothing_shows(body, found):
    assert shown_in(f"<title>A fine day | The Daily</title><body>{body}<p>text", "http://e.org/a") == found
    both = shown_in(f"<title>A fine day | The Daily</title><body>{body}<p>A fine day", "http://e.org/a")
    assert both == ["A fine day"]


words = st.sampled_from(["one", "’tis", "é", "b&c", "-", "|", ":", "–", " ", "<", "“"])
texts = st.lists(words, max_size=6).map(" ".join)


@given(texts, st.lists(texts, max_size=5))
def test_against_all_parts(title, bodies):
    """Against a plain version: split, join, compare the texts of all segments."""
    source = "".join(f"<p>{markup.escape(each)}</p>" for each in bodies)
    page = Page("http://e.org/", f"<title>{markup.escape(title)}</title>{source}<p>end</p>")
    whole = " ".join(markup.escape(title, quote=False).split())
    pieces = re.split(r"(\s+(?:[|–-]|&lt;)+\s+|:\s+(?!(?:[|–-]|&lt;)\s)|\s*[|–]\s*)", whole)
    if len(pieces) > 11:
        pieces = [whole]
    runs = {
        "".join(pieces[first : last + 1]).strip()
        for first in range(0, len(pieces), 2)
        for last in range(first, len(pieces), 2)
    }
    runs = {run for run in runs if run and len(run.encode()) >= PART * len(whole.encode())}
    count = len(page.segments)
    own = [page.canonical[page.columns.start[row] : page.columns.stop[row]].decode() for row in page.segments]
    for run in sorted(runs, key=lambda run: (-len(run.encode()), run.encode())):
        wanted = [number for number in range(count) if " ".join(own[number].split()) == run]
        if wanted:
            break
    else:
        wanted = []
    assert page.title_segments == wanted
