"""Weights of class, id and role words, against a recount; attribute-stripped copies of labelled pages."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.errors import PageError
from detemplate.features.segment import segment_features, word_hashes
from detemplate.page.page import Page
from detemplate.page.tags import IDS
from lab.auto import examples as labelled_examples
from lab.auto.examples import MIN_PAGES, Example, learn_vocabulary, stripped_example
from tests.support.auto_sites import NO_WORDS, article_page, example_of, pages
from tests.support.soup import soups


def recount(examples):
    """The weight of each word and the pages that it is on."""
    shares = defaultdict(list)
    for example in examples:
        page = example.page
        inside, whole = defaultdict(int), defaultdict(int)
        rows, hashes = word_hashes(page)
        for row, word in zip(rows.tolist(), hashes.tolist(), strict=True):
            for i, segment in enumerate(page.segments.tolist()):
                if row <= segment < page.columns.end[row] and example.label[i] >= 0:
                    whole[word] += int(example.words[i])
                    inside[word] += int(example.words[i]) * int(example.label[i] == 1)
        for word in whole:
            if whole[word]:
                shares[word].append((inside[word] / whole[word], example.weight))
    found = {}
    for word, rows in shares.items():
        total = sum(weight for _, weight in rows)
        inside = sum(share * weight for share, weight in rows)
        found[word] = (math.log((inside + 1) / (total - inside + 1)), total)
    return found


@st.composite
def examples(draw):
    page = draw(pages)
    count = len(page.segments)
    label = draw(st.lists(st.integers(-1, 1), min_size=count, max_size=count))
    words = segment_features(page, NO_WORDS).words.astype(np.int64)
    weight = draw(st.sampled_from([1.0, 0.5, 2.0]))
    return Example(page, "e.org", np.array(label, np.int8), words, 0, weight)


@given(st.lists(examples(), max_size=6), st.sampled_from([0.5, 1.0, 2.0, MIN_PAGES]))
def test_learning_equals_a_recount(given_examples, fewest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled_examples, "MIN_PAGES", fewest)
        got = learn_vocabulary(given_examples)
    wanted = {word: odds for word, (odds, total) in recount(given_examples).items() if total >= fewest}
    assert dict(zip(got.hashes.tolist(), got.weights.tolist(), strict=True)) == pytest.approx(
        wanted, abs=1e-5
    )
    assert got.weights.dtype == np.float32


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
