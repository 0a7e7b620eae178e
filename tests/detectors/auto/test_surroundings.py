"""Means and shares of what stands around segments: against loops."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.auto.stages import NEAR, WINDOWS, Surroundings
from tests.support.auto_sites import found, long_page, means_of, pages

LEAST, NONE = 0.3, -1.0


def weighted(chosen, values, weight):
    chosen = list(chosen)
    if not chosen:
        return NONE
    return sum(values[i] * weight[i] for i in chosen) / sum(weight[i] for i in chosen)


def means_by_hand(page, features, values):
    rows, ends, blocks = page.segments.tolist(), page.columns.end.tolist(), page.blocks.tolist()
    slots, count = features.slots.tolist(), len(values)
    weight = [words + LEAST for words in features.words.tolist()]
    every = range(count)
    table = []
    for i in every:
        line = [
            weighted((j for j in every if group <= rows[j] < ends[group]), values, weight)
            if group >= 0
            else NONE
            for group in features.groups[i].tolist()
        ]
        line += [
            weighted((j for j in every if blocks[j] == blocks[i] + step), values, weight)
            for step in range(-NEAR, NEAR + 1)
        ]
        line += [weighted((j for j in every if abs(i - j) <= width), values, weight) for width in WINDOWS]
        line.append(weighted((j for j in every if slots[j] == slots[i]), values, weight))
        table.append(line)
    return table


def drawn(draw, count):
    return np.array([draw.choice([0, 1, -1, draw.random()]) for _ in range(count)], np.float64)


@pytest.mark.parametrize("seed", range(3))
def test_means_over_long_pages_equal_loops(seed):
    page = long_page(seed)
    assert len(page.segments) > 3 * max(WINDOWS)
    check_means(page, random.Random(seed))


@given(pages, st.randoms(use_true_random=False))
def test_means_equal_loops(page, draw):
    check_means(page, draw)


def check_means(page, draw):
    features = found(page)
    values = drawn(draw, len(page.segments))
    around = Surroundings.of(page, features)
    got = means_of(around, values)
    np.testing.assert_allclose(got, means_by_hand(page, features, values), rtol=1e-6, atol=1e-6)
    means = np.bincount(around.slot, values * around.weight) / np.bincount(around.slot, around.weight)
    np.testing.assert_array_equal(got[:, -1], means[around.slot].astype(np.float32))
