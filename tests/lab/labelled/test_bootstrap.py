"""The bootstrap: reproducible, around the mean, and wider where pages of a site agree."""

import pytest
from hypothesis import given, strategies as st

from lab.labelled.bootstrap import bootstrap_mean

figures = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(figures, st.integers(0, 3))
def test_bounds_and_reproducibility(values, seed):
    first = bootstrap_mean(values, resamples=100, seed=seed)
    assert first == bootstrap_mean(values, resamples=100, seed=seed)
    assert first.mean == pytest.approx(sum(values) / len(values))
    assert min(values) - 1e-9 <= first.low <= first.high <= max(values) + 1e-9


def test_interval_of_a_known_mean():
    values = [0.0, 1.0] * 200  # standard error of the mean: 0.5 / sqrt(400) = 0.025
    estimate = bootstrap_mean(values)
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * 0.025, rel=0.1)


def test_groups_of_equal_values_widen_the_interval():
    values = [float(site % 2) for site in range(40) for _page in range(10)]
    groups = [site for site in range(40) for _page in range(10)]
    single, grouped = bootstrap_mean(values), bootstrap_mean(values, groups)
    assert grouped.mean == single.mean
    # Ten equal pages say as much as one: the interval is wider by the root of ten.
    assert (grouped.high - grouped.low) / (single.high - single.low) == pytest.approx(10**0.5, rel=0.15)
