"""Labelled pages in plain dress."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from detemplate.errors import PageError
from detemplate.page.page import Page
from detemplate.page.tags import IDS
from detemplate.training.auto.examples import Example
from detemplate.training.auto.stripped import plain_example
from detemplate.training.auto.vocabulary import learn_vocabulary
from tests.support.auto_sites import article_page, example_of
from tests.support.soup import soups

SECTIONS = [IDS[name] for name in ("article", "aside", "footer", "header", "main", "nav", "section")]


def test_a_page_in_plain_dress():
    page, text = article_page("a.org", 3)
    example = example_of(page, text, 7, site=True, weight=0.5)
    plain = plain_example(example, 0.25)
    assert plain is not None
    assert (plain.weight, plain.site, plain.plain, plain.number) == (0.125, False, True, 7)
    assert (example.weight, example.site, example.plain) == (0.5, True, False)
    assert plain.family == example.family
    texts = [
        [each.segment_text(number) for number in range(len(each.segments))] for each in (page, plain.page)
    ]
    assert texts[0] == texts[1]
    np.testing.assert_array_equal(plain.label, example.label)
    assert b"class=" in page.canonical
    assert b"class=" not in plain.page.canonical
    assert np.isin(page.columns.tag, SECTIONS).any()
    assert not np.isin(plain.page.columns.tag, SECTIONS).any()
    # It has no words to learn, so it weighs nothing in a vocabulary.
    assert len(learn_vocabulary([plain] * 10)) == 0


@given(soups)
def test_labels_fit_or_there_is_none(source):
    try:
        page = Page("http://e.org/", source)
    except PageError:
        return
    count = len(page.segments)
    example = Example(page, "e.org", np.zeros(count, np.int8), np.ones(count, np.int64), 0)
    plain = plain_example(example, 0.5)
    assert plain is None or len(plain.page.segments) == count
