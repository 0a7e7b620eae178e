# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.isotonic`: tree smoothing.

``tests/oracles/isotonic.py`` states the same plainly. Additions and products are in the same order there, so
that both give the same numbers to the last bit. Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.algorithms._choices import LEAST, MOVE
from cython.cimports.libc.math import fabs
from cython.cimports.libc.stdlib import free, malloc

Reals = cython.typedef(cython.p_double)
Rows = cython.typedef(cython.p_int)


@cython.cfunc
@cython.exceptval(check=False)
def visit(
    n: cython.int, parent: Rows, largest: Rows, size: Rows, order: Rows, start: Rows, vacant: Rows
) -> cython.void:
    """Fill ``order`` with the nodes of all trees: each tree together, parents first, the largest subtree last.

    ``largest`` gets the root of the largest subtree below each node, the first of the largest.
    """
    i: cython.int
    above: cython.int
    top: cython.int = 0
    for i in range(n):
        size[i] = 1
        largest[i] = -1
    for i in range(n - 1, -1, -1):
        above = parent[i]
        if above >= 0:
            size[above] += size[i]
            if largest[above] < 0 or size[i] >= size[largest[above]]:
                largest[above] = i
    for i in range(n):
        above = parent[i]
        if above < 0:
            start[i] = top
            top += size[i]
        elif largest[above] == i:
            start[i] = start[above] + size[above] - size[i]
        else:
            start[i] = vacant[above]
            vacant[above] += size[i]
        vacant[i] = start[i] + 1
        order[start[i]] = i


@cython.cfunc
@cython.exceptval(check=False)
def settle(
    row: cython.p_double,
    choice: cython.p_uchar,
    value: cython.p_double,
    m: cython.Py_ssize_t,
    x: cython.double,
    penalty: cython.double,
    weight: cython.double,
) -> cython.void:
    """Turn the sum of the children's errors into the node's own; fill its choices."""
    j: cython.Py_ssize_t
    stay: cython.double
    best: cython.double
    move: cython.double
    best = row[m - 1] + weight * fabs(x - value[m - 1])
    for j in range(m - 1, -1, -1):
        stay = row[j] + weight * fabs(x - value[j])
        best = stay if stay < best else best
        move = penalty + best
        # MOVE, KEEP or LEAST, without a branch: what is best is also worth keeping.
        choice[j] = cython.cast(cython.uchar, (stay <= best) + (stay <= move))
        row[j] = stay if stay <= move else move


def solve(
    parent: cython.int[::1],
    x: cython.double[::1],
    value: cython.double[::1],
    penalty: cython.double[::1],
    weight: cython.double[::1],
):
    """Smooth a task that has nodes; give scores and sections."""
    n: cython.int = cython.cast(cython.int, parent.shape[0])
    m: cython.Py_ssize_t = value.shape[0]
    scores = np.empty(n)
    sections = np.empty(n, np.int32)
    score: cython.double[::1] = scores
    section: cython.int[::1] = sections
    depth: cython.Py_ssize_t = 0
    i: cython.int
    j: cython.Py_ssize_t
    at: cython.int
    top: cython.Py_ssize_t = -1
    i = n
    while i:
        depth += 1
        i //= 2
    largest: Rows = cython.cast(
        Rows, malloc(5 * cython.cast(cython.Py_ssize_t, n) * cython.sizeof(cython.int))
    )
    row: Reals = cython.cast(Reals, malloc(depth * m * cython.sizeof(cython.double)))
    choice: cython.p_uchar = cython.cast(cython.p_uchar, malloc(n * m))
    if largest == cython.NULL or row == cython.NULL or choice == cython.NULL:
        free(largest)
        free(row)
        free(choice)
        raise MemoryError
    size: Rows = largest + n
    order: Rows = size + n
    taken: Rows = order  # the order is needed no more when choices are followed
    here: Reals
    visit(n, cython.address(parent[0]), largest, size, order, order + n, order + 2 * n)
    for at in range(n - 1, -1, -1):
        i = order[at]
        if size[i] == 1:
            top += 1
            here = row + top * m
            for j in range(m):
                here[j] = 0
        here = row + top * m
        settle(here, choice + i * m, cython.address(value[0]), m, x[i], penalty[i], weight[i])
        if parent[i] < 0:
            top -= 1
        elif largest[parent[i]] != i:
            for j in range(m):
                here[j - m] += here[j]
            top -= 1
    for i in range(n):
        j = taken[parent[i]] if parent[i] >= 0 else 0
        section[i] = section[parent[i]] if parent[i] >= 0 else i
        if parent[i] < 0 or choice[i * m + j] == MOVE:
            section[i] = i
            while choice[i * m + j] != LEAST:
                j += 1
        taken[i] = cython.cast(cython.int, j)
        score[i] = value[j]
    free(largest)
    free(row)
    free(choice)
    return scores, sections
