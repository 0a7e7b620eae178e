# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.isotonic`: tree smoothing.

``tests/oracles/isotonic.py`` states the same plainly. Additions and products are in the same order there, so
that both give the same numbers to the last bit. Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.algorithms._choices import LEAST, MOVE
from cython.cimports.libc.math import fabs, rint
from cython.cimports.libc.stdlib import calloc, free, malloc

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


@cython.cfunc
@cython.exceptval(check=False)
def settle_leaf(
    row: cython.p_double,
    choice: cython.p_uchar,
    value: cython.p_double,
    m: cython.Py_ssize_t,
    x: cython.double,
    penalty: cython.double,
    weight: cython.double,
) -> cython.void:
    """Do the same for a node without children whose x is one of the values: the loops have no dependencies."""
    j: cython.Py_ssize_t
    best: cython.double
    stay: cython.double
    move: cython.double
    for j in range(m):
        stay = weight * fabs(x - value[j])
        best = stay if value[j] > x else 0.0
        move = penalty + best
        choice[j] = cython.cast(cython.uchar, (stay <= best) + (stay <= move))
        row[j] = stay if stay <= move else move


@cython.cfunc
def smooth(
    n: cython.int,
    m: cython.Py_ssize_t,
    parent: Rows,
    x: Reals,
    value: Reals,
    penalty: Reals,
    weight: Reals,
    score: Reals,
    section: Rows,
    exact: cython.bint,
) -> cython.int:
    """Fill ``score`` and ``section`` for n nodes and m values, at least one of each.

    ``exact``: each x is one of the values.
    """
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
    visit(n, parent, largest, size, order, order + n, order + 2 * n)
    for at in range(n - 1, -1, -1):
        i = order[at]
        if size[i] == 1:
            top += 1
            here = row + top * m
            for j in range(m):
                here[j] = 0
        here = row + top * m
        if size[i] == 1 and exact:
            settle_leaf(here, choice + i * m, value, m, x[i], penalty[i], weight[i])
        else:
            settle(here, choice + i * m, value, m, x[i], penalty[i], weight[i])
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
    return 0


def solve(
    parent: cython.int[::1],
    x: cython.double[::1],
    value: cython.double[::1],
    penalty: cython.double[::1],
    weight: cython.double[::1],
):
    """Smooth a task that has nodes; give scores and sections."""
    n: cython.int = cython.cast(cython.int, parent.shape[0])
    scores = np.empty(n)
    sections = np.empty(n, np.int32)
    score: cython.double[::1] = scores
    section: cython.int[::1] = sections
    smooth(
        n, value.shape[0], cython.address(parent[0]), cython.address(x[0]), cython.address(value[0]),
        cython.address(penalty[0]), cython.address(weight[0]), cython.address(score[0]),
        cython.address(section[0]), False,
    )  # fmt: skip
    return scores, sections


@cython.cfunc
def smooth_hanging(
    groups: cython.int,
    leaves: cython.int,
    above: cython.p_int,
    group: cython.p_int,
    stride: cython.Py_ssize_t,
    x: cython.p_double,
    weight: cython.p_double,
    penalty: cython.double,
    steps: cython.int,
    score: cython.p_double,
) -> cython.int:
    """Fill ``score`` for leaves that hang on a tree; there is at least one. ``group`` has one every ``stride``."""
    n: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, groups) + leaves
    m: cython.Py_ssize_t = 0
    i: cython.int
    step: cython.int
    for i in range(groups):
        if not -1 <= above[i] < i:
            raise ValueError("a group comes before the groups in it")
    for i in range(leaves):
        if not (-1 <= group[i * stride] < groups and 0 <= x[i] <= 1):
            raise ValueError("a leaf is in a group, and its score is in [0, 1]")
    numbers: Reals = cython.cast(Reals, calloc(4 * n + steps + 1, cython.sizeof(cython.double)))
    rows: Rows = cython.cast(Rows, calloc(2 * n, cython.sizeof(cython.int)))
    if numbers == cython.NULL or rows == cython.NULL:
        free(numbers)
        free(rows)
        raise MemoryError
    rounded: Reals = numbers
    cost: Reals = rounded + n
    mass: Reals = cost + n
    smoothed: Reals = mass + n
    value: Reals = smoothed + n
    try:
        for i in range(groups):
            rows[i] = above[i]
            cost[i] = penalty
        for i in range(leaves):
            rows[groups + i] = group[i * stride]
            rounded[groups + i] = rint(x[i] * steps) / steps
            cost[groups + i] = penalty
            mass[groups + i] = weight[i]
            value[cython.cast(cython.int, rint(x[i] * steps))] = 1
        value[0] = 1 if groups else value[0]
        for step in range(steps + 1):
            if value[step]:
                value[m] = cython.cast(cython.double, step) / steps
                m += 1
        smooth(cython.cast(cython.int, n), m, rows, rounded, value, cost, mass, smoothed, rows + n, True)
        for i in range(leaves):
            score[i] = smoothed[groups + i]
    finally:
        free(numbers)
        free(rows)
    return 0


def smooth_leaves(
    above: cython.int[::1],
    group: cython.int[:],
    x: cython.double[::1],
    weight: cython.double[::1],
    penalty: cython.double,
    steps: cython.int,
):
    """Smooth leaves that hang on a tree; give their scores. There is at least one."""
    leaves: cython.Py_ssize_t = group.shape[0]
    if not 0 < leaves == x.shape[0] == weight.shape[0] or steps < 1:
        raise ValueError("the columns are empty or differ in length")
    scores = np.empty(leaves)
    score: cython.double[::1] = scores
    smooth_hanging(
        cython.cast(cython.int, above.shape[0]), cython.cast(cython.int, leaves),
        cython.address(above[0]) if above.shape[0] else cython.NULL, cython.address(group[0]),
        group.strides[0] // cython.sizeof(cython.int), cython.address(x[0]), cython.address(weight[0]), penalty,
        steps, cython.address(score[0]),
    )  # fmt: skip
    return scores
