import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.recurrence import recurrence_table
from tests.oracles.recurrence import RecurrenceTable
from tests.support.clock import seconds

FOREVER = [-1]
pages_of_keys = st.lists(st.lists(st.integers(0, 12), max_size=8), max_size=40)
lives_of_levels = st.lists(st.one_of(st.just(-1), st.integers(0, 9)), min_size=1, max_size=4)


def array(keys):
    return np.array(keys, np.uint64)


def assert_same(table, oracle):
    """Compare all that two tables hold, in its order."""
    for left, right in zip(table.dump(), oracle.dump(), strict=True):
        assert left.dtype == right.dtype
        assert left.tolist() == right.tolist()


@given(pages_of_keys, lives_of_levels, st.sampled_from([1, 3, 5, 2**31 - 1]))
def test_equals_a_table_that_scans_everything(pages, lives, most):
    table, oracle = recurrence_table(lives, most), RecurrenceTable(lives, most)
    for keys in pages:
        assert table.observe(array(keys)).tolist() == oracle.observe(array(keys)).tolist()
        assert_same(table, oracle)
        assert len(table) == len(oracle.entries)
        counts = table.counts(array(range(14))).tolist()
        assert counts == [oracle.entries.get(key, (0, 0))[0] for key in range(14)]
    assert table.pages == len(pages)


def test_many_entries_and_hostile_hashes():
    """Growth, long probe runs, holes that move back: 20,000 keys of which many share their slots."""
    rng = np.random.default_rng(5)
    keys = np.unique(
        np.concatenate(
            [rng.integers(0, 2**64, 10_000, np.uint64), np.arange(10_000, dtype=np.uint64) << np.uint64(40)]
        )
    )
    table, oracle = recurrence_table([3, 6, 40]), RecurrenceTable([3, 6, 40])
    for _ in range(25):
        chosen = rng.choice(keys, 3000)
        assert table.observe(chosen).tolist() == oracle.observe(chosen).tolist()
    assert_same(table, oracle)
    assert 5000 < len(table) < 20_000


@pytest.mark.parametrize("step", [pow(0x9E3779B97F4A7C15, -1, 2**64) << 50, 1 << 50, 1 << 47, 1])
def test_keys_made_to_collide_take_no_more_time_than_others(step):
    """Keys whose multiples agree in the bits that a known multiplier, or any, leaves for the slot."""
    count = 2**14
    hostile = array([number * step % 2**64 for number in range(count)])
    others = np.random.default_rng(3).integers(0, 2**64, count, np.uint64)
    assert len(np.unique(hostile)) == count
    times = [
        seconds(lambda keys=keys: recurrence_table(FOREVER).observe(keys), 5) for keys in (hostile, others)
    ]
    assert times[0] < 40 * times[1]  # if they shared slots, hundreds of times


def test_memory_is_bounded_by_what_is_alive():
    table = recurrence_table([10])
    sizes = []
    for page in range(2000):
        table.observe(array(range(page * 50, page * 50 + 50)))
        sizes.append(table.nbytes)
    assert len(table) == 500
    assert max(sizes[100:]) == max(sizes[:100])
    assert table.nbytes < 300 * 600


@pytest.mark.parametrize(
    ("dfs", "lasts"), [([0], [1]), ([-5], [1]), ([1, 1], [1]), ([1], []), ([], [1])], ids=str
)
def test_a_load_that_makes_no_sense_is_refused(dfs, lasts):
    table = recurrence_table([1, 2])
    with pytest.raises(ValueError, match=r".+"):
        table.load(3, array([1]), np.array(dfs, np.int32), np.array(lasts, np.int32))
