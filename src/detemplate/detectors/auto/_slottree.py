# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.slottree`: the tree of a page's slots.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.libc.stdlib import calloc, free


def collect(
    parent: cython.int[::1],
    segments: cython.int[::1],
    slots: cython.ulonglong[::1],
    keys: cython.ulonglong[::1],
    above: cython.int[::1],
    own: cython.int[::1],
) -> int:
    """Number slots in the order of the first row that has each; give their number."""
    nodes: cython.Py_ssize_t = parent.shape[0]
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    rows: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 16
    count: cython.int = 0
    row: cython.int
    # The number of each row's slot, plus one; 1 before it is known, 0 for rows that are not collected.
    of_row: cython.p_int = cython.cast(cython.p_int, calloc(nodes + 1, cython.sizeof(cython.int)))
    if not of_row:
        raise MemoryError
    for place in range(segments.shape[0]):
        row = parent[segments[place]]
        if row < 0:
            row = segments[place]
        while row >= 0 and not of_row[row]:
            of_row[row] = 1
            rows += 1
            row = parent[row]
    while size < 2 * rows:
        size *= 2
    # A hash table of the numbers of slots, plus one, with linear probing.
    table: cython.p_int = cython.cast(cython.p_int, calloc(size, cython.sizeof(cython.int)))
    if not table:
        free(of_row)
        raise MemoryError
    for place in range(nodes):
        if not of_row[place]:
            continue
        at = (slots[place] ^ (slots[place] >> 32)) & (size - 1)
        while table[at] and keys[table[at] - 1] != slots[place]:
            at = (at + 1) & (size - 1)
        if not table[at]:
            keys[count] = slots[place]
            above[count] = of_row[parent[place]] - 1 if parent[place] >= 0 else -1
            count += 1
            table[at] = count
        of_row[place] = table[at]
    for place in range(segments.shape[0]):
        row = parent[segments[place]]
        own[place] = of_row[row if row >= 0 else segments[place]] - 1
    free(of_row)
    free(table)
    return count
