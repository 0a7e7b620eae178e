"""Memory for a table that is used again: same size, same place; other threads and large tables have their own."""

from __future__ import annotations

import threading

import numpy as np

from detemplate.algorithms.reusedtable import MOST, ReusedTable


def test_a_table_has_the_size_that_is_asked_for() -> None:
    memory = ReusedTable()
    for rows, columns in ((2, 3), (0, 5), (100, 288), (7, 1)):
        table = memory.table(rows, columns)
        assert table.shape == (rows, columns)
        assert table.dtype == np.float32
        assert table.flags.c_contiguous


def test_the_memory_is_used_again() -> None:
    memory = ReusedTable()
    memory.table(10, 10)[:] = 1  # there is room for twice as much
    first = memory.table(8, 20)
    second = memory.table(4, 4)
    assert np.shares_memory(first, second)


def test_large_tables_have_memory_of_their_own() -> None:
    memory = ReusedTable()
    largest = memory.table(MOST, 1)
    assert np.shares_memory(largest, memory.table(MOST, 1))
    larger = memory.table(MOST + 1, 1)
    assert not np.shares_memory(larger, memory.table(MOST + 1, 1))
    assert np.shares_memory(largest, memory.table(1, 1))


def test_each_thread_has_memory_of_its_own() -> None:
    memory = ReusedTable()
    here, there = memory.table(3, 3), []
    thread = threading.Thread(target=lambda: there.append(memory.table(3, 3)))
    thread.start()
    thread.join()
    assert not np.shares_memory(here, there[0])
