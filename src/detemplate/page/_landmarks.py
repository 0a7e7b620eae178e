# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.page.landmarks`.

Written in Cython's pure-Python mode.
"""

import cython


def landmarks(tag: cython.const[cython.ushort][::1], wanted: cython.const[cython.uchar][::1]) -> dict:
    """Give the rows of each number of a column that ``wanted`` has a 1 for; ascending."""
    row: cython.Py_ssize_t
    number: cython.int
    found: dict = {}
    rows: list
    if wanted.shape[0] < 1 << 16:
        raise ValueError("the table is too short")
    for row in range(tag.shape[0]):
        if wanted[tag[row]]:
            number = tag[row]
            if number not in found:
                found[number] = []
            rows = found[number]
            rows.append(row)
    return found
