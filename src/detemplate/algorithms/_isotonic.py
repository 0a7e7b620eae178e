# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.isotonic`: tree smoothing.

Additions and products are in the reference's order, so that both give the same numbers to the last bit.
Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.algorithms._choices import LEAST, MOVE
from cython.cimports.libc.math import fabs


@cython.cfunc
def visit(
    parent: cython.int[::1], largest: cython.int[::1], size: cython.int[::1], order: cython.int[::1]
) -> cython.int:
    """Fill ``order`` with the nodes: parents first, the largest subtree last; see the reference's _visits."""
    n: cython.int = cython.cast(cython.int, parent.shape[0])
    i: cython.int
    above: cython.int
    top: cython.int = 0
    starts = np.empty(n, np.int32)
    frees = np.empty(n, np.int32)
    start: cython.int[::1] = starts
    free: cython.int[::1] = frees
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
            start[i] = free[above]
            free[above] += size[i]
        free[i] = start[i] + 1
        order[start[i]] = i
    return 0


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
    largests = np.empty(n, np.int32)
    sizes = np.empty(n, np.int32)
    orders = np.empty(n, np.int32)
    largest: cython.int[::1] = largests
    size: cython.int[::1] = sizes
    order: cython.int[::1] = orders
    visit(parent, largest, size, order)

    choices = np.empty((n, m), np.uint8)
    rows = np.empty((int(n).bit_length(), m))
    choice: cython.uchar[:, ::1] = choices
    row: cython.double[:, ::1] = rows
    top: cython.int = -1
    at: cython.int
    i: cython.int
    j: cython.Py_ssize_t
    for at in range(n - 1, -1, -1):
        i = order[at]
        if size[i] == 1:
            top += 1
            for j in range(m):
                row[top, j] = 0
        settle(
            cython.address(row[top, 0]), cython.address(choice[i, 0]), cython.address(value[0]), m, x[i],
            penalty[i], weight[i],
        )  # fmt: skip
        if parent[i] < 0:
            top -= 1
        elif largest[parent[i]] != i:
            for j in range(m):
                row[top - 1, j] += row[top, j]
            top -= 1

    scores = np.empty(n)
    sections = np.empty(n, np.int32)
    score: cython.double[::1] = scores
    section: cython.int[::1] = sections
    taken: cython.int[::1] = orders  # the order is needed no more
    for i in range(n):
        j = taken[parent[i]] if parent[i] >= 0 else 0
        section[i] = section[parent[i]] if parent[i] >= 0 else i
        if parent[i] < 0 or choice[i, j] == MOVE:
            section[i] = i
            while choice[i, j] != LEAST:
                j += 1
        taken[i] = cython.cast(cython.int, j)
        score[i] = value[j]
    return scores, sections
