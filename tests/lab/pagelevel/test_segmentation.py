"""The adjusted Rand index, compared with pairs counted one by one; sections from labels, with a tree walk."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lab.pagelevel.segmentation import adjusted_rand


def by_pairs(first, second):
    """Hubert and Arabie's index from the four kinds of pairs."""
    counts = {(one, two): 0 for one in (True, False) for two in (True, False)}
    for i, j in combinations(range(len(first)), 2):
        counts[first[i] == first[j], second[i] == second[j]] += 1
    both, only_first = counts[True, True], counts[True, False]
    only_second, neither = counts[False, True], counts[False, False]
    below = (both + only_first) * (only_first + neither) + (both + only_second) * (only_second + neither)
    return 2 * (both * neither - only_first * only_second) / below if below else 1.0


groupings = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=30)


@given(groupings)
def test_against_all_pairs(pairs):
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    index = adjusted_rand(np.array(first, np.int32), np.array(second, np.int32))
    assert index == pytest.approx(by_pairs(first, second), abs=1e-12)
    assert index == adjusted_rand(np.array(second, np.int64), np.array(first, np.int64))
    assert index <= 1
