"""Priorities of links by the templates that they stand in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.verdict import Verdict
from detemplate.errors import PageError
from detemplate.links.focus import template_scores
from detemplate.page.links import link_rows
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelets
from tests.support.soup import soups


@given(soups, st.integers(1, 4), st.randoms(use_true_random=False))
def test_scores_against_a_loop(html: str, k: int, random) -> None:
    try:
        page = Page("http://a.example/", html)
    except PageError:
        return
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
