"""The sample of keys against counting by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.keysample import KeySample, first_pages

SHIFT = 24
"""A key's high bits are its rank."""

pages = st.lists(st.lists(st.integers(1, 40), max_size=12, unique=True), max_size=20)


def sampled(found, most):
    sample = KeySample(most)
    pages = np.repeat(np.arange(1, len(found) + 1, dtype=np.uint32), [len(keys) for keys in found])
    ranks = np.array([key for keys in found for key in keys], np.uint64)
    for few in np.array_split(np.arange(len(ranks)), 3):
        sample.add(ranks[few] << np.uint64(SHIFT), pages[few])
    return sample


def rows(sample):
    return list(zip(sample.keys.tolist(), sample.counts.tolist(), sample.firsts.tolist(), strict=True))


def by_hand(found, most):
    counts = Counter(key for keys in found for key in keys)
    firsts = {}
    for number, keys in enumerate(found, 1):
        for key in keys:
            firsts.setdefault(key, number)
    order = sorted(counts)
    limit = order[most] if len(order) > most else 2**40
    return [(key, counts[key], firsts[key]) for key in order[:most]], limit


@given(pages, st.integers(1, 15))
def test_counts_and_first_pages_are_exact(found, most):
    sample = sampled(found, most)
    assert (rows(sample), sample.limit) == by_hand(found, most)
    again = KeySample.from_text(sample.to_text(), most)
    assert (rows(again), again.limit) == (rows(sample), sample.limit)


@given(pages, pages, st.integers(1, 15))
def test_merging_is_sampling_both(one, two, most):
    parts = sampled(one, most), sampled(two, most)
    merged = parts[0].merge(parts[1], len(one))
    assert (rows(merged), merged.limit) == by_hand(one + two, most)
    assert (rows(parts[0]), rows(parts[1])) == (by_hand(one, most)[0], by_hand(two, most)[0])


@given(pages, pages)
def test_first_pages_of_two_kinds(one, two):
    length = max(len(one), len(two))
    one, two = ([*each, *([[]] * (length - len(each)))] for each in (one, two))
    firsts, share = first_pages(sampled(one, 50), sampled(two, 50))
    both = [[*{*a, *b}] for a, b in zip(one, two, strict=True)]
    assert share == 1
    assert firsts.tolist() == sorted(first for _, _, first in by_hand(both, 50)[0])


def test_estimates():
    """Of 20,000 keys on one page and 50 on all, a sample of 256 tells both numbers within its error."""
    draw, sample = np.random.default_rng(3), KeySample(256)
    menu = draw.integers(0, 2**64, 50, np.uint64)
    for number in range(1, 1001):
        own = draw.integers(0, 2**64, 20, np.uint64)
        sample.add(np.concatenate([menu, own, menu]), np.full(120, number, np.uint32))
    assert len(sample) == 256
    assert len(sample) / sample.share == pytest.approx(20_050, rel=3 / 16)
    assert np.count_nonzero(sample.firsts <= 500) / sample.share == pytest.approx(10_050, rel=0.3)
    assert set(sample.counts.tolist()) <= {1, 1000}
    other = KeySample(256)
    other.add(menu, np.ones(50, np.uint32))
    firsts, share = first_pages(sample, other)
    assert share == sample.share
    assert len(firsts) == len(sample)
