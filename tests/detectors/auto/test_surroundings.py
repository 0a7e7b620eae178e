"""Means and shares of what stands around segments: against loops."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import _surroundings
from detemplate.detectors.auto.surroundings import LEAD, NEAR, SUMMARIES, WINDOWS, Surroundings, mean_names
from detemplate.features.segment import LEVELS
from detemplate.page.page import Page
from tests.support.auto_sites import found, long_page, means_of, pages
from tests.support.pxd import constants

LEAST, NONE = 0.3, -1.0


def weighted(chosen, values, weight):
    chosen = list(chosen)
    if not chosen:
        return NONE
    return sum(values[i] * weight[i] for i in chosen) / sum(weight[i] for i in chosen)


def means_by_hand(page, features, values):
    rows, ends, blocks = page.segments.tolist(), page.columns.end.tolist(), page.blocks.tolist()
    slots, count = features.slots.tolist(), len(values)
    weight = [words + LEAST for words in features.words.tolist()]
    every = range(count)
    table = []
    for i in every:
        line = [
            weighted((j for j in every if group <= rows[j] < ends[group]), values, weight)
            if group >= 0
            else NONE
            for group in features.groups[i].tolist()
        ]
        line += [
            weighted((j for j in every if blocks[j] == blocks[i] + step), values, weight)
            for step in range(-NEAR, NEAR + 1)
        ]
        line += [weighted((j for j in every if abs(i - j) <= width), values, weight) for width in WINDOWS]
        line.append(weighted((j for j in every if slots[j] == slots[i]), values, weight))
        table.append(line)
    return table


@given(pages)
def test_groups_are_those_around(page):
    features = found(page)
    around = Surroundings.of(page, features)
    assert around.held.tolist() == sorted({row for row in features.groups.ravel().tolist() if row >= 0})
    for rows, numbers in zip(features.groups.tolist(), around.group.tolist(), strict=True):
        assert [around.held[number] if number >= 0 else -1 for number in numbers] == rows
        for inner, outer in pairwise(numbers):
            if outer >= 0:
                assert around.above[inner] == outer
    assert (around.above < np.arange(len(around.above))).all()


def drawn(draw, count):
    return np.array([draw.choice([0, 1, -1, draw.random()]) for _ in range(count)], np.float64)


@pytest.mark.parametrize("seed", range(3))
def test_means_over_long_pages_equal_loops(seed):
    page = long_page(seed)
    assert len(page.segments) > 3 * max(WINDOWS)
    check_means(page, random.Random(seed))


@given(pages, st.randoms(use_true_random=False))
def test_means_equal_loops(page, draw):
    check_means(page, draw)


def check_means(page, draw):
    features = found(page)
    values = drawn(draw, len(page.segments))
    around = Surroundings.of(page, features)
    got = means_of(around, values)
    np.testing.assert_allclose(got, means_by_hand(page, features, values), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(got[:, -1], around.over_slots(values).astype(np.float32))


def test_one_segment():
    page = Page("http://e.org/", "<p>one two")
    got = dict(
        zip(mean_names("x"), means_of(Surroundings.of(page, found(page)), np.array([0.25]))[0], strict=True)
    )
    assert got["x block +0"] == got["x slot"] == got[f"x window {WINDOWS[0]}"] == 0.25
    assert got["x block -1"] == got["x block +1"] == NONE


def test_many_segments_stay_exact():
    """Running sums over a long page lose nothing that counts."""
    page = Page("http://e.org/", "<main>" + "<p>some words of text</p>" * 20_000 + "</main>")
    features = found(page)
    values = np.zeros(len(page.segments))
    values[-1] = 1
    got = means_of(Surroundings.of(page, features), values)
    block = mean_names("").index(" block +0")
    np.testing.assert_allclose(got[:, block], values, atol=1e-12)
    window = mean_names("").index(f" window {WINDOWS[0]}")
    np.testing.assert_allclose(got[-1, window], 1 / (WINDOWS[0] + 1), rtol=1e-6)


def test_a_column_of_a_table_will_do():
    page = Page("http://e.org/", "<div><p>one</p><p>two words</p></div><p>three")
    around = Surroundings.of(page, found(page))
    values = np.array([[0.5, 0], [0.25, 0], [1, 0]])[:, 0]
    np.testing.assert_array_equal(means_of(around, values), means_of(around, values.copy()))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("block", np.array([0, 9], np.int32)),
        ("block", np.array([0, -1], np.int32)),
        ("slot", np.array([2, 0], np.int32)),
        ("slot", np.array([0], np.int32)),
        ("first", np.zeros((2, 3), np.int32)),
        ("weight", np.ones(1)),
    ],
)
def test_the_kernel_refuses_what_cannot_be(name, wrong):
    two = np.arange(2, dtype=np.int32)
    arguments = {
        "values": np.ones(2),
        "weight": np.ones(2),
        "first": np.zeros((2, LEVELS), np.int32),
        "last": np.ones((2, LEVELS), np.int32),
        "block": two,
        "slot": two,
        "table": np.zeros((2, len(mean_names(""))), np.float32),
    }
    _surroundings.means(*arguments.values())
    with pytest.raises(ValueError, match=r"columns|numbered|more"):
        _surroundings.means(*(arguments | {name: wrong}).values())


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("groups", np.full((1, LEVELS), 5, np.int32), "no node"),
        ("rows", np.full(1, 5, np.int32), "no node"),
        ("rows", np.full(1, -1, np.int32), "no node"),
        ("order", np.ones(1, np.int64), "each place once"),
        ("order", np.full(1, -1, np.int64), "each place once"),
        ("order", np.zeros(0, np.int64), "too few"),
        ("words", np.zeros(0, np.int32), "too few"),
        ("keys", np.zeros(0, np.uint64), "too few"),
        ("weight", np.zeros(0), "too few"),
        ("block", np.zeros(4, np.int32), "too few"),
        ("held", np.zeros(1, np.int32), "too few"),
        ("around", np.zeros((2, 1, LEVELS), np.int32), "other columns"),
        ("around", np.zeros((3, 1, LEVELS - 1), np.int32), "other columns"),
        ("blocks", np.zeros(0, np.int32), "too few"),
        ("slots", np.zeros(0, np.int32), "too few"),
    ],
)
def test_the_kernel_refuses_columns_that_do_not_fit(name, wrong, message):
    arguments = {
        "rows": np.zeros(1, np.int32),
        "groups": np.zeros((1, LEVELS), np.int32),
        "end": np.ones(5, np.int32),
        "block": np.zeros(5, np.int32),
        "words": np.zeros(1, np.int32),
        "keys": np.zeros(1, np.uint64),
        "order": np.zeros(1, np.int64),
        "around": np.zeros((3, 1, LEVELS), np.int32),
        "held": np.zeros(LEVELS, np.int32),
        "above": np.zeros(LEVELS, np.int32),
        "weight": np.zeros(1),
        "blocks": np.zeros(1, np.int32),
        "slots": np.zeros(1, np.int32),
    }
    _surroundings.groups_around(*arguments.values())
    with pytest.raises(ValueError, match=message):
        _surroundings.groups_around(*(arguments | {name: wrong}).values())


def test_the_kernels_constants_are_those_of_python():
    numbers = constants("detectors/auto/_around.pxd")
    assert numbers.pop("LEVELS") == LEVELS
    assert (numbers.pop("NARROW"), numbers.pop("BROAD")) == WINDOWS
    means = mean_names("")
    assert numbers.pop("MEANS") == len(means)
    for name, first in (
        ("LEVEL_0", "level 0"),
        ("BLOCKS", f"block {-NEAR}"),
        ("WINDOWS", f"window {WINDOWS[0]}"),
        ("SLOT", "slot"),
    ):
        assert numbers.pop(f"MEAN_{name}") == means.index(f" {first}")
    columns = [name.upper().replace(" ", "_") for name in LEAD[: LEAD.index("part level 0") + 1]]
    assert [numbers.pop(name) for name in columns] == list(range(len(columns)))
    assert numbers.pop("SUMMARIES") == len(SUMMARIES)
    assert numbers.pop("NEAR") == NEAR


def test_means_around_all_constants_are_those_of_loops():
    """One page whose means differ if any of the constants does."""
    page = Page("http://e.org/", "".join(f"<div><p>word {'more ' * (n % 7)}</p></div>" for n in range(90)))
    check_means(page, random.Random(4))


@given(pages)
def test_slots_and_blocks_are_numbered(page):
    """Equal slots have one number, in the order of their hashes."""
    features = found(page)
    around = Surroundings.of(page, features)
    numbers = {key: number for number, key in enumerate(sorted(set(features.slots.tolist())))}
    assert around.slot.tolist() == [numbers[key] for key in features.slots.tolist()]
    assert around.block.tolist() == page.blocks.tolist()
    assert around.weight.tolist() == [words + LEAST for words in features.words.tolist()]
