"""Headings and labels of which nothing is left go where the site repeats them; a title stands once."""

import numpy as np
import pytest

import detemplate
from detemplate.detectors.verdict import Verdict
from detemplate.output.result import Result
from detemplate.output.settled import settled
from detemplate.page.page import Page

TITLE = "<title>Harbours of the north - Example</title>"


class Reasons:
    """Reasons of a method that knows how many of ten other pages have each text."""

    def __init__(self, shares, pages):
        self._known = np.array(shares) * pages, pages

    def pages_with_text(self):
        return self._known

    def __call__(self, segment):
        return f"reason {segment}"


def judged(html, pages=10):
    """Clean a page of which texts in capitals are template; those that begin with * are on most pages."""
    page = Page("http://e.org/a", f"{TITLE}<body>{html}")
    texts = [page.segment_text(number) for number in range(len(page.segments))]
    scores = np.array([0.9 if text.isupper() else 0.1 for text in texts], np.float32)
    shares = [0.8 if text.startswith("*") else 0.05 for text in texts]
    verdict = Verdict(scores, explain=Reasons(shares, pages))
    return Result(page, settled(page, verdict), "test")


def gone(result):
    """Texts that the method itself has kept."""
    return [text for text in result.removed_texts() if not text.isupper()]


KEPT = "<p>Some text that stays."


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        (f"<h3>*Contents</h3><ul><li>A<li>B</ul><h3>One</h3>{KEPT}", ["*Contents"]),
        (f"<div><h3>*Contents</h3><ul><li>A<li>B</ul></div>{KEPT}", ["*Contents"]),
        (f"{KEPT}<section><header><h2>*See also</h2></header><p>A</section>", ["*See also"]),
        (f"{KEPT}<h2>*More</h2><h3>*Links</h3><p>A", ["*More", "*Links"]),  # a section in a section
        (f"{KEPT}<H2>*More <a>*of it</a></H2><a>A<img src=a.png></a>", ["*More", "*of it"]),  # of a teaser
        (f"{KEPT}<p>*Tags: <a>A</a>, <a>B</a></p>{KEPT}", ["*Tags:", ","]),
        (f"{KEPT}<div><b>*来源：</b><div>A</div></div>", ["*来源："]),
    ],
)
def test_shells_go(html, texts):
    result = judged(html)
    assert gone(result) == texts
    assert "Some text that stays." in result.text
    number = next(n for n in range(result.segments) if result.page.segment_text(n) == texts[0])
    assert result.explained(number)["causes"] == [{"cause": "shell", "weight": 1.0}]


@pytest.mark.parametrize(
    "html",
    [
        f"<h3>Contents</h3><ul><li>A<li>B</ul><h3>One</h3>{KEPT}",  # not on other pages
        f"<h2>*Library</h2><p>A<h3>*One</h3>{KEPT}",  # its section has another
        f"<h2>*Pictures</h2><img src=a.png><p>A</p><h2>*Next</h2>{KEPT}",  # pictures are left
        f"<h2>*One</h2><h2>*Two</h2>{KEPT}",  # nothing has gone
        f"{KEPT}<h2>*Harbours of the north</h2><p>A",  # says the title, nearly
        f"{KEPT}<p>*Code: <a>COPY</a></p><pre>a = 1</pre>",  # its value follows
        f"{KEPT}<p>*Tags: <a>A</a> and b.",
        "<h2>*Contents</h2><p>A<p>B",  # all that is left
    ],
)
def test_what_is_no_shell_stays(html):
    html = html.replace("*Harbours of the north", "Harbours of the north")
    assert gone(judged(html)) == []


def test_shells_need_other_pages():
    html = f"<h3>*Contents</h3><ul><li>A<li>B</ul><h3>One</h3>{KEPT}"
    assert gone(judged(html, pages=2)) == []
    page = Page("http://e.org/a", html)
    assert Verdict(np.zeros(len(page.segments), np.float32)).pages_with_text() is None


def test_auto_knows_what_other_pages_have():
    words = ("ships", "walls", "lights", "storms", "boats")
    pages = [
        (f"http://e.org/{word}", f"<h1>About {word}</h1><p>All of the {word} that we have seen.<p>See also")
        for word in words
    ]
    result = next(iter(detemplate.clean(pages)))
    known = result.judged.pages_with_text()
    assert known is not None
    assert known[1] == 4
    assert known[0].round().tolist() == [0, 0, 4]


@pytest.mark.parametrize(
    ("html", "twice"),
    [
        ("<div>Harbours of the north</div><p>NEXT<h1>Harbours of the north</h1><p>Text.", True),
        ("<li>Harbours of the north</li><p>NEXT<h1>Harbours <b>of</b> the north<a>#</a></h1>Text.", True),
        ("<h2>Harbours of the north</h2><p>NEXT<h1>Harbours of the north</h1><p>Text.", False),
        ("<div>Harbours of the north</div><p>NEXT<h1>Harbours of the south</h1><p>Text.", False),
        ("<h1>Harbours of the north</h1><div>Harbours of the north</div><p>NEXT</p>Text.", False),
        ("<p>Harbours of the north <a>are</a> here.<h1>Harbours of the north</h1><p>Text.<p>NEXT", False),
        (f"<p>Harbours of the north<p>{'Text. ' * 50}<h1>Harbours of the north</h1><p>NEXT", False),
    ],
)
def test_a_title_stands_once(html, twice):
    result = judged(html)
    assert gone(result) == ["Harbours of the north"] * twice
    assert "Harbours of the north" in result.text
    if twice:
        assert result.explained(0)["causes"] == [{"cause": "twice", "weight": 1.0}]
