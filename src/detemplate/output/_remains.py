# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.output.remains`, in Cython's pure-Python mode."""

import cython
from cython.cimports.detemplate.page._markup import (
    CODE,
    ELEMENT,
    RAW,
    Attribute,
    is_named,
    is_space,
    next_attribute,
)
from cython.cimports.libc.string import memcmp

# What the attributes of an element may say.
HAS_MATH = cython.declare(cython.int, 1)
HAS_NUMBERS = cython.declare(cython.int, 2)
HAS_CALLOUT = cython.declare(cython.int, 4)
HAS_PLACE = cython.declare(cython.int, 8)
HAS_REFERENCE = cython.declare(cython.int, 16)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def signs_of(
    at: cython.p_uchar, limit: cython.p_uchar, is_link: cython.bint, may_be_callout: cython.bint
) -> cython.int:
    """Give what the attributes of an element may say: of places and references, links alone."""
    found = cython.declare(Attribute)
    signs: cython.int = 0
    c: cython.uchar
    while at < limit and at[0] != b" " and at[0] != b">":
        at += 1
    while next_attribute(cython.address(at), limit, cython.address(found)):
        c = found.name[0]
        if c == b"c":
            if is_named(cython.address(found), b"class", 5):
                signs |= signs_of_class(found.value, found.stop, may_be_callout)
                if is_link and says(found.value, found.stop, b"ref", 3):
                    signs |= HAS_REFERENCE
        elif c == b"h":
            if (
                is_link
                and is_named(cython.address(found), b"href", 4)
                and found.stop - found.value > 1
                and found.value[0] == b"#"
            ):
                signs |= HAS_PLACE
        elif c == b"d":
            if is_named(cython.address(found), b"data-math", 9):
                signs |= HAS_MATH
        elif c == b"s":
            if is_named(cython.address(found), b"style", 5) and says(
                found.value, found.stop, b"user-select", 11
            ):
                signs |= HAS_NUMBERS
        elif (
            is_link
            and (
                is_named(cython.address(found), b"id", 2)
                or is_named(cython.address(found), b"role", 4)
                or is_named(cython.address(found), b"rel", 3)
                or is_named(cython.address(found), b"epub:type", 9)
            )
            and says(found.value, found.stop, b"ref", 3)
        ):
            signs |= HAS_REFERENCE
    return signs


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def signs_of_class(p: cython.p_uchar, stop: cython.p_uchar, may_be_callout: cython.bint) -> cython.int:
    """Give what a class may say: at beginnings of its words for line numbers, anywhere for notes set apart."""
    signs: cython.int = 0
    n: cython.Py_ssize_t
    begins: cython.bint = True
    c: cython.uchar
    while p < stop:
        c = p[0]
        n = stop - p
        if c == b"a":
            if may_be_callout and (
                (n >= 5 and memcmp(p, b"alert", 5) == 0) or (n >= 10 and memcmp(p, b"admonition", 10) == 0)
            ):
                signs |= HAS_CALLOUT
        elif c == b"c":
            if may_be_callout and n >= 7 and memcmp(p, b"callout", 7) == 0:
                signs |= HAS_CALLOUT
        elif c == b"s":
            if n >= 11 and memcmp(p, b"select-none", 11) == 0:
                signs |= HAS_NUMBERS
        elif begins:
            if c == b"l":
                if (
                    n >= 6
                    and memcmp(p, b"line", 4) == 0
                    and (p[4] == b"n" or (p[4] == b"-" and p[5] == b"n"))
                ) or (n >= 2 and p[1] == b"n"):
                    signs |= HAS_NUMBERS
            elif (c == b"g" and n >= 6 and memcmp(p, b"gutter", 6) == 0) or (
                c == b"b" and n >= 8 and memcmp(p, b"blob-num", 8) == 0
            ):
                signs |= HAS_NUMBERS
        begins = c == b"_" or c == b"-" or is_space(c)
        p += 1
    return signs


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def says(p: cython.p_uchar, stop: cython.p_uchar, word: cython.p_char, length: cython.int) -> cython.bint:
    """Tell whether a value has a word, in any case."""
    k: cython.int
    while stop - p >= length:
        k = 0
        while k < length and p[k] | 0x20 == cython.cast(cython.uchar, word[k]):
            k += 1
        if k == length:
            return True
        p += 1
    return False


def remains(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    chars: cython.int[::1],
    roles: cython.uint[::1],
    removed: cython.int[::1],
    rows: cython.int[::1],
    fallback: cython.uint,
    unseen: cython.uint,
    verbatim: cython.uint,
    listing: cython.uint,
    item: cython.uint,
    loose: cython.uint,
    image: cython.uint,
    script: cython.uint,
    formula: cython.uint,
    attributes: cython.bint,
    link: cython.uint,
    drawing: cython.uint,
    level: cython.uint,
    opening: cython.uint,
    drawn_link: cython.uint,
    callout: cython.uint,
    note_link: cython.uint,
    math_attribute: cython.uint,
    numbered: cython.uint,
) -> tuple[int, int]:
    """Fill ``rows`` with the nodes to cut; give their number, and the flags of all others."""
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    n: cython.Py_ssize_t = kind.shape[0]
    cuts: cython.Py_ssize_t = removed.shape[0]
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    reach: cython.Py_ssize_t = 0  # end of the elements in which unseen ones are rendered
    silent: cython.Py_ssize_t = 0  # up to here, no unseen text follows
    linked: cython.Py_ssize_t = 0  # end of the links
    signs: cython.int
    present: cython.uint = 0
    flags: cython.uint
    if (
        tag.shape[0] != n
        or parent.shape[0] != n
        or end.shape[0] != n
        or start.shape[0] != n
        or stop.shape[0] != n
        or chars.shape[0] != n
        or rows.shape[0] != n
        or roles.shape[0] != 65536
    ):
        raise ValueError("the columns differ in length")
    while i < n:
        if end[i] <= i or end[i] > n or parent[i] >= i:
            raise ValueError("a subtree has no end")
        while k < cuts and removed[k] < i:
            k += 1
        if k < cuts and removed[k] == i:
            rows[count] = i
            count += 1
            i = end[i]
            continue
        flags = roles[tag[i]]
        if i >= silent and (flags & fallback or (flags & unseen and i < reach)):
            j = i + 1
            while j < end[i] and kind[j] != RAW and kind[j] != CODE:
                j += 1
            if j < end[i]:
                rows[count] = i
                count += 1
                i = end[i]
                continue
            silent = end[i]
        present |= flags
        if flags & (image | script) and not present & formula and 0 <= start[i] < size:
            if _may_be_formula(base + start[i] + 1, base + size, flags & image != 0):
                present |= formula
        if attributes and kind[i] == ELEMENT and stop[i] <= size:
            signs = signs_of(
                base + start[i] + 1,
                base + stop[i],
                flags & link != 0,
                flags & opening and not present & callout,
            )
            if signs & HAS_MATH:
                present |= math_attribute
            if signs & HAS_NUMBERS:
                present |= numbered
            if signs & HAS_CALLOUT and flags & opening:
                present |= callout
            if flags & drawing and i < linked:
                present |= drawn_link
            if flags & link:
                if end[i] > linked:
                    linked = end[i]
                if signs & HAS_PLACE and not present & note_link:
                    j = i + 1
                    while j < end[i] and not roles[tag[j]] & level:
                        j += 1
                    if (
                        signs & HAS_REFERENCE
                        or j < end[i]
                        or (parent[i] >= 0 and roles[tag[parent[i]]] & level)
                        or (
                            parent[i] >= 0
                            and parent[parent[i]] >= 0
                            and roles[tag[parent[parent[i]]]] & level
                        )
                    ):
                        present |= note_link
        if flags & verbatim and end[i] > reach:
            reach = end[i]
        if parent[i] >= 0 and chars[i] > 0 and not flags & item and roles[tag[parent[i]]] & listing:
            present |= loose
        i += 1
    return count, present


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _may_be_formula(at: cython.p_uchar, limit: cython.p_uchar, is_image: cython.bint) -> cython.bint:
    """Tell whether the class of an image, or the type of a script, may be that of a formula."""
    found = cython.declare(Attribute)
    while at < limit and at[0] != b" " and at[0] != b">":
        at += 1
    while next_attribute(cython.address(at), limit, cython.address(found)):
        if is_image and is_named(cython.address(found), b"class", 5):
            return (
                says(found.value, found.stop, b"tex", 3)
                or says(found.value, found.stop, b"math", 4)
                or says(found.value, found.stop, b"ql-img-", 7)
            )
        if not is_image and is_named(cython.address(found), b"type", 4):
            return found.stop - found.value >= 8 and memcmp(found.value, b"math/tex", 8) == 0
    return False


def inert(
    data: bytes,
    kind: cython.ushort[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    removed: cython.int[::1],
    rows: cython.int[::1],
) -> int:
    """Fill ``rows`` with the elements whose attributes may hold scripts; give their number."""
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    n: cython.Py_ssize_t = kind.shape[0]
    cuts: cython.Py_ssize_t = removed.shape[0]
    i: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    if end.shape[0] != n or start.shape[0] != n or stop.shape[0] != n or rows.shape[0] != n:
        raise ValueError("the columns differ in length")
    while i < n:
        if end[i] <= i:
            raise ValueError("a subtree has no end")
        while k < cuts and removed[k] < i:
            k += 1
        if k < cuts and removed[k] == i:
            i = end[i]
            continue
        if (
            kind[i] == ELEMENT
            and 0 <= start[i] < stop[i] <= size
            and may_run(base + start[i] + 1, base + stop[i])
        ):
            rows[count] = i
            count += 1
        i += 1
    return count


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def may_run(at: cython.p_uchar, limit: cython.p_uchar) -> cython.bint:
    """Tell whether an attribute of an element may hold a script."""
    found = cython.declare(Attribute)
    c: cython.uchar
    p: cython.p_uchar
    while at < limit and at[0] != b" " and at[0] != b">":
        at += 1
    while next_attribute(cython.address(at), limit, cython.address(found)):
        c = found.name[0] | 0x20
        if c == b"o":
            if found.length > 2 and found.name[1] | 0x20 == b"n":
                return True
        elif (
            (c == b"s" and is_named(cython.address(found), b"srcdoc", 6))
            or (c == b"a" and is_named(cython.address(found), b"attributeName", 13))
            or (c == b"h" and is_named(cython.address(found), b"http-equiv", 10))
        ):
            return True
        p = found.value
        while p < found.stop and p[0] <= 32:
            p += 1
        if p == found.stop:
            continue
        c = p[0] | 0x20
        if (
            (c == b"j" and begins(p, found.stop, b"javas", 5))
            or (c == b"v" and begins(p, found.stop, b"vbs", 3))
            or (c == b"d" and begins(p, found.stop, b"data:", 5))
        ):
            return True
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def begins(p: cython.p_uchar, stop: cython.p_uchar, word: cython.p_char, length: cython.int) -> cython.bint:
    """Tell whether a value begins with a word in lower case; tabs and line breaks do not count."""
    k: cython.int = 0
    c: cython.uchar
    while p < stop and k < length:
        c = p[0]
        p += 1
        if c == b"\t" or c == b"\n" or c == b"\r":
            continue
        if b"A" <= c <= b"Z":
            c |= 0x20
        if c != cython.cast(cython.uchar, word[k]):
            return False
        k += 1
    return k == length


def highest(
    template: cython.uchar[::1],
    segments: cython.int[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    tag: cython.ushort[::1],
    shell: cython.uchar[::1],
    rows: cython.int[::1],
) -> int:
    """Fill ``rows`` with the highest nodes that hold template segments and no other; give their number."""
    texts: cython.Py_ssize_t = segments.shape[0]
    nodes: cython.int = cython.cast(cython.int, end.shape[0])
    place: cython.Py_ssize_t = 0
    ahead: cython.Py_ssize_t = 0
    count: cython.int = 0
    low: cython.int = -1  # row of the kept segment before
    high: cython.int  # row of the kept segment behind
    top: cython.int
    up: cython.int
    if (
        template.shape[0] != texts
        or parent.shape[0] != nodes
        or tag.shape[0] != nodes
        or shell.shape[0] != 65536
        or rows.shape[0] < texts
    ):
        raise ValueError("the columns differ in length")
    for place in range(texts):
        if not 0 <= segments[place] < nodes:
            raise ValueError("a segment is no row")
    place = 0
    while place < texts:
        top = segments[place]
        if not template[place]:
            low = top
            place += 1
            continue
        ahead = max(ahead, place + 1)
        while ahead < texts and template[ahead]:
            ahead += 1
        high = segments[ahead] if ahead < texts else nodes
        up = parent[top]
        while low < up < top and end[up] <= high and not shell[tag[up]]:
            top = up
            up = parent[top]
        rows[count] = top
        count += 1
        place += 1
        while place < texts and segments[place] < end[top]:
            place += 1
    return count


def spaced(
    data: bytes,
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    block: cython.int[::1],
    segments: cython.int[::1],
    removed: cython.int[::1],
    out: cython.uchar[::1],
) -> None:
    """Set ``out`` to 1 for each removed node that leaves a space."""
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    n: cython.Py_ssize_t = end.shape[0]
    texts: cython.Py_ssize_t = segments.shape[0]
    cuts: cython.Py_ssize_t = removed.shape[0]
    k: cython.Py_ssize_t
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0  # number of the next segment
    before: cython.Py_ssize_t = -1  # row of the kept segment before
    first: cython.Py_ssize_t = -1  # number of the first removed node with segments since then
    if (
        start.shape[0] != n
        or stop.shape[0] != n
        or block.shape[0] != n
        or out.shape[0] != cuts
        or (texts and (segments[0] < 0 or segments[texts - 1] >= n))
    ):
        raise ValueError("the columns differ in length")
    for k in range(cuts + 1):
        row = removed[k] if k < cuts else n
        if row < 0 or row > n or (row == n and k < cuts):
            raise ValueError("a removed node is no row")
        while at < texts and segments[at] < row:
            if first >= 0:
                if block[before] == block[segments[at]] and not _beside_space(
                    base, size, start[removed[first]], stop[removed[first]]
                ):
                    out[first] = 1
                first = -1
            before = segments[at]
            at += 1
        if k < cuts and at < texts and segments[at] < end[row]:
            if first < 0 and before >= 0:
                first = k
            while at < texts and segments[at] < end[row]:
                at += 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _beside_space(
    base: cython.p_uchar, size: cython.Py_ssize_t, low: cython.Py_ssize_t, high: cython.Py_ssize_t
) -> cython.bint:
    return (0 < low <= size and is_space(base[low - 1])) or (0 <= high < size and is_space(base[high]))


def concealed(
    data: bytes,
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    start: cython.int[::1],
    template: cython.uchar[::1],
    segments: cython.int[::1],
    marks: cython.uchar[::1],
    seen: cython.uchar[::1],
    rows: cython.int[::1],
) -> int:
    """Fill ``rows`` with the elements around kept segments that may be hidden; give their number.

    These are marked, or have an attribute that may hide them. ``seen`` is set for all elements around.
    """
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    n: cython.Py_ssize_t = tag.shape[0]
    texts: cython.Py_ssize_t = segments.shape[0]
    place: cython.Py_ssize_t
    count: cython.int = 0
    up: cython.int
    if (
        parent.shape[0] != n
        or start.shape[0] != n
        or seen.shape[0] != n
        or rows.shape[0] != n
        or template.shape[0] != texts
        or marks.shape[0] != 65536
    ):
        raise ValueError("the columns differ in length")
    for place in range(texts):
        if template[place]:
            continue
        if not 0 <= segments[place] < n:
            raise ValueError("a segment is no row")
        up = parent[segments[place]]
        while 0 <= up < n and not seen[up]:
            seen[up] = 1
            if marks[tag[up]] or (
                0 <= start[up] < size and _may_be_hidden(base + start[up] + 1, base + size)
            ):
                rows[count] = up
                count += 1
            up = parent[up]
    return count


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _may_be_hidden(at: cython.p_uchar, limit: cython.p_uchar) -> cython.bint:
    """Tell whether an element is ``hidden``, or its style may hide it or put it elsewhere."""
    found = cython.declare(Attribute)
    while at < limit and at[0] != b" " and at[0] != b">":
        at += 1
    while next_attribute(cython.address(at), limit, cython.address(found)):
        if found.name[0] == b"h":
            if is_named(cython.address(found), b"hidden", 6):
                return True
        elif found.name[0] == b"p":
            if is_named(cython.address(found), b"popover", 7):
                return True
        elif (
            found.name[0] == b"s"
            and is_named(cython.address(found), b"style", 5)
            and (
                says(found.value, found.stop, b"none", 4)
                or says(found.value, found.stop, b"hidden", 6)
                or says(found.value, found.stop, b"absolute", 8)
                or says(found.value, found.stop, b"fixed", 5)
            )
        ):
            return True
    return False
