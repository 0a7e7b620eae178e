"""Forests against a walk row by row: sums to the last bit, bytes whole and damaged."""

import importlib
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.forest import MOST_LEAVES, MOST_SLOTS, WIDE, Forest
from detemplate.algorithms.forestlayout import CHUNK
from lab.auto.trees import Tree, grown, rounded
from tests.oracles import forest as oracle

NUMBERS = np.array([-np.inf, -2.5, -1, -0.1, -0.0, 0.0, 1e-40, 0.1, 1, 3, np.inf, np.nan], np.float32)


def oracle_sums(forest, table):
    return oracle.sums(forest, table)


def build(end):
    """The kernel's build with an end of its name; None if there is none for this machine."""
    try:
        return importlib.import_module(f"detemplate.algorithms._forest{end}")
    except ImportError:
        return None


def built_sums(forest, table):
    """The sums by each build that this processor can run, as bytes; all must be the same."""
    able = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    builds = [build(end) for end in ("", *(end for end, name in WIDE.items() if able.get(name)))]
    [sums] = {kernel.Plan(*forest._plan).sums(table).tobytes() for kernel in builds if kernel is not None}
    return sums


def grow(rng, leaves, features, style):
    """A tree that grew leaf by leaf, its nodes and leaves numbered in any order."""
    left, right, count = [], [], 1
    above = {0: None}
    for node in range(leaves - 1):
        leaf = {"first": 0, "last": count - 1}.get(style, int(rng.integers(count)))
        if above[leaf] is not None:
            side, parent = above[leaf]
            side[parent] = node
        left.append(~leaf)
        right.append(~count)
        above[leaf], above[count] = (left, node), (right, node)
        count += 1
    # Number 0 stays the root's.
    node_names = [0, *(1 + rng.permutation(max(leaves - 2, 0)))][: leaves - 1]
    leaf_names = rng.permutation(leaves)

    def renamed(children):
        fresh = [0] * len(children)
        for name, child in zip(node_names, children, strict=True):
            fresh[name] = int(node_names[child]) if child >= 0 else ~int(leaf_names[~child])
        return fresh

    return Tree(
        rng.integers(features, size=leaves - 1).tolist(),
        rng.choice(NUMBERS[:-1], leaves - 1).tolist() if rng.random() < 0.7 else rng.normal(size=leaves - 1),
        renamed(left),
        renamed(right),
        rng.normal(size=leaves).astype(np.float32),
    )


@st.composite
def forests(draw, most_leaves=70, most_trees=6):
    """Trees and the number of their columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    features = draw(st.sampled_from([1, 2, 7, 300]))
    shapes = st.tuples(st.integers(1, most_leaves), st.sampled_from(["first", "last", "any"]))
    trees = [
        grow(rng, leaves, features, style) for leaves, style in draw(st.lists(shapes, max_size=most_trees))
    ]
    return trees, features


@st.composite
def tables(draw, features):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([0, 1, 2, 31, 32, 33, 70]))
    if draw(st.booleans()):
        return rng.choice(NUMBERS, (rows, features))
    table = rng.normal(size=(rows, features)).astype(np.float32)
    # Columns with one number, as those about the whole page.
    table[:, rng.random(features) < draw(st.sampled_from([0, 0.5, 1]))] = rng.choice(NUMBERS[:-1])
    return table


def walk(tree, row):
    """The slots on a row's way: inner nodes and a leaf."""
    at = 0 if len(tree.left) else -1
    way = [at]
    while at >= 0:
        at = (
            tree.left[at] if float(row[tree.feature[at]]) <= float(tree.threshold[at]) else tree.right[at]
        )  # float64: thresholds as they were given
        way.append(at)
    return way


def naive_sums(trees, table):
    sums = []
    for row in table:
        total = 0.0
        for tree in trees:
            total += float(tree.value[~walk(tree, row)[-1]])
        sums.append(total)
    return sums


def checked(data):
    """Bytes with the checksum that they must have."""
    return data + struct.pack("<I", zlib.crc32(data))


def same(one, two):
    """Whether two forests are equal to the last bit."""
    for name in ("shape", "feature", "threshold", "value"):
        left, right = getattr(one, name), getattr(two, name)
        if left.dtype != right.dtype or left.tobytes() != right.tobytes():
            return False
    return one.features == two.features


@given(st.data())
def test_sums_are_those_of_a_walk_row_by_row(data):
    trees, features = data.draw(forests())
    table = data.draw(tables(features))
    forest = grown(trees, features)
    found = forest.sums(table)
    assert found.dtype == np.float64
    assert found.tobytes() == np.array(naive_sums(trees, table), np.float64).tobytes()
    assert found.tobytes() == oracle_sums(forest, table).tobytes()
    assert found.tobytes() == built_sums(forest, table)
    assert forest.trees == len(trees)


@pytest.mark.parametrize("style", ["first", "last", "any"])
def test_kernel_and_oracle_agree_on_the_largest_trees_and_many_rows(style):
    rng = np.random.default_rng(3)
    sizes = [MOST_LEAVES, 1, 32, 33, 64, 65, MOST_LEAVES - 1, 31]
    forest = grown([grow(rng, size, 40, style) for size in 4 * sizes], 40)
    assert len(forest._plan[-1]) > CHUNK
    table = rng.normal(size=(700, 40)).astype(np.float32)
    table[100, 3] = np.nan
    assert forest.sums(table).tobytes() == oracle_sums(forest, table).tobytes()
    assert built_sums(forest, table) == oracle_sums(forest, table).tobytes()


@given(forests(), st.booleans())
def test_packed_and_unpacked_it_is_the_same_to_the_last_bit(given_trees, halve):
    forest = grown(*given_trees)
    forest = rounded(forest) if halve else forest
    again = Forest.unpack(forest.pack())
    assert same(forest, again)
    assert again.pack() == forest.pack()


def test_thresholds_are_rounded_down_so_that_numbers_go_where_they_went():
    for threshold in (0.1, -0.1, 1 / 3, 1e-46, -1e-46, 1e300, -1e300, 3.0):
        forest = grown([Tree([0], [threshold], [~0], [~1], [1, 2])], 1)
        near = np.float32(np.clip(threshold, -3e38, 3e38))
        rows = np.array(
            [[near], [np.nextafter(near, np.float32(9e9))], [np.nextafter(near, np.float32(-9e9))]]
        )
        assert forest.sums(rows).tolist() == [1 if float(x) <= threshold else 2 for (x,) in rows]


def test_infinite_numbers_compare_and_nan_goes_right():
    tree = Tree([0, 0], [0, np.inf], [1, ~0], [~2, ~1], [1, 2, 4])
    forest = grown([tree], 1)
    table = np.array([[-np.inf], [0], [1], [np.inf], [np.nan], [-np.nan]], np.float32)
    for found in (forest.sums(table), oracle_sums(forest, table)):
        assert found.tolist() == [1, 1, 4, 4, 4, 4]
    always = grown([Tree([0], [np.inf], [~0], [~1], [1, 2])], 1)
    assert always.sums(table).tolist() == [1, 1, 1, 1, 2, 2]


@given(forests(most_leaves=12, most_trees=3), st.data())
def test_forged_bytes_with_the_right_checksum_never_crash(given_trees, data):
    """Whatever passes for a forest is one: its sums are finite and both ways the same."""
    forest = grown(*given_trees)
    packed = bytearray(forest.pack())
    head, body = packed[:24], bytearray(zlib.decompress(packed[24:-4]))
    for _ in range(data.draw(st.integers(1, 4))):
        if body:
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        field = data.draw(st.integers(0, 3))
        struct.pack_into("<I", head, 8 + 4 * field, data.draw(st.integers(0, 2**32 - 1) | st.integers(0, 40)))
    try:
        again = Forest.unpack(checked(bytes(head) + zlib.compress(body)))
    except ValueError:
        return
    table = np.random.default_rng(0).normal(size=(33, again.features)).astype(np.float32)
    found = again.sums(table)
    assert np.isfinite(found).all()
    assert found.tobytes() == oracle_sums(again, table).tobytes()


def test_a_bomb_is_not_unpacked():
    head = grown([], 1).pack()[:24]
    with pytest.raises(ValueError, match="wrong length"):
        Forest.unpack(checked(head + zlib.compress(bytes(200_000_000), 1)))
    huge = struct.pack("<4sBBHIIII", b"dtgf", 1, 0, 0, 1, MOST_SLOTS + 1, 0, 0)
    with pytest.raises(ValueError, match="too large"):
        Forest.unpack(checked(huge + zlib.compress(b"")))


def test_the_format_stays_what_it_is():
    """Bytes of version 1, written by hand."""
    body = (
        bytes([0b10100000])  # node, leaf, node, leaf, leaf
        + bytes([2, 2, 0, 0])  # columns, low bytes first
        + bytes([0, 1, 0, 0, 0, 0, 0, 0])  # numbers of the thresholds
        + bytes([0, 0, 2, *[0] * 9])  # how many thresholds each of the three columns has
        + bytes([0, 0, 0, 0, 0x00, 0x80, 0x40, 0x3F])  # 2.0 and 1.0
        + struct.pack("<3e", 1, 2, 4)[::2]
        + struct.pack("<3e", 1, 2, 4)[1::2]
    )
    data = struct.pack("<4sBBHIIII", b"dtgf", 1, 2, 0, 3, 5, 2, 2) + zlib.compress(body)
    forest = Forest.unpack(checked(data))
    assert forest.threshold.tolist() == [2.0, 1.0]
    assert forest.sums(np.array([[0, 0, 1], [0, 0, 2], [0, 0, 3]], np.float32)).tolist() == [1, 1, 4]
