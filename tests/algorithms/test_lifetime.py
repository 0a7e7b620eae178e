from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms.lifetime import lifetime, lifetimes


def test_values_worked_out_by_hand() -> None:
    """T(df) = T_b · N / (1 + (N − 1) · e^−(df − 1))."""
    assert lifetime(2, 10, 5) == pytest.approx(10 * 5 / (1 + 4 * 0.36787944117144233))
    assert lifetime(3, 500, 100) == pytest.approx(50_000 / (1 + 99 * 0.1353352832366127))
    values = lifetimes(10, 5).tolist()
    assert values[:8] == [10, 20, 32, 41, 46, 48, 49, 49]
    assert set(values[8:-1]) == {49}
    assert values[-1] == 50


@given(st.floats(1, 1e5), st.floats(1, 1e4))
def test_shape(base: float, growth: float) -> None:
    assert lifetime(1, base, growth) == pytest.approx(base)
    assert lifetime(10**6, base, growth) == pytest.approx(base * growth)
    values = [lifetime(df, base, growth) for df in range(1, 60)]
    assert values == sorted(values)


@given(st.floats(1, 1e5), st.floats(1, 1e4))
def test_whole_pages(base: float, growth: float) -> None:
    whole = lifetimes(base, growth).tolist()
    assert whole == sorted(whole)
    assert whole[-1] == int(base * growth)
    assert len(whole) == 1 or whole[-2] < whole[-1]
    for df, life in enumerate(whole[:-1], start=1):
        assert life == int(lifetime(df, base, growth))
    assert len(whole) <= 80


def test_for_ever() -> None:
    assert lifetimes(math.inf, 2).tolist() == [-1]
    assert lifetimes(2.0**31, 1).tolist() == [-1]
    assert lifetimes(2**31 - 1, 1).tolist() == [2**31 - 1]


def test_no_growth_is_one_lifetime_for_all() -> None:
    assert lifetimes(7, 1).tolist() == [7]


@pytest.mark.parametrize(
    ("base", "growth"), [(0, 2), (0.5, 2), (-1, 2), (5, 0.9), (math.nan, 2), (2, math.nan)]
)
def test_out_of_range(base: float, growth: float) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        lifetimes(base, growth)
