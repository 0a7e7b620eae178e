"""Priorities of links by the templates that they stand in."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from detemplate.detectors.verdict import Verdict
from detemplate.links.focus import priorities, template_scores
from detemplate.page.links import link_rows, page_links
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelets
from tests.support.soup import parsed, soups


@given(soups, st.integers(1, 4), st.randoms(use_true_random=False))
def test_scores_against_a_loop(html, k, random):
    page = parsed(html)
    assume(page is not None)
    verdict = Verdict(np.array([random.random() for _ in page.segments], np.float32))
    rows = link_rows(page)
    scores = template_scores(page, verdict, rows, k=k)
    assert len(scores) == len(rows)
    for row, score in zip(rows, scores, strict=True):
        wanted = 0.0
        for region in pagelets(page, k):
            if region <= row < page.columns.end[region]:
                inside = (page.segments > region) & (page.segments < page.columns.end[region])
                chars = page.segment_chars[inside].sum()
                wanted = page.segment_chars[inside & verdict.template].sum() / chars if chars else 0.0
        assert score == pytest.approx(wanted)


HTML = """<html><body><nav><a href=/1>Home</a><a href=/2>News</a><a href=/3>Shop</a></nav>
<p>Four <a href=/4>long</a> words here</p><div><a href=/5><img src=x></a></div>
<footer><a href=/6>Terms</a> and <i>1234567</i></footer></body></html>"""


def verdict_on(page, *template):
    texts = [page.segment_text(number) for number in range(len(page.segments))]
    return Verdict(np.array([text in template for text in texts], np.float32))


def test_scores_are_shares_of_the_pagelet():
    page = Page("http://a.example/", HTML)
    assert template_scores(page, verdict_on(page, "Home", "News", "Shop", "Terms", "and"), link_rows(page)).tolist() == [
        1, 1, 1, 0, 0, pytest.approx(8 / 15)
    ]  # fmt: skip
    links = page_links(page)
    scores = template_scores(page, verdict_on(page, "Home", "News", "Shop"), links.rows)
    order = priorities(scores, 10, penalty=4)
    assert dict(zip(links.hrefs, order.tolist(), strict=True)) == {
        "/1": 6, "/2": 6, "/3": 6, "/4": 10, "/5": 10, "/6": 10
    }  # fmt: skip
