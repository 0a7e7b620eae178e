# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled scan: the parser's serialisation of a page, read once into columns.

It reads only what turbohtml has serialised (well formed, attributes quoted), never raw HTML, and it
trusts none of it: every read is checked against the end, and a serialisation that does not nest is
refused (the caller then walks the DOM, see :mod:`detemplate.page.scan_reference`, which states what the
columns mean). Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.page._markup import P1, is_space, mix, read64, xxh64
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memchr, memcmp, memcpy

ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
HIGHS = cython.declare(cython.ulonglong, 0x8080808080808080)

VOID = cython.declare(cython.int, 1)
RAW = cython.declare(cython.int, 2)
UNSEEN = cython.declare(cython.int, 4)
BLOCK = cython.declare(cython.int, 8)
SVG = cython.declare(cython.int, 16)
MATH = cython.declare(cython.int, 32)
SVG_HTML = cython.declare(cython.int, 64)
MATH_HTML = cython.declare(cython.int, 128)
ANNOTATION = cython.declare(cython.int, 256)
GLYPH = cython.declare(cython.int, 512)
SCRIPT = cython.declare(cython.int, 1024)
PLAINTEXT = cython.declare(cython.int, 2048)
FOREIGN_UNSEEN = cython.declare(cython.int, 4096)
CODE = cython.declare(cython.int, 8192)

# What the children of an element are: the low three bits of its context.
HTML_INSIDE = cython.declare(cython.int, 0)
SVG_INSIDE = cython.declare(cython.int, 1)
MATH_INSIDE = cython.declare(cython.int, 2)
MATH_TEXT_INSIDE = cython.declare(cython.int, 3)
ANNOTATION_INSIDE = cython.declare(cython.int, 4)
HIDDEN = cython.declare(cython.int, 8)


@cython.cfunc
@cython.exceptval(check=False)
def raw_end(
    p: cython.p_uchar, end: cython.p_uchar, name: cython.p_uchar, size: cython.Py_ssize_t, script: cython.bint
) -> cython.p_uchar:
    """Find the end tag of a raw-text element, or NULL; a script's ``<!-- <script>`` hides end tags."""
    escaped: cython.int = 0  # 0 script data, 1 after "<!--", 2 after "<script" within that
    q: cython.p_uchar
    dash: cython.p_uchar
    at: cython.p_uchar = p
    low: cython.p_uchar = p  # dashes that close an escape must come after the dashes that opened it
    while True:
        q = cython.cast(cython.p_uchar, memchr(at, 60, end - at))
        if escaped:
            # "-->" ends the escape wherever it comes before the next "<"
            dash = at
            while True:
                dash = cython.cast(cython.p_uchar, memchr(dash, 62, (q if q != cython.NULL else end) - dash))
                if dash == cython.NULL:
                    break
                if dash - low >= 2 and (dash - 1)[0] == 45 and (dash - 2)[0] == 45:
                    escaped = 0
                    break
                dash += 1
        if q == cython.NULL:
            return cython.NULL
        if not script:
            if end - q > size + 2 and q[1] == 47 and memcmp(q + 2, name, size) == 0 and q[size + 2] == 62:
                return q
        elif end - q >= 4 and q[1] == 33 and q[2] == 45 and q[3] == 45:
            if escaped == 0:
                escaped = 1
                low = q + 2
        elif escaped and end - q > 7 and lower6(q + 1) and ends_name(q[7]):
            escaped = 2
        elif end - q > 8 and q[1] == 47 and lower6(q + 2) and ends_name(q[8]):
            if escaped != 2:
                return q
            escaped = 1
        at = q + 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def ends_name(c: cython.uchar) -> cython.bint:
    return c == 62 or c == 47 or is_space(c)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def lower6(p: cython.p_uchar) -> cython.bint:
    """Tell whether the six bytes at ``p`` spell "script" in any case."""
    return (
        (p[0] | 32) == 115
        and (p[1] | 32) == 99
        and (p[2] | 32) == 114
        and (p[3] | 32) == 105
        and (p[4] | 32) == 112
        and (p[5] | 32) == 116
    )


@cython.cfunc
@cython.exceptval(check=False)
def is_plain(p: cython.p_uchar, end: cython.p_uchar) -> cython.bint:
    """Tell whether text is its own squeezed form, a character a byte; in doubt, no.

    Eight bytes at a time: none is a control, above ASCII or "&", and no two spaces are neighbours.
    The windows overlap by one byte, so that neighbours in different windows are seen, too.
    """
    v: cython.ulonglong
    x: cython.ulonglong
    while end - p >= 8:
        v = read64(p)
        x = v ^ (ONES * 38)
        if (v | ((v - ONES * 32) & ~v) | ((x - ONES) & ~x)) & HIGHS:
            return False
        x = v ^ (ONES * 32)
        x = (x - ONES) & ~x & HIGHS
        if x & (x << 8):
            return False
        p += 7
    while p < end:
        if p[0] < 32 or p[0] >= 128 or p[0] == 38 or (p[0] == 32 and p + 1 < end and p[1] == 32):
            return False
        p += 1
    return True


@cython.cfunc
@cython.exceptval(check=False)
def squeeze(
    p: cython.p_uchar,
    end: cython.p_uchar,
    out: cython.p_uchar,
    raw: cython.bint,
    chars: cython.p_longlong,
    shows: cython.p_int,
) -> cython.Py_ssize_t:
    """Copy text with white space collapsed; count its characters; tell whether any of them shows."""
    o: cython.p_uchar = out
    c: cython.uchar
    n: cython.longlong = 0
    gap: cython.bint = False
    seen: cython.int = 0
    step: cython.Py_ssize_t
    while p < end:
        c = p[0]
        if is_space(c):
            gap = True
            p += 1
            continue
        if gap:
            if o != out:
                o[0] = 32
                o += 1
                n += 1
            gap = False
        if c < 0x80:
            if c == 38 and not raw:
                step = 1
                while step < 7 and p + step < end and p[step - 1] != 59:
                    step += 1
                if not (step == 6 and p[1] == 110 and p[2] == 98 and p[3] == 115 and p[4] == 112):
                    seen = 1
                memcpy(o, p, step)
                o += step
                p += step
            else:
                seen = 1
                o[0] = c
                o += 1
                p += 1
            n += 1
        else:
            step = 1
            while step < 4 and p + step < end and (p[step] & 0xC0) == 0x80:
                step += 1
            if not seen:
                if step == 3:
                    if not (
                        (c == 0xE2 and p[1] == 0x80 and p[2] <= 0x8F)
                        or (c == 0xE2 and p[1] == 0x80 and p[2] == 0xAF)
                        or (c == 0xE2 and p[1] == 0x81 and (p[2] == 0x9F or p[2] == 0xA0))
                        or (c == 0xE3 and p[1] == 0x80 and p[2] == 0x80)
                        or (c == 0xEF and p[1] == 0xBB and p[2] == 0xBF)
                    ):
                        seen = 1
                elif not (step == 2 and c == 0xC2 and p[1] == 0xA0):
                    seen = 1
            memcpy(o, p, step)
            o += step
            p += step
            n += 1
    chars[0] = n
    shows[0] = seen
    return o - out


def scan(
    data: bytes,
    slot_keys: cython.ulonglong[::1],
    slot_numbers: cython.ushort[::1],
    flags_of: cython.ushort[::1],
    small: cython.ushort[:, ::1],
    ints: cython.int[:, ::1],
    hashes: cython.ulonglong[:, ::1],
) -> tuple:
    """Fill the columns; give the number of nodes, or a negative number, and the number of segments.

    ``small`` holds kind, tag and scratch; ``ints`` parent, end, start, stop, block, chars, place and
    children, and the segments' rows; ``hashes`` content and path, and the segments' keys. -1 says that they have no room for all nodes, -2 that the text does
    not nest.
    """
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    count: cython.int
    segments: cython.int = 0
    room: cython.Py_ssize_t = min(small.shape[1], ints.shape[1], hashes.shape[1])
    if small.shape[0] < 3 or ints.shape[0] < 9 or hashes.shape[0] < 3:
        raise ValueError("the arrays have too few rows")
    if len(slot_keys) != 1024 or len(slot_numbers) != 1024:
        raise ValueError("the table of names must have 1,024 slots")
    scratch: cython.p_uchar = cython.cast(cython.p_uchar, malloc(size + 8))
    if scratch == cython.NULL:
        raise MemoryError
    count = fill(
        base, size, room, scratch, slot_keys, slot_numbers, flags_of, small, ints, hashes,
        cython.address(segments),
    )  # fmt: skip
    free(scratch)
    return count, segments


@cython.cfunc
@cython.exceptval(check=False)
def fill(
    base: cython.p_uchar,
    size: cython.Py_ssize_t,
    capacity: cython.Py_ssize_t,
    out: cython.p_uchar,
    slot_keys: cython.ulonglong[::1],
    slot_numbers: cython.ushort[::1],
    flags_of: cython.ushort[::1],
    small: cython.ushort[:, ::1],
    ints: cython.int[:, ::1],
    hashes: cython.ulonglong[:, ::1],
    segments: cython.p_int,
) -> cython.int:
    p: cython.p_uchar = base
    end: cython.p_uchar = base + size
    q: cython.p_uchar
    name: cython.p_uchar
    tail: cython.p_uchar
    n: cython.int = 0
    top: cython.int = -1
    node: cython.int
    block: cython.int = 0
    place: cython.int = 0
    loose: cython.int = 0  # children of the document itself
    filled: cython.bint = False
    length: cython.Py_ssize_t
    number: cython.int
    flags: cython.int
    context: cython.int = 0
    inner: cython.int
    space: cython.int
    key: cython.ulonglong
    path: cython.ulonglong
    slot: cython.int
    html_annotation: cython.bint
    raw: cython.bint
    chars: cython.longlong = 0
    shows: cython.int = 0
    while p < end:
        if n >= capacity:
            return -1
        if p[0] != 60:
            # Text, up to the next tag.
            q = p
            while q < end and is_space(q[0]):
                q += 1
            if top >= 0:
                place = ints[7, top]
                ints[7, top] += 1
            else:
                place = loose
                loose += 1
            if q < end and q[0] == 60:
                p = q
                continue
            if q == end:
                break
            name = p
            p = cython.cast(cython.p_uchar, memchr(q, 60, end - q))
            if p == cython.NULL:
                p = end
            tail = p
            while is_space((tail - 1)[0]):
                tail -= 1  # stops at q's character at the latest
            if is_plain(q, tail):
                chars = tail - q
                key = xxh64(q, tail - q)
            else:
                length = squeeze(q, tail, out, False, cython.address(chars), cython.address(shows))
                if not shows:
                    continue
                key = xxh64(out, length)
            small[0, n] = 4 if context & HIDDEN else 2
            small[1, n] = 0
            ints[0, n] = top
            ints[1, n] = n + 1
            ints[2, n] = cython.cast(cython.int, name - base)
            ints[3, n] = cython.cast(cython.int, p - base)
            ints[4, n] = block
            ints[6, n] = place
            ints[7, n] = 0
            hashes[0, n] = key
            hashes[1, n] = 0 if top < 0 else hashes[1, top]
            if top >= 0:
                hashes[0, top] = mix(hashes[0, top], key)
            if context & HIDDEN:
                ints[5, n] = 0
            else:
                ints[5, n] = cython.cast(cython.int, chars)
                if top >= 0:
                    ints[5, top] += ints[5, n]
                filled = True
                ints[8, segments[0]] = n
                hashes[2, segments[0]] = (hashes[1, n] * P1) ^ key
                segments[0] += 1
            n += 1
            continue

        if end - p < 2:
            return -2
        if p[1] == 47:
            # An end tag: it must be the open element's.
            if top < 0:
                return -2
            name = base + ints[2, top] + 1
            length = 0
            while name[length] != 32 and name[length] != 62:
                length += 1
            if end - p < length + 3 or memcmp(p + 2, name, length) != 0 or p[length + 2] != 62:
                return -2
            p += length + 3
            ints[1, top] = n
            ints[3, top] = cython.cast(cython.int, p - base)
            if small[1, top] < 0x4000 and flags_of[small[1, top]] & BLOCK and filled:
                block += 1
                filled = False
            node = top
            top = ints[0, top]
            context = 0
            if top >= 0:
                context = small[2, top]
                hashes[0, top] = mix(hashes[0, top], hashes[0, node])
                ints[5, top] += ints[5, node]
            continue

        if p[1] == 33 or p[1] == 63:
            # A comment, a document type or a processing instruction.
            if end - p >= 7 and p[1] == 33 and p[2] == 45 and p[3] == 45:
                q = p + 4
                while True:
                    q = cython.cast(cython.p_uchar, memchr(q, 62, end - q))
                    if q == cython.NULL:
                        return -2
                    if q - p >= 6 and (q - 1)[0] == 45 and (q - 2)[0] == 45:
                        break
                    q += 1
                small[0, n] = 5
            else:
                q = cython.cast(cython.p_uchar, memchr(p, 62, end - p))
                if q == cython.NULL:
                    return -2
                small[0, n] = 6 if p[1] == 33 else 7
            small[1, n] = 0
            ints[0, n] = top
            ints[1, n] = n + 1
            ints[2, n] = cython.cast(cython.int, p - base)
            ints[3, n] = cython.cast(cython.int, q + 1 - base)
            ints[4, n] = block
            ints[5, n] = 0
            ints[7, n] = 0
            if top >= 0:
                ints[6, n] = ints[7, top]
                ints[7, top] += 1
            else:
                ints[6, n] = loose
                loose += 1
            hashes[0, n] = 0
            hashes[1, n] = 0 if top < 0 else hashes[1, top]
            n += 1
            p = q + 1
            continue

        # A start tag: its name, then attributes, each written as: space, name, ="value".
        name = p + 1
        q = name
        while q < end and q[0] != 32 and q[0] != 62:
            q += 1
        length = q - name
        if length == 0 or q == end:
            return -2
        key = xxh64(name, length)
        slot = cython.cast(cython.int, key & 1023)
        number = 0
        while slot_numbers[slot]:
            if slot_keys[slot] == key:
                number = slot_numbers[slot]
                break
            slot = (slot + 1) & 1023
        flags = flags_of[number]
        html_annotation = False
        while q < end and q[0] == 32:
            q += 1  # the first character of a name may be anything, even "="
            if q >= end:
                return -2
            if flags & ANNOTATION and end - q > 29:
                html_annotation = html_annotation or is_html_encoding(q, end)
            q += 1
            q = cython.cast(cython.p_uchar, memchr(q, 61, end - q))
            if q == cython.NULL or end - q < 3 or q[1] != 34:
                return -2
            q = cython.cast(cython.p_uchar, memchr(q + 2, 34, end - q - 2))
            if q == cython.NULL:
                return -2
            q += 1
        if q >= end or q[0] != 62:
            return -2
        q += 1

        # The element's namespace follows from what its parent holds.
        space = 0
        inner = context & 7
        if inner == HTML_INSIDE or inner == MATH_TEXT_INSIDE:
            if flags & SVG:
                space = 1
            elif flags & MATH or (inner == MATH_TEXT_INSIDE and flags & GLYPH):
                space = 2
        elif inner == SVG_INSIDE:
            space = 1
        else:
            space = 1 if inner == ANNOTATION_INSIDE and flags & SVG else 2

        inner = HTML_INSIDE
        if space == 1:
            inner = HTML_INSIDE if flags & SVG_HTML else SVG_INSIDE
            number |= 0x8000
        elif space == 2:
            inner = MATH_INSIDE
            if flags & MATH_HTML:
                inner = MATH_TEXT_INSIDE
            elif flags & ANNOTATION:
                inner = HTML_INSIDE if html_annotation else ANNOTATION_INSIDE
            number |= 0x4000
        inner |= context & HIDDEN
        if (space == 0 and flags & UNSEEN) or (space != 0 and flags & FOREIGN_UNSEEN):
            inner |= HIDDEN
        if space == 0 and flags & BLOCK and filled:
            block += 1
            filled = False

        path = mix(0 if top < 0 else hashes[1, top], key + cython.cast(cython.ulonglong, space))
        small[0, n] = 1
        small[1, n] = number
        small[2, n] = inner
        ints[0, n] = top
        ints[1, n] = n + 1
        ints[2, n] = cython.cast(cython.int, p - base)
        ints[3, n] = cython.cast(cython.int, q - base)
        ints[4, n] = block
        ints[5, n] = 0
        ints[7, n] = 0
        if top >= 0:
            ints[6, n] = ints[7, top]
            ints[7, top] += 1
        else:
            ints[6, n] = loose
            loose += 1
        hashes[0, n] = xxh64(p, q - p)
        hashes[1, n] = path
        node = n
        n += 1
        p = q
        if space == 0 and flags & VOID:
            if top >= 0:
                hashes[0, top] = mix(hashes[0, top], hashes[0, node])
            continue
        top = node
        context = inner
        if space == 0 and flags & RAW:
            # Raw text, up to the element's own end tag, which the next round reads.
            if flags & PLAINTEXT:
                return -2
            q = raw_end(p, end, name, length, (flags & SCRIPT) != 0)
            if q == cython.NULL:
                return -2
            if q == p:
                continue
            if n >= capacity:
                return -1
            ints[7, top] = 1
            raw = (inner & HIDDEN) != 0
            chars = 0
            if raw:
                shows = 1
                key = xxh64(p, q - p)
            else:
                length = squeeze(p, q, out, True, cython.address(chars), cython.address(shows))
                key = xxh64(out, length)
            if shows:
                small[0, n] = (3 if flags & CODE else 4) if raw else 2
                small[1, n] = 0
                ints[0, n] = top
                ints[1, n] = n + 1
                ints[2, n] = cython.cast(cython.int, p - base)
                ints[3, n] = cython.cast(cython.int, q - base)
                ints[4, n] = block
                ints[5, n] = cython.cast(cython.int, chars)
                ints[6, n] = 0
                ints[7, n] = 0
                hashes[0, n] = key
                hashes[1, n] = path
                hashes[0, top] = mix(hashes[0, top], key)
                if not raw:
                    ints[5, top] += ints[5, n]
                    filled = True
                    ints[8, segments[0]] = n
                    hashes[2, segments[0]] = (path * P1) ^ key
                    segments[0] += 1
                n += 1
            p = q
    if top >= 0:
        return -2
    return n


@cython.cfunc
@cython.exceptval(check=False)
def is_html_encoding(p: cython.p_uchar, end: cython.p_uchar) -> cython.bint:
    """Tell whether an attribute is annotation-xml's ``encoding`` and names HTML (in any case)."""
    wanted: bytes
    value: bytes
    if memcmp(p, cython.cast(cython.p_char, b'encoding="'), 10) != 0:
        return False
    value = p[10 : min(end - p, 40)]
    value = value.lower()
    for wanted in (b'text/html"', b'application/xhtml+xml"'):
        if value.startswith(wanted):
            return True
    return False
