"""The adjusted Rand index, compared with pairs counted one by one; sections from labels, with a tree walk."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate import Page
from lab.labelled.segmentlabels import CONTENT, NEUTRAL, TEMPLATE
from lab.pagelevel.segmentation import adjusted_rand, labelled_sections, segments_inside


def by_pairs(first: list[int], second: list[int]) -> float:
    """Hubert and Arabie's index from the four kinds of pairs."""
    counts = {(one, two): 0 for one in (True, False) for two in (True, False)}
    for i, j in combinations(range(len(first)), 2):
        counts[first[i] == first[j], second[i] == second[j]] += 1
    both, only_first = counts[True, True], counts[True, False]
    only_second, neither = counts[False, True], counts[False, False]
    below = (both + only_first) * (only_first + neither) + (both + only_second) * (only_second + neither)
    return 2 * (both * neither - only_first * only_second) / below if below else 1.0


groupings = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=30)


@given(groupings)
def test_against_all_pairs(pairs):
    first, second = [one for one, _ in pairs], [two for _, two in pairs]
    index = adjusted_rand(np.array(first, np.int32), np.array(second, np.int32))
    assert index == pytest.approx(by_pairs(first, second), abs=1e-12)
    assert index == adjusted_rand(np.array(second, np.int64), np.array(first, np.int64))
    assert index <= 1


@given(groupings)
def test_numbers_of_groups_do_not_matter(pairs):
    first, second = np.array([one for one, _ in pairs], int), np.array([two for _, two in pairs], int)
    assert adjusted_rand(first, second) == adjusted_rand(1000 - 7 * first, second)
    assert adjusted_rand(first, first) == 1


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0, 0, 1, 1], [1, 1, 0, 0], 1.0),
        ([0, 0, 1, 2], [0, 0, 1, 1], 4 / 7),
        ([0, 0, 0, 0], [0, 1, 2, 3], 0.0),
        ([0, 0, 1, 1], [0, 1, 0, 1], -0.5),
        ([0, 1, 2], [5, 6, 7], 1.0),
        ([3], [4], 1.0),
        ([], [], 1.0),
        # 1 1 0 / 1 2 1 / 0 0 4: pairs 1 + 6 = 7 together, 1 + 6 + 6 = 13 and 1 + 3 + 10 = 14 of 45
        (
            [0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
            [0, 1, 0, 1, 1, 2, 2, 2, 2, 2],
            (7 - 13 * 14 / 45) / ((13 + 14) / 2 - 13 * 14 / 45),
        ),
    ],
)
def test_known_values(first, second, expected):
    assert adjusted_rand(np.array(first, int), np.array(second, int)) == pytest.approx(expected)


def test_random_groupings_agree_by_chance_only():
    rng = np.random.default_rng(1)
    indices = [adjusted_rand(rng.integers(0, 5, 200), rng.integers(0, 9, 200)) for _ in range(200)]
    assert abs(np.mean(indices)) < 0.005


def test_many_things_do_not_overflow():
    half = np.repeat([0, 1], 3_000_000)
    assert adjusted_rand(half, half) == 1
    assert abs(adjusted_rand(half, np.tile([0, 1], 3_000_000))) < 1e-6


def test_columns_of_unequal_length():
    with pytest.raises(ValueError, match="2 things in one grouping, 1 in the other"):
        adjusted_rand(np.array([1, 2]), np.array([1]))


# --- sections from labels ---


def test_largest_parts_of_one_kind():
    page = Page(
        "http://a/1",
        "<body><div id=a><ul><li>one<li>two</ul><p>three</p></div>"
        "<div id=b><p>four</p><i>|</i><p>five <b>six</b></p></div><p>seven</p></body>",
    )
    assert len(page.segments) == 8
    t, c, n = TEMPLATE, CONTENT, NEUTRAL
    sections = labelled_sections(page, np.array([t, t, t, t, n, c, c, t], np.int8))
    names = [page.canonical[page.columns.start[row] :][:10] if row >= 0 else b"" for row in sections]
    assert [name[:4] for name in names] == [b"<div"] * 3 + [b"<p>f", b""] + [b"<p>f"] * 2 + [b"<p>s"]
    assert names[0] == b'<div id="a'
    assert sections[3] != sections[5] == sections[6]
    whole = labelled_sections(page, np.array([t, t, t, t, n, t, t, t], np.int8))
    assert set(whole.tolist()) == {0, -1}
    assert page.canonical[page.columns.start[0] :].startswith(b"<html")
    assert labelled_sections(page, np.full(8, n, np.int8)).tolist() == [-1] * 8


def test_page_without_text():
    page = Page("http://a/1", "<img src=x>")
    assert labelled_sections(page, np.zeros(0, np.int8)).tolist() == []
    assert segments_inside(page, np.zeros(0, np.bool_)).tolist() == [0] * len(page.columns)


trees = st.recursive(
    st.sampled_from(["x", "y z"]),
    lambda inner: st.lists(
        st.tuples(inner, st.sampled_from(["{}<hr>", "<div>{}</div>"])), min_size=1, max_size=4
    ).map(lambda parts: "".join(around.format(part) for part, around in parts)),
    max_leaves=25,
)


@given(trees, st.randoms(use_true_random=False))
def test_against_a_walk_up_the_tree(html, random):
    page = Page("http://a/1", html)
    label = np.array([random.choice([TEMPLATE, CONTENT, NEUTRAL]) for _ in page.segments], np.int8)
    parent, end = page.columns.parent.tolist(), page.columns.end.tolist()

    def labels_inside(row: int) -> set[int]:
        rows = page.segments.tolist()
        return {int(each) for each, at in zip(label, rows, strict=True) if row <= at < end[row]} - {NEUTRAL}

    expected = []
    for segment_label, row in zip(label.tolist(), page.segments.tolist(), strict=True):
        at = row
        while parent[at] >= 0 and len(labels_inside(parent[at])) == 1:
            at = parent[at]
        expected.append(at if segment_label != NEUTRAL else -1)
    assert labelled_sections(page, label).tolist() == expected
