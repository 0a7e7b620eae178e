import numpy as np
from hypothesis import given, strategies as st

from detemplate.algorithms import lcs
from detemplate.algorithms.lcs import common

few = st.lists(st.integers(0, 4), max_size=40)
many = st.lists(st.integers(0, 30), max_size=60)


def array(numbers):
    return np.array(numbers, np.uint64)


def length(first, second):
    """The textbook's table."""
    row = [0] * (len(second) + 1)
    for element in first:
        above = row
        row = [0]
        for place, other in enumerate(second):
            row.append(above[place] + 1 if element == other else max(row[place], above[place + 1]))
    return row[-1]


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(element in rest for element in part)


@given(st.one_of(st.tuples(few, few), st.tuples(many, many), st.tuples(few, many)))
def test_equals_the_textbook(pair):
    first, second = pair
    found = common(array(first), array(second))
    assert found.dtype == np.bool_
    assert len(found) == len(first)
    part = array(first)[found].tolist()
    assert len(part) == length(first, second)
    assert is_subsequence(part, second)


@given(few, few, st.integers(1, 20), st.sampled_from([1, 4, 50, 2**30]))
def test_long_sequences_are_aligned_part_by_part(first, second, longest, cells):
    found = common(array(first), array(second), longest=longest, cells=cells)
    part = array(first)[found].tolist()
    assert is_subsequence(part, second)
    assert len(part) <= length(first, second)
    if min(len(first), len(second)) <= longest and len(first) * len(second) <= cells:
        assert len(part) == length(first, second)


def test_numbers_of_64_bits_are_told_apart():
    top = 2**64 - 1
    assert common(array([5, top, 7]), array([6, top, top - 1])).tolist() == [False, True, False]
    assert common(array([top - 1, top, 2**63]), array([2**63 + 1, top - 1])).tolist() == [True, False, False]


def test_the_work_is_linear_in_long_sequences(monkeypatch):
    """Two alternating elements: nothing is set aside, and every element has a thousand equal ones."""
    cells = []
    align = lcs._align
    monkeypatch.setattr(lcs, "_align", lambda a, b: cells.append(len(a) * len(b)) or align(a, b))
    for size in (2000, 20_000):
        first, second = array([1, 2] * (size // 2)), array([2, 1, 1] * (size // 3))
        found = common(first, second, longest=500)
        assert is_subsequence(first[found].tolist(), second.tolist())
        assert found.sum() > size / 2
        assert sum(cells) < 510 * size
        cells.clear()
        common(first, np.concatenate([second, second]), longest=500, cells=500 * 500)
        assert 500 * 400 < max(cells) <= 500 * 500  # no part is halved
        cells.clear()
