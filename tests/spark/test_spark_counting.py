"""Counting sorted rows in groups: the same numbers as the tables of one machine."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.spark import counting, lookback
from detemplate.spark.counting import Rule
from detemplate.spark.grouping import arrow
from detemplate.spark.tables import SUMMARIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIVES = st.sampled_from([(-1,), (3, 5, 9), (2, -1), (4,), (1, 2, 3, 30)])
PAGES = st.lists(st.sets(st.integers(0, 5), max_size=4), min_size=1, max_size=60)
SITE = 7


def in_batches(rows: Sequence[dict[str, int]], size: int) -> Iterator[pa.RecordBatch]:
    """Give sorted rows in batches of so many."""
    for at in range(0, len(rows), size):
        part = rows[at : at + size]
        yield pa.RecordBatch.from_pydict(
            {name: pa.array([row[name] for row in part], pa.int64()) for name in part[0]}
        )


def rows_of(pages: Sequence[set[int]], skipped: Sequence[bool], chunk: int) -> list[dict[str, int]]:
    """Make the rows of pages with keys; skipped pages only ask."""
    rows, tick = [], 0
    end = sum(not skip for skip in skipped)
    for place, (keys, skip) in enumerate(zip(pages, skipped, strict=True)):
        tick += not skip
        for key in keys:
            rows.append(
                {
                    "site": SITE,
                    "key": key,
                    "chunk": place // chunk,
                    "tick": 0 if skip else tick,
                    "pos": place,
                    "end": end,
                }
            )
            if (
                not skip and random.Random(place * 31 + key).random() < 0.3
            ):  # it asks, and counts by another row
                rows.append(rows[-1] | {"tick": 0})
    return sorted(rows, key=lambda row: tuple(row[name] for name in ("site", "key", "chunk", "pos", "tick")))


def expected(
    pages: Sequence[set[int]], skipped: Sequence[bool], lives: tuple[int, ...]
) -> dict[tuple[int, int], int]:
    """Count with the table of one machine: page and key to frequency, for keys on two pages or more."""
    table = recurrence_table(lives)
    for keys, skip in zip(pages, skipped, strict=True):
        if not skip:
            table.observe(np.array(sorted(keys), np.uint64))
    shared = [key for key in range(6) if sum(key in keys for keys in pages) > 1]
    counts = dict(zip(shared, table.counts(np.array(shared, np.uint64)).tolist(), strict=True))
    return {(page, key): counts[key] for page, keys in enumerate(pages) for key in keys if key in counts}


def told(found: Iterator[dict[str, Any]]) -> dict[tuple[int, int], int]:
    answers: dict[tuple[int, int], int] = {}
    for columns in found:
        for pos, key, value in zip(
            *(columns[name].tolist() for name in ("pos", "key", "value")), strict=True
        ):
            assert (pos, key) not in answers
            answers[pos, key] = value
    return answers


@settings(max_examples=80, deadline=None)
@given(PAGES, LIVES, st.integers(1, 20), st.randoms(use_true_random=False))
def test_a_site_of_one_chunk(
    pages: list[set[int]], lives: tuple[int, ...], size: int, chance: random.Random
) -> None:
    skipped = [chance.random() < 0.2 for _ in pages]
    rows = rows_of(pages, skipped, len(pages))
    assert told(counting.answers(in_batches(rows, size), Rule(lives))) == expected(pages, skipped, lives)


@settings(max_examples=80, deadline=None)
@given(PAGES, LIVES, st.integers(1, 20), st.integers(1, 9), st.randoms(use_true_random=False))
def test_a_site_of_several_chunks(
    pages: list[set[int]], lives: tuple[int, ...], size: int, chunk: int, chance: random.Random
) -> None:
    skipped = [chance.random() < 0.2 for _ in pages]
    rows = rows_of(pages, skipped, chunk)
    rule = Rule(lives)
    parts = arrow(lambda batches: counting.summaries(batches, rule), SUMMARIES)(in_batches(rows, size))
    known = {}
    for columns in counting.joined(parts, rule):
        names = (columns[name].tolist() for name in ("key", "chunk", "value"))
        known.update({(key, part): value for key, part, value in zip(*names, strict=True)})
    wanted = expected(pages, skipped, lives)
    assert known == {(key, page // chunk): count for (page, key), count in wanted.items()}


def test_pages_of_a_group_count_once() -> None:
    groups = [5, 5, 9, 9, 9, -3]
    rows = [
        {"site": SITE, "key": 1, "chunk": 0, "tick": group, "pos": pos, "end": 6}
        for pos, group in enumerate(groups)
    ]
    rows.sort(key=lambda row: (row["tick"], row["pos"]))
    found = told(counting.answers(in_batches(rows, 2), Rule(grouped=True)))
    assert found == {(pos, 1): 3 for pos in range(6)}


@settings(max_examples=60, deadline=None)
@given(PAGES, st.integers(1, 7), st.integers(1, 20), st.integers(1, 3))
def test_what_is_repeated_and_what_is_new(pages: list[set[int]], window: int, size: int, chunks: int) -> None:
    chunk = max(window, len(pages) // chunks)
    rows = []
    for place, keys in enumerate(pages):
        home = place // chunk
        last = place % chunk >= chunk - window
        for key in keys:
            row = {
                "site": SITE, "key": key, "chunk": home, "place": place + 1, "pos": place, "own": 1,
                "tick": 0 if place % 5 == 4 else place + 1, "end": 0, "several": 0,
            }  # fmt: skip
            rows += [row | {"fresh": 100 + key}, row | {"fresh": 200 + key}]
            if last:
                rows.append(row | {"fresh": 100 + key, "chunk": home + 1, "own": 0})
    rows.sort(key=lambda row: tuple(row[name] for name in ("site", "key", "chunk", "place")))
    table = recurrence_table([window])
    seen, fresh = set(), set()
    for place, keys in enumerate(pages):
        own = sorted(keys)
        for key, count in zip(own, table.counts(np.array(own, np.uint64)).tolist(), strict=True):
            if count:
                seen.add(place)
            elif place % 5 != 4:
                fresh |= {(place, 100 + key), (place, 200 + key)}
        table.observe(np.array(own, np.uint64))
    batches = list(in_batches(rows, size))
    assert {pos for found in lookback.repeated(batches, window) for pos in found["pos"].tolist()} == seen
    new = {
        pair
        for found in lookback.new(batches, window)
        for pair in zip(found["pos"].tolist(), found["key"].tolist(), strict=True)
    }
    assert new == fresh


def test_no_rows() -> None:
    assert list(counting.answers([], Rule())) == []
    schema = pa.schema([(name, pa.int64()) for name in ("site", "key", "chunk", "tick", "pos", "end")])
    assert list(counting.answers([pa.RecordBatch.from_pylist([], schema)], Rule())) == []


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_groups_come_whole(size: int) -> None:
    rows = [{"site": 1, "key": key, "chunk": 0, "pos": pos} for key in range(4) for pos in range(key + 1)]
    found = [set(group["key"].tolist()) for group in counting.groups(in_batches(rows, size))]
    assert sum(map(len, found)) == 4
    assert set().union(*found) == {0, 1, 2, 3}
