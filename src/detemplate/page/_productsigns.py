# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.page.productsigns`: what of a page may be about products.

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


def price_signs(
    canonical: bytes,
    start: cython.int[::1],
    stop: cython.int[::1],
    chars: cython.int[::1],
    segments: cython.int[::1],
    first: cython.int,
    behind: cython.int,
    longest: cython.int,
    tiny: cython.int,
) -> list:
    """List the short segments that may be prices, or pieces of them."""
    text: cython.p_char = canonical
    found: list = []
    number: cython.int
    row: cython.int
    at: cython.int
    octet: cython.uchar
    for number in range(first, min(behind, cython.cast(cython.int, segments.shape[0]))):
        row = segments[number]
        if chars[row] > longest:
            continue
        if stop[row] - start[row] <= tiny:
            found.append(number)
            continue
        for at in range(start[row], stop[row]):
            octet = cython.cast(cython.uchar, text[at])
            if (
                48 <= octet <= 57
                or octet == 36
                or octet == 0xC2
                or octet == 0xE0
                or (octet == 0xE2 and cython.cast(cython.uchar, text[at + 1]) == 0x82)
                or octet == 0xEF
            ):
                found.append(number)
                break
    return found
