"""Made pages: what was the page's own keeps its place and its label, what is inserted has the label it should."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lab.auto.examples import Example
from lab.auto.made import lengthened, made_page
from lab.auto.pool import Pool
from lab.labelled.words import words
from tests.support.auto_sites import article_page, example_of, pages


def texts(page):
    return [page.segment_text(number) for number in range(len(page.segments))]


def labelled(example):
    return list(zip(texts(example.page), example.label.tolist(), strict=True))


def articles(site="a.org", count=3):
    return [example_of(*article_page(site, number)) for number in range(count)]


@pytest.fixture(scope="module")
def pool():
    others = chain.from_iterable(articles(f"site{number}.org", 6) for number in range(12))
    return Pool(list(others))


def inserted(example, made):
    """The texts that a made page has more, each with its label; its own stand in order, as they were."""
    rest = iter(labelled(example))
    wanted = next(rest, None)
    more = []
    for text in labelled(made):
        if text == wanted:
            wanted = next(rest, None)
        else:
            more.append(text)
    assert wanted is None
    counts = [len(words(text)) for text, _ in labelled(made)]
    assert made.words.tolist() == counts
    assert len(made.label) == len(made.page.segments)
    return more


@given(pages, st.data())
def test_any_page_keeps_what_it_had(page, data):
    count = len(page.segments)
    label = np.array(
        data.draw(st.lists(st.sampled_from([1, 1, 1, 0, -1]), min_size=count, max_size=count)), np.int8
    )
    sizes = np.array([len(words(text)) for text in texts(page)], np.int64)
    example = Example(page, "e.org", label, sizes, 0)
    pool = Pool([*articles(count=2), example])
    made = made_page(example, pool, np.random.default_rng(data.draw(st.integers(0, 99))))
    if made is not None:
        inserted(example, made)


def test_nothing_is_from_the_own_family_or_another_fold(pool):
    own = articles("site3.org")[0]
    foreign = articles("b.org")[0]
    foreign.fold = 1
    generator = np.random.default_rng(0)
    assert lengthened(foreign, pool, generator) is None
    assert pool.sentence(foreign, generator) is None
    assert lengthened(own, Pool(articles("site3.org", 4)), generator) is None
