"""The logistic function, against the standard library's."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms.sigmoid import STEEPEST, sigmoid

odds = st.floats(-STEEPEST, STEEPEST)
any_odds = st.floats(allow_nan=False)


@given(st.lists(odds, max_size=20))
def test_it_is_the_logistic_function(given_odds):
    found = sigmoid(np.array(given_odds, np.float64))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [1 / (1 + math.exp(-x)) for x in given_odds], rtol=1e-12)


@given(any_odds, any_odds)
def test_it_never_falls(x, y):
    low, high = sigmoid(np.array(sorted([x, y])))
    assert low <= high
