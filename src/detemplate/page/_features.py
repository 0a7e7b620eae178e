# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled features of nodes: their words, their links, and all that is computed from both.

:mod:`detemplate.page.words`, :mod:`detemplate.page.sitelinks` and :mod:`detemplate.page.features` say
what they are and have the references. Every read is checked against the end; what is no sound UTF-8 is
no part of a word. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.libc.math import fabs, sqrt
from cython.cimports.libc.string import memchr, memcmp

PART = cython.declare(cython.int, 1)
SINGLE = cython.declare(cython.int, 2)
BEYOND = cython.declare(cython.uint, 0x20000)
LAST = cython.declare(cython.uint, 0x40000)

ELEMENT = cython.declare(cython.int, 1)
TEXT = cython.declare(cython.int, 2)

# Of a link, as in detemplate.page.sitelinks.
LINK = cython.declare(cython.int, 1)
LEADS = cython.declare(cython.int, 2)
STAYS = cython.declare(cython.int, 4)
HARD = cython.declare(cython.int, 8)
HIDDEN = cython.declare(cython.int, 16)


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
    """Find the slot that has this key, or the empty one where it belongs. One at least is empty."""
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
    """Fill ``counts`` (words, words of the title, different words of the title) for each node.

    ``rows`` are the texts, the first ``titles`` of them the title's. ``slots`` is empty, a power of two,
    longer than the title in bytes; ``last`` is as long and all -1. Gives the title's different words.
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
    if min(len(start), len(stop), len(end)) < nodes or counts.shape[0] < 3 or counts.shape[1] < nodes:
        raise ValueError("the columns differ in length")
    if len(kinds) <= BEYOND or len(folded) <= BEYOND or longest < 0:
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
                    if code == 0x26:
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
                if code < BEYOND:
                    kind = kinds[code]
                    code = folded[code]
                elif code < LAST:
                    kind = SINGLE
            if length > 0 and (alone or kind != PART):  # a word has ended
                key |= 1
                slot = slot_of(slots, key)
                if number < titles:
                    if slots[slot] == 0:
                        title += 1
                        if title >= len(slots):
                            raise ValueError("too few slots")
                        slots[slot] = key
                else:
                    counts[0, row] += 1
                    if slots[slot] != 0:
                        counts[1, row] += 1
                        if last[slot] != row:
                            counts[2, row] += 1
                            # Rows ascend: the subtree of an ancestor that ends behind this row holds both.
                            above = last[slot]
                            while above >= 0 and end[above] <= row:
                                above = parent[above] if parent[above] < above else -1
                            if above >= 0:
                                counts[2, above] -= 1
                            last[slot] = row
                length = 0
                key = 0
            if at >= past:
                break
            if kind != 0:
                key += factors[min(length, longest)] * code
                length += 1
                alone = kind == SINGLE
            at += step
    return title


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
    name: cython.p_uchar
    value: cython.p_uchar
    past: cython.p_uchar
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
        while q < end and q[0] == 32:
            name = q + 1
            q = name + 1 if name < end and name[0] == 0x3D else name
            while q < end and q[0] != 32 and q[0] != 0x3D:
                q += 1
            if end - q < 3 or q[0] != 0x3D or q[1] != 0x22:
                break
            value = q + 2
            past = cython.cast(cython.p_uchar, memchr(value, 0x22, end - value))
            if past == cython.NULL:
                break
            if q - name == 4 and memcmp(name, b"href", 4) == 0:
                number = HARD if past - value > longest else where_to(value, past, host, size, here)
                out[row] = number | LINK
                break
            q = past + 1
    for row in range(nodes):
        out[row] &= ~HIDDEN


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

    ``words`` is as :func:`count_words` fills it, and becomes the sums over subtrees. ``work`` has ten rows
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
