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
from cython.cimports.detemplate.algorithms._pieces import LANES, SHIFT, SPREAD, look_up

Numbers = cython.typedef(cython.pointer[cython.const[cython.float]])


@cython.cfunc
@cython.exceptval(check=False)
def find_ranges(
    table: Numbers,
    rows: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    low: cython.p_float,
    high: cython.p_float,
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
    columns: cython.p_int,
    limits: cython.p_float,
    lefts: cython.p_uint,
    conditions: cython.Py_ssize_t,
    low: cython.p_float,
    high: cython.p_float,
    nan: cython.int,
    kept_columns: cython.p_int,
    kept_limits: cython.p_float,
    kept_lefts: cython.p_uint,
    starts: cython.p_uint,
) -> cython.void:
    """Copy the marks, and the conditions that some rows pass and others fail.

    ``low`` and ``high`` have one number a column in use. ``nan`` is 1 if the table has NaN, which fails every
    condition and is in no range: all conditions are copied. ``starts`` gets the leaves of each piece that all rows
    strike out.
    """
    i: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    piece: cython.Py_ssize_t = 0
    column: cython.int
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
    column: cython.p_int,
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
    conditions: cython.Py_ssize_t = columns.shape[0]
    totals = np.zeros(rows)
    if rows == 0 or pieces == 0:
        return totals
    # Each has at least one element, so that its address may be taken.
    blocks = np.zeros((used + 1, LANES), np.float32)
    edges = np.empty((4, width + used + 1), np.float32)
    chosen = np.empty((3, conditions + 1), np.uint32)
    marks = np.empty(pieces + 1, np.uint32)
    total: cython.double[::1] = totals
    block: cython.float[:, ::1] = blocks
    edge: cython.float[:, ::1] = edges
    choice: cython.uint[:, ::1] = chosen
    start: cython.uint[::1] = marks
    column: cython.p_int = cython.cast(cython.p_int, cython.address(choice[0, 0]))
    limit: cython.p_float = cython.cast(cython.p_float, cython.address(choice[1, 0]))
    left: cython.p_uint = cython.address(choice[2, 0])
    numbers: Numbers = cython.NULL
    leaf = cython.declare(cython.float[LANES])
    sum_ = cython.declare(cython.double[LANES])
    first: cython.Py_ssize_t
    here: cython.Py_ssize_t
    i: cython.Py_ssize_t
    piece: cython.Py_ssize_t
    nan: cython.int = 0
    r: cython.int
    if used:
        numbers = cython.address(table[0, 0])
        nan = find_ranges(numbers, rows, width, cython.address(edge[0, 0]), cython.address(edge[1, 0]))
    for i in range(used):
        edge[2, i] = edge[0, uses[i]]
        edge[3, i] = edge[1, uses[i]]
    choose_conditions(
        cython.address(columns[0]), cython.address(limits[0]), cython.address(lefts[0]), conditions,
        cython.address(edge[2, 0]), cython.address(edge[3, 0]), nan, column, limit, left,
        cython.address(start[0]),
    )  # fmt: skip
    for first in range(0, rows, LANES):
        here = min(rows - first, LANES)
        for i in range(used):
            if nan or edge[2, i] < edge[3, i]:
                for r in range(here):
                    block[i, r] = numbers[(first + r) * width + uses[i]]
        for r in range(LANES):
            sum_[r] = 0
            leaf[r] = 0
        i = 0
        for piece in range(pieces):
            i = try_piece(
                leaf, start[piece], cython.address(block[0, 0]), column, limit, left,
                cython.address(values[piece, 0]), i,
            )  # fmt: skip
            if lasts[piece]:
                for r in range(LANES):
                    sum_[r] += leaf[r]
        for r in range(here):
            total[first + r] = sum_[r]
    return totals
