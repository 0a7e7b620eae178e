"""What is left of a page: cuts of whole nodes, rendered by the library."""

import random
import re
from collections import Counter
from itertools import compress, pairwise

import numpy as np
import pytest
import turbohtml
from hypothesis import assume, given, strategies as st

from detemplate.detectors.verdict import Verdict
from detemplate.output.cutting import removed_nodes
from detemplate.output.options import Rendering
from detemplate.output.remains import kept_nodes
from detemplate.output.result import Result
from detemplate.page.page import Page
from detemplate.page.scan import scan
from tests.support.helpers import texts
from tests.support.soup import HARD, parsed, soups

PAGE = (
    "<!DOCTYPE html><html><head><title>T</title><style>s</style></head><body>"
    '<nav><ul><li><a href="/">Home</a></li><li><a href="/a?b&amp;c">About</a></li></ul>'
    '<img src="logo"><form><input name="q"></form><hr><iframe src="x"></iframe><script>track()</script></nav>'
    '<main><h1>Title</h1><p>One <a href="/kept?x&amp;y#z">link</a> two</p><hr><img src="photo"></main>'
    "<footer><p>Legal</p><br></footer></body></html>"
)


def cut(html, *removed, keep=False):
    """Remove the segments with these texts."""
    page = html if isinstance(html, Page) else Page("http://e.org/", html, keep_document=keep)
    return masked(page, [text in removed for text in texts(page)])


def masked(page, mask):
    return Result(page, Verdict(np.array(mask, np.float32)), "test", Rendering(keep_scripts=True))


def is_stable(page):
    """Whether parsing the canonical serialisation gives it again (not so for every page)."""
    canonical = page.canonical.decode()
    return turbohtml.parse(canonical).serialize() == canonical


CHANGED = (
    "ul, ol, menu, table, pre, dl, sup, sub, math, img, a[href], h1, h2, h3, h4, h5, h6, em, i, b, strong, cite, "
    "details, summary, br, code, del, s, strike, rt, q, input"
)
"""Elements whose rendering is not the library's alone."""

BLANK = re.compile(r"\n{3,}")
"""Blank lines, more than one."""

UNSEEN = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
"""A joiner, a mark of direction or the like."""


def agree(result, document):
    """Whether text and Markdown are what the library gives for a DOM, where that has nothing to mend."""
    page = Page("u", result.html)
    if kept_nodes(page, [])[0]:
        return True
    markdown, text = document.to_markdown(), document.to_text()
    if document.select_one(CHANGED) is not None or "\xa0" in text or "&#" in markdown:
        return True
    # The library leaves more than one blank line where an element is empty.
    ours, theirs = (result.markdown, result.text), (markdown, text)
    return [BLANK.sub("\n\n", each).strip("\n") for each in ours] == [
        BLANK.sub("\n\n", each).strip("\n") for each in theirs
    ]


def squeezed(parts):
    """What is seen of texts, without white space; a text of marks that nobody sees is no segment."""
    return "".join(UNSEEN.sub("", "".join(parts)).split())


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("html", [html for html in HARD if html.strip() and "shadowroot" not in html])
def test_nothing_removed_is_what_the_library_gives(html, keep):
    for source in (html, html.encode()) if "\x00" not in html else (html,):
        result = cut(page := Page("u", source, charset="utf-8", keep_document=keep))
        document = turbohtml.parse(page.source)
        assert result.html == document.serialize()
        assert agree(result, document)
        assert result.template_share == 0


@pytest.mark.parametrize("keep", [False, True])
def test_bytes_are_decoded_once_and_for_all(keep):
    html = "<p>Привет, мир</p><nav>Меню и ещё раз меню</nav>"
    for charset in ("koi8-r", "windows-1251"):
        page = Page("u", html.encode(charset), charset=charset, keep_document=keep)
        assert cut(page).text == turbohtml.parse(html).to_text()
        assert cut(page, "Меню и ещё раз меню").text.strip() == "Привет, мир"


# What goes, and what stays.


@pytest.mark.parametrize("keep", [False, True])
def test_an_element_whose_every_segment_is_template_goes_as_a_whole(keep):
    result = cut(PAGE, "Home", "About", "Legal", keep=keep)
    assert result.html == (
        "<!DOCTYPE html><html><head><title>T</title><style>s</style></head><body>"
        '<main><h1>Title</h1><p>One <a href="/kept?x&amp;y#z">link</a> two</p><hr><img src="photo"></main>'
        "</body></html>"
    )
    assert result.text == turbohtml.parse(result.html).to_text()
    assert result.markdown == (
        "# Title\n\nOne [link](http://e.org/kept?x&y#z) two\n\n---\n\n![](http://e.org/photo)"
    )


def test_of_other_elements_only_the_segments_go():
    assert '<nav><ul><li><a href="/a?b&amp;c">About</a></li></ul><img' in cut(PAGE, "Home").html
    assert '<p><a href="/kept?x&amp;y#z">link</a> two</p>' in cut(PAGE, "One").html
    assert "<p>One  two</p>" in cut(PAGE, "link").html
    assert "<p>One  two</p>" in cut("<p>One <b>x</b> two</p>", "x").html


@pytest.mark.parametrize("keep", [False, True])
def test_the_shell_stays(keep):
    page = Page("u", PAGE, keep_document=keep)
    result = cut(page, *texts(page))
    assert result.html == (
        "<!DOCTYPE html><html><head><title>T</title><style>s</style></head><body></body></html>"
    )
    assert result.text.strip() == ""
    assert result.title == "T"
    assert result.template_share == 1
    assert cut("<p>x</p>", "x").html == "<html><head></head><body></body></html>"


def test_silent_elements_go_with_their_neighbours_only_inside_what_goes():
    html = (
        "<body><div><img src=a><p>x</p></div><img src=b><div><p>y</p><img src=c></div><div><img src=d></div>"
    )
    result = cut(html, "x")
    assert [image for image in "abcd" if f'src="{image}"' in result.html] == ["b", "c", "d"]


def test_a_leading_line_break_of_what_stays_is_kept():
    """A parser swallows the first line break of these elements."""
    for name in ("pre", "listing"):
        result = cut(f"<{name}><b>one</b>\n\ntwo</{name}>", "one")
        assert turbohtml.parse(result.html).find(name).text == "\n\ntwo", result.html
        result = cut(f"<{name}><b>one</b><i>more</i>\ntwo</{name}>", "one", "more")
        assert turbohtml.parse(result.html).find(name).text == "\ntwo", result.html
        result = cut(f"<{name}><b>one</b>and<i>more</i>\ntwo</{name}>", "one", "more")
        assert turbohtml.parse(result.html).find(name).text == "and\ntwo", result.html


@pytest.mark.parametrize("keep", [False, True])
def test_what_goes_from_a_line_of_text_leaves_a_space(keep):
    source = (
        "<p><a href=1>Ann Lee</a>, <a href=2>Bob Ray</a> &amp; <i>x</i><i>y</i><a href=3>Cy</a></p><p>End</p>"
    )
    result = cut(source, ",", "&", "x", "y", keep=keep)
    assert result.text.split("\n")[0] == "Ann Lee Bob Ray Cy"
    assert '<a href="1">Ann Lee</a> <a href="2">Bob Ray</a> <a href="3">Cy</a></p>' in result.html
    # None where blocks end, where nothing stays on one side, or where there is white space.
    assert "<p>two</p><p>end</p>" in cut("<p><b>one</b>two<i>three</i></p><p>end</p>", "one", "three").html
    assert "<p>one</p>three</body>" in cut("<p>one</p><b>two</b>three", "two").html
    assert "<p>one  three</p>" in cut("<p>one <b>two</b> three</p>", "two").html
    assert "<p>one three</p>" in cut("<p>one <b>two</b>three</p>", "two").html


def test_texts_that_become_neighbours_are_one_text():
    for keep in (False, True):
        result = cut("<p>Wo<b>x</b>rd <i>y</i> end</p>", "x", "y", keep=keep)
        assert result.text.strip() == "Wo rd end"
        assert cut("<p>Wo<b>x</b>rd <i>y</i> end</p>", "x", "rd", keep=keep).text.split() == [
            "Wo",
            "y",
            "end",
        ]
        assert cut("<p>Wo<b>x</b>rd <i>y</i> end</p>", "x", "rd", "y", keep=keep).text.split() == [
            "Wo",
            "end",
        ]


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    "beside", ["{}<b>gone</b>", "<b>gone</b>{}", "{0}<b>gone</b>{0}", "<b>gone</b>{}<i>gone</i>"]
)
def test_what_goes_beside_noscript_leaves_its_space(beside, keep):
    html = f"<p>one{beside.format('<noscript>not seen</noscript>')}two</p>"
    assert cut(html, "gone", keep=keep).text == "one two"
    assert cut(html, "gone", keep=keep).markdown == "one two"


@pytest.mark.parametrize("keep", [False, True])
def test_what_noscript_says_is_in_no_text(keep):
    """No reader sees it, and no method can take it out: it is no segment."""
    said = "<noscript>Please <b>enable</b> scripts</noscript>"
    image = '<noscript> <img src="photo.jpg" alt="A photo"></noscript>'
    html = f"<p>One{said}two {image}</p>{said}<ul><li>Menu</li></ul><p>Three</p>"
    page = Page("http://e.org/", html, keep_document=keep)
    assert cut(page).text == "Onetwo\n\n* Menu\n\nThree"
    assert cut(page, "Menu").text == "Onetwo\n\nThree"
    assert cut(page, "Menu").markdown == "Onetwo ![A photo](http://e.org/photo.jpg)\n\nThree"
    assert cut(page, "Menu").html.count(said) == 2


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><noscript>a<div>b<noscript>c</noscript></div><noscript>d</noscript></noscript>", "One"),
        ("<svg><noscript>drawn</noscript></svg>", "drawn"),
        ("<pre>code<script>run()</script><style>p {}</style> here</pre>", "code here"),
        ("<pre>code<svg><script>run()</script><style>p {}</style></svg> here</pre>", "code here"),
        ("<p>x<datalist><option>offered</datalist>y</p>", "xy"),
        ("<ul><div><li>x</li><li>y</li></div></ul>", "* x\n* y"),
        ("<ul>loose <b>words</b><li>x</li> and more</ul>", "* loose words\n* x\n* and more"),
        ("<ul><a href=a>one</a> <a href=b>two</a></ul>", "* one two"),
        ("<ol><p>x</p><p>y</p></ol>", "1. x\n2. y"),
        ("<ul><li>a</li><br><li>b</li></ul>", "* a\n* b"),
        ("<ul><img src=x><li>a</li></ul><ol>b</ol>", "* a\n1. b"),
        ("<menu><div>x</div></menu>", "* x"),
        ("<p>Before</p><table><caption>Of <b>what</b></caption><tr><td>x</table>", "Before\n\nOf what\n\nx"),
        ("<table><caption>a<table><caption>b</table></caption><td>x</table>", "a\n\nb\n\nx"),
    ],
)
def test_the_text_is_whole(html, text, keep):
    """Where the library writes what no reader sees, or leaves out what one does."""
    assert cut(html, keep=keep).text == text


hot = st.sampled_from([
    "ul", "ol", "li", "menu", "table", "tr", "td", "th", "caption", "div", "p",
    "a", "b", "span", "dl", "dt", "dd", "select", "option", "ruby", "rt", "rp",
    "sup", "sub", "math", "mi", "span class=lineno", "td colspan=3", "pre", "code", "noscript", "datalist", "noembed", "noframes", "script", "style", "svg", "title", "template",
])  # fmt: skip
ends = hot.map(lambda name: f"</{name.split()[0]}>")
steps = st.lists(st.one_of(hot.map("<{}>".format), ends, st.just("w")), max_size=14)


@given(steps, st.booleans())
def test_the_text_has_every_word_that_readers_see_and_no_other(made, keep):
    letters = iter("abcdefghijklmn")
    html = "".join(f" word{next(letters)} " if step == "w" else step for step in made)
    page = parsed(html, "u", keep_document=keep)
    assume(page is not None)
    result, words = cut(page), re.compile("word[a-n]")
    said = Counter(words.findall(" ".join(texts(page))))
    assert Counter(words.findall(result.text)) == said
    assert Counter(words.findall(result.markdown)) == said
    assert Counter(words.findall(result.render("text", tables="markdown"))) == said


@given(st.one_of(soups, st.sampled_from(HARD)), st.integers(0, 2**32), st.booleans())
def test_cuts_of_hard_pages(html, seed, keep):
    page = parsed(html, "u", keep_document=keep)
    assume(page is not None)
    rng = random.Random(seed)
    share = rng.choice((0.2, 0.5, 0.9, 1))
    mask = [rng.random() < share for _ in page.segments]
    rows = removed_nodes(page, np.array(mask, bool))
    columns = page.columns
    # None inside another, all template segments in them and no other one.
    assert all(columns.end[row] <= following for row, following in pairwise(rows))
    inside = [any(row <= segment < columns.end[row] for row in rows) for segment in page.segments]
    assert inside == mask
    # As high as can be.
    for row in rows:
        above = columns.parent[row]
        if above >= 0 and "html head body frameset".find(name_of(page, above)) < 0:
            covered = (page.segments >= above) & (page.segments < columns.end[above])
            assert not np.array(mask, bool)[covered].all()
    result = masked(page, mask)
    kept = squeezed(list(compress(texts(page), [not gone for gone in mask])))
    if is_stable(page):
        again = turbohtml.parse(result.html)
        assert again.serialize() == result.html
        assert scan(result.html.encode()) is not None or "<script" in html.lower()
        assert squeezed(texts(Page("u", result.html))) == kept
        assert agree(result, again)
        read = cut(Page("u", result.html))
        if read.html == result.html:  # else hardly anything is left but what noscript says
            assert (result.text, result.markdown) == (read.text, read.markdown)


def name_of(page, row):
    written = page.canonical[page.columns.start[row] + 1 : page.columns.stop[row]]
    return written.replace(b">", b" ").split(b" ")[0].decode()


words = st.integers(0, 10**6).map("w{}".format)
plain = st.recursive(
    words,
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from(["div", "section", "nav", "article", "blockquote"]), st.lists(inner, max_size=4)
        ).map(lambda made: f"<{made[0]}>{' '.join(made[1])}</{made[0]}>"),
        st.lists(words, min_size=1, max_size=3).map(lambda made: f"<p>{made[0]} <b>{made[-1]}</b></p>"),
        st.lists(words, max_size=3).map(
            lambda made: f"<ul>{''.join(f'<li>{word}<img src=x></li>' for word in made)}</ul>"
        ),
        st.lists(words, max_size=3).map(
            lambda made: f"<table><tr>{''.join(f'<td>{word}' for word in made)}</table>"
        ),
    ),
    max_leaves=12,
)


@given(plain, st.integers(0, 2**32), st.booleans())
def test_cuts_of_plain_pages(html, seed, keep):
    """Cleaned HTML is what a parser makes of it; kept words are there, removed words are gone."""
    page = Page("u", html, keep_document=keep)
    rng = random.Random(seed)
    mask = [rng.random() < 0.5 for _ in page.segments]
    result = masked(page, mask)
    assert is_stable(page)
    assert turbohtml.parse(result.html).serialize() == result.html
    again = cut(Page("u", result.html))
    assert (result.text, result.markdown) == (again.text, again.markdown)
    kept = list(compress(texts(page), [not gone for gone in mask]))
    assert squeezed(texts(Page("u", result.html))) == squeezed(kept)
    assert result.text.split() == " ".join(kept).split() or "<img" in html
    found = set(result.text.split())
    assert {word for text in kept for word in text.split()} <= found
    alone = {word for text, gone in zip(texts(page), mask, strict=True) if gone for word in text.split()}
    assert not (alone - {word for text in kept for word in text.split()}) & found
