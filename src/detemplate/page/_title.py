# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.page.title`: parts of titles, and the segments that repeat them.

The separators are those of the reference's patterns, tried in the same order. Written in Cython's pure-Python
mode.
"""

import cython
from cython.cimports.detemplate.page._markup import xxh64
from cython.cimports.detemplate.page._title import ALL_ROOM, ALL_RUNS, MOST_PIECES, MOST_RUNS, ROOM, Run
from cython.cimports.libc.string import memcmp

Octets = cython.typedef(cython.p_uchar)
Runs = cython.typedef(cython.pointer[Run])


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_space(octet: cython.uchar) -> cython.bint:
    """Whether a byte of a collapsed title is white space to a pattern: a space, or a vertical tab."""
    return octet == 32 or octet == 11


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def skip_space(p: Octets, at: cython.int, size: cython.int) -> cython.int:
    while at < size and is_space(p[at]):
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def begins(p: Octets, left: cython.int, word: cython.p_char, length: cython.int) -> cython.bint:
    return left >= length and memcmp(p, word, length) == 0


@cython.cfunc
@cython.exceptval(check=False)
def mark(p: Octets, left: cython.int, wide: cython.bint) -> cython.int:
    """Give the bytes of a mark that separates between spaces; 0 if none begins here."""
    if left < 1:
        return 0
    if p[0] == b"|" or p[0] == b"/" or p[0] == b"~" or p[0] == b"-":
        return 1
    if p[0] == b"&":
        return 4 if begins(p, left, b"&gt;", 4) or begins(p, left, b"&lt;", 4) else 0
    if p[0] == b":":
        return 2 if begins(p, left, b"::", 2) else 0
    if not wide or left < 2:
        return 0
    if p[0] == 0xC2:  # · » «
        return 2 if p[1] == 0xB7 or p[1] == 0xBB or p[1] == 0xAB else 0
    if p[0] == 0xE2 and left > 2 and p[1] == 0x80:  # • — – › ‹
        return 3 if p[2] == 0xA2 or 0x93 <= p[2] <= 0x94 or 0xB9 <= p[2] <= 0xBA else 0
    return 0


@cython.cfunc
@cython.exceptval(check=False)
def line(p: Octets, left: cython.int, wide: cython.bint) -> cython.int:
    """Give the bytes of a mark that separates with or without spaces; 0 if none begins here."""
    if left < 1:
        return 0
    if p[0] == b"|" or p[0] == b"_":
        return 1
    if not wide or left < 3:
        return 0
    if p[0] == 0xEF:  # ｜ －
        return 3 if (p[1] == 0xBD and p[2] == 0x9C) or (p[1] == 0xBC and p[2] == 0x8D) else 0
    return 3 if p[0] == 0xE2 and p[1] == 0x80 and 0x93 <= p[2] <= 0x94 else 0  # — –


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_spaceless(p: Octets, left: cython.int) -> cython.bint:
    """Whether a character of a script without spaces between words begins here."""
    return left > 2 and 0xE3 <= p[0] <= 0xED and p[1] & 0xC0 == 0x80 and p[2] & 0xC0 == 0x80


@cython.cfunc
@cython.exceptval(check=False)
def separator(p: Octets, at: cython.int, size: cython.int, wide: cython.bint) -> cython.int:
    """Give the place behind the separator that begins at ``at``; ``at`` itself if none does."""
    here: cython.int = skip_space(p, at, size)
    behind: cython.int = here
    length: cython.int
    if here > at:
        length = mark(p + behind, size - behind, wide)
        while length:
            behind += length
            length = mark(p + behind, size - behind, wide)
        if behind > here and behind < size and is_space(p[behind]):
            return skip_space(p, behind, size)
    elif p[at] == b":" and at + 1 < size and is_space(p[at + 1]):
        return skip_space(p, at + 1, size)
    length = line(p + here, size - here, wide)
    if length:
        return skip_space(p, here + length, size)
    if wide and here < size and p[here] == b"-":
        behind = here
        while behind < size and p[behind] == b"-":
            behind += 1
        behind = skip_space(p, behind, size)
        if (at > 2 and is_spaceless(p + at - 3, 3)) or is_spaceless(p + behind, size - behind):
            return behind
    return at


@cython.cfunc
@cython.exceptval(check=False)
def collapsed(text: bytes, out: Octets, longest: cython.int) -> cython.int:
    """Write a text with its white space collapsed; give its bytes, 0 if there are more than ``longest``."""
    data: cython.p_char = text
    at: cython.Py_ssize_t
    octet: cython.uchar
    size: cython.int = 0
    space: cython.bint = False
    for at in range(len(text)):
        octet = cython.cast(cython.uchar, data[at])
        if octet == 32 or octet == 9 or octet == 10 or octet == 12 or octet == 13:
            space = size > 0
            continue
        if size + space >= longest:
            return 0
        if space:
            out[size] = 32
            size += 1
            space = False
        out[size] = octet
        size += 1
    return size


@cython.cfunc
@cython.exceptval(check=False)
def longer(one: cython.pointer[Run], other: cython.pointer[Run]) -> cython.int:
    """Compare runs: below 0 if the one comes before the other, as it is longer, or of equal length and less."""
    if one.size != other.size:
        return other.size - one.size
    return memcmp(one.first, other.first, one.size)


@cython.cfunc
@cython.exceptval(check=False)
def parts(p: Octets, size: cython.int, runs: Runs) -> cython.int:
    """List the runs of a title's pieces, the longest first, each once; give their number."""
    starts = cython.declare(cython.int[MOST_PIECES])
    ends = cython.declare(cython.int[MOST_PIECES])
    run = cython.declare(Run)
    count: cython.int = 0
    at: cython.int = 0
    behind: cython.int
    wide: cython.bint = False
    i: cython.int
    j: cython.int
    place: cython.int
    order: cython.int
    found: cython.int = 0
    for i in range(size):
        wide = wide or p[i] >= 0x80
    starts[0] = 0
    while at < size:
        behind = separator(p, at, size, wide)
        if behind == at:
            at += 1
            continue
        if count + 1 == MOST_PIECES:  # too many: the title is taken as a whole
            count = starts[0] = 0
            break
        ends[count] = at
        count += 1
        starts[count] = at = behind
    ends[count] = size
    for i in range(count + 1):
        for j in range(i, count + 1):
            run.first = p + starts[i]
            run.size = ends[j] - starts[i]
            while run.size > 0 and run.first[0] == 32:
                run.first += 1
                run.size -= 1
            while run.size > 0 and run.first[run.size - 1] == 32:
                run.size -= 1
            if run.size <= 0:
                continue
            place = found
            order = 1
            while place > 0:
                order = longer(cython.address(run), runs + place - 1)
                if order >= 0:
                    break
                place -= 1
            if place > 0 and order == 0:
                continue  # there already
            for order in range(found, place, -1):
                runs[order] = runs[order - 1]
            runs[place] = run
            found += 1
    return found


def shown_titles(
    titles: list,
    rows: list,
    content: cython.ulonglong[::1],
    segments: cython.int[::1],
    share: cython.double,
    longest: cython.int,
    most: cython.int,
) -> list:
    """List, for each part of the titles that any segment repeats, the numbers of its segments."""
    shown: list = []
    numbers: list
    texts = cython.declare(cython.uchar[ALL_ROOM])
    runs = cython.declare(Run[ALL_RUNS])
    size = cython.declare(cython.int[2])
    behind = cython.declare(cython.int[2])  # the runs that were tried end here
    first = cython.declare(cython.Py_ssize_t[2])
    number: cython.int
    i: cython.int
    count: cython.int
    row: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    key: cython.ulonglong
    text: Octets
    own: Runs
    if len(titles) > 2 or len(titles) != len(rows) or longest > ROOM:
        raise ValueError("there are at most two titles of at most 1,000 bytes")
    for row in range(len(segments)):
        if not 0 <= segments[row] < len(content):
            raise ValueError("there is no such row")
    behind[0] = behind[1] = 0
    for number in range(len(titles)):
        text = cython.address(texts[number * ROOM])
        size[number] = collapsed(titles[number], text, longest)
        row = rows[number]
        low = 0
        high = len(segments)
        while low < high:
            if segments[(low + high) // 2] < row:
                low = (low + high) // 2 + 1
            else:
                high = (low + high) // 2
        first[number] = low
        if (
            number
            and first[0] == low
            and size[0] == size[1]
            and memcmp(text, cython.address(texts[0]), size[1]) == 0
        ):
            break  # the second is often the first again
        own = cython.address(runs[number * MOST_RUNS])
        count = parts(text, size[number], own)
        for i in range(count):
            if number and first[0] == low and is_tried(own + i, cython.address(runs[0]), behind[0]):
                continue
            behind[number] = i + 1
            if not shown and own[i].size < share * size[number]:
                break
            key = xxh64(own[i].first, own[i].size)
            numbers = []
            for row in range(low, len(segments)):
                if content[segments[row]] == key:
                    numbers.append(row)
                    if len(numbers) == most:
                        break
            if numbers:
                shown.append(numbers)
    return shown


@cython.cfunc
@cython.exceptval(check=False)
def is_tried(run: cython.pointer[Run], tried: Runs, count: cython.int) -> cython.bint:
    i: cython.int
    for i in range(count):
        if longer(run, tried + i) == 0:
            return True
    return False
