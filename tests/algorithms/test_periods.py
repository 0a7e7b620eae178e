import numpy as np
from hypothesis import example, given, strategies as st

from detemplate.algorithms.templatestrings import Periods, irreducible, least_period

few = st.lists(st.integers(0, 2), min_size=1, max_size=30)
words = st.lists(st.integers(0, 2), min_size=1, max_size=4)
runs = st.lists(st.tuples(words, st.integers(1, 5)), min_size=1, max_size=5).map(
    lambda parts: [element for word, times in parts for element in word * times]
)


def naive(elements):
    for period in range(1, (len(elements) - 1) // 2 + 1):
        if elements[period:] == elements[:-period]:
            return period
    return 0


@given(st.one_of(few, runs))
def test_least_period(elements):
    assert least_period(elements) == naive(elements)


@given(st.one_of(few, runs), st.data())
def test_periods_of_parts_in_the_order_of_their_starts(elements, data):
    bounds = st.tuples(st.integers(0, len(elements) - 1), st.integers(1, len(elements)))
    parts = [(a, b) for a, b in data.draw(st.lists(bounds, max_size=40)) if a < b]
    found = Periods(np.array(elements, np.int32))
    for start, stop in sorted(parts, key=lambda part: part[0]):
        assert found.of(start, stop - start) == naive(elements[start:stop])


@example([0, 1, 2, 0, 1, 2, 0], 2)
@given(runs, st.integers(1, 4))
def test_what_stands_for_a_string_covers_it(elements, min_length):
    """All parts of a sequence as strings: of those not marked, marked ones hold every two neighbours."""
    size = len(elements)
    parts = [(start, stop) for start in range(size) for stop in range(start + min_length, size + 1)]
    bounds = np.array(parts, np.int32).reshape(-1, 2)
    marked = irreducible(
        np.array(elements, np.int32), bounds[:, 0], bounds[:, 1] - bounds[:, 0], np.ones(size, np.bool_),
        min_length=min_length, min_fixed=0,
    ).tolist()  # fmt: skip
    kept = {tuple(elements[start:stop]) for (start, stop), mark in zip(parts, marked, strict=True) if mark}
    for (start, stop), mark in zip(parts, marked, strict=True):
        part = tuple(elements[start:stop])
        assert mark == (part in kept)
        held = {
            place
            for first in range(len(part))
            for last in range(first + 1, len(part) + 1)
            if part[first:last] in kept
            for place in range(first, last - 1)
        }
        assert held == set(range(len(part) - 1))
