# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.forest`: sums of leaves.

No tree is walked. A condition is tried on 32 rows at a time. It strikes out, for each row that fails it, the
leaves to its left; the first leaf of a piece of a tree that is left over is the row's. The loop over the rows
has neither branches nor dependencies, so it runs on vectors. Conditions are ordered by column and threshold:
those that all of the 32 rows pass or fail stand together, and are not tried. Neighbouring rows of one page have
many numbers in common: of ten conditions, one to three are tried. :mod:`detemplate.algorithms.forestlayout`
describes the layout. Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.algorithms._pieces import (
    ALIGNED,
    CHUNK,
    LANES,
    STEP,
    count_up,
    find_ranges,
    look_up,
    part,
    strike,
    turn,
)
from cython.cimports.libc.math import isnan
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcpy, memset

Numbers = cython.typedef(cython.pointer[cython.const[cython.float]])
Floats = cython.typedef(cython.p_float)
Uints = cython.typedef(cython.p_uint)
Sizes = cython.typedef(cython.pointer[cython.Py_ssize_t])


@cython.cfunc
@cython.exceptval(check=False)
def narrow(
    low: Floats,
    high: Floats,
    limits: Floats,
    lefts: Uints,
    places: Uints,
    columns: Uints,
    first: cython.Py_ssize_t,
    behind: cython.Py_ssize_t,
    starts: Uints,
    steps: Uints,
) -> cython.Py_ssize_t:
    """List the steps of a chunk with conditions that some rows of the table pass and others fail.

    ``starts`` gets the leaves that all rows strike out, piece by piece. Returns the number of steps.
    """
    step: cython.Py_ssize_t
    i: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    fail: cython.int = 0
    some: cython.int = 0
    for step in range(first, behind):
        part(
            limits + step * STEP, low[columns[step]], high[columns[step]],
            cython.address(fail), cython.address(some),
        )  # fmt: skip
        for i in range(step * STEP, step * STEP + fail):
            starts[places[i] // LANES] |= lefts[i]
        steps[count] = cython.cast(cython.uint, step)
        count += some > fail
    return count


@cython.cfunc
@cython.exceptval(check=False)
def strike_steps(
    lanes: Floats,
    low: Floats,
    high: Floats,
    limits: Floats,
    lefts: Uints,
    places: Uints,
    columns: Uints,
    steps: Uints,
    count: cython.Py_ssize_t,
    failed: Uints,
    tried: Uints,
    starts: Uints,
    struck: Uints,
) -> cython.void:
    """Strike out the leaves of a chunk: in ``starts`` for all lanes, in ``struck`` lane by lane.

    ``failed`` and ``tried`` have room for the numbers of the conditions that all lanes fail, and of those that
    are tried. With these lists, the processor foresees the ends of all loops.
    """
    k: cython.Py_ssize_t
    i: cython.uint
    column: cython.uint
    fails: cython.Py_ssize_t = 0
    tries: cython.Py_ssize_t = 0
    fail: cython.int = 0
    some: cython.int = 0
    for k in range(count):
        column = columns[steps[k]]
        i = steps[k] * STEP
        part(limits + i, low[column], high[column], cython.address(fail), cython.address(some))
        count_up(failed + fails, i)
        count_up(tried + tries, i + fail)
        fails += fail
        tries += some - fail
    for k in range(fails):
        starts[places[failed[k]] // LANES] |= lefts[failed[k]]
    for k in range(tries):
        i = tried[k]
        strike(lanes + columns[i // STEP] * LANES, limits[i], lefts[i], struck + places[i])


@cython.final
@cython.cclass
class Plan:
    """A forest's plan, as :func:`detemplate.algorithms.forestlayout.planned` lays it out."""

    limits: cython.float[::1]
    lefts: cython.uint[::1]
    places: cython.uint[::1]
    columns: cython.uint[::1]
    ends: cython.int[::1]
    lasts: cython.uchar[::1]
    values: cython.float[:, ::1]

    def __cinit__(self, limits, lefts, places, columns, ends, lasts, values):
        self.limits, self.lefts, self.places, self.columns = limits, lefts, places, columns
        self.ends, self.lasts, self.values = ends, lasts, values

    def sums(self, table: cython.const[cython.float][:, ::1]):
        """Sum the leaves of each row."""
        limits: cython.float[::1] = self.limits
        lefts: cython.uint[::1] = self.lefts
        places: cython.uint[::1] = self.places
        columns: cython.uint[::1] = self.columns
        ends: cython.int[::1] = self.ends
        lasts: cython.uchar[::1] = self.lasts
        values: cython.float[:, ::1] = self.values
        rows: cython.Py_ssize_t = table.shape[0]
        width: cython.Py_ssize_t = table.shape[1]
        pieces: cython.Py_ssize_t = lasts.shape[0]
        chunks: cython.Py_ssize_t = ends.shape[0]
        totals = np.empty(rows)
        total: cython.double[::1] = totals
        first: cython.Py_ssize_t
        here: cython.Py_ssize_t
        piece: cython.Py_ssize_t
        chunk: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        behind: cython.Py_ssize_t
        block: cython.Py_ssize_t
        c: cython.Py_ssize_t
        step: cython.Py_ssize_t
        blocks: cython.Py_ssize_t = (rows + LANES - 1) // LANES
        most: cython.Py_ssize_t = min(pieces, CHUNK)
        r: cython.int
        leaf = cython.declare(cython.float[LANES])
        sum_ = cython.declare(cython.double[LANES])
        row: Numbers = cython.NULL
        if rows == 0 or pieces == 0:
            totals[:] = 0
            return totals
        # Lanes, and struck leaves of the lanes of a chunk's pieces: aligned, so that no vector is in two lines of the
        # cache.
        memory: cython.p_char = cython.cast(cython.p_char, malloc(ALIGNED + LANES * (width + most) * 4))
        # Leaves that all lanes strike out, and those that the whole table strikes out, by pieces; steps of all
        # chunks; numbers of conditions that are failed, and that are tried.
        starts: Uints = cython.cast(
            Uints, malloc((most + pieces + columns.shape[0] * (1 + 2 * STEP) + 2 * STEP) * 4)
        )
        # The lowest number of each column of the table, then the highest; the same for each block.
        low: Floats = cython.cast(Floats, malloc((2 * blocks + 2) * width * 4 + 4))
        counts: Sizes = cython.cast(
            Sizes, malloc(chunks * cython.sizeof(cython.Py_ssize_t))
        )  # of steps, by chunk
        if memory == cython.NULL or starts == cython.NULL or low == cython.NULL or counts == cython.NULL:
            free(memory)
            free(starts)
            free(low)
            free(counts)
            raise MemoryError
        lanes: Floats = cython.cast(Floats, memory + ALIGNED - cython.cast(cython.size_t, memory) % ALIGNED)
        struck: Uints = cython.cast(Uints, lanes + LANES * width)
        always: Uints = starts + most
        steps: Uints = always + pieces
        failed: Uints = steps + columns.shape[0]
        tried: Uints = failed + (columns.shape[0] + 1) * STEP
        high: Floats = low + width
        ranges: Floats = high + width
        row = cython.address(table[0, 0])
        for block in range(blocks):
            here = min(rows - block * LANES, LANES)
            find_ranges(
                row + block * LANES * width,
                here,
                width,
                ranges + 2 * block * width,
                ranges + (2 * block + 1) * width,
            )
            for c in range(width):
                if block == 0 or ranges[2 * block * width + c] < low[c]:
                    low[c] = ranges[2 * block * width + c]
                if block == 0 or not (ranges[(2 * block + 1) * width + c] <= high[c] or isnan(high[c])):
                    high[c] = ranges[(2 * block + 1) * width + c]
        memset(always, 0, pieces * cython.sizeof(cython.uint))
        memset(lanes, 0, LANES * width * cython.sizeof(cython.float))
        step = 0
        for chunk in range(chunks):
            counts[chunk] = narrow(
                low, high, cython.address(limits[0]), cython.address(lefts[0]), cython.address(places[0]),
                cython.address(columns[0]), step, ends[chunk], always + chunk * CHUNK, steps + step,
            )  # fmt: skip
            step = ends[chunk]
        for block in range(blocks):
            first = block * LANES
            here = min(rows - first, LANES)
            turn(row + first * width, here, width, lanes)
            for r in range(LANES):
                sum_[r] = 0
                leaf[r] = 0
            step = 0
            for chunk in range(chunks):
                begin = chunk * CHUNK
                behind = min(pieces, begin + CHUNK)
                memset(struck, 0, LANES * most * cython.sizeof(cython.uint))
                memcpy(starts, always + begin, (behind - begin) * cython.sizeof(cython.uint))
                strike_steps(
                    lanes, ranges + 2 * block * width, ranges + (2 * block + 1) * width,
                    cython.address(limits[0]), cython.address(lefts[0]), cython.address(places[0]),
                    cython.address(columns[0]), steps + step, counts[chunk], failed, tried, starts, struck,
                )  # fmt: skip
                step = ends[chunk]
                for piece in range(begin, behind):
                    look_up(
                        struck + (piece - begin) * LANES, starts[piece - begin],
                        cython.address(values[piece, 0]), leaf,
                    )  # fmt: skip
                    if lasts[piece]:
                        for r in range(LANES):
                            sum_[r] += leaf[r]
            for r in range(here):
                total[first + r] = sum_[r]
        free(memory)
        free(starts)
        free(low)
        free(counts)
        return totals
