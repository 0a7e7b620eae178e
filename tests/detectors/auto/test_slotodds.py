"""Log-odds by the site's slots: the kernel against the oracle, and labels against all labellings."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.detectors.auto.site import COLUMNS, ODDS, SCALE, WORDS, Answer, Query, SlotTree
from detemplate.detectors.auto.slotodds import SegmentOdds, joined_odds
from tests.oracles import slotodds as oracle
from tests.oracles.slotodds import label_slots


@st.composite
def drawn_evidence(draw):
    count = draw(st.integers(1, 12))
    above = np.array([draw(st.integers(-1, slot - 1)) for slot in range(count)], np.int32)
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    own_slots = rng.integers(0, count, draw(st.integers(1, 25)), dtype=np.int32)
    pages = draw(st.integers(1, 9))
    columns = len(COLUMNS)
    own = rng.choice([0, 1, SCALE // 9, SCALE], (count, columns)).astype(np.int64)
    total = own + rng.choice([0, 0, 1, SCALE // 2, SCALE * pages], (count, columns))
    total[:, ODDS] -= rng.choice([0, SCALE, 9 * SCALE * pages], count)
    total[:, WORDS + 2 :] += total[:, WORDS : WORDS + 2]
    tree, none = SlotTree(np.arange(count, dtype=np.uint64), above, own_slots), np.zeros(0, np.uint64)
    query = Query(none, own_slots, none, tree.keys, own, 0, long=False)
    others = draw(st.integers(1, 60))
    return tree, query, Answer(none.astype(np.int32), 1, others, total, pages, rng.random(), rng.random())


def drawn_segments(rng, count):
    return SegmentOdds(
        rng.choice([-9.0, -2.5, -1.0, 0.0, 0.4, 6.0], count),
        rng.normal(0, 4, count),
        rng.choice([1.3, 20.3], count),
        rng.choice([0.0, 0.3, 0.8], (count, 2))[:, 1],
        rng.random(count) < 0.5,
        rng.choice([1, 2], (count, 3)).astype(np.float32)[:, 1],
    )


@given(drawn_evidence(), st.integers(0, 1000), st.booleans(), st.booleans())
def test_the_kernel_gives_what_the_oracle_does(evidence, seed, articles, record):
    segments = drawn_segments(np.random.default_rng(seed), len(evidence[0].own))
    given_ = *evidence, segments
    compiled = joined_odds(*given_, articles=articles, record=record)
    plain = oracle.joined_odds(*given_, articles=articles, record=record)
    np.testing.assert_array_equal(compiled, plain)


@st.composite
def trees(draw, most=7):
    count = draw(st.integers(1, most))
    above = [draw(st.integers(-1, number - 1)) for number in range(count)]
    value = st.integers(-20, 20).map(lambda number: number / 100)
    columns = [np.array(draw(st.lists(value, min_size=count, max_size=count))) for _ in range(2)]
    return np.array(above, np.int32), *columns


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
