# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled counts of words; ``tests/features/test_node_features.py`` states them plainly.

Every read is checked against the end. Invalid UTF-8 is no part of a word. Written in Cython's pure-Python
mode.
"""

import cython
from cython.cimports.detemplate.features import _wordtables as const
from cython.cimports.libc.string import memcmp


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def entity(p: cython.p_uchar, left: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Give the length of the entity that begins here, or 0."""
    if left >= 4 and (memcmp(p, b"&lt;", 4) == 0 or memcmp(p, b"&gt;", 4) == 0):
        return 4
    if left >= 5 and memcmp(p, b"&amp;", 5) == 0:
        return 5
    if left >= 6 and memcmp(p, b"&nbsp;", 6) == 0:
        return 6
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def slot_of(slots: cython.ulonglong[::1], key: cython.ulonglong) -> cython.Py_ssize_t:
    """Find the slot that has this key, or the empty slot for it. At least one slot is empty."""
    mask: cython.ulonglong = len(slots) - 1
    at: cython.ulonglong = (key >> 32) & mask
    while slots[at] != 0 and slots[at] != key:
        at = (at + 1) & mask
    return at


def count_words(
    data: bytes,
    start: cython.int[::1],
    stop: cython.int[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    rows: cython.int[::1],
    titles: cython.Py_ssize_t,
    kinds: cython.uchar[::1],
    folded: cython.uint[::1],
    factors: cython.ulonglong[::1],
    slots: cython.ulonglong[::1],
    last: cython.int[::1],
    counts: cython.int[:, ::1],
) -> int:
    """Fill ``counts``, whose rows ``_wordtables.pxd`` names; give the number of different words of the title.

    ``rows`` are those of the texts, the first ``titles`` of them of the title. ``slots`` is all 0; its length
    is a power of two above the title's bytes. ``last`` is as long and all -1.
    """
    p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    nodes: cython.Py_ssize_t = len(parent)
    longest: cython.Py_ssize_t = len(factors) - 1
    number: cython.Py_ssize_t
    at: cython.Py_ssize_t
    past: cython.Py_ssize_t
    step: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    length: cython.Py_ssize_t
    row: cython.int
    above: cython.int
    code: cython.uint
    kind: cython.int
    alone: cython.bint = False
    key: cython.ulonglong
    title: cython.Py_ssize_t = 0
    if (
        min(len(start), len(stop), len(end)) < nodes
        or counts.shape[0] < const.COUNTS
        or counts.shape[1] < nodes
    ):
        raise ValueError("the columns differ in length")
    if len(kinds) <= const.BEYOND or len(folded) <= const.BEYOND or longest < 0:
        raise ValueError("the tables of characters are too short")
    if len(slots) < 2 or len(slots) & (len(slots) - 1) or len(last) < len(slots):
        raise ValueError("the slots must be a power of two")
    for number in range(len(rows)):
        row = rows[number]
        if row < 0 or row >= nodes or start[row] < 0 or stop[row] > size:
            raise ValueError("the columns do not describe this text")
        at = start[row]
        past = stop[row]
        length = 0
        key = 0
        while True:
            # One character: its code, what it is to words, and the bytes that it takes.
            kind = 0
            code = 0
            step = 1
            if at < past:
                code = p[at]
                if code < 0x80:
                    if code == b"&":
                        step = max(1, entity(p + at, past - at))
                elif 0xC0 <= code < 0xE0 and past - at >= 2:
                    code = ((code & 0x1F) << 6) | (p[at + 1] & 0x3F)
                    step = 2
                elif 0xE0 <= code < 0xF0 and past - at >= 3:
                    code = ((code & 0x0F) << 12) | ((p[at + 1] & 0x3F) << 6) | (p[at + 2] & 0x3F)
                    step = 3
                elif code >= 0xF0 and past - at >= 4:
                    code = ((code & 0x07) << 18) | ((p[at + 1] & 0x3F) << 12)
                    code |= ((p[at + 2] & 0x3F) << 6) | (p[at + 3] & 0x3F)
                    step = 4
                else:
                    code = 0
                if code < const.BEYOND:
                    kind = kinds[code]
                    code = folded[code]
                elif code < const.LAST:
                    kind = const.SINGLE
            if length > 0 and (alone or kind != const.PART):  # a word has ended
                key |= 1
                slot = slot_of(slots, key)
                if number < titles:
                    if slots[slot] == 0:
                        title += 1
                        if title >= len(slots):
                            raise ValueError("too few slots")
                        slots[slot] = key
                else:
                    counts[const.WORDS, row] += 1
                    if slots[slot] != 0:
                        counts[const.TITLED, row] += 1
                        if last[slot] != row:
                            counts[const.DIFFERENT, row] += 1
                            # Rows ascend: the subtree of an ancestor that ends behind this row holds both.
                            above = last[slot]
                            while above >= 0 and end[above] <= row:
                                above = parent[above] if parent[above] < above else -1
                            if above >= 0:
                                counts[const.DIFFERENT, above] -= 1
                            last[slot] = row
                length = 0
                key = 0
            if at >= past:
                break
            if kind != 0:
                key += factors[min(length, longest)] * code
                length += 1
                alone = kind == const.SINGLE
            at += step
    return title
