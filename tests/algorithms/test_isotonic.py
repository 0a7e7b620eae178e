"""Tree smoothing: the least cost of all results there are, ties as documented, bounded on huge trees.

Scores, penalties and weights of the exact tests are multiples of 1/8: their sums have no rounding, so
that ties are ties.
"""

import itertools
import tracemalloc
from time import process_time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.isotonic import checked, isotonic_smooth, smooth_leaves
from tests.oracles import isotonic as oracle

EIGHTHS = st.integers(0, 8).map(lambda number: number / 8)
inf = float("inf")


@st.composite
def problems(draw, most, scores=EIGHTHS, roots=True, weights=EIGHTHS):
    """Parents, scores, penalties and weights; the parents in any order that the contract allows."""
    count = draw(st.integers(1, most))
    parent = [draw(st.integers(-1 if roots else 0, i - 1)) if i else -1 for i in range(count)]
    x, penalty, weight = (
        draw(st.lists(numbers, min_size=count, max_size=count)) for numbers in (scores, EIGHTHS, weights)
    )
    return parent, x, penalty, weight


@st.composite
def grown(draw, most):
    """Larger problems of several shapes: parents from the whole tree, from its last rows, or few of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(2, most))
    reach = draw(st.sampled_from([1, 2, 5, count]))
    parent = [-1] + [int(rng.integers(max(0, i - reach), i)) for i in range(1, count)]
    if draw(st.booleans()):
        parent = [above // 4 for above in parent]
    for i in np.flatnonzero(rng.random(count) < draw(st.sampled_from([0, 0.1]))).tolist():
        parent[i] = -1
    x = rng.normal(size=count) if draw(st.booleans()) else rng.integers(9, size=count) / 8
    penalty = rng.exponential(draw(st.sampled_from([0.01, 0.2, 2])), count)
    penalty[rng.random(count) < 0.05] = inf
    weight = rng.integers(4, size=count) * rng.choice([1, 0.1])
    return parent, x.tolist(), penalty.tolist(), weight.tolist()


def cost(parent, y, x, penalty, weight):
    total = sum(w * abs(a - b) for w, a, b in zip(weight, x, y, strict=True))
    return total + sum(
        penalty[i] for i, above in enumerate(parent) if above >= 0 and y[above] != y[i]
    )  # those without a parent always start a section: a constant


def is_monotone(parent, y):
    return all(above < 0 or y[above] <= y[i] for i, above in enumerate(parent))


def every_result(parent, values):
    """All monotone assignments."""
    return [y for y in itertools.product(values, repeat=len(parent)) if is_monotone(parent, y)]


def section_rows(parent, y):
    rows = []
    for i, above in enumerate(parent):
        rows.append(rows[above] if above >= 0 and y[above] == y[i] else i)
    return rows


@given(problems(5))
def test_equals_exhaustive_search_ties_too(problem):
    parent, x, penalty, weight = problem
    results = every_result(parent, sorted(set(x)))
    costs = [cost(parent, y, x, penalty, weight) for y in results]
    best = [y for y, price in zip(results, costs, strict=True) if price == min(costs)]
    for i, above in enumerate(parent):  # the documented choice: keep where that is optimal, else the least
        kept = [y for y in best if above >= 0 and y[i] == y[above]]
        least = min(y[i] for y in best)
        best = kept or [y for y in best if y[i] == least]
    found = isotonic_smooth(parent, x, penalty, weight)
    assert tuple(found.scores.tolist()) == best[0]
    assert found.sections.tolist() == section_rows(parent, best[0])


@given(
    st.one_of(problems(5), problems(5, st.floats(-1e6, 1e6)), grown(80)),
    st.one_of(st.none(), st.integers(2, 20)),
)
def test_kernel_equals_oracle(problem, most):
    kernel = isotonic_smooth(*problem, max_values=most)
    wanted = oracle.solve(checked(*problem, max_values=most))
    assert kernel.scores.tolist() == wanted.scores.tolist()
    assert kernel.sections.tolist() == wanted.sections.tolist()
    assert (kernel.scores.dtype, kernel.sections.dtype) == (np.float64, np.int32)


@given(grown(200), st.integers(2, 40))
def test_fewer_values_stay_within_the_bound(problem, most):
    parent, x, penalty, weight = problem
    exact = isotonic_smooth(*problem).scores
    scores, sections = isotonic_smooth(*problem, max_values=most)
    bound = sum(weight) * (max(x) - min(x)) / (2 * (most - 1))
    assert cost(parent, scores, x, penalty, weight) <= (
        cost(parent, exact, x, penalty, weight) + bound * (1 + 1e-9) + 1e-9
    )
    assert is_monotone(parent, scores)
    assert set(scores.tolist()) <= set(x)
    assert sections.tolist() == section_rows(parent, scores)


def test_one_node_and_none():
    found = isotonic_smooth([-1], [0.3], 5)
    assert (found.scores.tolist(), found.sections.tolist()) == ([0.3], [0])
    empty = isotonic_smooth([], [], 5)
    assert (empty.scores.tolist(), empty.sections.tolist()) == ([], [])
    assert (empty.scores.dtype, empty.sections.dtype) == (np.float64, np.int32)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([-1, 0], [0.1], 1), "columns of equal length"),
        (([-1.0, 0.0], [0.1, 0.2], 1), "whole numbers"),
        (([0], [0.1], 1), "before the node's own"),
        ((np.array([2**64 - 1], np.uint64), [0.1], 1), "before the node's own"),
        (([-1], [float("nan")], 1), "x must be finite"),
        (([-1, 0], [-1e308, 1e308], 1), "too large"),
        (([-1], [0.1], float("nan")), "penalty must be at least 0"),
        (([-1, 0], [0.1, 0.2], [1, 2, 3]), "penalty must be one number or one a node"),
        (([-1], [0.1], 1, -1), "weight must be at least 0"),
        (([-1, 0], [0.1, 0.2], 1, [1]), "weight must be one number or one a node"),
    ],
)
def test_wrong_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        isotonic_smooth(*arguments)


HUGE = 50_000
SHAPES = {
    "list": [-1] + [0] * (HUGE - 1),
    "chain": list(range(-1, HUGE - 1)),
    "leaves after a chain": [*range(-1, HUGE // 2 - 1), *reversed(range(HUGE // 2))],
    "nodes without parents": [-1] * HUGE,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_huge_trees_end_in_bounded_time_and_memory(shape):
    x = np.random.default_rng(7).random(HUGE)
    tracemalloc.start()
    start = process_time()
    scores, sections = isotonic_smooth(SHAPES[shape], x, 0.1)
    spent, (_, peak) = process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert spent < 20
    assert peak < 80e6
    parent = np.array(SHAPES[shape])
    inner = parent >= 0
    assert (scores[parent[inner]] <= scores[inner]).all()
    starts = ~inner | (scores != scores[parent])
    assert (sections[starts] == np.flatnonzero(starts)).all()
    assert (sections[~starts] == sections[parent[~starts]]).all()


@st.composite
def leaf_problems(draw):
    above = [draw(st.integers(-1, number - 1)) for number in range(draw(st.integers(0, 12)))]
    leaves = st.tuples(st.integers(-1, len(above) - 1), st.floats(0, 1), st.floats(0, 9))
    group, x, weight = zip(*draw(st.lists(leaves, min_size=1, max_size=30)), strict=True)
    return (
        np.array(above, np.int32), np.array(group, np.int32), np.array(x), np.array(weight),
        draw(st.floats(0, 9)), draw(st.integers(1, 15)),
    )  # fmt: skip


@given(leaf_problems())
def test_leaves_are_smoothed_with_their_groups(problem):
    above, group, x, weight, penalty, steps = problem
    found = smooth_leaves(above, group, x, weight, penalty=penalty, steps=steps)
    parent = [*above.tolist(), *group.tolist()]
    rounded = [0.0] * len(above) + [round(score * steps) / steps for score in x.tolist()]
    wanted = isotonic_smooth(parent, rounded, penalty, [0.0] * len(above) + weight.tolist()).scores
    np.testing.assert_array_equal(found, wanted[len(above) :])
