# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled scan: reads the parser's serialisation of a page into columns.

Its input is what turbohtml serialises (well formed, attributes quoted), never raw HTML. It trusts none of
it: every read is checked against the end, and a serialisation that does not nest is refused.
:class:`detemplate.page.columns.Columns` says what the columns mean. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize
from cython.cimports.detemplate.page import _tags as tags
from cython.cimports.detemplate.page._columns import (
    BLOCK,
    CHARS,
    CHILDREN,
    CONTENT,
    CONTEXT,
    END,
    HASH_ROWS,
    INT_ROWS,
    KEYS,
    KIND,
    PARENT,
    PATH,
    PLACE,
    SEGMENTS,
    SMALL_ROWS,
    START,
    STOP,
    TAG,
)
from cython.cimports.detemplate.page._markup import (
    CODE,
    COMMENT,
    DOCTYPE,
    ELEMENT,
    INSTRUCTION,
    P1,
    RAW,
    TEXT,
    Attribute,
    is_named,
    is_space,
    mix,
    next_attribute,
    read64,
    xxh64,
)
from cython.cimports.detemplate.page._utf8 import most_bytes, write_utf8
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memchr, memcmp, memcpy

# Every byte of a word 1, and its highest bit: for tests of eight bytes at a time.
ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
HIGHS = cython.declare(cython.ulonglong, 0x8080808080808080)
# Eight spaces, eight ampersands.
SPACES = cython.declare(cython.ulonglong, 0x2020202020202020)
AMPERSANDS = cython.declare(cython.ulonglong, 0x2626262626262626)

# Results of a scan that failed.
NO_ROOM = cython.declare(cython.int, -1)
REFUSED = cython.declare(cython.int, -2)

# Namespaces of elements.
HTML = cython.declare(cython.int, 0)
SVG = cython.declare(cython.int, 1)
MATH = cython.declare(cython.int, 2)

# The context of an element says what its children are: one of these in its low three bits.
HTML_INSIDE = cython.declare(cython.int, 0)
SVG_INSIDE = cython.declare(cython.int, 1)
MATH_INSIDE = cython.declare(cython.int, 2)
MATH_TEXT_INSIDE = cython.declare(cython.int, 3)
ANNOTATION_INSIDE = cython.declare(cython.int, 4)
INSIDE = cython.declare(cython.int, 7)
# Added to a context: text inside is unseen.
HIDDEN = cython.declare(cython.int, 8)

# States of a script's text.
SCRIPT_DATA = cython.declare(cython.int, 0)
ESCAPED = cython.declare(cython.int, 1)  # after "<!--"
DOUBLE_ESCAPED = cython.declare(cython.int, 2)  # after "<script" within that


def utf8(pieces: list):
    """Join texts as UTF-8; None where one of them holds half of a surrogate pair."""
    size: cython.Py_ssize_t = 0
    for piece in pieces:
        if type(piece) is not str:
            raise TypeError("the pieces must be texts")
        size += most_bytes(piece)
    # The most that they may need is often far more than they do.
    begin: cython.p_uchar = cython.cast(cython.p_uchar, malloc(size + 1))
    end: cython.p_uchar = begin
    if begin == cython.NULL:
        raise MemoryError
    for piece in pieces:
        end = write_utf8(piece, end)
        if end == cython.NULL:
            free(begin)
            return None
    joined = PyBytes_FromStringAndSize(cython.cast(cython.p_char, begin), end - begin)
    free(begin)
    return joined


@cython.cfunc
@cython.exceptval(check=False)
def raw_end(
    p: cython.p_uchar, end: cython.p_uchar, name: cython.p_uchar, size: cython.Py_ssize_t, script: cython.bint
) -> cython.p_uchar:
    """Find the end tag of a raw-text element, or NULL; a script's ``<!-- <script>`` hides end tags."""
    state: cython.int = SCRIPT_DATA
    q: cython.p_uchar
    dash: cython.p_uchar
    at: cython.p_uchar = p
    low: cython.p_uchar = p  # dashes that close an escape must come after the dashes that opened it
    while True:
        q = cython.cast(cython.p_uchar, memchr(at, b"<", end - at))
        if state != SCRIPT_DATA:
            # "-->" ends the escape wherever it comes before the next "<"
            dash = at
            while True:
                dash = cython.cast(
                    cython.p_uchar, memchr(dash, b">", (q if q != cython.NULL else end) - dash)
                )
                if dash == cython.NULL:
                    break
                if dash - low >= 2 and (dash - 1)[0] == b"-" and (dash - 2)[0] == b"-":
                    state = SCRIPT_DATA
                    break
                dash += 1
        if q == cython.NULL:
            return cython.NULL
        if not script:
            if end - q > size + 2 and q[1] == b"/" and memcmp(q + 2, name, size) == 0 and q[size + 2] == b">":
                return q
        elif end - q >= 4 and q[1] == b"!" and q[2] == b"-" and q[3] == b"-":
            if state == SCRIPT_DATA:
                state = ESCAPED
                low = q + 2
        elif state != SCRIPT_DATA and end - q > 7 and spells_script(q + 1) and ends_name(q[7]):
            state = DOUBLE_ESCAPED
        elif end - q > 8 and q[1] == b"/" and spells_script(q + 2) and ends_name(q[8]):
            if state != DOUBLE_ESCAPED:
                return q
            state = ESCAPED
        at = q + 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def ends_name(c: cython.uchar) -> cython.bint:
    return c == b">" or c == b"/" or is_space(c)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def spells_script(p: cython.p_uchar) -> cython.bint:
    """Tell whether the six bytes at ``p`` spell "script" in any case (32 is the bit of lower case)."""
    return (
        (p[0] | 32) == b"s"
        and (p[1] | 32) == b"c"
        and (p[2] | 32) == b"r"
        and (p[3] | 32) == b"i"
        and (p[4] | 32) == b"p"
        and (p[5] | 32) == b"t"
    )


@cython.cfunc
@cython.exceptval(check=False)
def is_plain(p: cython.p_uchar, end: cython.p_uchar) -> cython.bint:
    """Tell whether text equals its squeezed form and is ASCII without entities; in doubt, no.

    Eight bytes at a time: none is a control, above ASCII or "&", and no two spaces are neighbours.
    The windows overlap by one byte, so that neighbours in different windows are seen, too.
    """
    v: cython.ulonglong
    x: cython.ulonglong
    while end - p >= 8:
        v = read64(p)
        x = v ^ AMPERSANDS
        if (v | ((v - SPACES) & ~v) | ((x - ONES) & ~x)) & HIGHS:
            return False
        x = v ^ SPACES
        x = (x - ONES) & ~x & HIGHS
        if x & (x << 8):
            return False
        p += 7
    while p < end:
        if p[0] < b" " or p[0] >= 128 or p[0] == b"&" or (p[0] == b" " and p + 1 < end and p[1] == b" "):
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
    """Copy text with white space collapsed; count its characters; tell whether any of them shows.

    What shows nothing is listed in :data:`detemplate.page.whitespace.BLANK`. Gives the bytes written.
    """
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
                o[0] = b" "
                o += 1
                n += 1
            gap = False
        if c < 0x80:
            if c == b"&" and not raw:
                step = 1
                while step < 7 and p + step < end and p[step - 1] != b";":
                    step += 1
                if not (step == 6 and memcmp(p, b"&nbsp;", 6) == 0):
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
                        (c == 0xE2 and p[1] == 0x80 and p[2] <= 0x8F)  # U+2000 to U+200F
                        or (c == 0xE2 and p[1] == 0x80 and p[2] == 0xAF)  # U+202F
                        or (c == 0xE2 and p[1] == 0x81 and (p[2] == 0x9F or p[2] == 0xA0))  # U+205F, U+2060
                        or (c == 0xE3 and p[1] == 0x80 and p[2] == 0x80)  # U+3000
                        or (c == 0xEF and p[1] == 0xBB and p[2] == 0xBF)  # U+FEFF
                    ):
                        seen = 1
                elif not (step == 2 and c == 0xC2 and p[1] == 0xA0):  # U+00A0
                    seen = 1
            memcpy(o, p, step)
            o += step
            p += step
            n += 1
    chars[0] = n
    shows[0] = seen
    return o - out


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def next_place(ints: cython.int[:, ::1], top: cython.int, loose: cython.p_int) -> cython.int:
    """Count one more child of the open element, or of the document; give its place among the children."""
    place: cython.int
    if top >= 0:
        place = ints[CHILDREN, top]
        ints[CHILDREN, top] += 1
    else:
        place = loose[0]
        loose[0] += 1
    return place


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def put_row(
    small: cython.ushort[:, ::1],
    ints: cython.int[:, ::1],
    row: cython.int,
    kind: cython.int,
    tag: cython.int,
    parent: cython.int,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    block: cython.int,
    place: cython.int,
) -> cython.void:
    """Begin a row: all but its hashes, with no characters and no children yet."""
    small[KIND, row] = kind
    small[TAG, row] = tag
    ints[PARENT, row] = parent
    ints[END, row] = row + 1
    ints[START, row] = cython.cast(cython.int, start)
    ints[STOP, row] = cython.cast(cython.int, stop)
    ints[BLOCK, row] = block
    ints[CHARS, row] = 0
    ints[PLACE, row] = place
    ints[CHILDREN, row] = 0


def scan(
    data: bytes,
    slot_keys: cython.ulonglong[::1],
    slot_numbers: cython.ushort[::1],
    flags_of: cython.ushort[::1],
    small: cython.ushort[:, ::1],
    ints: cython.int[:, ::1],
    hashes: cython.ulonglong[:, ::1],
) -> tuple:
    """Fill the columns; give the number of nodes and the number of segments.

    ``small``, ``ints`` and ``hashes`` have the rows that ``_columns.pxd`` names. Instead of the nodes,
    NO_ROOM says that the arrays are too short, REFUSED that the text does not nest.
    """
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    count: cython.int
    segments: cython.int = 0
    room: cython.Py_ssize_t = min(small.shape[1], ints.shape[1], hashes.shape[1])
    if small.shape[0] < SMALL_ROWS or ints.shape[0] < INT_ROWS or hashes.shape[0] < HASH_ROWS:
        raise ValueError("the arrays have too few rows")
    if len(slot_keys) != tags.SLOTS or len(slot_numbers) != tags.SLOTS:
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
    top: cython.int = -1  # row of the open element
    node: cython.int
    block: cython.int = 0
    place: cython.int = 0
    loose: cython.int = 0  # children of the document itself
    filled: cython.bint = False  # the present block has a segment
    length: cython.Py_ssize_t
    number: cython.int
    flags: cython.int
    context: cython.int = 0  # of the open element
    inner: cython.int
    space: cython.int
    kind: cython.int
    key: cython.ulonglong
    path: cython.ulonglong
    slot: cython.int
    attribute = cython.declare(Attribute)
    html_annotation: cython.bint
    chars: cython.longlong = 0
    shows: cython.int = 0
    while p < end:
        if n >= capacity:
            return NO_ROOM
        if p[0] != b"<":
            # Text, up to the next tag.
            q = p
            while q < end and is_space(q[0]):
                q += 1
            place = next_place(ints, top, cython.address(loose))
            if q < end and q[0] == b"<":
                p = q
                continue
            if q == end:
                break
            name = p
            p = cython.cast(cython.p_uchar, memchr(q, b"<", end - q))
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
            kind = RAW if context & HIDDEN else TEXT
            put_row(small, ints, n, kind, 0, top, name - base, p - base, block, place)
            hashes[CONTENT, n] = key
            hashes[PATH, n] = 0 if top < 0 else hashes[PATH, top]
            if top >= 0:
                hashes[CONTENT, top] = mix(hashes[CONTENT, top], key)
            if kind == TEXT:
                ints[CHARS, n] = cython.cast(cython.int, chars)
                if top >= 0:
                    ints[CHARS, top] += ints[CHARS, n]
                filled = True
                ints[SEGMENTS, segments[0]] = n
                hashes[KEYS, segments[0]] = (hashes[PATH, n] * P1) ^ key
                segments[0] += 1
            n += 1
            continue

        if end - p < 2:
            return REFUSED
        if p[1] == b"/":
            # An end tag: it must be the open element's.
            if top < 0:
                return REFUSED
            name = base + ints[START, top] + 1
            length = 0
            while name[length] != b" " and name[length] != b">":
                length += 1
            if end - p < length + 3 or memcmp(p + 2, name, length) != 0 or p[length + 2] != b">":
                return REFUSED
            p += length + 3
            ints[END, top] = n
            ints[STOP, top] = cython.cast(cython.int, p - base)
            if small[TAG, top] <= tags.NUMBER and flags_of[small[TAG, top]] & tags.BLOCK and filled:
                block += 1
                filled = False
            node = top
            top = ints[PARENT, top]
            context = 0
            if top >= 0:
                context = small[CONTEXT, top]
                hashes[CONTENT, top] = mix(hashes[CONTENT, top], hashes[CONTENT, node])
                ints[CHARS, top] += ints[CHARS, node]
            continue

        if p[1] == b"!" or p[1] == b"?":
            if end - p >= 7 and p[1] == b"!" and p[2] == b"-" and p[3] == b"-":
                kind = COMMENT
                q = p + 4
                while True:
                    q = cython.cast(cython.p_uchar, memchr(q, b">", end - q))
                    if q == cython.NULL:
                        return REFUSED
                    if q - p >= 6 and (q - 1)[0] == b"-" and (q - 2)[0] == b"-":
                        break
                    q += 1
            else:
                kind = DOCTYPE if p[1] == b"!" else INSTRUCTION
                q = cython.cast(cython.p_uchar, memchr(p, b">", end - p))
                if q == cython.NULL:
                    return REFUSED
            place = next_place(ints, top, cython.address(loose))
            put_row(small, ints, n, kind, 0, top, p - base, q + 1 - base, block, place)
            hashes[CONTENT, n] = 0
            hashes[PATH, n] = 0 if top < 0 else hashes[PATH, top]
            n += 1
            p = q + 1
            continue

        # A start tag: its name, then its attributes.
        name = p + 1
        q = name
        while q < end and q[0] != b" " and q[0] != b">":
            q += 1
        length = q - name
        if length == 0 or q == end:
            return REFUSED
        key = xxh64(name, length)
        slot = cython.cast(cython.int, key & (tags.SLOTS - 1))
        number = 0
        while slot_numbers[slot]:
            if slot_keys[slot] == key:
                number = slot_numbers[slot]
                break
            slot = (slot + 1) & (tags.SLOTS - 1)
        flags = flags_of[number]
        html_annotation = False
        while next_attribute(cython.address(q), end, cython.address(attribute)):
            if flags & tags.ANNOTATION and is_named(cython.address(attribute), b"encoding", 8):
                html_annotation = html_annotation or is_html(attribute.value, attribute.stop)
        if q >= end or q[0] != b">":
            return REFUSED
        q += 1

        # The element's namespace follows from what its parent holds.
        space = HTML
        inner = context & INSIDE
        if inner == HTML_INSIDE or inner == MATH_TEXT_INSIDE:
            if flags & tags.SVG:
                space = SVG
            elif flags & tags.MATH or (inner == MATH_TEXT_INSIDE and flags & tags.GLYPH):
                space = MATH
        elif inner == SVG_INSIDE:
            space = SVG
        else:
            space = SVG if inner == ANNOTATION_INSIDE and flags & tags.SVG else MATH

        inner = HTML_INSIDE
        if space == SVG:
            inner = HTML_INSIDE if flags & tags.SVG_HTML else SVG_INSIDE
            number |= tags.IN_SVG
        elif space == MATH:
            inner = MATH_INSIDE
            if flags & tags.MATH_HTML:
                inner = MATH_TEXT_INSIDE
            elif flags & tags.ANNOTATION:
                inner = HTML_INSIDE if html_annotation else ANNOTATION_INSIDE
            number |= tags.IN_MATH
        inner |= context & HIDDEN
        if flags & (tags.UNSEEN if space == HTML else tags.FOREIGN_UNSEEN):
            inner |= HIDDEN
        if space == HTML and flags & tags.BLOCK and filled:
            block += 1
            filled = False

        path = mix(0 if top < 0 else hashes[PATH, top], key + cython.cast(cython.ulonglong, space))
        place = next_place(ints, top, cython.address(loose))
        put_row(small, ints, n, ELEMENT, number, top, p - base, q - base, block, place)
        small[CONTEXT, n] = inner
        hashes[CONTENT, n] = xxh64(p, q - p)
        hashes[PATH, n] = path
        node = n
        n += 1
        p = q
        if space == HTML and flags & tags.VOID:
            if top >= 0:
                hashes[CONTENT, top] = mix(hashes[CONTENT, top], hashes[CONTENT, node])
            continue
        top = node
        context = inner
        if space == HTML and flags & tags.RAW:
            # Raw text, up to the element's own end tag, which the next round reads.
            if flags & tags.PLAINTEXT:
                return REFUSED
            q = raw_end(p, end, name, length, (flags & tags.SCRIPT) != 0)
            if q == cython.NULL:
                return REFUSED
            if q == p:
                continue
            if n >= capacity:
                return NO_ROOM
            ints[CHILDREN, top] = 1
            chars = 0
            if inner & HIDDEN:
                kind = CODE if flags & tags.CODE else RAW
                shows = 1
                key = xxh64(p, q - p)
            else:
                kind = TEXT
                length = squeeze(p, q, out, True, cython.address(chars), cython.address(shows))
                key = xxh64(out, length)
            if shows:
                put_row(small, ints, n, kind, 0, top, p - base, q - base, block, 0)
                hashes[CONTENT, n] = key
                hashes[PATH, n] = path
                hashes[CONTENT, top] = mix(hashes[CONTENT, top], key)
                if kind == TEXT:
                    ints[CHARS, n] = cython.cast(cython.int, chars)
                    ints[CHARS, top] += ints[CHARS, n]
                    filled = True
                    ints[SEGMENTS, segments[0]] = n
                    hashes[KEYS, segments[0]] = (path * P1) ^ key
                    segments[0] += 1
                n += 1
            p = q
    if top >= 0:
        return REFUSED
    return n


@cython.cfunc
@cython.exceptval(check=False)
def is_html(p: cython.p_uchar, end: cython.p_uchar) -> cython.bint:
    """Tell whether a value of annotation-xml's ``encoding`` names HTML, in any case."""
    value: bytes = p[: end - p]
    return value.lower() in (b"text/html", b"application/xhtml+xml")
