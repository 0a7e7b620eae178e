"""Counts in a table of fixed size: exact for few keys, near for many, the same in any order."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.countmeanmin import CountMeanMin

KEYS = st.lists(st.integers(0, 2**64 - 1), max_size=30)


def counted(keys):
    made = CountMeanMin()
    made.add(keys)
    return made


@given(KEYS, KEYS, st.randoms())
def test_the_order_does_not_matter(first, second, chance):
    shuffled = [*first, *second]
    chance.shuffle(shuffled)
    one, other = counted(first).merge(counted(second)), counted(shuffled)
    assert one.counts(shuffled) == other.counts(shuffled)
    for name, column in one.dump().items():
        assert column.tolist() == other.dump()[name].tolist()
    again = CountMeanMin()
    again.load(**one.dump())
    assert again.counts(shuffled) == one.counts(shuffled)
    assert again.merge(other).counts(shuffled) == one.merge(other).counts(shuffled)


def test_counts_of_few_keys_are_exact_and_those_of_many_are_near():
    chance = random.Random(5)
    frequent, others = (
        [chance.getrandbits(64) for _ in range(3)],
        [chance.getrandbits(64) for _ in range(9000)],
    )
    few = counted([*frequent * 40, *others[:100]])
    assert few.counts(frequent) == (40,) * 3
    assert few.counts(others[:100]) == (1,) * 100
    assert few.counts([7]) == (0,)
    many = counted([*frequent * 400, *others])
    assert all(abs(count - 400) <= 8 for count in many.counts(frequent))
    assert sum(count <= 4 for count in many.counts(others)) > 0.98 * len(others)
    assert many.nbytes == many.merge(many).nbytes > few.nbytes


@pytest.mark.parametrize(
    ("cells", "counts"), [([-1], [1]), ([4096], [1]), ([1, 2], [1]), ([1], [0]), ([1], [-3])]
)
def test_damaged_tables_are_refused(cells, counts):
    with pytest.raises(ValueError, match="no table"):
        CountMeanMin().load(np.array(cells, np.int32), np.array(counts, np.int64))
