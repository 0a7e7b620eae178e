# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.slottree`: a page's slots, and their labels.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.libc.stdlib import calloc, free, malloc


def collect(parent: cython.int[::1], segments: cython.int[::1], rows: cython.int[::1]) -> int:
    """Write the rows of the elements around the segments, ascending; give their number."""
    place: cython.Py_ssize_t
    count: cython.int = 0
    row: cython.int
    nodes: cython.Py_ssize_t = parent.shape[0]
    found: cython.p_uchar = cython.cast(cython.p_uchar, calloc(nodes + 1, 1))
    if not found:
        raise MemoryError
    for place in range(segments.shape[0]):
        row = parent[segments[place]]
        if row < 0:
            found[segments[place]] = 1
        while row >= 0 and not found[row]:
            found[row] = 1
            row = parent[row]
    for place in range(nodes):
        if found[place]:
            rows[count] = place
            count += 1
    free(found)
    return count


def number(
    parent: cython.int[::1],
    segments: cython.int[::1],
    rows: cython.int[::1],
    hashes: cython.ulonglong[::1],
    order: cython.longlong[::1],
    first: cython.int[::1],
    above: cython.int[::1],
    own: cython.int[::1],
) -> int:
    """Number slots in the order of the first row that has each; give their number."""
    count: cython.Py_ssize_t = rows.shape[0]
    place: cython.Py_ssize_t
    slots: cython.int = 0
    row: cython.int
    nodes: cython.Py_ssize_t = parent.shape[0]
    # The place of the first row with the same hash, then the number of the slot; and that of each row.
    numbers: cython.p_int = cython.cast(cython.p_int, malloc((count + 1) * cython.sizeof(cython.int)))
    of_row: cython.p_int = cython.cast(cython.p_int, malloc((nodes + 1) * cython.sizeof(cython.int)))
    if not numbers or not of_row:
        free(numbers)
        free(of_row)
        raise MemoryError
    for place in range(count):
        # The order is stable, so the first of equal hashes is the first row.
        if place and hashes[order[place]] == hashes[order[place - 1]]:
            numbers[order[place]] = numbers[order[place - 1]]
        else:
            numbers[order[place]] = order[place]
    for place in range(count):
        row = rows[place]
        if numbers[place] == place:
            first[slots] = place
            above[slots] = of_row[parent[row]] if parent[row] >= 0 else -1
            numbers[place] = slots
            slots += 1
        else:
            numbers[place] = numbers[numbers[place]]
        of_row[row] = numbers[place]
    for place in range(segments.shape[0]):
        row = parent[segments[place]]
        own[place] = of_row[row if row >= 0 else segments[place]]
    free(numbers)
    free(of_row)
    return slots


def label(
    above: cython.int[::1],
    gain: cython.double[::1],
    missing: cython.double[::1],
    switch: cython.double,
    labels: cython.uchar[::1],
) -> None:
    """Label slots as content (1) or template (0)."""
    count: cython.Py_ssize_t = above.shape[0]
    slot: cython.Py_ssize_t
    up: cython.int
    inside: cython.p_double = cython.cast(cython.p_double, malloc((count + 1) * cython.sizeof(cython.double)))
    outside: cython.p_double = cython.cast(
        cython.p_double, malloc((count + 1) * cython.sizeof(cython.double))
    )
    if not inside or not outside:
        free(inside)
        free(outside)
        raise MemoryError
    for slot in range(count):
        inside[slot] = gain[slot] + max(missing[slot], -switch)
        outside[slot] = max(missing[slot] - switch, 0.0)
    for slot in range(count - 1, -1, -1):
        up = above[slot]
        if up >= 0:
            inside[up] += max(inside[slot], outside[slot] - switch)
            outside[up] += max(outside[slot], inside[slot] - switch)
    for slot in range(count):
        up = above[slot]
        if up >= 0 and labels[up]:
            labels[slot] = inside[slot] >= outside[slot] - switch
        else:
            labels[slot] = inside[slot] - switch > outside[slot]
    free(inside)
    free(outside)
