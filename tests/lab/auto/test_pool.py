"""The pool that made pages draw paragraphs and sentences from."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from lab.auto.pool import Pool
from lab.labelled.words import words
from tests.support.auto_sites import article_page, example_of


def articles(site="a.org", count=3):
    return [example_of(*article_page(site, number)) for number in range(count)]


@pytest.fixture(scope="module")
def pool():
    return Pool(list(chain.from_iterable(articles(f"site{number}.org", 6) for number in range(12))))


def test_paragraphs_are_prose_and_each_is_drawn_once(pool):
    drawn = pool.paragraphs(articles()[0], 20, np.random.default_rng(0))
    assert len(drawn) == len(set(drawn)) == 20
    assert all(len(words(paragraph.decode())) >= 20 for paragraph in drawn)
    assert pool.paragraphs(articles()[0], 20, np.random.default_rng(0)) == drawn


@pytest.mark.parametrize("seed", range(6))
def test_a_sentence_has_8_to_40_words(pool, seed):
    sentence = pool.sentence(articles()[0], np.random.default_rng(seed))
    assert 8 <= len(words(sentence.decode())) <= 40


def test_nothing_is_from_the_own_family_or_another_fold(pool):
    own, foreign = articles("site3.org")[0], articles("b.org")[0]
    foreign.fold = 1
    generator = np.random.default_rng(0)
    assert pool.paragraphs(foreign, 5, generator) == []
    assert pool.sentence(foreign, generator) is None
    only_own = Pool(articles("site3.org", 4))
    assert only_own.paragraphs(own, 5, generator) == []
    assert only_own.sentence(own, generator) is None
