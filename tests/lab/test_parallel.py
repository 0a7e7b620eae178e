"""Jobs over processes: the order, and how few are read ahead."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from lab.harness.parallel import results_in_order

if TYPE_CHECKING:
    from collections.abc import Iterator


def scaled(factor: int, job: int) -> tuple[int, int]:
    return factor * job, os.getpid()


@pytest.mark.parametrize("processes", [1, 2])
def test_results_have_the_order_of_the_jobs(processes: int) -> None:
    results = list(results_in_order(scaled, 3, range(40), processes))
    assert [(job, value) for job, (value, _) in results] == [(job, 3 * job) for job in range(40)]
    elsewhere = {process for _, (_, process) in results} - {os.getpid()}
    assert bool(elsewhere) == (processes > 1)


def safe_path(_: int, __: int) -> bool:
    return sys.flags.safe_path


def test_processes_do_not_begin_with_the_modules_of_the_working_directory(monkeypatch) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    assert [found for _, found in results_in_order(safe_path, 0, range(3), 2)] == [True] * 3
    assert os.environ["PYTHONSAFEPATH"] == ""


def test_few_jobs_are_read_ahead() -> None:
    read: list[int] = []

    def jobs() -> Iterator[int]:
        for job in range(100):
            read.append(job)
            yield job

    results = results_in_order(scaled, 1, jobs(), 2)
    next(results)
    assert len(read) < 40
    assert len(list(results)) == 99
