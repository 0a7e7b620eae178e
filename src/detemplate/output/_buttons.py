# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.output.buttons`; :mod:`detemplate.output.buttons_reference` defines it.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.page._markup import ELEMENT, is_space
from cython.cimports.libc.stdlib import calloc, free

# What elements are to code beside them, as in detemplate.output.buttons.
BLOCK = cython.declare(cython.int, 1)
TABLE = cython.declare(cython.int, 2)
CELL = cython.declare(cython.int, 4)
LABEL = cython.declare(cython.int, 8)
BUTTON = cython.declare(cython.int, 16)
CONTENT = cython.declare(cython.int, 32)
# What is known of a node: it was removed before; its children are few, or many; it is cut here.
GONE = cython.declare(cython.int, 1)
FEW = cython.declare(cython.int, 2)
MANY = cython.declare(cython.int, 4)
CUT = cython.declare(cython.int, 8)
AROUND = cython.declare(cython.int, 3)
MOST_CHILDREN = cython.declare(cython.int, 7)
LONGEST_LINE = cython.declare(cython.int, 40)

Nodes = cython.struct(
    kind=cython.pointer[cython.ushort],
    tag=cython.pointer[cython.ushort],
    parent=cython.p_int,
    end=cython.p_int,
    chars=cython.p_int,
    parts=cython.p_uchar,
    state=cython.p_uchar,
)
"""The columns of a page, and what is known of its nodes."""


def beside_code(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    chars: cython.int[::1],
    parts: cython.uchar[::1],
    removed: cython.int[::1],
    rows: cython.int[::1],
) -> int:
    """Fill ``rows`` with the removed nodes and the lines with buttons beside code; give their number."""
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    n: cython.int = cython.cast(cython.int, kind.shape[0])
    i: cython.int = 0
    k: cython.Py_ssize_t
    count: cython.int = 0
    page = cython.declare(Nodes)
    if (
        tag.shape[0] != n
        or parent.shape[0] != n
        or end.shape[0] != n
        or start.shape[0] != n
        or stop.shape[0] != n
        or chars.shape[0] != n
        or rows.shape[0] != n
        or parts.shape[0] != 65536
    ):
        raise ValueError("the columns differ in length")
    if not n:
        return 0
    for i in range(n):
        if end[i] <= i or end[i] > n or parent[i] >= i or start[i] < 0 or stop[i] > size:
            raise ValueError("a subtree has no end")
    for k in range(removed.shape[0]):
        if removed[k] < 0 or removed[k] >= n:
            raise ValueError("a removed node is no row")
    page.kind = cython.address(kind[0])
    page.tag = cython.address(tag[0])
    page.parent = cython.address(parent[0])
    page.end = cython.address(end[0])
    page.chars = cython.address(chars[0])
    page.parts = cython.address(parts[0])
    page.state = cython.cast(cython.p_uchar, calloc(n, 1))
    if page.state == cython.NULL:
        raise MemoryError
    for k in range(removed.shape[0]):
        page.state[removed[k]] = GONE
    i = 0
    while i < n:
        if page.state[i] & (GONE | CUT):
            i = end[i]
            continue
        if parts[tag[i]] & BLOCK or (
            parts[tag[i]] & TABLE and _is_numbered(cython.address(page), i, base, start, stop)
        ):
            _cut_beside(cython.address(page), i)
        i += 1
    i = 0
    while i < n:
        if page.state[i] & (GONE | CUT):
            rows[count] = i
            count += 1
            i = end[i]
        else:
            i += 1
    free(page.state)
    return count


@cython.cfunc
@cython.exceptval(check=False)
def _cut_beside(page: cython.pointer[Nodes], row: cython.int) -> cython.void:
    """Cut the lines with buttons beside a block of code, and beside the elements around it alone."""
    above: cython.int
    j: cython.int
    _k: cython.int
    for _k in range(AROUND):
        above = page.parent[row]
        if above < 0:
            return
        while True:
            j = _before(page, row, above)
            if j < 0 or not _is_button_line(page, j):
                break
            page.state[j] |= CUT
        j = page.end[row]
        while j < page.end[above]:
            if not _is_passed(page, j):
                if not _is_button_line(page, j):
                    break
                page.state[j] |= CUT
            j = page.end[j]
        if not page.parts[page.tag[above]] & LABEL or not _is_small(page, above):
            return
        row = above


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_passed(page: cython.pointer[Nodes], row: cython.int) -> cython.bint:
    """Tell whether a node is cut, or shows nothing and is no element."""
    return page.state[row] & (GONE | CUT) or (page.kind[row] != ELEMENT and page.chars[row] == 0)


@cython.cfunc
@cython.exceptval(check=False)
def _before(page: cython.pointer[Nodes], row: cython.int, above: cython.int) -> cython.int:
    """Give the node before another; -1 if none is."""
    j: cython.int = row - 1
    while j > above:
        while page.parent[j] != above:
            j = page.parent[j]
        if not _is_passed(page, j):
            return j
        j -= 1
    return -1


@cython.cfunc
@cython.exceptval(check=False)
def _is_small(page: cython.pointer[Nodes], row: cython.int) -> cython.bint:
    """Tell whether an element has few children, without the nodes that were cut before."""
    count: cython.int = 0
    j: cython.int = row + 1
    if not page.state[row] & (FEW | MANY):
        while j < page.end[row] and count <= MOST_CHILDREN:
            count += not page.state[j] & GONE
            j = page.end[j]
        page.state[row] |= MANY if count > MOST_CHILDREN else FEW
    return page.state[row] & FEW


@cython.cfunc
@cython.exceptval(check=False)
def _is_button_line(page: cython.pointer[Nodes], row: cython.int) -> cython.bint:
    """Tell whether an element is a button, or a short line with one and no content."""
    said: cython.int = 0
    found: cython.bint = False
    j: cython.int = row
    part: cython.uchar
    if not page.parts[page.tag[row]] & LABEL or not _is_small(page, row):
        return False
    while j < page.end[row]:
        if page.state[j] & (GONE | CUT):
            j = page.end[j]
            continue
        part = page.parts[page.tag[j]]
        if part & CONTENT:
            return False
        if part & BUTTON:
            found = True
        elif page.kind[j] != ELEMENT:
            said += page.chars[j]
            if said > LONGEST_LINE:
                return False
        j += 1
    return found


@cython.cfunc
@cython.exceptval(check=False)
def _is_numbered(
    page: cython.pointer[Nodes],
    row: cython.int,
    base: cython.p_uchar,
    start: cython.int[::1],
    stop: cython.int[::1],
) -> cython.bint:
    """Tell whether the first cell of a table has digits and no other text, as those of code have."""
    cell: cython.int = row + 1
    j: cython.int
    at: cython.int
    found: cython.bint = False
    while cell < page.end[row] and not page.parts[page.tag[cell]] & CELL:
        cell += 1
    if cell == page.end[row]:
        return False
    for j in range(cell + 1, page.end[cell]):
        if page.kind[j] != ELEMENT and page.chars[j]:
            for at in range(start[j], stop[j]):
                if b"0" <= base[at] <= b"9":
                    found = True
                elif not is_space(base[at]):
                    return False
    return found
