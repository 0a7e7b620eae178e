"""Jobs over processes: the order, and how few are read ahead."""

import os

import pytest

from lab.harness.parallel import results_in_order


def scaled(factor, job):
    return factor * job, os.getpid()


@pytest.mark.parametrize("processes", [1, 2])
def test_results_have_the_order_of_the_jobs(processes):
    results = list(results_in_order(scaled, 3, range(40), processes))
    assert [(job, value) for job, (value, _) in results] == [(job, 3 * job) for job in range(40)]
    elsewhere = {process for _, (_, process) in results} - {os.getpid()}
    assert bool(elsewhere) == (processes > 1)
