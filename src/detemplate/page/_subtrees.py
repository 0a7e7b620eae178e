# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.page.subtrees`: hashes by tag names and texts alone.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.page._markup import ELEMENT, TEXT, mix, xxh64


def loose_hashes(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    start: cython.int[::1],
    text: cython.ulonglong[::1],
    out: cython.ulonglong[::1],
) -> None:
    """Fill ``out`` with hashes of subtrees by tag names and texts alone; ``text`` has the hashes of texts."""
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    n: cython.Py_ssize_t = kind.shape[0]
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t
    if (
        tag.shape[0] != n
        or parent.shape[0] != n
        or start.shape[0] != n
        or text.shape[0] != n
        or out.shape[0] != n
    ):
        raise ValueError("the columns differ in length")
    for i in range(n):
        out[i] = 0
    for i in range(n - 1, -1, -1):
        if kind[i] == ELEMENT:
            first = start[i] + 1
            if first < 1 or first > size:
                raise ValueError("a start is outside of the serialisation")
            at = first
            while at < size and base[at] != b" " and base[at] != b">":
                at += 1
            out[i] = mix(xxh64(base + first, at - first) + (tag[i] >> 14), out[i])
        elif kind[i] == TEXT:
            out[i] = text[i]
        else:
            continue
        if parent[i] >= i:
            raise ValueError("a parent comes after its child")
        if parent[i] >= 0:
            out[parent[i]] = mix(out[parent[i]], out[i])
