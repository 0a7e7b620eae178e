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
    signs: tuple,
    names: frozenset,
) -> list:
    """List the short segments that may be prices, or pieces of them; none without a currency among them."""
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
    return found if has_currency(canonical, start, stop, segments, found, signs, names) else []


@cython.cfunc
def has_currency(
    canonical: bytes,
    start: cython.int[::1],
    stop: cython.int[::1],
    segments: cython.int[::1],
    numbers: list,
    signs: tuple,
    names: frozenset,
) -> cython.bint:
    """Tell whether any of some segments has the sign or the name of a currency."""
    text: cython.p_char = canonical
    length: cython.int = cython.cast(cython.int, len(canonical))
    longest: cython.Py_ssize_t = 0
    # 1: signs begin with the byte, 2: names do, 4: names end with it.
    first = cython.declare(cython.uchar[256])
    octet: cython.uchar
    at: cython.int
    behind: cython.int
    word: cython.int
    number: cython.Py_ssize_t
    name: bytes
    sign: bytes
    for at in range(256):
        first[at] = 0
    for sign in signs:
        first[cython.cast(cython.uchar, sign[0])] |= 1
    for name in names:
        longest = max(longest, len(name))
        if name:
            first[cython.cast(cython.uchar, name[0])] |= 2
            first[cython.cast(cython.uchar, name[len(name) - 1])] |= 4
    for number in numbers:
        if not 0 <= number < segments.shape[0]:
            raise ValueError("there is no such segment")
        at = max(start[segments[number]], 0)
        behind = min(stop[segments[number]], length)
        word = at  # where the word around this byte begins
        while at <= behind:
            octet = cython.cast(cython.uchar, text[at]) if at < behind else 0
            if first[octet] & 1 and begins_sign(text, at, behind, signs):
                return True
            if octet < 0x80 and not 97 <= (octet | 0x20) <= 122:
                if (
                    word < at <= word + longest
                    and first[lower(text[word])] & 2
                    and first[lower(text[at - 1])] & 4
                    and text[word:at].lower() in names
                ):
                    return True
                word = at + 1
            at += 1
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def lower(letter: cython.char) -> cython.uchar:
    """Give a letter from ``A`` to ``Z`` in lower case, and any other byte as it is."""
    octet: cython.uchar = cython.cast(cython.uchar, letter)
    return octet | 0x20 if 65 <= octet <= 90 else octet


@cython.cfunc
def begins_sign(text: cython.p_char, at: cython.int, behind: cython.int, signs: tuple) -> cython.bint:
    """Whether one of the signs stands at a place of a text, before its end."""
    sign: bytes
    written: cython.p_char
    length: cython.int
    for sign in signs:
        written = sign
        length = cython.cast(cython.int, len(sign))
        if at + length <= behind and memcmp(text + at, written, length) == 0:
            return True
    return False
