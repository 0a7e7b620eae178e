# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled features of nodes: their words, their links, and all that is computed from both.

:mod:`detemplate.features.words`, :mod:`detemplate.features.sitelinks` and :mod:`detemplate.features.node` say
what they are and have the references. Every read is checked against the end; what is no sound UTF-8 is
no part of a word. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features._linkflags import LEADS, LINK, STAYS
from cython.cimports.detemplate.page._markup import ELEMENT, TEXT
from cython.cimports.libc.math import fabs, sqrt


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def share(part: cython.double, whole: cython.double) -> cython.float:
    """Divide, within 0 and 1."""
    found: cython.double = part / whole
    return cython.cast(cython.float, 1.0 if found > 1.0 else found if found > 0.0 else 0.0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def ratio(part: cython.double, whole: cython.int) -> cython.float:
    """Divide; by one where there is nothing to divide by."""
    return cython.cast(cython.float, part / (whole if whole > 1 else 1))


def place(
    left: cython.float[::1],
    top: cython.float[::1],
    width: cython.float[::1],
    height: cython.float[::1],
    across: cython.double,
    down: cython.double,
    out: cython.float[:, ::1],
) -> None:
    """Fill the features of boxes, the first twelve; of the area itself, not its logarithm."""
    nodes: cython.Py_ssize_t = len(left)
    row: cython.Py_ssize_t
    side: cython.int
    x: cython.double
    y: cython.double
    wide: cython.double
    high: cython.double
    if min(len(top), len(width), len(height)) < nodes or out.shape[0] < 12 or out.shape[1] < nodes:
        raise ValueError("the boxes differ in number")
    if not (across > 0 and down > 0):
        raise ValueError("the page has no size")
    for row in range(nodes):
        x = left[row]
        y = top[row]
        wide = width[row]
        high = height[row]
        if wide > 0 or high > 0:
            out[1, row] = share(x, across)
            out[2, row] = share(across - x - wide, across)
            out[3, row] = share(y, down)
            out[4, row] = share(down - y - high, down)
            out[6, row] = share(fabs(2 * x + wide - across), across)
            out[7, row] = share(fabs(2 * y + high - down), down)
        else:
            for side in range(1, 5):
                out[side, row] = 0
            out[6, row] = out[7, row] = 1
        out[0, row] = min(out[1, row], out[2, row], out[3, row], out[4, row])
        x = out[6, row]
        y = out[7, row]
        out[5, row] = cython.cast(cython.float, sqrt((x * x + y * y) / 2))
        out[8, row] = share(wide, across)
        out[9, row] = share(high, down)
        out[10, row] = share(wide * high, across * down)
        # In single precision the largest areas are infinite.
        out[11, row] = cython.cast(cython.float, min(wide * high, 3e38))


def fill(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    chars: cython.int[::1],
    words: cython.int[:, ::1],
    title: cython.int,
    links: cython.uchar[::1],
    img: cython.int,
    svg: cython.int,
    work: cython.int[:, ::1],
    out: cython.float[:, ::1],
) -> None:
    """Fill the features of contents, those behind the first twelve; of amounts, not their logarithms.

    ``words`` is as :func:`~detemplate.features.words.count_words` fills it, and becomes the sums over subtrees. ``work`` has ten rows
    of zeros.
    """
    p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.int = cython.cast(cython.int, len(data))
    nodes: cython.Py_ssize_t = len(kind)
    row: cython.int
    above: cython.int
    column: cython.int
    opened: cython.int = -1
    at: cython.int = 0
    past: cython.int
    inner: cython.int = 0  # bytes before ``at`` that begin no character
    total: cython.double = 0
    if min(len(tag), len(parent), len(end), len(start), len(stop), len(chars), len(links)) < nodes:
        raise ValueError("the columns differ in length")
    if words.shape[0] < 3 or words.shape[1] < nodes or work.shape[0] < 10 or work.shape[1] < nodes:
        raise ValueError("the arrays have too few rows")
    if out.shape[0] < 27 or out.shape[1] < nodes or len(data) >= 1 << 31:
        raise ValueError("the arrays have too few rows")
    for row in range(nodes):
        if not -1 <= parent[row] < row or not row < end[row] <= nodes:
            raise ValueError("the columns do not describe a tree")
        if not 0 <= start[row] <= stop[row] <= size:
            raise ValueError("the columns do not describe this text")
    for row in range(nodes + 1):
        # Close what ends before this row, then open it: so all places in the text ascend.
        while opened >= 0 and (row == nodes or end[opened] <= row):
            past = stop[opened]
            while at < past:
                inner += p[at] & 0xC0 == 0x80
                at += 1
            work[0, opened] = stop[opened] - start[opened] - (inner - work[0, opened])
            opened = parent[opened]
        if row == nodes:
            break
        past = start[row]
        while at < past:
            inner += p[at] & 0xC0 == 0x80
            at += 1
        work[0, row] = inner
        opened = row
        above = parent[row]
        # 1: depth; 2: one more than the outermost link's row; 3: children; 4: links; 5, 6: that lead, that
        # stay; 7: images; 8: texts; 9: characters in links.
        if above >= 0:
            work[1, row] = work[1, above] + 1
            work[2, row] = work[2, above]
        if links[row] & LINK:
            work[4, row] += 1
            work[5, row] += (links[row] & LEADS) != 0
            work[6, row] += (links[row] & STAYS) != 0
            if work[2, row] == 0:
                work[2, row] = row + 1
        if kind[row] == ELEMENT:
            work[7, row] += tag[row] == img or tag[row] == svg
            if above >= 0:
                work[3, above] += 1
        elif kind[row] == TEXT:
            total += chars[row]
            work[8, row] = 1
            if work[2, row] > 0:
                work[9, row] = chars[row]
    for row in range(cython.cast(cython.int, nodes) - 1, -1, -1):
        above = parent[row]
        if above >= 0:
            for column in range(4, 10):
                work[column, above] += work[column, row]
            for column in range(3):
                words[column, above] += words[column, row]
        if work[4, row] == 0 and work[2, row] > 0:  # what is inside of a link is that link
            out[18, row] = 1
            out[19, row] = ratio(1, words[0, row])
            out[21, row] = work[9, row]
            out[22, row] = (links[work[2, row] - 1] & STAYS) != 0
        else:
            out[18, row] = work[4, row]
            out[19, row] = ratio(work[4, row], max(words[0, row], work[4, row]))
            out[21, row] = ratio(work[9, row], work[4, row])
            out[22, row] = ratio(work[6, row], work[5, row])
        out[12, row] = words[0, row]
        out[13, row] = ratio(words[0, row], work[8, row])
        out[14, row] = cython.cast(cython.float, chars[row] / max(total, 1.0))
        out[15, row] = ratio(chars[row], work[0, row])
        out[16, row] = ratio(words[1, row], words[0, row])
        out[17, row] = ratio(words[2, row], title)
        out[20, row] = ratio(work[9, row], chars[row])
        out[23, row] = work[7, row]
        out[24, row] = work[1, row]
        out[25, row] = work[3, row]
        out[26, row] = end[row] - row
