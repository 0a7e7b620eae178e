"""The sketch of what is on many pages: exact while it fits, never too low, within its bound."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms.frequent import FrequencySketch

PAGES = st.lists(st.lists(st.integers(0, 40), max_size=12), max_size=40)


def keys(page: list[int]) -> np.ndarray:
    return np.array(page, np.uint64)


def learned(pages: list[list[int]], most: int) -> FrequencySketch:
    sketch = FrequencySketch(most)
    for page in pages:
        sketch.learn(keys(page))
    return sketch


def truth(pages: list[list[int]]) -> Counter[int]:
    return Counter(key for page in pages for key in set(page))


EVERY = keys(list(range(41)))


@given(PAGES)
def test_exact_while_everything_fits(pages):
    sketch, true = learned(pages, 41), truth(pages)
    assert sketch.estimate(EVERY).tolist() == [true[key] for key in range(41)]
    assert (sketch.slack, sketch.pages, len(sketch)) == (0, len(pages), len(true))


@given(PAGES, st.integers(1, 20))
def test_never_too_low_and_within_the_bound(pages, most):
    sketch, true = FrequencySketch(most), Counter()
    occurrences = 0
    for page in pages:
        answered = sketch.learn(keys(page))
        true.update(set(page))
        occurrences += len(set(page))
        assert all(answer >= true[key] for answer, key in zip(answered.tolist(), page, strict=True))
        estimates = sketch.estimate(EVERY).tolist()
        assert all(
            true[key] <= estimate <= true[key] + sketch.slack for key, estimate in enumerate(estimates)
        )
        assert sketch.slack <= 2 * occurrences / most
        assert len(sketch) <= most


@given(PAGES, PAGES, st.integers(1, 60))
def test_merging_keeps_the_guarantees(first, second, most):
    joined = learned(first, most).merge(learned(second, most))
    true = truth(first + second)
    occurrences = true.total()
    assert joined.pages == len(first) + len(second)
    for key, estimate in enumerate(joined.estimate(EVERY).tolist()):
        assert true[key] <= estimate <= true[key] + joined.slack
    assert joined.slack <= 2 * occurrences / most
    assert len(joined) <= most
    if most >= 41:
        assert joined.dump()[1] == 0
