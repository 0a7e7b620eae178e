"""The tree of a page's slots."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from detemplate.detectors.auto.slottree import slot_tree
from detemplate.features.segment import Vocabulary, segment_features
from detemplate.page.page import Page
from tests.support.auto_sites import pages

NOTHING = Vocabulary(np.zeros(0, np.uint64), np.zeros(0, np.float32))


def tree_of(page):
    return slot_tree(page.columns.parent, page.segments, segment_features(page, NOTHING).node_slots)


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


def test_deep_and_wide_pages_are_collected():
    deep = Page("", "<div>" * 400 + "x" + "</div>" * 400)
    assert len(tree_of(deep).keys) >= 400
    wide = Page("", "<ul>" + "<li>x" * 20_000 + "</ul>")
    assert len(tree_of(wide).keys) < 10
