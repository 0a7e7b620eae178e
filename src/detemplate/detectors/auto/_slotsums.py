# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.slotsums`: sums of slots.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.algorithms._sigmoid import probability
from cython.cimports.detemplate.detectors.auto._slotsums import (
    CLIP,
    COLUMNS,
    CONTENT,
    CONTENT_INSIDE,
    HALF,
    MOST_WORDS,
    ODDS,
    PAGES,
    SCALE,
    TINY,
    WEIGHT,
    WORDS,
    WORDS_INSIDE,
)
from cython.cimports.libc.math import rint
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memcpy

SUMMED = cython.declare(cython.int, 4)  # columns from WEIGHT on that are summed as real numbers


def page_sums(
    above: cython.int[::1],
    own: cython.int[::1],
    words: cython.int[::1],
    weight: cython.double[::1],
    alone: cython.double[::1],
    content: cython.double[::1],
    running: cython.int,
    sums: cython.longlong[:, ::1],
) -> tuple:
    """Fill the sums of a page; give its prose and the words of its running text that look like content."""
    count: cython.Py_ssize_t = above.shape[0]
    segments: cython.Py_ssize_t = own.shape[0]
    place: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    column: cython.Py_ssize_t
    up: cython.Py_ssize_t
    heavy: cython.double
    share: cython.double
    total: cython.double = 0.0
    prose: cython.double = 0.0
    long: cython.longlong = 0
    # Per slot four sums, then the expected content of each segment.
    parts: cython.p_double = cython.cast(
        cython.p_double, calloc(count * SUMMED + segments + 1, cython.sizeof(cython.double))
    )
    if not parts:
        raise MemoryError
    expected: cython.p_double = parts + count * SUMMED
    for place in range(segments):
        expected[place] = min(cython.cast(cython.double, words[place]), MOST_WORDS) * probability(
            alone[place]
        )
        total += expected[place]
        if words[place] >= running:
            prose += expected[place]
            if content[place] > HALF:
                long += words[place]
    share = SCALE / max(total, 1.0)
    for place in range(segments):
        slot = own[place] * SUMMED
        heavy = min(weight[place], MOST_WORDS)
        parts[slot] += heavy * SCALE
        parts[slot + 1] += heavy * min(max(alone[place], -CLIP), CLIP) * SCALE
        parts[slot + 2] += min(cython.cast(cython.double, words[place]), MOST_WORDS) * share
        parts[slot + 3] += expected[place] * share
    for slot in range(count):
        sums[slot, PAGES] = 1
        for column in range(SUMMED):
            sums[slot, WEIGHT + column] = cython.cast(cython.longlong, rint(parts[slot * SUMMED + column]))
        sums[slot, WORDS_INSIDE] = sums[slot, WORDS]
        sums[slot, CONTENT_INSIDE] = sums[slot, CONTENT]
    free(parts)
    for slot in range(count - 1, -1, -1):
        up = above[slot]
        if up >= 0:
            sums[up, WORDS_INSIDE] += sums[slot, WORDS_INSIDE]
            sums[up, CONTENT_INSIDE] += sums[slot, CONTENT_INSIDE]
    return cython.cast(cython.longlong, rint(prose * SCALE / max(total, TINY))), long


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def place_of(known: cython.ulonglong[::1], key: cython.ulonglong) -> cython.Py_ssize_t:
    """Give the place of the first of the ascending keys that is not below a key."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = known.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        if known[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


def gather(
    known: cython.ulonglong[::1],
    table: cython.longlong[:, ::1],
    keys: cython.ulonglong[::1],
    own: cython.longlong[:, ::1],
    counted: cython.bint,
    total: cython.longlong[:, ::1],
) -> None:
    """Fill the sums of all pages in the slots of a page."""
    slot: cython.Py_ssize_t
    column: cython.Py_ssize_t
    place: cython.Py_ssize_t
    found: cython.bint
    short: cython.bint
    for slot in range(keys.shape[0]):
        place = place_of(known, keys[slot])
        found = place < known.shape[0] and known[place] == keys[slot]
        short = False
        for column in range(COLUMNS):
            total[slot, column] = table[place, column] if found else 0
            if not counted:
                total[slot, column] += own[slot, column]
            short = short or (column != ODDS and total[slot, column] < own[slot, column])
        if short:
            for column in range(COLUMNS):
                total[slot, column] = own[slot, column]


def add(
    known: cython.ulonglong[::1],
    table: cython.longlong[:, ::1],
    last: cython.longlong[::1],
    keys: cython.ulonglong[::1],
    own: cython.longlong[:, ::1],
    page: cython.longlong,
    places: cython.longlong[::1],
) -> int:
    """Add a page to the slots that are known; give the number of others, and their places."""
    slot: cython.Py_ssize_t
    column: cython.Py_ssize_t
    place: cython.Py_ssize_t
    new: cython.int = 0
    for slot in range(keys.shape[0]):
        place = place_of(known, keys[slot])
        if place < known.shape[0] and known[place] == keys[slot]:
            for column in range(COLUMNS):
                table[place, column] += own[slot, column]
            last[place] = page
            places[slot] = -1
        else:
            places[slot] = place
            new += 1
    return new


def insert(
    known: cython.longlong[:, ::1],
    rows: cython.longlong[:, ::1],
    order: cython.longlong[::1],
    places: cython.longlong[::1],
    grown: cython.longlong[:, ::1],
) -> None:
    """Insert some of the rows into a table, each before the row at its place."""
    number: cython.Py_ssize_t
    place: cython.Py_ssize_t = 0
    following: cython.Py_ssize_t
    width: cython.Py_ssize_t = known.shape[1] * cython.sizeof(cython.longlong)
    for number in range(order.shape[0] + 1):
        following = places[order[number]] if number < order.shape[0] else known.shape[0]
        if following > place:
            memcpy(
                cython.address(grown[place + number, 0]),
                cython.address(known[place, 0]),
                (following - place) * width,
            )
        place = following
        if number < order.shape[0]:
            memcpy(cython.address(grown[place + number, 0]), cython.address(rows[order[number], 0]), width)
