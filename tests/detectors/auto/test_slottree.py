"""The tree of a page's slots and its labels: the kernel against the reference, and against all labellings."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto import slottree as module
from detemplate.detectors.auto.slottree import label_slots, slot_tree
from detemplate.features.segment import Vocabulary, segment_features
from detemplate.page.page import Page
from tests.support.auto_sites import pages
from tests.support.kernels import needs_kernel, uncompiled

NOTHING = Vocabulary(np.zeros(0, np.uint64), np.zeros(0, np.float32))


def tree_of(page):
    return slot_tree(page.columns.parent, page.segments, segment_features(page, NOTHING).node_slots)


@st.composite
def trees(draw, most=7):
    count = draw(st.integers(1, most))
    above = [draw(st.integers(-1, number - 1)) for number in range(count)]
    value = st.integers(-20, 20).map(lambda number: number / 100)
    columns = [np.array(draw(st.lists(value, min_size=count, max_size=count))) for _ in range(2)]
    return np.array(above, np.int32), *columns


@given(pages)
def test_slots_are_those_of_the_elements_around_segments(page):
    slots = segment_features(page, NOTHING).node_slots
    tree = tree_of(page)
    parent = page.columns.parent.tolist()
    pairs = set()
    for segment, own in zip(page.segments.tolist(), tree.own.tolist(), strict=True):
        assert tree.keys[own] == slots[segment]
        row = parent[segment]
        while row >= 0:
            pairs.add((int(slots[row]), int(slots[parent[row]]) if parent[row] >= 0 else None))
            row = parent[row]
    above = [int(tree.keys[up]) if up >= 0 else None for up in tree.above.tolist()]
    got = set(zip(tree.keys.tolist(), above, strict=True))
    assert got >= pairs  # and the slots of texts without an element around them
    assert len(set(tree.keys.tolist())) == len(tree.keys)
    assert (tree.above < np.arange(len(tree.above))).all()


@needs_kernel(module)
@given(pages)
def test_kernel_collects_what_the_reference_does(page):
    compiled = tree_of(page)
    with uncompiled(module):
        plain = tree_of(page)
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(one, other)


@needs_kernel(module)
@given(trees(most=40), st.sampled_from([0.0, 0.02, 0.1]))
def test_kernel_labels_as_the_reference_does(tree, switch):
    compiled = label_slots(*tree, switch)
    with uncompiled(module):
        np.testing.assert_array_equal(compiled, label_slots(*tree, switch))


def gain_of(above, gain, missing, switch, labels):
    total = 0.0
    for slot, up in enumerate(above):
        around = labels[up] if up >= 0 else False
        total += gain[slot] * labels[slot] - switch * (labels[slot] != around)
        # what the page lacks has the label of its slot, or another one at the cost of a switch
        total += max(missing[slot], -switch) if labels[slot] else max(missing[slot] - switch, 0.0)
    return total


@given(trees(), st.sampled_from([0.0, 0.02, 0.1]))
def test_no_labelling_gains_more(tree, switch):
    got = label_slots(*tree, switch)
    best = max(gain_of(*tree, switch, labels) for labels in product((False, True), repeat=len(tree[0])))
    assert gain_of(*tree, switch, got.tolist()) == pytest.approx(best, abs=1e-12)


def test_deep_and_wide_pages_are_collected():
    deep = Page("", "<div>" * 400 + "x" + "</div>" * 400)
    assert len(tree_of(deep).keys) >= 400
    wide = Page("", "<ul>" + "<li>x" * 20_000 + "</ul>")
    assert len(tree_of(wide).keys) < 10
