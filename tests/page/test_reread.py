"""Pages that are read again, and what of ``video``, ``object``, ``iframe`` and ``textarea`` is seen."""

import numpy as np
import pytest
import turbohtml
from hypothesis import given, strategies as st

from detemplate.detectors.verdict import Verdict
from detemplate.errors import PageError
from detemplate.output.result import Result
from detemplate.page.columns import TEXT
from detemplate.page.page import Page
from detemplate.page.reread import RULES, closed
from detemplate.page.scan import read_columns
from tests.support.helpers import texts

SEEN = "What readers see goes on for a while. " * 20
REST = "<h2>Heading</h2><p>" + "The rest of the page. " * 30 + "</p><p>Last words</p>"


def page(html):
    return Page("http://e.org/d/p", html)


def result(given):
    return Result(given, Verdict(np.zeros(len(given.segments), np.float32)), "test")


@pytest.mark.parametrize("tag", ["audio", "canvas", "iframe", "object", "textarea", "video"])
@pytest.mark.parametrize(
    "inner", ["fallback", "fallback &amp; more", "<p>fallback <a href=/x>load</a></p>", "\nfallback"]
)
def test_fallback_is_unseen(tag, inner):
    html = f"<p>One</p><{tag} src=x>{inner}</{tag}><p>two</p><{tag}></{tag}>{tag.upper()}"
    given = page(html)
    assert texts(given) == ["One", "two", tag.upper()]
    assert given.source == html
    for said in (result(given).text, result(given).markdown):
        assert "fallback" not in said
        assert "load" not in said
        assert tag.upper() in said
    # Tags that are text, to the parser, would be tags to one that reads the HTML otherwise.
    assert ("fallback" in result(given).html) == (tag != "iframe" or "<" not in inner)


@pytest.mark.parametrize(
    ("html", "html_after", "text"),
    [
        (
            "<p>One<plaintext>two<b> &amp;\n",
            "<p>One</p><pre>two&lt;b&gt; &amp;amp;\n</pre>",
            "One\n\ntwo<b> &amp;",
        ),
        (
            "<p><b>One</p><plaintext>two<i>",
            "<p><b>One</b></p><pre><b>two&lt;i&gt;</b></pre>",
            "One\n\ntwo<i>",
        ),
        ("One<xmp>\n<b>two</xmp>", "One<pre>\n\n&lt;b&gt;two</pre>", "One\n\n\n<b>two"),
        ("<p>One</p><plaintext>", "<p>One</p><pre></pre>", "One"),
        ("One<noscript><xmp><b></xmp></noscript>", "One<noscript><pre>&lt;b&gt;</pre></noscript>", "One"),
    ],
)
def test_text_as_it_is_written_can_be_read_back(html, html_after, text):
    """``plaintext`` has no end: its page, serialised and read again, would end with tags as text."""
    given = page(html)
    assert result(given).html == f"<html><head></head><body>{html_after}</body></html>"
    assert result(given).text == text
    assert result(Page("u", html, keep_document=True)).text == text
    assert "/body" not in result(given).markdown
    assert turbohtml.parse(given.canonical.decode()).serialize() == given.canonical.decode()


def test_unseen_inside_foreign_content_stays_seen():
    assert texts(page("<svg><video>drawn</video></svg><math><mi><canvas>x</canvas></mi></math>")) == ["drawn"]
    assert texts(page("<svg><foreignObject><video>no</video>yes</foreignObject></svg>")) == ["yes"]


@pytest.mark.parametrize("tag", ["audio", "canvas", "object", "video"])
def test_most_of_the_page_in_an_element_is_seen(tag):
    """As on old pages, and where the end tag is missing."""
    for html in (
        f"<p>One</p><{tag}>{REST}",
        f"<p>One</p><{tag}>{REST}</{tag}>",
        f"<div><{tag}><{tag}>{REST}",
    ):
        given = page(html)
        assert texts(given)[-1] == "Last words"
        assert "Last words" in result(given).text
        assert f"<{tag}>".encode() not in given.canonical


@pytest.mark.parametrize("seen", [1, 2, 10])
def test_an_object_without_end(seen):
    """Only its own end tag ends it, so it holds all that follows."""
    given = page(f"<div>{SEEN * seen}<object data=x><param name=a></div>{REST}<footer>Foot</footer>")
    assert texts(given)[-2:] == ["Last words", "Foot"]
    closed_again = page(f"<div>{SEEN * seen * 10}<object data=x>{REST}</object></div>{REST}")
    assert texts(closed_again).count("Last words") == 1


def test_objects_in_one_another_without_end():
    given = page(f"<p>{SEEN}<object><p>{SEEN}<object>{REST}<object><object>{REST}")
    assert texts(given).count("Last words") == 2


def test_a_textarea_with_a_copy_is_unseen_and_one_with_the_page_is_not():
    copy = f"<p>{SEEN}</p><textarea>&lt;p&gt;{SEEN}&lt;/p&gt;</textarea>"
    assert texts(page(copy)) == [SEEN.strip()]
    paste = page(f"<h1>Paste</h1><textarea>\n{SEEN}&lt;b></textarea>")
    assert texts(paste) == ["Paste", SEEN + "<b>"]


@pytest.mark.parametrize("tag", ["iframe", "textarea"])
@pytest.mark.parametrize("written", ["<{} src=x />", "<{}/>", "<{}>", "<{} a='>' b=\">\">"])
def test_what_a_self_closing_tag_would_hold(tag, written):
    tag_here = written.format(tag)
    given = page(f"<html><body><p>One</p>{tag_here}{REST}{tag_here}<p>end</p></body></html>")
    assert texts(given)[:2] == ["One", "Heading"]
    assert texts(given)[-2:] == ["Last words", "end"]
    assert "<p>" not in result(given).text
    assert given.canonical.count(f"</{tag}>".encode()) == 2


def test_an_iframe_without_an_end_of_the_page_behind_it():
    given = page(f"<p>One</p><iframe src=x />{REST}<iframe src=y></iframe><p>end</p>")
    assert texts(given)[1:] == ["Heading", ("The rest of the page. " * 30).strip(), "Last words", "end"]
    small = page(
        f"<p>{SEEN}</p><iframe src=x /><p>Your browser has no frames</p><iframe src=y></iframe><p>end</p>"
    )
    assert texts(small) == [SEEN.strip(), "end"]


def test_an_iframe_in_noscript():
    given = page(f"<body><noscript><iframe src=counter></noscript><p>One</p>{REST}</body></html>")
    assert texts(given)[0] == "One"
    assert texts(given)[-1] == "Last words"


def test_an_iframe_that_holds_scripts_alone_is_not_read_again():
    html = f"<p>{SEEN}</p><iframe src=x><script>{'code() > 1;' * 99}</script><!-- <b>c --> </body></html>"
    given = page(html)
    assert given.source == html
    assert texts(given) == [SEEN.strip()]
    counter = html.replace("<iframe", "<noscript><iframe")
    assert page(counter).source == counter


def test_a_page_as_an_example_in_a_textarea():
    html = f"<p>{SEEN}</p><textarea><html><body><p>Try it</p></body></html></textarea><p>end</p>"
    assert texts(page(html)) == [SEEN.strip(), "end"]


steps = st.lists(
    st.sampled_from([
        "<iframe>", "<iframe/>", "</iframe>", "<textarea>", "</textarea>", "<object>", "</object>", "<video>", "</video>",
        "<noscript>", "</noscript>", "<p>", "</p>", "<div>", "</div>", "<table>", "<td>", "<svg>", "</svg>", "<pre>\n", "\n",
        "</body>", "<script>", "</script>", "<!--", "-->", "&lt;", "&amp;lt;/html>", "word " * 50, "word ", "\xe9\xa0",
    ]),
    max_size=14,
)  # fmt: skip


@given(steps)
def test_rules_never_fail_and_what_they_give_is_read(made):
    html = "".join(made)
    try:
        given = page(html)
    except PageError:
        return
    canonical, columns = read_columns(given.parse_source())
    assert columns is not None
    assert canonical == given.canonical
    assert (columns.kind[columns.segments] == TEXT).all()
    document = turbohtml.parse(html, positions=False)
    canonical, columns = read_columns(document)
    for rule in RULES if columns is not None else ():
        again = rule(canonical, columns, columns.landmarks())
        if again is None:
            continue
        assert again != canonical.decode()
        _, shown = read_columns(turbohtml.parse(again, positions=False))
        assert shown is not None
        assert rule is closed or shown.chars.sum() >= columns.chars.sum()
    result(given).text  # noqa: B018
    result(given).markdown  # noqa: B018


@pytest.mark.parametrize(
    ("html", "seen"),
    [
        (
            "<x-a><template shadowrootmode=open><style>p{}</style><p>One</p>two</template></x-a>",
            ["One", "two"],
        ),
        ("<p>A <x-b><template ShadowRootMode=CLOSED>line</template></x-b> goes on", ["A", "line", "goes on"]),
        ("<x-c><template shadowrootmode=open><x-d><template shadowrootmode=open>in", ["in"]),
        ("<p>One<template shadowrootmode=none>two</template><template>three</template>", ["One"]),
    ],
)
def test_declarative_shadow_roots_are_read_in_place(html, seen):
    given = page(f"<body>{html}")
    assert texts(given) == seen
    assert result(given).text.split() == " ".join(seen).split()
