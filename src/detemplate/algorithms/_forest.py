# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.forest`: sums of leaves.

No tree is walked. All conditions of a piece of a tree are tried on 32 rows at a time. A condition that a row
fails strikes out the leaves to its left; the first leaf left over is the row's. The loop over the rows has
neither branches nor dependencies, so it runs on vectors, and conditions are read in memory order.
Conditions that all rows of a table pass or fail, as the ranges of its columns tell, are not tried: the rows of
one page have many numbers in common. :mod:`detemplate.algorithms.forestlayout` describes the layout. Written in
Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.algorithms._pieces import LANES, SHIFT, SPREAD, look_up, turn
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memset

Numbers = cython.typedef(cython.pointer[cython.const[cython.float]])
Floats = cython.typedef(cython.p_float)
Uints = cython.typedef(cython.p_uint)


@cython.cfunc
@cython.exceptval(check=False)
def find_ranges(
    table: Numbers, rows: cython.Py_ssize_t, width: cython.Py_ssize_t, low: Floats, high: Floats
) -> cython.int:
    """Find the lowest and the highest number of each column; tell whether any is NaN."""
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    row: Numbers
    nan: cython.int = 0
    for c in range(width):
        low[c] = high[c] = table[c]
    for r in range(rows):
        row = table + r * width
        for c in range(width):
            low[c] = row[c] if row[c] < low[c] else low[c]
            high[c] = row[c] if row[c] > high[c] else high[c]
            nan |= row[c] != row[c]
    return nan


@cython.cfunc
@cython.exceptval(check=False)
def choose_conditions(
    columns: cython.p_uint,
    limits: cython.p_float,
    lefts: cython.p_uint,
    conditions: cython.Py_ssize_t,
    low: cython.p_float,
    high: cython.p_float,
    nan: cython.int,
    kept_columns: cython.p_uint,
    kept_limits: cython.p_float,
    kept_lefts: cython.p_uint,
    starts: cython.p_uint,
) -> cython.void:
    """Copy the marks, and the conditions that some rows pass and others fail.

    ``low`` and ``high`` have one number a column. ``nan`` is 1 if the table has NaN, which fails every
    condition and is in no range: all conditions are copied. ``starts`` gets the leaves of each piece that all rows
    strike out.
    """
    i: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    piece: cython.Py_ssize_t = 0
    column: cython.uint
    left: cython.uint
    none: cython.uint = 0
    fails: cython.int
    keeps: cython.int
    start: cython.uint = 0
    for i in range(conditions):
        column = columns[i] // LANES
        left = lefts[i]
        fails = (limits[i] < low[column]) & (1 - nan)
        keeps = (limits[i] < high[column]) & (1 - fails) | nan
        kept_columns[kept] = columns[i]
        kept_limits[kept] = limits[i]
        kept_lefts[kept] = left
        start |= left if fails else none
        kept += keeps
        if not left:
            kept += 1 - keeps
            starts[piece] = start
            start = 0
            piece += 1


@cython.cfunc
@cython.exceptval(check=False)
def try_piece(
    leaf: cython.p_float,
    start: cython.uint,
    block: cython.p_float,
    column: cython.p_uint,
    limit: cython.p_float,
    left: cython.p_uint,
    value: cython.p_float,
    i: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Try the conditions of a piece on all lanes, from condition i to the mark that ends the piece.

    ``start`` has the leaves that all rows strike out. ``leaf`` gets the value of each lane that has a leaf left in
    this piece. Returns the number of the condition after the mark.
    """
    r: cython.int
    bound: cython.float
    leaves: cython.uint = left[i]
    none: cython.uint = 0
    x: cython.p_float
    struck = cython.declare(cython.uint[LANES])
    place = cython.declare(cython.int[LANES])
    for r in range(LANES):
        struck[r] = start
    while leaves:
        x = block + column[i]
        bound = limit[i]
        for r in range(LANES):
            struck[r] |= none if x[r] <= bound else leaves
        i += 1
        leaves = left[i]
    for r in range(LANES):
        struck[r] = ~struck[r] & (struck[r] + 1)  # the lowest bit that is not struck out
        place[r] = cython.cast(cython.int, (struck[r] * cython.cast(cython.uint, SPREAD)) >> SHIFT)
    look_up(leaf, value, struck, place)
    return i + 1


def sums(
    table: cython.const[cython.float][:, ::1],
    columns: cython.uint[::1],
    limits: cython.float[::1],
    lefts: cython.uint[::1],
    lasts: cython.uchar[::1],
    values: cython.float[:, ::1],
):
    """Sum the leaves of each row. All arguments but the table are a forest's plan."""
    rows: cython.Py_ssize_t = table.shape[0]
    width: cython.Py_ssize_t = table.shape[1]
    pieces: cython.Py_ssize_t = lasts.shape[0]
    conditions: cython.Py_ssize_t = columns.shape[0]
    totals = np.empty(rows)
    total: cython.double[::1] = totals
    first: cython.Py_ssize_t
    here: cython.Py_ssize_t
    i: cython.Py_ssize_t
    piece: cython.Py_ssize_t
    nan: cython.int = 0
    r: cython.int
    leaf = cython.declare(cython.float[LANES])
    sum_ = cython.declare(cython.double[LANES])
    row: Numbers = cython.NULL
    if rows == 0 or pieces == 0:
        totals[:] = 0
        return totals
    # Marks of the pieces, then columns, limits and leaves of chosen conditions; ranges of columns, then lanes.
    start: Uints = cython.cast(Uints, malloc((pieces + 3 * conditions) * cython.sizeof(cython.uint)))
    low: Floats = cython.cast(Floats, malloc((2 * width + LANES * width + 1) * cython.sizeof(cython.float)))
    if start == cython.NULL or low == cython.NULL:
        free(start)
        free(low)
        raise MemoryError
    column: Uints = start + pieces
    limit: Floats = cython.cast(Floats, column + conditions)
    left: Uints = column + 2 * conditions
    high: Floats = low + width
    lanes: Floats = high + width
    if width:
        row = cython.address(table[0, 0])
        nan = find_ranges(row, rows, width, low, high)
        memset(lanes, 0, LANES * width * cython.sizeof(cython.float))
    choose_conditions(
        cython.address(columns[0]), cython.address(limits[0]), cython.address(lefts[0]), conditions,
        low, high, nan, column, limit, left, start,
    )  # fmt: skip
    for first in range(0, rows, LANES):
        here = min(rows - first, LANES)
        turn(row + first * width, here, width, lanes)
        for r in range(LANES):
            sum_[r] = 0
            leaf[r] = 0
        i = 0
        for piece in range(pieces):
            i = try_piece(leaf, start[piece], lanes, column, limit, left, cython.address(values[piece, 0]), i)
            if lasts[piece]:
                for r in range(LANES):
                    sum_[r] += leaf[r]
        for r in range(here):
            total[first + r] = sum_[r]
    free(start)
    free(low)
    return totals
