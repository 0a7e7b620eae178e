"""The table of counts, against a Counter."""

from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from detemplate.algorithms import stylenodes
from detemplate.algorithms.stylenodes import Tally

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=12)


@given(st.lists(st.tuples(rows, st.booleans()), max_size=6), st.sampled_from([None, 1, 3]))
def test_counts(parts, most):
    table = Tally(2, np.uint64, np.uint64, np.int32, np.int32, most=most)
    seen = Counter()
    for part, read in parts:
        first, second = (np.array([row[at] for row in part], np.uint64) for at in (0, 1))
        table.add(first, second, first.astype(np.int64) * 7, np.ones(len(part)))
        seen.update(part)
        if read:
            table.columns()
    kept = [
        row for row in sorted(seen) if most is None or sum(a == row[0] and b < row[1] for a, b in seen) < most
    ]
    assert list(zip(*(column.tolist() for column in table.columns()), strict=True)) == [
        (a, b, 7 * a, seen[a, b]) for a, b in kept
    ]


def test_waiting_rows_are_joined(monkeypatch):
    monkeypatch.setattr(stylenodes, "_WAITING", 100)
    table = Tally(1, np.uint64, np.int32)
    for _ in range(1000):
        table.add(np.arange(10, dtype=np.uint64), np.ones(10, np.int32))
        assert table.nbytes <= 12 * 120
    assert table.columns()[1].tolist() == [1000] * 10
