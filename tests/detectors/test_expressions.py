"""Template expressions as a detector; what holds for every method is in test_contract.py."""

import random
import sys

import pytest

from detemplate.detectors.expressions import ExpressionsOptions, TemplateExpressions
from detemplate.errors import MissingExtra
from detemplate.page.page import Page
from tests.support.helpers import removed, taught, texts

DRAW = random.Random(5)
VOCABULARY = ["".join(DRAW.choices("abcdefghij", k=6)) for _ in range(4000)]


def article(number, *, site="e.org", words=40):
    draw = random.Random(number)
    body = " ".join(draw.choices(VOCABULARY, k=words))
    return Page(
        f"http://{site}/{number}",
        f"<nav><a href=/>Home</a> <a href=/news>All news</a></nav>\n<p>Published on 1{number % 9} May 2007</p>"
        f"<p>{body}</p>\n<p>Please <b>login to leave</b> a reply</p>",
    )


def detector(*pages, **options):
    return taught(TemplateExpressions(ExpressionsOptions(**options)), pages)


ALL = ["Home", "All news", "Please", "login to leave", "a reply"]


@pytest.mark.parametrize("on", ["text", "html"])
def test_it_finds_what_pages_share_across_tags(on):
    made = detector(*map(article, range(20)), on=on, min_sliver=0)
    assert removed(made, article(33)) == ALL


def test_patterns_that_vary_make_a_date_template():
    pages = list(map(article, range(20)))
    page = article(33)
    assert "Published on 16 May 2007" in removed(detector(*pages, mutables="shipped"), page)
    assert "Published on 16 May 2007" not in removed(detector(*pages), page)


def test_the_score_is_the_share_of_characters_that_are_matched():
    pages = [
        Page(f"http://e.org/{n}", f"<p>aa bb {word}</p>\n<p>漢字 漢字 {word}</p>\n<p>cc dd</p>")
        for n, word in enumerate(VOCABULARY[:30])
    ]
    page = Page("http://e.org/x", "<p>aa bb 1234</p>\n<p>漢字 漢字 123</p>\n<p>cc dd</p>\n<p>no</p>")
    scores = detector(*pages, min_sliver=0).score(page).scores.tolist()
    assert scores == pytest.approx([5 / 10, 5 / 9, 1, 0])


def test_on_html_positions_are_in_characters_too():
    """Characters of several bytes must not shift the matches after them."""
    pages = [
        Page(f"http://e.org/{n}", f"<h1>漢字漢字 {word}</h1> <p> read more news </p> <p> {word}é </p>")
        for n, word in enumerate(VOCABULARY[:30])
    ]
    made = detector(*pages, on="html", min_sliver=0)
    page = Page("http://e.org/x", "<h1>é漢字é漢字é naïve</h1> <p> read more news </p> <p> new </p>")
    assert made.score(page).scores.tolist() == [0, 1, 0]


def test_reasons_name_an_expression():
    made = detector(*map(article, range(20)), min_sliver=0)
    page = article(33)
    verdict = made.score(page)
    reason = verdict.explain(texts(page).index("login to leave"))
    assert "100% of it matched by" in reason
    assert r"login\s+to\s+leave" in reason
    assert reason.endswith("on 20 pages")
    body = next(index for index, text in enumerate(texts(page)) if len(text) > 200)
    assert verdict.explain(body) == "no expression of this site matches in it"


def test_the_oldest_pages_are_forgotten():
    others = [Page(f"http://e.org/{n}", f"<p>old menu of this site {VOCABULARY[n]} {n}") for n in range(30)]
    news = list(map(article, range(30)))
    assert detector(*others, *news, min_sliver=0).score(others[0]).scores.any()
    bounded = detector(*others, *news, max_tokens=30 * 55, min_sliver=0)
    assert bounded.pages == 60
    assert not bounded.score(others[0]).scores.any()
    assert removed(bounded, news[3]) == ALL


def test_without_the_suffix_array_library_the_extra_is_named(monkeypatch):
    made = detector(*map(article, range(3)))
    monkeypatch.setitem(sys.modules, "pydivsufsort", None)
    with pytest.raises(MissingExtra, match=r"detemplate\[expressions\]"):
        made.score(article(1))
