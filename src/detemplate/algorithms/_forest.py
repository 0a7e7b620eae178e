# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled sums of trees; :mod:`detemplate.algorithms.forest` says what they are.

No tree is walked. All conditions of a tree are tried on 32 rows at a time, and each that a row fails
strikes out the leaves to its left; the first leaf that is left is the row's. The loop over the rows has
neither branches nor dependencies, so it runs on vectors, and a tree's conditions are read in order.
Written in Cython's pure-Python mode.
"""

import cython
import numpy as np

SPREAD = cython.declare(cython.uint, 0x077CB531)


@cython.cfunc
@cython.exceptval(check=False)
def strike(
    leaf: cython.p_float,
    block: cython.p_float,
    column: cython.p_int,
    limit: cython.p_float,
    left: cython.p_uint,
    value: cython.p_float,
    i: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Try a piece's conditions on 32 rows, from number i to the mark that ends them.

    Sets the values of the rows that have a leaf left in this piece; gives what follows the mark.
    """
    r: cython.int
    bound: cython.float = limit[i]
    leaves: cython.uint = left[i]
    none: cython.uint = 0
    pick: cython.float
    x: cython.p_float = block + column[i]
    gone = cython.declare(cython.uint[32])
    place = cython.declare(cython.int[32])
    for r in range(32):
        gone[r] = none if x[r] <= bound else leaves  # the mark strikes out nothing
    while leaves:
        i += 1
        x = block + column[i]
        bound = limit[i]
        leaves = left[i]
        for r in range(32):
            gone[r] |= none if x[r] <= bound else leaves
    for r in range(32):
        gone[r] = ~gone[r] & (gone[r] + 1)
        place[r] = cython.cast(cython.int, (gone[r] * SPREAD) >> 27)
    for r in range(32):
        pick = value[place[r]]
        leaf[r] = pick if gone[r] else leaf[r]
    return i + 1


def sums(table, uses, columns, limits, lefts, lasts, values):
    rows: cython.Py_ssize_t = table.shape[0]
    width: cython.Py_ssize_t = table.shape[1]
    used: cython.Py_ssize_t = len(uses)
    pieces: cython.Py_ssize_t = len(lasts)
    totals = np.zeros(rows)
    blocks = np.zeros((used + 1, 32), np.float32)
    if rows == 0 or pieces == 0:
        return totals
    # Each has at least one element, so that its address may be taken.
    total: cython.double[::1] = totals
    x: cython.float[:, ::1] = blocks
    given: cython.pointer[cython.const[cython.float]] = cython.NULL
    givens: cython.const[cython.float][:, ::1] = table
    use: cython.int[::1] = uses
    column: cython.int[::1] = columns
    limit: cython.float[::1] = limits
    left: cython.uint[::1] = lefts
    last: cython.uchar[::1] = lasts
    value: cython.float[:, ::1] = values
    leaf = cython.declare(cython.float[32])
    sum_ = cython.declare(cython.double[32])
    first: cython.Py_ssize_t
    here: cython.Py_ssize_t
    i: cython.Py_ssize_t
    piece: cython.Py_ssize_t
    r: cython.int
    if used:
        given = cython.address(givens[0, 0])
    for first in range(0, rows, 32):
        here = min(rows - first, 32)
        for i in range(used):
            for r in range(here):
                x[i, r] = given[(first + r) * width + use[i]]
        for r in range(32):
            sum_[r] = 0
            leaf[r] = 0
        i = 0
        for piece in range(pieces):
            i = strike(
                leaf, cython.address(x[0, 0]), cython.address(column[0]), cython.address(limit[0]),
                cython.address(left[0]), cython.address(value[piece, 0]), i,
            )  # fmt: skip
            if last[piece]:
                for r in range(32):
                    sum_[r] += leaf[r]
        for r in range(here):
            total[first + r] = sum_[r]
    return totals
