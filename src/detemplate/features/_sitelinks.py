# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled reader of links.

Every read is checked against the end. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features._linkflags import HARD, HIDDEN, LEADS, LINK, STAYS
from cython.cimports.detemplate.page import _tags as tags
from cython.cimports.detemplate.page._markup import ELEMENT, Attribute, is_named, next_attribute
from cython.cimports.libc.string import memcmp


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_small(c: cython.uchar) -> cython.bint:
    """Tell whether a byte is a digit or a small letter."""
    return (b"0" <= c and c <= b"9") or (b"a" <= c and c <= b"z")


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_capital(c: cython.uchar) -> cython.bint:
    return b"A" <= c and c <= b"Z"


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_mark(c: cython.uchar) -> cython.bint:
    return c == b"_" or c == b"~" or c == b"-" or c == b"."


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def ends_name(p: cython.p_uchar, end: cython.p_uchar) -> cython.bint:
    return p == end or p[0] == b"/" or p[0] == b"?" or p[0] == b"#"


@cython.cfunc
@cython.exceptval(check=False)
def target(
    p: cython.p_uchar, end: cython.p_uchar, host: cython.p_uchar, size: cython.Py_ssize_t, here: cython.int
) -> cython.int:
    """Give the flags of a URL as most pages write it; HARD for all others."""
    q: cython.p_uchar = p
    if p == end:
        return here
    if end - p > 7 and memcmp(p, b"http", 4) == 0:
        q = p + 5 if p[4] == b"s" else p + 4
        if end - q > 3 and memcmp(q, b"://", 3) == 0:
            q += 3
            p = q
            while q < end and (is_small(q[0]) or q[0] == b"." or q[0] == b"-"):
                q += 1
            if q == p or not is_small((q - 1)[0]) or not ends_name(q, end):
                return HARD
            return LINK | LEADS | (STAYS if q - p == size and memcmp(p, host, size) == 0 else 0)
        q = p
    if p[0] == b"/":
        return HARD if end - p > 1 and (p[1] <= b" " or p[1] == b"/" or p[1] == b"\\") else here
    if p[0] == b"#" or p[0] == b"?":
        return here
    if p[0] == b".":
        q = p + 2 if end - p > 1 and p[1] == b"." else p + 1
        return here if q < end and q[0] == b"/" else HARD
    while q < end and (is_small(q[0]) or is_capital(q[0]) or is_mark(q[0])):
        q += 1
    return here if q > p and ends_name(q, end) else HARD


def read_links(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    start: cython.int[::1],
    flags: cython.ushort[::1],
    anchor: cython.int,
    area: cython.int,
    site: bytes,
    base_stays: cython.bint,
    longest: cython.Py_ssize_t,
    out: cython.uchar[::1],
) -> None:
    """Fill ``out`` with flags (0: no link). Where HARD links lead, the caller finds out."""
    p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    end: cython.p_uchar = p + len(data)
    host: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, site))
    size: cython.Py_ssize_t = len(site)
    here: cython.int = LINK | LEADS | (STAYS if base_stays else 0)
    nodes: cython.Py_ssize_t = len(kind)
    row: cython.Py_ssize_t
    number: cython.int
    unseen: cython.int
    q: cython.p_uchar
    attribute = cython.declare(Attribute)
    if min(len(tag), len(parent), len(start), len(out)) < nodes:
        raise ValueError("the columns differ in length")
    for row in range(nodes):
        out[row] = 0
        if 0 <= parent[row] < row:
            out[row] = out[parent[row]] & HIDDEN
        if kind[row] != ELEMENT:
            continue
        number = tag[row] & tags.NUMBER
        unseen = tags.FOREIGN_UNSEEN if tag[row] & tags.FOREIGN else tags.UNSEEN
        if number < len(flags) and flags[number] & unseen:
            out[row] = HIDDEN
        if out[row] or (tag[row] != anchor and tag[row] != area) or not 0 <= start[row] < len(data):
            continue
        q = p + start[row] + (2 if tag[row] == anchor else 5)
        while next_attribute(cython.address(q), end, cython.address(attribute)):
            if is_named(cython.address(attribute), b"href", 4):
                number = (
                    HARD
                    if attribute.stop - attribute.value > longest
                    else target(attribute.value, attribute.stop, host, size, here)
                )
                out[row] = number | LINK
                break
    for row in range(nodes):
        out[row] &= ~HIDDEN
