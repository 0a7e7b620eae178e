# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Where links lead, compiled; :mod:`detemplate.features.sitelinks_reference` says how that is told.

Every read is checked against the end. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features._linkflags import HARD, HIDDEN, LEADS, LINK, STAYS
from cython.cimports.detemplate.page._markup import ELEMENT, Attribute, is_named, next_attribute
from cython.cimports.libc.string import memcmp


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_small(c: cython.uchar) -> cython.bint:
    """Tell a digit or a small letter."""
    return 48 <= c <= 57 or 97 <= c <= 122


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def ends_name(p: cython.p_uchar, end: cython.p_uchar) -> cython.bint:
    return p == end or p[0] == 0x2F or p[0] == 0x3F or p[0] == 0x23  # / ? #


@cython.cfunc
@cython.exceptval(check=False)
def where_to(
    p: cython.p_uchar, end: cython.p_uchar, own: cython.p_uchar, size: cython.Py_ssize_t, here: cython.int
) -> cython.int:
    """Tell what a URL says at a glance, or HARD."""
    q: cython.p_uchar = p
    if p == end:
        return here
    if end - p > 7 and memcmp(p, b"http", 4) == 0:
        q = p + 5 if p[4] == 0x73 else p + 4
        if end - q > 3 and memcmp(q, b"://", 3) == 0:
            q += 3
            p = q
            while q < end and (is_small(q[0]) or q[0] == 0x2E or q[0] == 0x2D):
                q += 1
            if q == p or not is_small((q - 1)[0]) or not ends_name(q, end):
                return HARD
            return LINK | LEADS | (STAYS if q - p == size and memcmp(p, own, size) == 0 else 0)
        q = p
    if p[0] == 0x2F:
        return HARD if end - p > 1 and (p[1] <= 32 or p[1] == 0x2F or p[1] == 0x5C) else here
    if p[0] == 0x23 or p[0] == 0x3F:
        return here
    if p[0] == 0x2E:
        q = p + 2 if end - p > 1 and p[1] == 0x2E else p + 1
        return here if q < end and q[0] == 0x2F else HARD
    while q < end and (
        is_small(q[0]) or 65 <= q[0] <= 90 or q[0] == 0x5F or q[0] == 0x7E or q[0] == 0x2D or q[0] == 0x2E
    ):
        q += 1
    return here if q > p and ends_name(q, end) else HARD


def read_links(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    start: cython.int[::1],
    flags: cython.ushort[::1],
    foreign: cython.int,
    unseen: cython.int,
    foreign_unseen: cython.int,
    anchor: cython.int,
    area: cython.int,
    own: bytes,
    base_stays: cython.bint,
    longest: cython.Py_ssize_t,
    out: cython.uchar[::1],
) -> None:
    """Fill ``out`` with what the links are (0: no link); those that are HARD are left to the caller."""
    p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    end: cython.p_uchar = p + len(data)
    host: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, own))
    size: cython.Py_ssize_t = len(own)
    here: cython.int = LINK | LEADS | (STAYS if base_stays else 0)
    nodes: cython.Py_ssize_t = len(kind)
    row: cython.Py_ssize_t
    number: cython.int
    q: cython.p_uchar
    found: Attribute
    if min(len(tag), len(parent), len(start), len(out)) < nodes:
        raise ValueError("the columns differ in length")
    for row in range(nodes):
        out[row] = 0
        if 0 <= parent[row] < row:
            out[row] = out[parent[row]] & HIDDEN
        if kind[row] != ELEMENT:
            continue
        number = tag[row] & ~foreign
        if number < len(flags) and flags[number] & (foreign_unseen if tag[row] & foreign else unseen):
            out[row] = HIDDEN
        if out[row] or (tag[row] != anchor and tag[row] != area) or not 0 <= start[row] < len(data):
            continue
        q = p + start[row] + (2 if tag[row] == anchor else 5)
        while next_attribute(cython.address(q), end, cython.address(found)):
            if is_named(cython.address(found), b"href", 4):
                number = (
                    HARD
                    if found.stop - found.value > longest
                    else where_to(found.value, found.stop, host, size, here)
                )
                out[row] = number | LINK
                break
    for row in range(nodes):
        out[row] &= ~HIDDEN
