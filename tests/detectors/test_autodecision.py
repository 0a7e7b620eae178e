"""Joining two looks, smoothing, cutting: against brute force."""

from __future__ import annotations

from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from auto_sites import found, likeness, pages
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms.isotonic import isotonic_smooth
from detemplate.detectors import autodecision
from detemplate.detectors.autodecision import expected_cut, joined, settled, smoothed
from detemplate.detectors.surroundings import Surroundings
from detemplate.page.page import Page


def smooth(page: Page, content: np.ndarray, weight: np.ndarray, penalty: float) -> np.ndarray:
    around = Surroundings.of(page, found(page))
    return smoothed(around.group[:, 0], around.above, content, weight, penalty)


# Where to cut.

segments = st.lists(st.tuples(st.floats(1e-6, 1 - 1e-6), st.integers(0, 40)), min_size=1, max_size=8)


def columns(given_segments: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    content, words = zip(*given_segments, strict=True)
    return np.array(content), np.array(words, np.int32)


def expected_f1(content: np.ndarray, weight: np.ndarray, chosen: list[int]) -> float:
    hits = sum(content[i] * weight[i] for i in chosen)
    kept = sum(weight[i] for i in chosen)
    return 2 * hits / (kept + sum(content * weight))


def best_f1(content: np.ndarray, words: np.ndarray) -> float:
    weight, numbers = np.maximum(words, 1), range(len(content))
    sets = chain.from_iterable(combinations(numbers, size) for size in range(len(content) + 1))
    return max(expected_f1(content, weight, list(chosen)) for chosen in sets)


@given(segments)
def test_what_is_above_half_of_the_best_f1_has_it(given_segments):
    content, words = columns(given_segments)
    best = best_f1(content, words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(autodecision, "SURER", 0.0)
        cut = expected_cut(content, words)
    assert cut == pytest.approx(min(best / 2, content.max()), rel=1e-6)
    above = [i for i in range(len(content)) if content[i] > best / 2]
    assert expected_f1(content, np.maximum(words, 1), above) == pytest.approx(best)


@given(segments)
def test_the_cut_is_near_and_never_keeps_nothing(given_segments):
    content, words = columns(given_segments)
    half, cut = best_f1(content, words) / 2, expected_cut(content, words)
    weighed = [(p * max(n, 1), n) for p, n in zip(content, words, strict=True)]
    running = sum(each for each, n in weighed if n >= autodecision.RUNNING) / sum(each for each, _ in weighed)
    assert cut == pytest.approx(min((1 + autodecision.SURER * running) * half, content.max()), rel=1e-6)
    assert 0 < cut < content.max()


def test_unsure_text_beside_an_article_goes_where_unsure_items_of_a_list_stay():
    article = np.array([0.95, 0.95, 0.5]), np.array([100, 100, 20], np.int32)
    items = np.array([0.95] * 20 + [0.5]), np.array([10] * 20 + [19], np.int32)
    assert expected_cut(*article) > 0.5 > expected_cut(*items)


@given(segments)
def test_the_order_of_segments_is_no_matter(given_segments):
    content, words = columns(given_segments)
    assert expected_cut(content[::-1], words[::-1]) == pytest.approx(expected_cut(content, words))


def test_a_cut_for_nothing():
    assert 0 < expected_cut(np.zeros(0), np.zeros(0, np.int32)) < 1


# Joining two looks.

odds = st.floats(-40, 40)


@given(st.lists(st.tuples(odds, odds), min_size=1, max_size=6), st.integers(0, 2000))
def test_site_evidence_lowers_at_once_and_raises_slowly(both, others):
    alone, sited = map(np.array, zip(*both, strict=True))
    got = joined(alone, sited, others)
    for one, other, result in zip(alone, sited, got, strict=True):
        if other < one:
            assert result == other
        else:
            assert one - 1e-9 <= result <= other + 1e-9
    assert (joined(alone, sited, others + 1) >= got - 1e-9).all()
    np.testing.assert_array_equal(joined(alone, sited, 0), np.minimum(alone, sited))
    np.testing.assert_allclose(joined(alone, sited, 10**12), sited, atol=1e-6)


@given(odds, odds, st.floats(0, 20), st.integers(0, 2000))
def test_more_odds_never_make_less(alone, sited, more, others):
    def once(one: float, other: float) -> float:
        return float(joined(np.array([one]), np.array([other]), others)[0])

    assert once(alone + more, sited) >= once(alone, sited) - 1e-9
    assert once(alone, sited + more) >= once(alone, sited) - 1e-9


# Smoothing.


def tree_of(rows: list[int], groups: list[list[int]]) -> dict[int, int]:
    """The parent of each node by going through the segments' groups; -1 for none."""
    parents: dict[int, int] = {}
    for row, around in zip(rows, groups, strict=True):
        way = [row, *(group for group in around if group >= 0)]
        parents.update(pairwise(way))
        parents.setdefault(way[-1], -1)
    return parents


def smooth_by_hand(
    rows: np.ndarray, groups: np.ndarray, content: np.ndarray, weight: np.ndarray, penalty: float
) -> tuple[np.ndarray, int]:
    """Content of each segment's section, and how many nodes there are."""
    steps = autodecision._STEPS
    parents = tree_of(rows.tolist(), groups.tolist())
    nodes = sorted(parents)
    place = {node: number for number, node in enumerate(nodes)}
    score = {row: round((1 - each) * steps) / steps for row, each in zip(rows.tolist(), content, strict=True)}
    mass = dict(zip(rows.tolist(), weight, strict=True))
    result = isotonic_smooth(
        [place[parents[node]] if parents[node] >= 0 else -1 for node in nodes],
        [score.get(node, 0.0) for node in nodes],
        penalty,
        [mass.get(node, 0.0) for node in nodes],
    )
    own = [place[row] for row in rows.tolist()]
    return 1 - result.scores[own], len(nodes)


@given(pages, st.floats(1e-3, 50), st.randoms(use_true_random=False))
def test_smoothing_equals_the_regression_on_a_tree_made_by_hand(page, penalty, draw):
    evidence = found(page)
    weight = Surroundings.of(page, evidence).weight
    content = np.array([draw.uniform(1e-9, 1 - 1e-9) for _ in page.segments])
    got = smooth(page, content, weight, penalty)
    assert ((got >= 0) & (got <= 1)).all()
    if len(content) < 2:
        np.testing.assert_array_equal(got, content)
        return
    wanted, _ = smooth_by_hand(page.segments, evidence.groups, content, weight, penalty)
    np.testing.assert_allclose(got, wanted, atol=0.5 / autodecision._STEPS + 1e-9)
    for i, j in combinations(range(len(content)), 2):
        if wanted[i] > wanted[j]:
            assert got[i] >= got[j] - 1e-12


@given(pages)
def test_no_penalty_changes_nothing(page):
    evidence, content = found(page), likeness(page)
    weight = Surroundings.of(page, evidence).weight
    np.testing.assert_array_equal(smooth(page, content, weight, 0), content)


@given(st.lists(st.floats(0.01, 0.99), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_a_page_that_may_have_one_section_has_about_one_score(content, draw):
    html = "".join(
        draw.choice(["<p>{}</p>", "<div>{}</div>", "<ul><li>{}</ul>"]).format(n) for n in range(len(content))
    )
    page = Page("http://e.org/", f"<body><section>{html}</section>")
    got = smooth(page, np.array(content), np.ones(len(content)), 1e9)
    assert got.max() - got.min() <= 1 / autodecision._STEPS


@pytest.mark.parametrize("content", [[0.5, 0.75], [0.36, 0.4, 0.5]])
def test_within_a_section_what_looked_most_like_content_still_does(content):
    page = Page("http://e.org/", "<body>" + "".join(f"<p>{number}" for number in range(len(content))))
    got = smooth(page, np.array(content), np.ones(len(content)), 1e9)
    assert (np.diff(got) > 0).all()


def test_segments_without_groups_keep_their_own():
    content = np.array([0.11, 0.52, 0.93])
    none = np.full(3, -1, np.int32)
    got = smoothed(none, none[:0], content, np.ones(3), 1e6)
    np.testing.assert_allclose(got, content, atol=0.5 / autodecision._STEPS + 1e-9)


@given(pages, st.floats(0.01, 0.99), st.floats(0, 10))
def test_equal_scores_stay_equal(page, score, penalty):
    evidence = found(page)
    weight = Surroundings.of(page, evidence).weight
    got = smooth(page, np.full(len(weight), score), weight, penalty)
    assert len(set(got.tolist())) == 1
    assert got[0] == pytest.approx(score, abs=0.5 / autodecision._STEPS + 1e-9)


def test_a_list_with_one_doubtful_entry():
    """The entry is smoothed away in its list, and the article beside the list is left alone."""
    html = (
        "<body><ul>" + "".join(f"<li>item number {n}</li>" for n in range(5)) + "</ul>"
        "<article><p>a long text of an article<p>and another one of its texts</article>"
    )
    page = Page("http://e.org/", html)
    evidence = found(page)
    content = np.array([0.1, 0.1, 0.6, 0.1, 0.1, 0.9, 0.9])
    weight = Surroundings.of(page, evidence).weight
    got = smooth(page, content, weight, 10.0)
    assert np.ptp(got[:5]) < 0.05
    assert (got[:5] < 0.5).sum() in (0, 5)


# Settling what other pages have.


@given(pages, st.floats(1e-3, 5), st.randoms(use_true_random=False))
def test_what_other_pages_have_goes_by_what_it_looks(page, penalty, draw):
    weight = Surroundings.of(page, found(page)).weight
    count = len(page.segments)
    scored, alone = (np.array([draw.uniform(1e-9, 1 - 1e-9) for _ in range(count)]) for _ in range(2))
    known = np.array([draw.random() < 0.5 for _ in range(count)], np.bool_)
    got = settled(lambda cost: smooth(page, scored, weight, cost), penalty, scored, alone, known)
    once, firmer = (smooth(page, scored, weight, cost) for cost in (penalty, autodecision.FIRMER * penalty))
    for i in range(count):
        if not known[i]:
            assert got[i] == once[i]
        elif alone[i] > 0.5:
            assert got[i] == max(once[i], firmer[i])
        else:
            assert got[i] == min(once[i], scored[i])


def test_without_smoothing_nothing_is_settled():
    scored, alone, known = np.array([0.2, 0.9]), np.array([0.9, 0.1]), np.ones(2, np.bool_)
    np.testing.assert_array_equal(settled(lambda _: scored, 0, scored, alone, known), scored)


def test_a_label_of_a_record_stays_in_it_and_a_breadcrumb_is_not_raised():
    rows = "".join(f"<tr><td>{n} is new</td></tr>" for n in range(12))
    page = Page("http://e.org/", f"<body><table><tr><th>Name</th></tr>{rows}</table><p>Home</p></body>")
    scored = np.array([0.3, *[0.9] * 12, 0.1])
    weight = np.ones(14)
    known = np.array([True, *[False] * 12, True])

    def settle(alone: float) -> np.ndarray:
        looks = np.array([alone, *[0.9] * 12, alone])
        return settled(lambda cost: smooth(page, scored, weight, cost), 0.5, scored, looks, known)

    assert settle(0.8)[0] > 0.7
    assert settle(0.2)[0] <= 0.3
    assert settle(0.2)[-1] <= 0.1
