"""Owners of an item that links connect, against a search by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms import linkedgroups
from detemplate.algorithms.linkedgroups import linked_group_sizes

pairs = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 12)), max_size=40)
links = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=40)


def by_search(rows, links):
    sizes = []
    for item, owner in rows:
        group = {other for one, other in rows if one == item}
        reached, stack = {owner}, [owner]
        while stack:
            here = stack.pop()
            near = {b for a, b in links if a == here} | {a for a, b in links if b == here}
            stack += (near & group) - reached
            reached |= near & group
        sizes.append(len(reached))
    return sizes


@given(pairs, links, st.integers(1, 7))
def test_equals_a_search(rows, links, chunk):
    order = sorted(rows, key=hash)
    items, owners = np.array(order, np.int64).reshape(-1, 2).T
    sources, targets = np.array(links, np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkedgroups, "_CHUNK", chunk)
        assert linked_group_sizes(items, owners, sources, targets).tolist() == by_search(order, links)


def test_a_long_chain():
    owners = np.random.default_rng(1).permutation(30_000)
    items = np.zeros(len(owners), np.int64)
    sizes = linked_group_sizes(items, owners, np.arange(29_999), np.arange(1, 30_000))
    assert (sizes == 30_000).all()
    assert (linked_group_sizes(items, owners, owners, owners) == 1).all()
