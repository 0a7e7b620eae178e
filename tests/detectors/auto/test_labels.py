"""Labels of slots as content or template, against all labellings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.auto.site import label_slots


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
