# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.forest`: sums of leaves.

No tree is walked. All conditions of a piece of a tree are tried on 32 rows at a time. A condition that a row
fails strikes out the leaves to its left; the first leaf left over is the row's. The loop over the rows has
neither branches nor dependencies, so it runs on vectors, and conditions are read in memory order.
:mod:`detemplate.algorithms.forestlayout` describes the layout. Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.algorithms._pieces import LANES, SHIFT, SPREAD


@cython.cfunc
@cython.exceptval(check=False)
def try_piece(
    leaf: cython.p_float,
    block: cython.p_float,
    column: cython.p_int,
    limit: cython.p_float,
    left: cython.p_uint,
    value: cython.p_float,
    i: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Try the conditions of a piece on all lanes, from condition i to the mark that ends the piece.

    ``leaf`` gets the value of each lane that has a leaf left in this piece. Returns the number of the
    condition after the mark.
    """
    r: cython.int
    bound: cython.float = limit[i]
    leaves: cython.uint = left[i]
    none: cython.uint = 0
    pick: cython.float
    x: cython.p_float = block + column[i]
    struck = cython.declare(cython.uint[LANES])
    place = cython.declare(cython.int[LANES])
    for r in range(LANES):
        struck[r] = none if x[r] <= bound else leaves  # the mark strikes out nothing
    while leaves:
        i += 1
        x = block + column[i]
        bound = limit[i]
        leaves = left[i]
        for r in range(LANES):
            struck[r] |= none if x[r] <= bound else leaves
    for r in range(LANES):
        struck[r] = ~struck[r] & (struck[r] + 1)  # the lowest bit that is not struck out
        place[r] = cython.cast(cython.int, (struck[r] * cython.cast(cython.uint, SPREAD)) >> SHIFT)
    for r in range(LANES):
        pick = value[place[r]]
        leaf[r] = pick if struck[r] else leaf[r]
    return i + 1


def sums(
    table: cython.const[cython.float][:, ::1],
    uses: cython.int[::1],
    columns: cython.int[::1],
    limits: cython.float[::1],
    lefts: cython.uint[::1],
    lasts: cython.uchar[::1],
    values: cython.float[:, ::1],
):
    """Sum the leaves of each row. All arguments but the table are a forest's plan."""
    rows: cython.Py_ssize_t = table.shape[0]
    width: cython.Py_ssize_t = table.shape[1]
    used: cython.Py_ssize_t = uses.shape[0]
    pieces: cython.Py_ssize_t = lasts.shape[0]
    totals = np.zeros(rows)
    blocks = np.zeros((used + 1, LANES), np.float32)
    if rows == 0 or pieces == 0:
        return totals
    # Each has at least one element, so that its address may be taken.
    total: cython.double[::1] = totals
    block: cython.float[:, ::1] = blocks
    numbers: cython.pointer[cython.const[cython.float]] = cython.NULL
    leaf = cython.declare(cython.float[LANES])
    sum_ = cython.declare(cython.double[LANES])
    first: cython.Py_ssize_t
    here: cython.Py_ssize_t
    i: cython.Py_ssize_t
    piece: cython.Py_ssize_t
    r: cython.int
    if used:
        numbers = cython.address(table[0, 0])
    for first in range(0, rows, LANES):
        here = min(rows - first, LANES)
        for i in range(used):
            for r in range(here):
                block[i, r] = numbers[(first + r) * width + uses[i]]
        for r in range(LANES):
            sum_[r] = 0
            leaf[r] = 0
        i = 0
        for piece in range(pieces):
            i = try_piece(
                leaf, cython.address(block[0, 0]), cython.address(columns[0]), cython.address(limits[0]),
                cython.address(lefts[0]), cython.address(values[piece, 0]), i,
            )  # fmt: skip
            if lasts[piece]:
                for r in range(LANES):
                    sum_[r] += leaf[r]
        for r in range(here):
            total[first + r] = sum_[r]
    return totals
