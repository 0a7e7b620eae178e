import itertools

import numpy as np
from hypothesis import given, strategies as st

from detemplate.algorithms.intervals import covering, merge_gaps, overlap, union, without_slivers

SIZE = 60
pairs_of_places = st.lists(
    st.tuples(st.integers(0, SIZE), st.integers(0, 12)).map(lambda pair: (pair[0], min(sum(pair), SIZE))),
    max_size=15,
)


def arrays(pairs):
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def pairs(intervals):
    starts, stops = intervals
    assert starts.dtype == stops.dtype == np.int64
    return list(zip(starts.tolist(), stops.tolist(), strict=True))


def bitmap(given_pairs):
    marked = [False] * SIZE
    for start, stop in given_pairs:
        for place in range(start, stop):
            marked[place] = True
    return marked


def runs(marked):
    found, place = [], 0
    for value, group in itertools.groupby(marked):
        length = len(list(group))
        found.append((value, place, place + length))
        place += length
    return found


def marked_runs(marked):
    return [(start, stop) for value, start, stop in runs(marked) if value]


@given(pairs_of_places)
def test_covering(some):
    wanted = [sum(start <= place < stop for start, stop in some) for place in range(SIZE)]
    assert covering(*arrays(some), SIZE).tolist() == wanted


@given(pairs_of_places)
def test_union(some):
    assert pairs(union(*arrays(some))) == marked_runs(bitmap(some))


@given(pairs_of_places, st.integers(0, 15))
def test_merge_gaps(some, gap):
    marked = bitmap(some)
    for value, start, stop in runs(marked)[1:-1]:
        if not value and stop - start < gap:
            marked[start:stop] = [True] * (stop - start)
    assert pairs(merge_gaps(*arrays(some), gap)) == marked_runs(marked)


@given(pairs_of_places, st.integers(0, 15))
def test_without_slivers(some, least):
    wanted = [(start, stop) for start, stop in marked_runs(bitmap(some)) if stop - start >= least]
    assert pairs(without_slivers(*arrays(some), least)) == wanted


@given(pairs_of_places, pairs_of_places)
def test_overlap(some, pieces):
    marked = bitmap(some)
    found = overlap(*arrays(some), *arrays(pieces))
    assert found.dtype == np.int64
    assert found.tolist() == [sum(marked[start:stop]) for start, stop in pieces]
