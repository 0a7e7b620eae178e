"""Pictures: they stay where only their captions go."""

import numpy as np
import pytest

from detemplate.detectors.verdict import Verdict
from detemplate.output.result import Result
from detemplate.page.page import Page


def cut(html):
    """The page without all texts that begin with "Cut"."""
    page = Page("http://e.org/", html)
    goes = [page.segment_text(number).startswith("Cut") for number in range(len(page.segments))]
    return Result(page, Verdict(np.array(goes, np.float32)), "test")


@pytest.mark.parametrize(
    "html",
    [
        "<p>One<div><figure><a href=/p><img src=i.png></a><figcaption>Cut</figcaption></figure></div><p>Two",
        "<p>One<div class=wp-caption><img src=i.png><p class=wp-caption-text>Cut <a href=/x>Cut</a></div><p>Two",
        "<p>One<figure><picture><source srcset=j.png><img src=i.png></picture><small>Cut</small></figure><p>Two",
        "<h1>One</h1><div><div><img data-src=i.png src=empty.gif></div><span class=photo-credit>Cut</span></div>Two",
        "<p>One<figure><img width=9><noscript><img src=i.png></noscript><figcaption>Cut</figcaption></figure><p>Two",
        "<p>One<figure><a href=/p><img src=i.png></a><button><svg/></button><figcaption>Cut</figcaption></figure><p>Two",
    ],
)
def test_a_picture_stays_where_its_caption_goes(html):
    result = cut(f"<body><nav>Cut</nav>{html}<footer>Cut</footer>")
    assert result.markdown.count("(http://e.org/i.png)") == 1
    assert "Cut" not in result.markdown + result.html
    assert result.text.split() == ["One", "Two"]


@pytest.mark.parametrize(
    "html",
    [
        "<p>One<p>Two<figure><img src=i.png><figcaption>Cut</figcaption></figure><p>Cut",
        "<p>One<a href=/x><figure><img src=i.png><figcaption>Cut</figcaption></figure></a><p>Two",
        "<p>One<figure><img src=i.png><h4>Cut</h4><p>Cut</figure><p>Two",
        "<p>One<div class=promo><img src=i.png><p>Cut</div><p>Two",
        "<p>One<div class=caption><img src=i.png><p>Cut " + "many words " * 80 + "</div><p>Two",
        "<p>One<figure><img src=i.png><p>Cut</p><button>Cut</button></figure><p>Two",
        "<p>One<aside><figure><img src=i.png><figcaption>Cut</figcaption></figure></aside><p>Two",
    ],
)
def test_pictures_of_other_parts_go_with_them(html):
    assert "i.png" not in cut(f"<body>{html}").markdown


@pytest.mark.parametrize("mark", ["amp", "⚡", "lang=en ⚡4email"])
def test_pictures_of_amp_pages(mark):
    copy = "<noscript><img src=i.png></noscript>"
    result = cut(f"<html {mark}><p>One</p><amp-img src=i.png alt=it width=9>{copy}</amp-img><p>Two")
    assert result.markdown == "One\n\n![it](http://e.org/i.png)\n\nTwo"
    assert "![it](http://e.org/i.png)" in result.render("text", images="inline")
    assert "it" in result.render("text", images="alt").split()
    assert "it" not in result.text.split()
