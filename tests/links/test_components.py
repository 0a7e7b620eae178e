"""Star contraction, against union-find."""

import random
from collections import defaultdict
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, strategies as st

from detemplate.links.detect import connected_components
from detemplate.links.engine import DuckEngine
from tests.support.helpers import slow_oracle
from tests.support.table_crawls import components

SCHEMA = pa.schema([("pagelet_shingle", pa.int64()), ("one", pa.int64()), ("other", pa.int64())])


@pytest.fixture(scope="module")
def engine():
    with DuckEngine(memory="1GB", threads=1) as made:
        yield made


def connected(engine, edges):
    with TemporaryDirectory() as folder:
        pq.write_table(edges, f"{folder}/0.parquet")
        engine.source("edges", folder)
        return connected_components(engine, "edges", "found")


def found(engine, edges):
    rows = [dict(zip(SCHEMA.names, edge, strict=True)) for edge in edges]
    rounds = connected(engine, pa.Table.from_pylist(rows, SCHEMA))
    return sorted(engine.rows("SELECT pagelet_shingle, node, component FROM found")), rounds


def expected(edges):
    groups = defaultdict(list)
    for group, one, other in edges:
        groups[group].append((one, other))
    return sorted(
        (group, node, label) for group, graph in groups.items() for node, label in components(graph).items()
    )


NODES = st.one_of(st.integers(0, 9), st.sampled_from([-(2**63), -1, 2**63 - 1]))


@slow_oracle
@given(st.lists(st.tuples(st.sampled_from([-(2**63), -1, 0, 7, 8]), NODES, NODES), max_size=80))
@example([])
@example([(0, 1, 1)])  # a node's edge to itself
@example([(0, 1, 2), (0, 1, 2), (0, 2, 1)])
@example([(0, 1, 2), (7, 2, 3)])  # the groups do not touch
def test_agrees_with_union_find(engine, edges):
    assert found(engine, edges)[0] == expected(edges)


@pytest.mark.parametrize("shuffled", [False, True])
def test_long_chains_take_few_rounds(engine, shuffled):
    count = 50_000
    order = list(range(count))
    if shuffled:
        random.Random(0).shuffle(order)
    table = pa.table(
        {"pagelet_shingle": [1] * (count - 1), "one": order[:-1], "other": order[1:]}, schema=SCHEMA
    )
    rounds = connected(engine, table)
    assert engine.rows("SELECT count(*), min(component), max(component) FROM found") == [(count, 0, 0)]
    assert rounds <= 20
