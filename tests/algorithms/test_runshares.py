"""Shares of runs, against sums entry by entry."""

from __future__ import annotations

import doctest
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms import runshares as module
from detemplate.algorithms.runshares import frequent_shares

counts = st.integers(0, 2**31 - 1)


def column(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int32)


@st.composite
def tables(draw):
    """Draw rows with groups and weights, and entries with frequencies."""
    table = draw(st.lists(st.tuples(st.integers(-1, 3), counts | st.integers(0, 5)), max_size=8))
    row = st.integers(0, len(table) - 1)
    entries = draw(st.lists(st.tuples(st.integers(0, 9), row), max_size=12)) if table else []
    groups, weights = (column(*(each[part] for each in table)) for part in (0, 1))
    frequency, rows = (column(*(each[part] for each in entries)) for part in (0, 1))
    return frequency, rows, groups, weights


def wanted_shares(frequency, least, rows, group, weight):
    """Add up run by run, in whole numbers."""
    found: list[float] = []
    entries = zip(frequency.tolist(), group[rows].tolist(), weight[rows].tolist(), strict=True)
    for _, run in groupby(entries, key=lambda entry: entry[1]):
        members = list(run)
        total = sum(heavy for _, _, heavy in members)
        frequent = sum(heavy for often, _, heavy in members if often >= least)
        found += [frequent / total if total else 0.0] * len(members)
    return found


@given(tables(), st.integers(-1, 10))
def test_shares_are_sums_of_runs(table, least):
    frequency, rows, group, weight = table
    wanted = wanted_shares(frequency, least, rows, group, weight)
    found = frequent_shares(frequency, least, rows, group, weight)
    assert (found.dtype, found.tolist()) == (np.float64, wanted)


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="lengths"):
        frequent_shares(column(1), 1, column(0, 0), column(1), column(1))
    with pytest.raises(ValueError, match="lengths"):
        frequent_shares(column(1), 1, column(0), column(1, 1), column(1))
    for row in (-1, 1, 2**31 - 1):
        with pytest.raises(ValueError, match="no such row"):
            frequent_shares(column(1), 1, column(row), column(1), column(1))


def test_the_example_is_right():
    assert doctest.testmod(module).failed == 0
