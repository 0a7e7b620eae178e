"""Weights of class, id and role words, against a recount; attribute-stripped copies of labelled pages."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.features.segment import segment_features
from detemplate.page.page import Page
from lab.auto import examples as labelled_examples
from lab.auto.examples import MIN_PAGES, Example, learn_vocabulary, word_hashes
from tests.support.auto_sites import NO_WORDS, pages


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


def test_segments_that_say_values_weigh_alike():
    page = Page("http://e.org/", "<p>one two three four five six seven eight</p><p>nine</p><p>ten</p>")
    label, words = np.array([1, 1, 1], np.int8), np.array([8, 1, 1])
    plain = Example(page, "e.org", label, words, 0, weight=0.5)
    assert plain.weights.tolist() == pytest.approx([0.5 * 0.8**0.5, 0.5 * 0.1**0.5, 0.5 * 0.1**0.5])
    said = Example(page, "e.org", label, words, 0, weight=0.5, said=np.array([True, True, False]))
    assert said.weights.tolist() == pytest.approx([0.5 * 0.8**0.5, 0.5 * 0.5**0.5, 0.5 * 0.1**0.5])
