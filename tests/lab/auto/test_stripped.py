"""Attribute-stripped copies of labelled pages."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from detemplate.errors import PageError
from detemplate.page.page import Page
from detemplate.page.tags import IDS
from lab.auto.examples import Example, learn_vocabulary, stripped_example
from tests.support.auto_sites import article_page, example_of
from tests.support.soup import soups

SECTIONS = [IDS[name] for name in ("article", "aside", "footer", "header", "main", "nav", "section")]


def test_a_copy_without_attributes_and_sections():
    page, text = article_page("a.org", 3)
    example = example_of(page, text, 7, site=True, weight=0.5)
    stripped = stripped_example(example, 0.25)
    assert stripped is not None
    assert (stripped.weight, stripped.site, stripped.stripped, stripped.number) == (0.125, False, True, 7)
    assert (example.weight, example.site, example.stripped) == (0.5, True, False)
    assert stripped.family == example.family
    texts = [
        [each.segment_text(number) for number in range(len(each.segments))] for each in (page, stripped.page)
    ]
    assert texts[0] == texts[1]
    np.testing.assert_array_equal(stripped.label, example.label)
    assert b"class=" in page.canonical
    assert b"class=" not in stripped.page.canonical
    assert np.isin(page.columns.tag, SECTIONS).any()
    assert not np.isin(stripped.page.columns.tag, SECTIONS).any()
    # It has no words to learn, so it weighs nothing in a vocabulary.
    assert len(learn_vocabulary([stripped] * 10)) == 0


@given(soups)
def test_labels_fit_or_there_is_no_copy(source):
    try:
        page = Page("http://e.org/", source)
    except PageError:
        return
    count = len(page.segments)
    example = Example(page, "e.org", np.zeros(count, np.int8), np.ones(count, np.int64), 0)
    stripped = stripped_example(example, 0.5)
    assert stripped is None or len(stripped.page.segments) == count
