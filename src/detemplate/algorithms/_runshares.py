# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.runshares`.

Written in Cython's pure-Python mode.
"""

import cython
import numpy as np


def frequent_shares(
    frequency: cython.const[cython.int][::1],
    least: cython.longlong,
    rows: cython.const[cython.int][::1],
    group: cython.const[cython.int][::1],
    weight: cython.const[cython.int][::1],
) -> object:
    """Give the share of the weight of each entry's run that is in frequent entries."""
    count: cython.Py_ssize_t = rows.shape[0]
    first: cython.Py_ssize_t = 0
    behind: cython.Py_ssize_t
    i: cython.Py_ssize_t
    total: cython.longlong
    frequent: cython.longlong
    share: cython.double
    if frequency.shape[0] != count or group.shape[0] != weight.shape[0]:
        raise ValueError("columns have different lengths")
    for i in range(count):
        if not 0 <= rows[i] < group.shape[0]:
            raise ValueError("there is no such row")
    found = np.empty(count)
    shares: cython.double[::1] = found
    while first < count:
        behind = first
        total = 0
        frequent = 0
        while behind < count and group[rows[behind]] == group[rows[first]]:
            total += weight[rows[behind]]
            if frequency[behind] >= least:
                frequent += weight[rows[behind]]
            behind += 1
        share = cython.cast(cython.double, frequent) / cython.cast(cython.double, max(total, 1))
        for i in range(first, behind):
            shares[i] = share
        first = behind
    return found
