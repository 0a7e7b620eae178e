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
    struck: cython.p_uint,
    block: cython.p_float,
    column: cython.p_int,
    limit: cython.p_float,
    left: cython.p_uint,
    i: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Try a piece's conditions, from number i to the mark that ends them, on 32 rows; give what follows."""
    r: cython.int
    bound: cython.float
    leaves: cython.uint = left[i]
    none: cython.uint = 0
    x: cython.p_float
    gone = cython.declare(cython.uint[32])
    for r in range(32):
        gone[r] = 0
    while leaves:
        x = block + column[i]
        bound = limit[i]
        for r in range(32):
            gone[r] |= none if x[r] <= bound else leaves
        i += 1
        leaves = left[i]
    for r in range(32):
        struck[r] = gone[r]
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
    struck = cython.declare(cython.uint[32])
    leaf = cython.declare(cython.float[32])
    sum_ = cython.declare(cython.double[32])
    first: cython.Py_ssize_t
    here: cython.Py_ssize_t
    i: cython.Py_ssize_t
    piece: cython.Py_ssize_t
    r: cython.int
    bit: cython.uint
    pick: cython.float
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
                struck, cython.address(x[0, 0]), cython.address(column[0]), cython.address(limit[0]),
                cython.address(left[0]), i,
            )  # fmt: skip
            for r in range(32):
                bit = ~struck[r] & (struck[r] + 1)
                pick = value[piece, (bit * SPREAD) >> 27]
                leaf[r] = pick if bit else leaf[r]
            if last[piece]:
                for r in range(32):
                    sum_[r] += leaf[r]
        for r in range(here):
            total[first + r] = sum_[r]
    return totals
