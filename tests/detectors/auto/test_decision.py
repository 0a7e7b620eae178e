"""Combining page and site, smoothing, cutting: against brute force."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms.isotonic import isotonic_smooth
from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto import decision as autodecision
from detemplate.detectors.auto.decision import STEPS, expected_cut, finished, smooth_tree, smoothed
from detemplate.detectors.auto.surroundings import Surroundings
from detemplate.page.page import Page
from tests.support.auto_sites import found, likeness, pages


def smooth(page: Page, content: np.ndarray, weight: np.ndarray, penalty: float) -> np.ndarray:
    around = Surroundings.of(page, found(page))
    return smooth_tree(around.group[:, 0], around.above, content, weight, penalty)


# Where to cut.

segments = st.lists(
    st.tuples(st.floats(1e-6, 1 - 1e-6), st.integers(0, 40), st.integers(-1, 3)), min_size=1, max_size=12
)


def columns(given_segments: list[tuple[float, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    content, words, group = zip(*given_segments, strict=True)
    return np.array(content), np.array(words, np.int32), np.array(group, np.int32)


def shifted(content: np.ndarray, words: np.ndarray) -> list[float]:
    """Give each segment's shifted probability: lower beside running text, the greatest at least a half."""
    weighed = [p * max(n, 1) for p, n in zip(content, words, strict=True)]
    running = sum(w for w, n in zip(weighed, words, strict=True) if n >= autodecision.RUNNING_WORDS) / sum(
        weighed
    )
    odds = [math.log(p / (1 - p)) - autodecision.PROSE_SHIFT * running for p in content]
    return [1 / (1 + math.exp(min(max(odds), 0) - each)) for each in odds]


def expected_f1(content, words, group, chosen: set[int]) -> float:
    """Give the mean F1 of a choice, sample by sample and segment by segment."""
    chance, total = shifted(content, words), 0.0
    weight = [max(int(n), 1) for n in words]
    for sample in range(autodecision.SAMPLES):
        numbers = autodecision._THRESHOLDS[:, sample]
        true = {i for i, g in enumerate(group) if numbers[g] < chance[i]}
        hits = sum(weight[i] for i in true & chosen)
        total += 2 * hits / (sum(weight[i] for i in chosen) + sum(weight[i] for i in true))
    return total / autodecision.SAMPLES


@given(segments)
def test_the_cut_gives_the_set_of_the_greatest_expected_f1(given_segments):
    content, words, group = columns(given_segments)
    cut = expected_cut(content, words, group)
    assert 0 < cut < content.max()
    kept = set(np.flatnonzero(content > cut).tolist())
    best = max(
        expected_f1(content, words, group, set(np.flatnonzero(content >= least).tolist()))
        for least in content
    )
    assert expected_f1(content, words, group, kept) == pytest.approx(best, rel=1e-9)


def test_thresholds_of_a_group_are_evenly_spaced_and_its_own():
    thresholds = autodecision._THRESHOLDS
    even = (np.arange(autodecision.SAMPLES) + 0.5) / autodecision.SAMPLES
    np.testing.assert_allclose(np.sort(thresholds, axis=1), np.tile(even, (len(thresholds), 1)))
    assert len(np.unique(thresholds, axis=0)) == len(thresholds)
    pairs = np.triu_indices(len(thresholds), 1)
    np.testing.assert_array_less(np.abs(np.corrcoef(thresholds)[pairs]).mean(), 0.2)


def test_unsure_text_beside_an_article_goes_where_unsure_items_of_a_list_stay():
    article = np.array([0.95, 0.95, 0.5]), np.array([100, 100, 20], np.int32), np.arange(3, dtype=np.int32)
    items = np.array([0.95] * 20 + [0.5]), np.array([10] * 20 + [19], np.int32), np.arange(21, dtype=np.int32)
    assert expected_cut(*article) > 0.5 > expected_cut(*items)


def test_comments_go_together_where_unsure_texts_apart_would_stay():
    """A group is all content or none, so leaving it out costs nothing where it is none."""
    content, words = np.array([0.98] + [0.55] * 8), np.array([80] + [15] * 8, np.int32)
    together, apart = np.array([0] + [1] * 8, np.int32), np.arange(9, dtype=np.int32)
    assert expected_cut(content, words, together) > 0.55 > expected_cut(content, words, apart)


def test_where_all_looks_like_template_not_only_the_likeliest_stays():
    content, words = np.array([0.02, *np.linspace(0.011, 0.012, 30)]), np.full(31, 8, np.int32)
    kept = content > expected_cut(content, words, np.arange(31, dtype=np.int32))
    assert kept.sum() > 15


@given(segments)
def test_the_order_of_segments_is_no_matter(given_segments):
    content, words, group = columns(given_segments)
    turned = expected_cut(content[::-1], words[::-1], group[::-1])
    assert turned == pytest.approx(expected_cut(content, words, group))


@pytest.mark.parametrize(
    ("likely", "words"), [(0.54, [100, 58, 146]), (0.57, [100, 57, 130])], ids=["rounded up", "rounded down"]
)
def test_neighbouring_floats_are_parted(likely, words):
    """What is in their middle is one of the two."""
    content = np.array([0.9, likely, np.nextafter(likely, 0)])
    kept = content > expected_cut(content, np.array(words, np.int32), np.arange(3, dtype=np.int32))
    assert kept.tolist() == [True, True, False]


def test_a_cut_for_nothing():
    assert 0 < expected_cut(np.zeros(0), np.zeros(0, np.int32), np.zeros(0, np.int32)) < 1


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
    steps = STEPS
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
    features = found(page)
    weight = Surroundings.of(page, features).weight
    content = np.array([draw.uniform(1e-9, 1 - 1e-9) for _ in page.segments])
    got = smooth(page, content, weight, penalty)
    assert ((got >= 0) & (got <= 1)).all()
    if len(content) < 2:
        np.testing.assert_array_equal(got, content)
        return
    wanted, _ = smooth_by_hand(page.segments, features.groups, content, weight, penalty)
    np.testing.assert_allclose(got, wanted, atol=0.5 / STEPS + 1e-9)
    for i, j in combinations(range(len(content)), 2):
        if wanted[i] > wanted[j]:
            assert got[i] >= got[j] - 1e-12


@given(pages)
def test_no_penalty_changes_nothing(page):
    features, content = found(page), likeness(page)
    weight = Surroundings.of(page, features).weight
    np.testing.assert_array_equal(smooth(page, content, weight, 0), content)


@given(st.lists(st.floats(0.01, 0.99), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_a_page_that_may_have_one_section_has_about_one_score(content, draw):
    html = "".join(
        draw.choice(["<p>{}</p>", "<div>{}</div>", "<ul><li>{}</ul>"]).format(n) for n in range(len(content))
    )
    page = Page("http://e.org/", f"<body><section>{html}</section>")
    got = smooth(page, np.array(content), np.ones(len(content)), 1e9)
    assert got.max() - got.min() <= 1 / STEPS


@pytest.mark.parametrize("content", [[0.5, 0.75], [0.36, 0.4, 0.5]])
def test_within_a_section_what_looked_most_like_content_still_does(content):
    page = Page("http://e.org/", "<body>" + "".join(f"<p>{number}" for number in range(len(content))))
    got = smooth(page, np.array(content), np.ones(len(content)), 1e9)
    assert (np.diff(got) > 0).all()


def test_segments_without_groups_keep_their_own():
    content = np.array([0.11, 0.52, 0.93])
    none = np.full(3, -1, np.int32)
    got = smooth_tree(none, none[:0], content, np.ones(3), 1e6)
    np.testing.assert_allclose(got, content, atol=0.5 / STEPS + 1e-9)


@given(pages, st.floats(0.01, 0.99), st.floats(0, 10))
def test_equal_scores_stay_equal(page, score, penalty):
    features = found(page)
    weight = Surroundings.of(page, features).weight
    got = smooth(page, np.full(len(weight), score), weight, penalty)
    assert len(set(got.tolist())) == 1
    assert got[0] == pytest.approx(score, abs=0.5 / STEPS + 1e-9)


def test_a_list_with_one_doubtful_entry():
    """The entry is smoothed away in its list, and the article beside the list is left alone."""
    html = (
        "<body><ul>" + "".join(f"<li>item number {n}</li>" for n in range(5)) + "</ul>"
        "<article><p>a long text of an article<p>and another one of its texts</article>"
    )
    page = Page("http://e.org/", html)
    features = found(page)
    content = np.array([0.1, 0.1, 0.6, 0.1, 0.1, 0.9, 0.9])
    weight = Surroundings.of(page, features).weight
    got = smooth(page, content, weight, 10.0)
    assert np.ptp(got[:5]) < 0.05
    assert (got[:5] < 0.5).sum() in (0, 5)


# Repeated segments.


def by_repetition(page, odds, alone, known, penalty):
    around = Surroundings.of(page, found(page))
    columns = odds, alone, np.where(known, 0.5, 0.0), around.group[:, 0], around.above, around.weight, penalty
    return smoothed(*columns)


@given(pages, st.floats(1e-3, 5), st.randoms(use_true_random=False))
def test_repeated_segments_go_by_their_page_only_probability(page, penalty, draw):
    weight = Surroundings.of(page, found(page)).weight
    count = len(page.segments)
    odds = np.array([draw.uniform(-20, 20) for _ in range(count)])
    alone = np.array([draw.uniform(1e-9, 1 - 1e-9) for _ in range(count)])
    known = np.array([draw.random() < 0.5 for _ in range(count)], np.bool_)
    got = by_repetition(page, odds, alone, known, penalty)
    scored = sigmoid(odds)
    once, firmer = (
        smooth(page, scored, weight, cost) for cost in (penalty, autodecision.REPEATED_PENALTY * penalty)
    )
    if count < 2:
        once = firmer = got
    for i in range(count):
        if not known[i]:
            assert got[i] == once[i]
        elif alone[i] > 0.5:
            assert got[i] == max(once[i], firmer[i])
        else:
            assert got[i] == min(once[i], scored[i])


def test_without_smoothing_segments_keep_their_probabilities():
    page = Page("http://e.org/", "<p>one<p>two")
    odds = np.array([-1.4, 2.2])
    got = by_repetition(page, odds, np.array([0.9, 0.1]), np.ones(2, np.bool_), 0)
    np.testing.assert_allclose(got, 1 / (1 + np.exp(-odds)))


def test_a_label_of_a_record_stays_in_it_and_a_breadcrumb_is_not_raised():
    rows = "".join(f"<tr><td>{n} is new</td></tr>" for n in range(12))
    page = Page("http://e.org/", f"<body><table><tr><th>Name</th></tr>{rows}</table><p>Home</p></body>")
    scored = np.array([0.3, *[0.9] * 12, 0.1])
    known = np.array([True, *[False] * 12, True])

    def likely(alone: float) -> np.ndarray:
        page_only = np.array([alone, *[0.9] * 12, alone])
        return by_repetition(page, np.log(scored / (1 - scored)), page_only, known, 0.5)

    assert likely(0.8)[0] > 0.7
    assert likely(0.2)[0] <= 0.3 + 1e-9
    assert likely(0.2)[-1] <= 0.1 + 1e-9


# Scores.


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.booleans()), min_size=1, max_size=9),
    st.floats(1e-6, 0.999),
)
def test_scores_are_above_a_half_below_the_cut(given_segments, cut):
    """What rules keep is content, what they remove is not; the odds are shifted by those of the cut."""
    content, kept, removed = (np.array([one[at] for one in given_segments]) for at in range(3))
    final, scores = finished(content, cut, kept, removed)
    assert ((scores > 0) & (scores <= 1)).all()
    for number, (likely, keep, remove) in enumerate(given_segments):
        own = min(max(0.0 if remove else 1.0 if keep else likely, 1e-6), 1 - 1e-6)
        assert final[number] == own
        odds = math.log((1 - own) / own) + math.log(cut / (1 - cut))
        assert scores[number] == pytest.approx(1 / (1 + math.exp(-odds)), rel=1e-6)
