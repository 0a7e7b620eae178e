# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.page.productsigns`: whether a page may have data of products.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.libc.string import memchr, memcmp, strlen


@cython.cfunc
@cython.inline
def holds(text: cython.p_char, start: cython.int, stop: cython.int, needle: cython.p_char) -> cython.bint:
    """Whether a range of a text holds a needle."""
    length: cython.int = cython.cast(cython.int, strlen(needle))
    at: cython.p_char = text + start
    last: cython.p_char = text + stop - length + 1
    while at < last:
        at = cython.cast(cython.p_char, memchr(at, needle[0], last - at))
        if not at:
            return False
        if memcmp(at, needle, length) == 0:
            return True
        at += 1
    return False


def product_signs(
    canonical: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    code: cython.int,
    meta: cython.int,
) -> bool:
    """Tell whether a page may have data of products."""
    text: cython.p_char = canonical
    at: cython.int = 0
    row: cython.Py_ssize_t
    for row in range(kind.shape[0]):
        if kind[row] == code:
            if holds(text, at, start[row], b'Product"'):
                return True
            at = stop[row]
            if (
                row
                and holds(text, start[row - 1], start[row], b"ld+json")
                and (
                    holds(text, start[row], at, b"Product")
                    or holds(text, start[row], at, b'Vehicle"')
                    or holds(text, start[row], at, b'Car"')
                )
            ):
                return True
        elif tag[row] == meta and holds(text, start[row], stop[row], b'price:amount"'):
            return True
    return holds(text, at, cython.cast(cython.int, len(canonical)), b'Product"')
