import math

from hypothesis import given, strategies as st

from detemplate.algorithms.recurrence import lifetimes


def lifetime(df, base, growth):
    """T(df) in floating point."""
    return base * growth / (1 + (growth - 1) * math.exp(-(df - 1)))


def test_values_worked_out_by_hand():
    """T(df) = T_b · N / (1 + (N − 1) · e^−(df − 1))."""
    assert lifetimes(10, 5).tolist() == [10, 20, 32, 41, 46, 48, 49]
    assert lifetimes(500, 100)[:3].tolist() == [
        500,
        int(50_000 / (1 + 99 * 0.36787944117144233)),
        int(50_000 / (1 + 99 * 0.1353352832366127)),
    ]


@given(st.floats(1, 1e5), st.floats(1, 1e12))
def test_whole_pages(base, growth):
    whole = lifetimes(base, growth).tolist()
    assert whole[0] == int(base)
    for df, life in enumerate(whole, start=1):
        rounded = lifetime(df, base, growth)
        assert life == -1 or (life <= rounded * (1 + 1e-9) and rounded < (life + 1) * (1 + 1e-9))
    finite = whole[:-1] if whole[-1] == -1 else whole
    assert finite == sorted(finite)
    assert len(whole) == 1 or whole[-2] != whole[-1]


def test_only_lifetimes_beyond_the_numbers_of_pages_never_end():
    assert lifetimes(math.inf, 2).tolist() == [-1]
    assert lifetimes(2.0**31, 1).tolist() == [-1]
    assert lifetimes(2**31 - 1, 1).tolist() == [2**31 - 1]
    assert lifetimes(1, 2.0**31)[-1] == 2**31 - 1
    whole = lifetimes(500, 4_294_968).tolist()
    assert whole[:3] == [500, 1359, 3694]
    assert whole[-1] == -1
    assert whole.index(-1) == len(whole) - 1 == 31
    steep = lifetimes(1, 1e308).tolist()
    assert steep[:-1] == [int(math.exp(df)) for df in range(len(steep) - 1)]
    assert steep[-1] == -1


def test_no_growth_is_one_lifetime_for_all():
    assert lifetimes(7, 1).tolist() == [7]
