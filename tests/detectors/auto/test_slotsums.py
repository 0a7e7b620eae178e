"""Sums of slots, against plain sums."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto import slotsums as module
from detemplate.detectors.auto.slotsums import COLUMNS, SCALE, gather, learn, page_sums
from detemplate.detectors.auto.slottree import SlotTree
from tests.support.pxd import constants

NAMES = {name: number for number, name in enumerate(COLUMNS)}
RUNNING = 20


class Drawn(NamedTuple):
    """A page's slots, and columns of its segments."""

    tree: SlotTree
    words: np.ndarray
    weight: np.ndarray
    alone: np.ndarray
    content: np.ndarray

    def sums(self):
        return page_sums(self.tree, self.words, self.weight, self.alone, self.content, RUNNING)


@st.composite
def drawn_pages(draw):
    count = draw(st.integers(1, 12))
    keys = np.array(draw(st.permutations(range(1, 31)))[:count], np.uint64) * np.uint64(1 << 58)
    above = np.array([draw(st.integers(-1, slot - 1)) for slot in range(count)], np.int32)
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    segments = draw(st.integers(1, 25))
    words = rng.choice([0, 1, 5, 19, 20, 80, 200_000], segments).astype(np.int32)
    return Drawn(
        SlotTree(keys, above, rng.integers(0, count, segments, dtype=np.int32)),
        words,
        words + 0.3,
        rng.normal(0, 9, segments),
        rng.random(segments),
    )


def table_of(pages):
    table = np.zeros(0, np.uint64), np.zeros((0, len(COLUMNS)), np.int64), np.zeros(0, np.int64)
    for number, page in enumerate(pages, 1):
        table = learn(*table, page.tree.keys, page.sums()[0], number)
    return table


@given(drawn_pages())
def test_sums_run_over_what_is_inside(page):
    sums, prose, long = page.sums()
    above = page.tree.above.tolist()
    for name in ("words", "content"):
        for slot in range(len(above)):
            inside = [number for number in range(len(above)) if slot in _path(above, number)]
            assert sums[slot, NAMES[f"{name} inside"]] == sums[inside, NAMES[name]].sum()
    running = page.words >= RUNNING
    expected = np.minimum(page.words, 100_000) * sigmoid(page.alone)
    assert prose == pytest.approx(expected[running].sum() / max(expected.sum(), 1e-9) * SCALE, abs=1)
    assert long == page.words[running & (page.content > 0.5)].sum()


def _path(above, slot):
    while slot >= 0:
        yield slot
        slot = above[slot]


@given(st.lists(drawn_pages(), min_size=1, max_size=5))
def test_a_table_has_the_sums_of_its_pages(pages):
    known, table, last = table_of(pages)
    assert (known[1:] > known[:-1]).all()
    for key, sums, page in zip(known.tolist(), table, last.tolist(), strict=True):
        have = [number for number, other in enumerate(pages) if key in other.tree.keys.tolist()]
        rows = [pages[number].sums()[0][pages[number].tree.keys.tolist().index(key)] for number in have]
        np.testing.assert_array_equal(sums, np.sum(rows, axis=0))
        assert page == have[-1] + 1
    assert set(known.tolist()) == {key for page in pages for key in page.tree.keys.tolist()}


def test_known_slots_grow_no_table():
    keys, sums = np.array([7], np.uint64), np.ones((1, len(COLUMNS)), np.int64)
    table = learn(np.zeros(0, np.uint64), np.zeros((0, 7), np.int64), np.zeros(0, np.int64), keys, sums, 1)
    again = learn(*table, keys, sums, 2)
    assert all(one is other for one, other in zip(table, again, strict=True))
    assert again[1].tolist() == [[2] * len(COLUMNS)]


def test_slots_with_less_than_the_page_count_as_on_this_page_only():
    keys, sums = np.array([7], np.uint64), np.full((1, len(COLUMNS)), 5)
    less = sums.copy()
    less[0, NAMES["words"]] = 4
    np.testing.assert_array_equal(gather(keys, less, keys, sums, counted=True), sums)
    less = sums * 2
    less[0, NAMES["odds"]] = -9  # log-odds may fall
    np.testing.assert_array_equal(gather(keys, less, keys, sums, counted=True), less)


def test_the_kernel_has_the_same_constants():
    names = constants("detectors/auto/_slotsums.pxd")
    assert names.pop("COLUMNS") == len(COLUMNS)
    for name in (*(name.upper().replace(" ", "_") for name in COLUMNS), "SCALE"):
        assert names[name] == getattr(module, name)
