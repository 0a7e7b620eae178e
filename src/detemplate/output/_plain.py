# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.output.plain`: a page's text, out of its columns and its serialisation.

It lays out as turbohtml does, after the changes of the DOM that :mod:`detemplate.output.plain_reference`
makes. Where a page has what it does not do, it gives None. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.output._layout import (
    BLOCK,
    BLOCKS,
    BREAK,
    BULLETS,
    BUTTON,
    CAPTION,
    CELL,
    CODE,
    CODE_LINE,
    DEEPEST,
    DEFINED,
    DEFINITION,
    EMPTY,
    FEW,
    FLOW,
    GROUP,
    HEADER,
    INLINE,
    INLINE_CODE,
    ITEM,
    LABELLED,
    LAYOUT,
    LEVEL_PART,
    LINK,
    LISTED,
    LONGEST_LEVEL,
    LOWERED,
    MOST_NODES,
    MOST_SPAN,
    NUMBERS,
    OPENED,
    OPENED_LINE,
    OPENING,
    PARAGRAPH,
    PART_OF,
    QUOTE,
    RAISED,
    REFUSED,
    ROLE,
    ROW,
    ROW_OF,
    ROWS,
    SECTION,
    SECTION_OF,
    SEPARATE,
    SKIPPED,
    SMALL,
    SPARSE,
    TABLE,
    TERM,
    TERMS,
    UNESCAPED,
    VOID,
    WIDER,
    Frame,
    Line,
)
from cython.cimports.detemplate.page import _tags as tags
from cython.cimports.detemplate.page._markup import (
    COMMENT,
    ELEMENT,
    TEXT,
    Attribute,
    is_named,
    is_space,
    next_attribute,
)
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memchr, memcmp, memcpy, memmove, memset


@cython.cclass
class Writer:
    """Lays a page out."""

    def __dealloc__(self):
        free(self.out)
        free(self.grid)
        free(self.below)
        free(self.frames)
        free(self.blocks)

    @cython.final
    @cython.cfunc
    @cython.exceptval(-1)
    def take(
        self,
        data: bytes,
        kind: cython.ushort[::1],
        tag: cython.ushort[::1],
        parent: cython.int[::1],
        end: cython.int[::1],
        start: cython.int[::1],
        stop: cython.int[::1],
        children: cython.int[::1],
        roles: cython.ushort[::1],
        removed: cython.int[::1],
        spaced: cython.uchar[::1],
        level_written: object,
    ) -> cython.bint:
        """Check the columns of a page and the removed nodes, and point to them; False if nodes are out of order.

        The caller keeps the columns alive.
        """
        n: cython.Py_ssize_t = kind.shape[0]
        k: cython.Py_ssize_t
        if (
            tag.shape[0] != n
            or parent.shape[0] != n
            or end.shape[0] != n
            or start.shape[0] != n
            or stop.shape[0] != n
            or children.shape[0] != n
            or roles.shape[0] != 65536
            or spaced.shape[0] != removed.shape[0]
            or not n
        ):
            raise ValueError("the columns differ in length")
        self.end = cython.address(end[0])
        self.parent = cython.address(parent[0])
        self.start = cython.address(start[0])
        self.stop = cython.address(stop[0])
        rows: cython.int = cython.cast(cython.int, n)
        limit: cython.int = cython.cast(cython.int, min(len(data), 2**31 - 1))
        i: cython.int
        wrong: cython.int = self.start[0] < 0
        disordered: cython.int = 0
        # Without branches, so that the compiler checks several rows at once.
        for i in range(rows):
            wrong |= (
                (self.end[i] <= i)
                | (self.end[i] > rows)
                | (self.parent[i] >= i)
                | (self.start[i] < 0)
                | (self.stop[i] < self.start[i])
                | (self.stop[i] > limit)
            )
        for i in range(1, rows):
            disordered |= self.start[i] < self.start[i - 1]
        if wrong:
            raise ValueError("a subtree has no end")
        if disordered:
            return False
        for k in range(removed.shape[0]):
            if removed[k] < 0 or removed[k] >= n:
                raise ValueError("a removed node is no row")
        self.base = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
        self.limit = len(data)
        self.rows = cython.cast(cython.int, n)
        self.kind = cython.address(kind[0])
        self.tag = cython.address(tag[0])
        self.parent = cython.address(parent[0])
        self.end = cython.address(end[0])
        self.start = cython.address(start[0])
        self.stop = cython.address(stop[0])
        self.children = cython.address(children[0])
        self.roles = cython.address(roles[0])
        self.cuts = cython.cast(cython.int, removed.shape[0])
        if self.cuts:
            self.gone = cython.address(removed[0])
            self.spaced = cython.address(spaced[0])
        self.level_written = level_written
        self.blocks = cython.cast(cython.p_uchar, calloc(n, 1))
        if self.blocks == cython.NULL or not self.grow(1):
            raise MemoryError
        return True

    # Output.

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def put(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        """Write bytes."""
        if self.line.size + n > self.capacity and not self.grow(n):
            return
        memcpy(self.out + self.line.size, p, n)
        self.line.size += n

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def grow(self, n: cython.Py_ssize_t) -> cython.bint:
        capacity: cython.Py_ssize_t = 2 * (self.line.size + n) + 4096
        moved: cython.p_void = realloc(self.out, capacity)
        if moved == cython.NULL:
            self.failed = True
            self.line.size = 0
            return False
        self.out = cython.cast(cython.p_uchar, moved)
        self.capacity = capacity
        return True

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def put_byte(self, c: cython.uchar) -> cython.void:
        if self.line.size + 1 > self.capacity and not self.grow(1):
            return
        self.out[self.line.size] = c
        self.line.size += 1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def breakable(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Make spaces of no-break spaces in what is written from a place to another; give where it ends then."""
        p: cython.p_uchar = self.out + low
        stop: cython.p_uchar = self.out + high
        to: cython.p_uchar = self.out + low
        found: cython.p_uchar
        at: cython.p_uchar = p
        while True:
            found = cython.cast(cython.p_uchar, memchr(at, 0xC2, stop - at))
            if found == cython.NULL or found + 1 == stop:
                break
            at = found + 1
            if at[0] == 0xA0:
                if to != p:
                    memmove(to, p, found - p)
                to += found - p
                to[0] = b" "
                to += 1
                p = at = found + 2
        if to == p:
            return high
        memmove(to, p, stop - p)
        return to + (stop - p) - self.out

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def put_indent(self) -> cython.void:
        _k: cython.int
        for _k in range(self.line.indent):
            self.put_byte(b" ")

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def begin_block(self, loose: cython.bint) -> cython.void:
        """Begin a line for the next block, after an empty one if either block wants it."""
        if not self.line.started:
            self.line.started = 1
            self.put_indent()
        elif self.line.joined:
            self.line.joined = 0
        else:
            self.put_byte(b"\n")
            if (self.line.loose or loose) and not self.line.tight:
                self.put_byte(b"\n")
            self.put_indent()
            self.line.filled = 0
        self.line.loose = loose
        self.line.owed = 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def end_line(self) -> cython.void:
        self.put_byte(b"\n")
        self.put_indent()
        self.line.filled = 0
        self.line.owed = 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def put_text(
        self, low: cython.Py_ssize_t, high: cython.Py_ssize_t, unescaped: cython.bint
    ) -> cython.void:
        """Write text of the page, white space collapsed and entities decoded."""
        self.put_run(self.base + low, self.base + high, unescaped)

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def put_run(self, p: cython.p_uchar, stop: cython.p_uchar, unescaped: cython.bint) -> cython.void:
        """Write bytes in the same way."""
        q: cython.p_uchar
        c: cython.uchar
        # What is written is no longer than the text and one space.
        if self.line.size + (stop - p) + 1 > self.capacity and not self.grow(stop - p + 1):
            return
        q = self.out + self.line.size
        while p < stop:
            c = p[0]
            if c <= 32 and is_space(c):
                self.line.owed = 1
                p += 1
                continue
            if self.line.owed:
                if self.line.filled:
                    q[0] = b" "
                    q += 1
                self.line.owed = 0
            self.line.filled = 1
            while True:
                if c == b"&" and not unescaped:
                    p += decoded(p, stop, cython.address(q))
                else:
                    q[0] = c
                    q += 1
                    p += 1
                if p == stop:
                    break
                c = p[0]
                if c <= 32 and is_space(c):
                    break
        self.line.size = q - self.out

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def put_decoded(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        """Write text, its entities decoded."""
        p: cython.p_uchar = self.base + low
        stop: cython.p_uchar = self.base + high
        q: cython.p_uchar
        if low >= high or (self.line.size + high - low > self.capacity and not self.grow(high - low)):
            return
        q = self.out + self.line.size
        while p < stop:
            if p[0] == b"&":
                p += decoded(p, stop, cython.address(q))
            else:
                q[0] = p[0]
                q += 1
                p += 1
        self.line.size = q - self.out

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def put_number(self, number: cython.int) -> cython.int:
        """Write a number and ``. ``; give the width."""
        digits = cython.declare(cython.uchar[24])
        count: cython.int = digits_of(number, digits)
        self.put(digits, count)
        self.put_byte(b".")
        self.put_byte(b" ")
        return count + 2

    # The page.

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def role(self, row: cython.int) -> cython.int:
        return self.roles[self.tag[row]] & ROLE

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def first_cut(self, row: cython.int) -> cython.int:
        """Give the number of the first node to cut that is not before a row."""
        low: cython.int = 0
        high: cython.int = self.cuts
        middle: cython.int
        while low < high:
            middle = (low + high) >> 1
            if self.gone[middle] < row:
                low = middle + 1
            else:
                high = middle
        return low

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def is_gone(self, row: cython.int) -> cython.bint:
        """Tell whether a row is one of the nodes to cut."""
        cut: cython.int = self.first_cut(row)
        return cut < self.cuts and self.gone[cut] == row

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def content(self, row: cython.int) -> cython.Py_ssize_t:
        """Give the byte at which an element's content begins; a formula in an attribute is refused."""
        at: cython.p_uchar = self.base + self.start[row] + 1
        limit: cython.p_uchar = self.base + self.stop[row]
        found = cython.declare(Attribute)
        while at < limit and at[0] != b" " and at[0] != b">":
            at += 1
        while next_attribute(cython.address(at), limit, cython.address(found)):
            if found.length == 9 and is_named(cython.address(found), b"data-math", 9):
                self.failed = True
        if at >= limit or at[0] != b">":
            self.failed = True
            return self.stop[row]
        return at + 1 - self.base

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def name_length(self, row: cython.int) -> cython.int:
        at: cython.p_uchar = self.base + self.start[row] + 1
        limit: cython.p_uchar = self.base + self.stop[row]
        length: cython.int = 0
        while at < limit and at[0] != b" " and at[0] != b">":
            at += 1
            length += 1
        return length

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def attribute(
        self,
        row: cython.int,
        name: cython.p_char,
        length: cython.Py_ssize_t,
        found: cython.pointer[Attribute],
    ) -> cython.bint:
        """Find an attribute of an element."""
        at: cython.p_uchar = self.base + self.start[row] + 1
        limit: cython.p_uchar = self.base + self.stop[row]
        while at < limit and at[0] != b" " and at[0] != b">":
            at += 1
        while next_attribute(cython.address(at), limit, found):
            if is_named(found, name, length):
                return True
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def ordinal(
        self, row: cython.int, name: cython.p_char, length: cython.Py_ssize_t, otherwise: cython.int
    ) -> cython.int:
        """Give the number that begins an attribute."""
        found = cython.declare(Attribute)
        value: cython.int = 0
        seen: cython.bint = False
        p: cython.p_uchar
        if not self.attribute(row, name, length, cython.address(found)):
            return otherwise
        p = found.value
        while p < found.stop and p[0] >= b"0" and p[0] <= b"9":
            if value > 100_000_000:
                self.failed = True
                return otherwise
            value = value * 10 + (p[0] - 48)
            seen = True
            p += 1
        return value if seen else otherwise

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def gap_kind(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """Tell what a text is: 0 white space as HTML has it, 1 other white space too, 2 more."""
        kind: cython.int = 0
        while low < high:
            if is_space(self.base[low]):
                low += 1
            elif high - low >= 6 and memcmp(self.base + low, b"&nbsp;", 6) == 0:
                kind = 1
                low += 6
            else:
                return 2
        return kind

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def holds_text(self, row: cython.int) -> cython.bint:
        """Tell whether anything in an element is text; refuse where only signs that show nothing are."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.content(row)
        while j < self.end[row]:
            if self.is_gone(j) or (self.open_items and self.is_dropped(j)):
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT and self.kind[j] < COMMENT:
                return True
            self.check_blank(at, self.start[j])
            if self.kind[j] == ELEMENT:
                at = self.stop[j] if self.roles[self.tag[j]] & VOID else self.content(j)
            else:
                at = self.stop[j]
            j += 1
        self.check_blank(at, self.stop[row])
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def check_blank(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        """Refuse a gap, with end tags, that has more than white space."""
        while low < high:
            if self.base[low] == b"<":
                while low < high and self.base[low] != b">":
                    low += 1
                low += 1
            elif is_space(self.base[low]):
                low += 1
            elif high - low >= 6 and memcmp(self.base + low, b"&nbsp;", 6) == 0:
                low += 6
            else:
                self.failed = True
                return

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_anchor(self, row: cython.int) -> cython.bint:
        """Tell whether a link is a sign that leads from a heading to itself."""
        found = cython.declare(Attribute)
        text = cython.declare(cython.uchar[24])
        count: cython.int = 0
        units: cython.int = 0
        j: cython.int
        cut: cython.int = self.first_cut(row)
        at: cython.Py_ssize_t = self.content(row)
        high: cython.Py_ssize_t = self.stop[row] - 4
        while at < high:
            if cut < self.cuts and at == self.start[self.gone[cut]]:
                at = self.stop[self.gone[cut]]
                cut += 1
                continue
            if self.base[at] == b"<":
                while at < high and self.base[at] != b">":
                    if self.base[at] == b'"':
                        at += 1
                        while at < high and self.base[at] != b'"':
                            at += 1
                    at += 1
                at += 1
                continue
            if self.base[at] == b"&" and high - at >= 6 and memcmp(self.base + at, b"&nbsp;", 6) == 0:
                units += 1
                at += 6
                if units > 4:
                    return False
                continue
            if self.base[at] & 0xC0 != 0x80:
                units += 1
                if units > 4:
                    return False
            if not is_space(self.base[at]) or count:
                text[count] = self.base[at]
                count += 1
            at += 1
        while count > 0 and is_space(text[count - 1]):
            count -= 1
        if not is_sign(text, count):
            return False
        if not self.attribute(row, b"href", 4, cython.address(found)):
            return False
        if memchr(found.value, b"#", found.stop - found.value) == cython.NULL:
            return False
        for j in range(row + 1, self.end[row]):
            if self.kind[j] >= COMMENT or self.is_gone(j):
                self.failed = True
        return True

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_dropped(self, row: cython.int) -> cython.bint:
        """Tell whether a row is a link that goes."""
        return self.kind[row] == ELEMENT and self.role(row) == LINK and not self.cells and self.is_anchor(row)

    # Elements.

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_block(self, row: cython.int) -> cython.bint:
        role: cython.int = self.role(row)
        if self.blocks[row]:
            return self.blocks[row] < OPENED
        return bool(
            role == BLOCK
            or (BULLETS <= role <= DEFINITION)
            or role == OPENING
            or role == LAYOUT
            or role == PARAGRAPH
        )

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_skipped(self, row: cython.int, role: cython.int) -> cython.bint:
        return role == SKIPPED or (role == LINK and not self.cells and self.is_anchor(row))

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def leads_inline(self, row: cython.int, at: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.bint:
        """Tell whether an item begins with text or an inline element."""
        j: cython.int = row + 1
        while j < self.end[row]:
            if self.gap_kind(at, self.start[j]):
                return True
            if not self.is_gone(j):
                if self.kind[j] == ELEMENT:
                    if not self.is_skipped(j, self.role(j)):
                        return not self.is_block(j)
                elif self.kind[j] < COMMENT:
                    return True
            at = self.stop[j]
            j = self.end[j]
        return self.gap_kind(at, high) != 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def push(self, row: cython.int, walk: cython.int, begin: cython.Py_ssize_t) -> cython.pointer[Frame]:
        """Enter an element whose children are laid out."""
        frame: cython.pointer[Frame]
        moved: cython.p_void
        if self.depth == self.room:
            self.room = 2 * self.room + 64
            moved = realloc(self.frames, self.room * cython.sizeof(Frame))
            if moved == cython.NULL:
                self.failed = True
                self.room = self.depth
                return self.frames
            self.frames = cython.cast(cython.pointer[Frame], moved)
        frame = self.frames + self.depth
        self.depth += 1
        frame.row = row
        frame.walk = walk
        frame.in_run = 0
        frame.indent = -1
        frame.within = 0
        frame.cell = 0
        frame.code = 0
        frame.marker = 2
        frame.number = 1
        frame.ordered = 0
        if row < 0:
            frame.end = self.rows
            frame.stop = cython.cast(cython.int, self.limit)
            frame.unescaped = 0
        else:
            frame.end = self.end[row]
            frame.stop = self.stop[row] - 3 - self.name_length(row)
            frame.unescaped = self.roles[self.tag[row]] & UNESCAPED
            if frame.stop < begin or self.base[frame.stop] != b"<" or self.base[frame.stop + 1] != b"/":
                self.failed = True
                frame.stop = cython.cast(cython.int, begin)
        return frame

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def indent(self, columns: cython.int, levels: cython.int, frame: cython.pointer[Frame]) -> cython.void:
        """Indent what follows; the frame restores it."""
        frame.indent = self.line.indent
        frame.tight = self.line.tight
        frame.levels = self.line.levels
        self.line.levels += levels
        if self.line.levels <= DEEPEST:
            self.line.indent += columns

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_item(
        self, row: cython.int, listing: cython.pointer[Frame], begin: cython.Py_ssize_t
    ) -> cython.void:
        """Begin an item of a list. ``listing`` may move."""
        width: cython.int
        frame: cython.pointer[Frame]
        walk: cython.int = BLOCKS
        self.begin_block(False)
        if listing.ordered:
            listing.number = self.ordinal(row, b"value", 5, listing.number)
            width = self.put_number(listing.number)
            listing.number += 1
        else:
            self.put_byte(b"*")
            self.put_byte(b" ")
            width = 2
        self.line.filled = 0  # the sign has a space behind it
        listing.marker = width
        frame = self.push(row, walk, begin)
        self.indent(width, 2, frame)
        self.line.tight = 1
        self.line.joined = self.leads_inline(row, begin, frame.stop)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def open_item(self, row: cython.int, begin: cython.Py_ssize_t, made: cython.bint) -> cython.bint:
        """Make parts of a line of the blocks that an item begins with; tell whether it has no text.

        ``made`` says that the row is not the item, but all that is in it.
        """
        item: cython.int = -1 if made else row
        holder: cython.int = item
        first: cython.int
        following: cython.int
        role: cython.int
        at: cython.Py_ssize_t = begin
        high: cython.Py_ssize_t = begin
        kind: cython.int
        opens: cython.bint
        while True:
            if holder < 0:
                first = row
            else:
                first = holder + 1
                high = self.stop[holder] - 3 - self.name_length(holder)
            kind = 0
            while holder >= 0:
                if first >= self.end[holder]:
                    kind |= self.gap_kind(at, high)
                    break
                kind |= self.gap_kind(at, self.start[first])
                if kind >= 2:
                    break
                at = self.stop[first]
                if not self.is_gone(first) and not self.is_dropped(first):
                    if self.kind[first] < COMMENT:
                        break
                    if holder == item:
                        return not self.holds_text(row)
                first = self.end[first]
            if kind >= 2:
                self.failed = True  # text that shows nothing
                return False
            if holder >= 0 and first >= self.end[holder]:
                break
            if self.kind[first] != ELEMENT:
                if holder == item:
                    return False
                break
            role = self.role(first)
            opens = role == OPENING or role == PARAGRAPH or self.is_part(first)
            if role == TABLE:
                opens = self.is_layout(first)
                if opens and self.begins_otherwise(first):
                    self.failed = True
            elif role == TERMS:
                if not self.check_definitions(first, False, self.content(first)):
                    self.failed = True
            if not opens:
                break
            self.blocks[first] = OPENED
            following = self.end[first]
            while holder >= 0:
                if following >= self.end[holder]:
                    if self.gap_kind(at, high) >= 2:
                        self.blocks[first] = OPENED_LINE
                    break
                if self.gap_kind(at, self.start[following]) >= 2:
                    self.blocks[first] = OPENED_LINE
                    break
                at = self.stop[following]
                if (
                    not self.is_gone(following)
                    and not self.is_dropped(following)
                    and self.kind[following] < COMMENT
                ):
                    if self.kind[following] != ELEMENT or not (
                        self.roles[self.tag[following]] & SEPARATE or self.blocks[following]
                    ):
                        self.blocks[first] = OPENED_LINE
                    break
                following = self.end[following]
            holder = first
            at = self.content(first)
        return not self.holds_text(row)

    @cython.final
    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def is_part(self, row: cython.int) -> cython.bint:
        """Tell whether an element is a part of a table that lays the page out, and so a block."""
        return SECTION_OF <= self.blocks[row] <= PART_OF

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_colgroup(self, row: cython.int) -> cython.bint:
        return self.name_length(row) == 8 and memcmp(self.base + self.start[row] + 1, b"colgroup", 8) == 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def begins_otherwise(self, table: cython.int) -> cython.bint:
        """Tell whether the first element of a table that lays the page out is no such part."""
        first: cython.int = self.next_element(table + 1, self.end[table])
        return first >= 0 and not self.is_part(first)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def leave(self) -> cython.void:
        """Leave the last element."""
        frame: cython.pointer[Frame]
        self.depth -= 1
        frame = self.frames + self.depth
        if frame.within:
            self.close_term(frame)
        if frame.indent >= 0:
            self.line.indent = frame.indent
            self.line.tight = frame.tight
            self.line.levels = frame.levels
        if frame.cell:
            self.leave_part(frame.cell)
        self.codes -= frame.code

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def close_term(self, frame: cython.pointer[Frame]) -> cython.void:
        """End the item that a term and its definitions are."""
        self.line.indent = frame.outer_indent
        self.line.tight = frame.outer_tight
        self.line.levels = frame.outer_levels
        frame.within = 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_definition(
        self, row: cython.int, role: cython.int, number: cython.int, begin: cython.Py_ssize_t
    ) -> cython.void:
        """Begin a term, or a definition of the term before it; ``number`` is the frame of the list."""
        listing: cython.pointer[Frame] = self.frames + number
        if role == TERM or not listing.within:
            if listing.within:
                self.close_term(listing)
            listing.outer_indent = self.line.indent
            listing.outer_tight = self.line.tight
            listing.outer_levels = self.line.levels
            self.enter_item(row, listing, begin)
            if role == TERM:
                # The item goes on until the next term.
                listing = self.frames + number
                listing.within = 1
                (self.frames + self.depth - 1).indent = -1
            return
        listing.within = 2
        self.enter_item(row, listing, begin)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def check_definitions(
        self, row: cython.int, is_group: cython.bint, begin: cython.Py_ssize_t
    ) -> cython.bint:
        """Tell whether a list of definitions has terms; refuse one that holds more than these."""
        j: cython.int = row + 1
        role: cython.int
        terms: cython.bint = False
        at: cython.Py_ssize_t = begin
        while j < self.end[row]:
            if self.gap_kind(at, self.start[j]) == 2:
                self.failed = True
            at = self.stop[j]
            if not self.is_gone(j) and self.kind[j] < COMMENT:
                role = self.role(j)
                if self.kind[j] != ELEMENT:
                    self.failed = True
                elif role == TERM:
                    terms = True
                elif role == OPENING and not is_group and self.is_div(j):
                    if self.check_definitions(j, True, self.content(j)):
                        terms = True
                elif role != DEFINITION and self.end[j] > j + 1:
                    self.failed = True
                elif role == EMPTY or role == BREAK:
                    pass
                elif role != DEFINITION and role != SKIPPED and not self.roles[self.tag[j]] & VOID:
                    self.check_blank(self.content(j), self.stop[j])
            j = self.end[j]
        if self.gap_kind(at, self.stop[row] - 3 - self.name_length(row)) == 2:
            self.failed = True
        return terms

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_defined(self, row: cython.int, behind: cython.int) -> cython.bint:
        """Tell whether a term has a definition with text; one in another group is not looked for."""
        row = self.next_element(self.end[row], behind)
        while row >= 0 and self.role(row) == DEFINITION:
            if self.holds_text(row):
                return True
            row = self.next_element(self.end[row], behind)
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_div(self, row: cython.int) -> cython.bint:
        return memcmp(self.base + self.start[row], b"<div", 4) == 0

    # Code.

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def code_lines(self, row: cython.int, begin: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.bint:
        """Tell whether lines of a block of code are elements, or end in ``br``; refuse what is not done here."""
        lines: cython.bint
        if self.codes:
            self.failed = True
            return False
        self.check_beside(row)
        lines = self.has_lines(row)
        # What the code says is no mark; but then the reference takes it line by line.
        if self.is_marked(begin, high) and (not lines or self.has_marks(row)):
            self.failed = True
        if lines and self.may_be_counted(row):
            self.failed = True
        return lines

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def has_marks(self, row: cython.int) -> cython.bint:
        """Tell whether a start tag in a block of code may mark line numbers."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        while j < self.end[row]:
            if self.is_gone(j):
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                begin = self.stop[j] if self.roles[self.tag[j]] & VOID else self.content(j)
                if self.is_marked(self.start[j], begin):
                    return True
                for at in range(self.start[j], begin - 1):
                    if self.base[at] == b"l" and self.base[at + 1] == b"n":
                        return True
            j += 1
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def begin_code_line(self, row: cython.int) -> cython.void:
        """Begin a line of code that is an element."""
        if not self.fresh:
            self.put_code_byte(b"\n")
        if self.line_depth == 64:
            self.failed = True
            return
        self.line_stops[self.line_depth] = self.stop[row]
        self.line_depth += 1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def write_code(self, row: cython.int, begin: cython.Py_ssize_t) -> cython.void:
        """Write a block of code; refuse one with more than text and inline elements, or with marks."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = begin
        high: cython.Py_ssize_t = self.stop[row] - 6
        role: cython.int
        flags: cython.int
        cut: cython.int = self.next_cut
        lines: cython.bint  # lines are elements, or end in ``br``
        written: cython.Py_ssize_t
        lines = self.code_lines(row, begin, high)
        if self.failed:
            return
        if at < high and self.base[at] == b"\n":
            at += 1
        self.begin_block(True)
        written = self.line.size
        self.held = 0
        self.fresh = lines
        self.bare = lines
        self.line_depth = 0
        while j < self.end[row]:
            at = self.end_code_lines(at, self.start[j])
            while cut < self.cuts and self.gone[cut] < j:
                cut += 1
            if cut < self.cuts and self.gone[cut] == j:
                if self.spaced[cut]:
                    self.put_code_byte(b" ")
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                flags = self.roles[self.tag[j]]
                role = flags & ROLE
                if role == LINK and not lines and self.is_anchor(j):
                    at = self.stop[j]
                    j = self.end[j]
                    continue
                at = self.stop[j] if flags & VOID else self.content(j)
                if flags & UNESCAPED:
                    self.put_verbatim(at, self.stop[j] - 6)
                    at = self.stop[j]
                    j = self.end[j]
                    continue
                if role == BREAK:
                    self.put_code_byte(b"\n")
                elif flags & CODE_LINE:
                    self.begin_code_line(j)
                    if self.failed:
                        return
            elif self.kind[j] >= COMMENT:
                at = self.stop[j]
            j += 1
        self.end_code_lines(at, high)
        if lines:
            self.failed |= self.is_blank(written)
        else:
            while self.held > 1:
                self.end_line()
                self.held -= 1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_blank(self, at: cython.Py_ssize_t) -> cython.bint:
        """Tell whether nothing but white space is written from a place on."""
        width: cython.int
        while at < self.line.size:
            width = unicode_space(self.out + at, self.line.size - at)
            if not width:
                return False
            at += width
        return True

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def has_lines(self, row: cython.int) -> cython.bint:
        """Tell whether lines of code are elements or end in ``br``; refuse other elements that are not inline."""
        j: cython.int = row + 1
        flags: cython.int
        role: cython.int
        above: cython.int
        found: cython.bint = False
        while j < self.end[row]:
            if self.is_gone(j):
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                flags = self.roles[self.tag[j]]
                role = flags & ROLE
                if flags & CODE_LINE or role == BREAK:
                    found = True
                    if (
                        (role == CODE and not self.is_markdown)
                        or role == BULLETS
                        or role == NUMBERS
                        or role == TABLE
                        or role == SECTION
                        or self.blocks[j]
                    ):
                        self.failed = True
                elif role == BUTTON and self.is_markdown:
                    # It is dropped; the line that it stands in may be, too.
                    found = True
                    above = self.parent[j]
                    while above > row:
                        self.failed |= self.is_div(above)
                        above = self.parent[above]
                    j = self.end[j]
                    continue
                elif flags & UNESCAPED and self.is_verbatim(j):
                    found |= self.says_lines(self.content(j), self.stop[j] - 6)
                elif (
                    flags & UNESCAPED
                    or not (role == INLINE or role == LINK or role == INLINE_CODE or role == EMPTY)
                    or (self.tag[j] & tags.FOREIGN and self.is_button(j))
                ):
                    self.failed = True
            j += 1
        return found

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_verbatim(self, row: cython.int) -> cython.bint:
        """Tell whether an element is ``xmp``, whose text stands as it is shown."""
        return self.name_length(row) == 3 and memcmp(self.base + self.start[row] + 1, b"xmp", 3) == 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def says_lines(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.bint:
        """Tell whether a text speaks of an element that would be a line of code: the reference reads on there."""
        at: cython.p_uchar = self.base + low
        stop: cython.p_uchar = self.base + high
        while at < stop:
            at = cython.cast(cython.p_uchar, memchr(at, b"<", stop - at))
            if at == cython.NULL:
                return False
            at += 1
            if (
                begins(at, stop, b"br", 2)
                or begins(at, stop, b"div", 3)
                or begins(at, stop, b"li", 2)
                or begins(at, stop, b"p>", 2)
                or begins(at, stop, b"p ", 2)
                or begins(at, stop, b"pre", 3)
                or begins(at, stop, b"tr", 2)
                or begins(at, stop, b"section", 7)
                or begins(at, stop, b"figure", 6)
                or begins(at, stop, b"style", 5)
                or begins(at, stop, b"script", 6)
                or begins(at, stop, b"button", 6)
            ):
                return True
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def put_verbatim(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        """Write code in which no sign stands for another."""
        at: cython.Py_ssize_t
        for at in range(low, high):
            self.put_code_byte(self.base[at])

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_button(self, row: cython.int) -> cython.bint:
        """Tell whether an element is named ``button``, be it a drawing's."""
        return self.name_length(row) == 6 and memcmp(self.base + self.start[row] + 1, b"button", 6) == 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def may_be_counted(self, row: cython.int) -> cython.bint:
        """Tell whether all lines that are elements may begin with elements that count them."""
        holder: cython.int = self.holder_of_lines(row)
        inner: cython.int
        line: cython.int
        lines: cython.int = 0
        line = self.next_element(holder + 1, self.end[holder])
        while line >= 0:
            if self.is_counting(line):
                lines += 1
                inner = self.next_element(line + 1, self.end[line])
                if inner < 0 or not self.may_be_number(inner, lines):
                    return False
            line = self.next_element(self.end[line], self.end[holder])
        return lines > 2

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def holder_of_lines(self, row: cython.int) -> cython.int:
        """Give what the lines of code are right inside: the block, or the only element in it."""
        inner: cython.int = self.next_element(row + 1, self.end[row])
        if (
            inner >= 0
            and self.role(inner) == INLINE_CODE
            and self.next_element(self.end[inner], self.end[row]) < 0
        ):
            return inner
        return row

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def next_element(self, row: cython.int, behind: cython.int) -> cython.int:
        """Give the first element that stays, among neighbours from a row on; -1 for none."""
        while row < behind:
            if self.kind[row] == ELEMENT and not self.is_gone(row):
                return row
            row = self.end[row]
        return -1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_counting(self, row: cython.int) -> cython.bint:
        """Tell whether an element is one that may be a line with a number: ``div``, ``span`` or ``li``."""
        name: cython.p_uchar = self.base + self.start[row] + 1
        length: cython.int = self.name_length(row)
        return (
            (length == 3 and memcmp(name, b"div", 3) == 0)
            or (length == 4 and memcmp(name, b"span", 4) == 0)
            or (length == 2 and memcmp(name, b"li", 2) == 0)
        )

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def may_be_number(self, row: cython.int, number: cython.int) -> cython.bint:
        """Tell whether the text of an element, white space around it aside, may be a number."""
        digits = cython.declare(cython.uchar[24])
        count: cython.int = digits_of(number, digits)
        seen: cython.int = 0
        j: cython.int = row + 1
        at: cython.Py_ssize_t
        width: cython.int
        while j < self.end[row]:
            if self.is_gone(j):
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT and self.kind[j] < COMMENT:
                if self.kind[j] != TEXT:
                    return True
                at = self.start[j]
                while at < self.stop[j]:
                    width = unicode_space(self.base + at, self.stop[j] - at)
                    if self.stop[j] - at >= 6 and memcmp(self.base + at, b"&nbsp;", 6) == 0:
                        width = 6
                    if not width:
                        if seen == count or self.base[at] != digits[seen]:
                            return False
                        seen += 1
                        width = 1
                    elif 0 < seen < count:
                        return False
                    at += width
            j += 1
        return seen == count

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def put_code_byte(self, c: cython.uchar) -> cython.void:
        """Write a byte of code; line breaks are held until something follows."""
        if c == b"\n":
            self.held += 1
            self.fresh = True
            return
        if self.bare:
            self.held = 0  # no empty lines at the beginning
        while self.held:
            self.end_line()
            self.held -= 1
        self.bare = False
        self.fresh = False
        self.put_byte(c)
        self.line.filled = 1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def end_code_lines(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write text with end tags, each of which may end a line."""
        base: cython.p_uchar = self.base
        begin: cython.Py_ssize_t
        while low < high:
            if base[low] == b"<":
                while low < high and base[low] != b">":
                    low += 1
                low += 1
                if self.line_depth and self.line_stops[self.line_depth - 1] <= low:
                    self.line_depth -= 1
                    if not self.fresh:
                        self.put_code_byte(b"\n")
                continue
            if base[low] == b"\n":
                self.put_code_byte(b"\n")
                low += 1
                continue
            begin = low
            while low < high and base[low] != b"\n" and base[low] != b"<":
                low += 1
            if base[begin] == b"&":
                self.put_code_byte(b" ")
                if self.failed:
                    return high
                self.line.size -= 1
            else:
                self.put_code_byte(base[begin])
                begin += 1
            self.put_decoded(begin, low)
        return max(low, high)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_marked(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.bint:
        """Tell whether the markup of code may mark line numbers."""
        base: cython.p_uchar = self.base
        sign: cython.p_uchar
        n: cython.Py_ssize_t
        # All marks stand in tags, between quotes; those in texts are marks in the reference, too.
        while low < high:
            n = high - low
            sign = base + low
            if sign[0] == b"l":
                if n >= 6 and (
                    memcmp(sign, b"lineno", 6) == 0
                    or memcmp(sign, b"line-n", 6) == 0
                    or memcmp(sign, b"linenu", 6) == 0
                    or memcmp(sign, b"lineN", 5) == 0
                ):
                    return True
            elif sign[0] == b"u":
                if n >= 11 and memcmp(sign, b"user-select", 11) == 0:
                    return True
            elif sign[0] == b"s":
                if n >= 11 and memcmp(sign, b"select-none", 11) == 0:
                    return True
            elif sign[0] == b'"':
                if n >= 3 and memcmp(sign, b'"ln', 3) == 0:
                    return True
            elif sign[0] == b"g":
                if n >= 6 and memcmp(sign, b"gutter", 6) == 0:
                    return True
            elif sign[0] == b"b":
                if n >= 8 and memcmp(sign, b"blob-num", 8) == 0:
                    return True
            low += 1
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def check_beside(self, row: cython.int) -> cython.void:
        """Refuse code with what may be line numbers beside it."""
        place: cython.int = row
        _k: cython.int
        above: cython.int
        j: cython.int
        for _k in range(3):
            above = self.parent[place]
            # The element before.
            j = place
            while j - 1 > above:
                j -= 1
                while self.parent[j] != above:
                    j = self.parent[j]
                if not self.is_gone(j):
                    self.check_neighbour(j)
                    break
            j = self.end[place]
            while above >= 0 and j < self.end[above]:
                if not self.is_gone(j):
                    self.check_neighbour(j)
                    break
                j = self.end[j]
            if self.failed or above < 0:
                return
            place = above
            if not self.roles[self.tag[place]] & LABELLED or self.children[place] > MOST_NODES:
                return

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def check_neighbour(self, row: cython.int) -> cython.void:
        """Refuse an element that may be one of line numbers."""
        found = cython.declare(Attribute)
        if self.kind[row] != ELEMENT:
            return
        if self.attribute(row, b"style", 5, cython.address(found)) and self.has(
            cython.address(found), b"user-select", 11
        ):
            self.failed = True
        if self.attribute(row, b"class", 5, cython.address(found)) and (
            self.has(cython.address(found), b"line", 4)
            or self.has(cython.address(found), b"ln", 2)
            or self.has(cython.address(found), b"gutter", 6)
            or self.has(cython.address(found), b"blob-num", 8)
            or self.has(cython.address(found), b"select-none", 11)
        ):
            self.failed = True

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def has(
        self, found: cython.pointer[Attribute], part: cython.p_char, length: cython.Py_ssize_t
    ) -> cython.bint:
        """Tell whether an attribute's value has a part."""
        p: cython.p_uchar = found.value
        while found.stop - p >= length:
            if memcmp(p, part, length) == 0:
                return True
            p += 1
        return False

    # Tables.

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_layout(self, row: cython.int) -> cython.bint:
        """Tell whether a table lays the page out; its parts are blocks then."""
        found = cython.declare(Attribute)
        layout: cython.bint = False
        nested: cython.bint = False
        headed: cython.bint = False
        ruled: cython.bint = False  # an element that cells of data do not have
        spans: cython.bint = False
        coded: cython.bint = False
        block_of_code: cython.bint = False
        single: cython.bint = True  # no row has two cells with text
        late: cython.bint = False  # a caption behind cells
        others: cython.bint = False  # more than sections, rows and cells
        count: cython.int = 0  # rows
        widest: cython.int = 0
        width: cython.int = 0
        least: cython.int = 1 << 30
        texts: cython.int = 0
        first: cython.int = -1  # the first cell
        paragraph: cython.int = -1
        all_cells: cython.int = 0
        level: cython.int  # of the parent: 1 table, 2 section, 3 row
        above: cython.int
        role: cython.int
        j: cython.int = row + 1
        if self.attribute(row, b"role", 4, cython.address(found)):
            n: cython.Py_ssize_t = found.stop - found.value
            if (n == 12 and memcmp(found.value, b"presentation", 12) == 0) or (
                n == 4 and memcmp(found.value, b"none", 4) == 0
            ):
                layout = True
        while j < self.end[row]:
            if self.is_gone(j):
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT:
                j += 1
                continue
            role = self.role(j)
            above = self.parent[j]
            level = 0
            if above == row:
                level = 1
            elif self.blocks[above] == SECTION_OF:
                level = 2
            elif self.blocks[above] == ROW_OF:
                level = 3
            others |= level > 0 and (role < SECTION or role > HEADER)
            if level == 1 and (role == SECTION or self.is_colgroup(j)):
                self.blocks[j] = SECTION_OF
            elif (level == 1 or level == 2) and role == ROW:
                self.blocks[j] = ROW_OF
                if count and width < least:
                    least = width
                count += 1
                width = 0
                texts = 0
            elif level == 3 and (role == CELL or role == HEADER):
                self.blocks[j] = PART_OF
                all_cells += 1
                if first < 0:
                    first = j
                width += 1
                if width > widest:
                    widest = width
                if role == HEADER:
                    headed = True
                if self.attribute(j, b"colspan", 7, cython.address(found)) or self.attribute(
                    j, b"rowspan", 7, cython.address(found)
                ):
                    spans = True
                if texts < 2 and count <= FEW and self.holds_text(j):
                    texts += 1
                    if texts > 1:
                        single = False
            elif level == 1 and role == CAPTION:
                self.blocks[j] = PART_OF
                if count:
                    late = True
            elif role == TABLE:
                nested = True
            elif role == TERMS:
                if self.check_definitions(j, False, self.content(j)):
                    ruled = True
            elif role == QUOTE or role == LAYOUT or role == BULLETS or role == NUMBERS:
                if role == BULLETS and memcmp(self.base + self.start[j], b"<menu", 5) == 0:
                    pass
                else:
                    ruled = True
            elif role == OPENING:
                if not self.is_div(j) and memcmp(self.base + self.start[j], b"<figure", 7) != 0:
                    ruled = True
            elif role == CODE:
                coded = True
                block_of_code |= width == 2
                if self.has_line_break(j):
                    ruled = True
            elif role == INLINE_CODE:
                coded = True
            elif role == PARAGRAPH:
                if paragraph == above:
                    ruled = True
                paragraph = above
            elif role == REFUSED:
                self.failed = True
            j += 1
        if count and width < least:
            least = width
        if first >= 0 and not nested:
            if count == 1 and width == 2 and coded and self.may_be_numbers(first):
                # The code behind nothing at all is laid out; that behind numbers takes the place of the table.
                if (
                    block_of_code
                    and self.end[first] == first + 1
                    and not self.gap_kind(self.content(first), self.stop[first] - 5)
                ):
                    layout = True
                elif self.is_markdown and block_of_code and not others and self.is_numbers_cell(first):
                    layout = True
                    self.numbers_cell = first
                else:
                    self.failed = True
            if count > 1 and (
                self.attribute(first, b"data-line-number", 16, cython.address(found))
                or (
                    self.attribute(first, b"class", 5, cython.address(found))
                    and (
                        self.has(cython.address(found), b"line", 4)
                        or self.has(cython.address(found), b"ln", 2)
                        or self.has(cython.address(found), b"gutter", 6)
                        or self.has(cython.address(found), b"lt", 2)
                        or self.has(cython.address(found), b"blob", 4)
                        or self.has(cython.address(found), b"LINE", 4)
                    )
                )
            ):
                self.failed = True
        if nested or layout:
            layout = True
        elif headed:
            layout = False
        else:
            layout = widest <= 1 or ruled or (count <= FEW and single)
        if layout:
            return True
        if late or all_cells == 0:
            self.failed = True
        self.most = widest + WIDER
        self.widest = 1 << 28
        self.bounded = False
        if spans:
            self.measure_spans(row, count, all_cells)
        for j in range(row + 1, self.end[row]):
            self.blocks[j] = 0
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def measure_spans(self, row: cython.int, count: cython.int, cells: cython.int) -> cython.void:
        """Find how wide a table with merged cells is."""
        j: cython.int
        width: cython.int = 0
        wide: cython.int
        fits: cython.bint = False
        k: cython.int
        moved: cython.p_void
        self.widest = 0
        for j in range(row + 1, self.end[row] + 1):
            if j == self.end[row] or self.blocks[j] == ROW_OF:
                if fits and width > self.widest:
                    self.widest = width
                width = 0
                fits = True
            elif self.blocks[j] == PART_OF and self.role(j) != CAPTION:
                wide = self.span(j, b"colspan")
                width += wide
                if wide > self.most:
                    fits = False
        if self.widest == 0:
            self.widest = 1
        self.bounded = cython.cast(cython.longlong, self.widest) * count <= max(SPARSE * cells, SMALL)
        self.below_size = self.widest + self.most + 8
        moved = realloc(self.below, self.below_size * cython.sizeof(cython.int))
        if moved == cython.NULL:
            self.failed = True
            self.below_size = 0
            return
        self.below = cython.cast(cython.p_int, moved)
        for k in range(self.below_size):
            self.below[k] = 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def span(self, row: cython.int, name: cython.p_char) -> cython.int:
        """Give the columns or rows of a cell."""
        found = cython.declare(Attribute)
        value: cython.int = 0
        p: cython.p_uchar
        stop: cython.p_uchar
        if not self.attribute(row, name, 7, cython.address(found)) or found.value == found.stop:
            return 1
        if found.stop - found.value > 9:
            return MOST_SPAN
        p = found.value
        stop = found.stop
        while p < stop and is_space(p[0]):
            p += 1
        while stop > p and is_space((stop - 1)[0]):
            stop -= 1
        if p == stop:
            return 1
        while p < stop:
            if p[0] < b"0" or p[0] > b"9":
                return 1
            value = value * 10 + (p[0] - 48)
            p += 1
        return min(max(value, 1), MOST_SPAN)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def next_column(self) -> cython.void:
        if self.columns:
            self.put_grid(b"\t")
        self.columns += 1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def merged(self, row: cython.int) -> cython.int:
        """Take the columns of a cell in the rows below it; give how many it has, 0 where there is no room."""
        deep: cython.int = self.span(row, b"rowspan")
        wide: cython.int = self.span(row, b"colspan")
        k: cython.int
        wide = max(min(wide, self.widest - self.columns - (wide > self.most)), 1)
        if self.columns + wide >= self.below_size:
            self.failed = True
            return 0
        if deep > 1:
            for k in range(self.columns, self.columns + wide):
                self.below[k] = deep - 1
        return wide

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_column(self, row: cython.int) -> cython.void:
        """Pass by the columns that cells above still take, and take those of a merged cell."""
        wide: cython.int
        self.after_cell = 0
        if not self.bounded:
            self.next_column()
            return
        while self.columns < self.below_size and self.below[self.columns]:
            self.below[self.columns] -= 1
            self.next_column()
        wide = self.merged(row)
        if not wide:
            return
        self.next_column()
        self.after_cell = wide - 1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def may_be_numbers(self, row: cython.int) -> cython.bint:
        """Tell whether a cell may hold nothing but numbers."""
        at: cython.Py_ssize_t = self.content(row)
        high: cython.Py_ssize_t = self.stop[row] - 5
        while at < high:
            if self.base[at] == b"<":
                while at < high and self.base[at] != b">":
                    if self.base[at] == b'"':
                        at += 1
                        while at < high and self.base[at] != b'"':
                            at += 1
                    at += 1
            elif high - at >= 6 and memcmp(self.base + at, b"&nbsp;", 6) == 0:
                at += 5
            elif 33 <= self.base[at] < 0x80 and not (b"0" <= self.base[at] <= b"9"):
                return False
            at += 1
        return True

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def is_numbers_cell(self, row: cython.int) -> cython.bint:
        """Tell whether all of an element, of which nothing is cut, is white space and digits of ASCII."""
        at: cython.Py_ssize_t = self.content(row)
        cut: cython.int = self.first_cut(row)
        if cut < self.cuts and self.gone[cut] < self.end[row]:
            return False
        while at < self.stop[row]:
            if self.base[at] == b"<":
                while at < self.stop[row] and self.base[at] != b">":
                    if self.base[at] == b'"':
                        at += 1
                        while at < self.stop[row] and self.base[at] != b'"':
                            at += 1
                    at += 1
            elif not (is_space(self.base[at]) or b"0" <= self.base[at] <= b"9"):
                return False
            at += 1
        return True

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def has_line_break(self, row: cython.int) -> cython.bint:
        """Tell whether code has several lines."""
        at: cython.Py_ssize_t = self.content(row)
        high: cython.Py_ssize_t = self.stop[row] - 6
        begun: cython.bint = False
        broken: cython.bint = False
        while at < high:
            if self.base[at] == b"<":
                while at < high and self.base[at] != b">":
                    if self.base[at] == b'"':
                        at += 1
                        while at < high and self.base[at] != b'"':
                            at += 1
                    at += 1
            elif self.base[at] == b"\n":
                broken = begun
            elif high - at >= 6 and memcmp(self.base + at, b"&nbsp;", 6) == 0:
                at += 5
            elif not is_space(self.base[at]):
                if broken:
                    return True
                begun = True
            at += 1
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_cell(self) -> cython.void:
        """Begin a cell of data: it is laid out by itself."""
        size: cython.Py_ssize_t = self.line.size
        self.outer = self.line
        self.cells += 1
        self.cell_at = size
        self.line.started = 0
        self.line.filled = 0
        self.line.owed = 0
        self.line.loose = 0
        self.line.joined = 0
        self.line.tight = 0
        self.line.indent = 0
        self.line.levels = 0

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def put_grid(self, c: cython.uchar) -> cython.void:
        moved: cython.p_void
        if self.grid_size == self.grid_capacity:
            moved = realloc(self.grid, 2 * self.grid_capacity + 1024)
            if moved == cython.NULL:
                self.failed = True
                return
            self.grid = cython.cast(cython.p_uchar, moved)
            self.grid_capacity = 2 * self.grid_capacity + 1024
        self.grid[self.grid_size] = c
        self.grid_size += 1

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def leave_part(self, part: cython.int) -> cython.void:
        """End a cell, a row or a table of data."""
        at: cython.Py_ssize_t
        high: cython.Py_ssize_t = self.line.size
        width: cython.int
        k: cython.int
        owed: cython.bint = False
        written: cython.bint = False
        if part == 1:
            at = self.cell_at
            while at < high:
                width = unicode_space(self.out + at, high - at)
                if width:
                    owed = True
                    at += width
                    continue
                if owed and written:
                    self.put_grid(b" ")
                owed = False
                written = True
                self.put_grid(self.out[at])
                at += 1
            self.line = self.outer
            self.cells -= 1
            while self.after_cell > 0:
                self.after_cell -= 1
                self.next_column()
        elif part == 4:
            self.end_line()
        elif part == 2:
            while self.grid_size > self.row_at and self.grid[self.grid_size - 1] == b"\t":
                self.grid_size -= 1
            if self.grid_size > self.row_at:
                self.put_grid(b"\n")
            self.row_at = self.grid_size
            if self.bounded:
                for k in range(self.columns, self.below_size):
                    if self.below[k]:
                        self.below[k] -= 1
            self.columns = 0
        else:
            if self.grid_size == 0:
                self.failed = True  # the reference takes such a table away
                return
            self.begin_block(True)
            at = 0
            for k in range(self.grid_size - 1):
                if self.grid[k] == b"\n":
                    self.end_line()
                else:
                    self.put_byte(self.grid[k])
                    self.line.filled = 1

    # Exponents and indices.

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def write_level(self, row: cython.int, role: cython.int, begin: cython.Py_ssize_t) -> cython.bint:
        """Write an exponent or an index; tell whether the element is one."""
        frame: cython.pointer[Frame] = self.frames + self.depth - 1
        at: cython.Py_ssize_t = 0
        width: cython.Py_ssize_t
        p: cython.p_uchar
        text: object = self.level_of(row, role, begin)
        if text is None:
            return False
        p = cython.cast(cython.p_uchar, cython.cast(cython.p_char, cython.cast(bytes, text)))
        width = len(cython.cast(bytes, text))
        if frame.walk == BLOCKS and not frame.in_run:
            while is_space(p[at]):
                self.lead = True
                at += 1
            self.begin_block(not self.line.tight)
            frame.in_run = 1
            if self.lead:
                self.line.owed = 1
        self.put_run(p + at, p + width, True)
        return True

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def caught(self, error: object) -> cython.void:
        """Keep the first exception of a function of Python, for the end: the layout goes on in C."""
        if self.error is None:
            self.error = error
        self.failed = True

    @cython.final
    @cython.cfunc
    def level_of(self, row: cython.int, role: cython.int, begin: cython.Py_ssize_t) -> object:
        """Give the bytes of an exponent or an index; None if the element is none, or is refused."""
        try:
            return self.level_asked(row, role, begin)
        except BaseException as error:  # noqa: BLE001  # raised again at the end
            self.caught(error)
            return None

    @cython.final
    @cython.cfunc
    def level_asked(self, row: cython.int, role: cython.int, begin: cython.Py_ssize_t) -> object:
        high: cython.Py_ssize_t = self.stop[row] - 6
        size: cython.Py_ssize_t = self.line.size
        j: cython.int
        if high - begin > LONGEST_LEVEL:
            self.failed = True
            return None
        for j in range(row + 1, self.end[row]):
            if self.is_gone(j) or self.kind[j] >= COMMENT:
                self.failed = True
                return None
            if self.kind[j] == ELEMENT and not self.roles[self.tag[j]] & LEVEL_PART:
                return None
        self.put_untagged(begin, high)
        if self.failed:
            return None
        written: bytes = self.out[size : self.line.size]
        self.line.size = size
        before: object = self.before(row)
        if self.failed:
            return None
        text: object = self.level_written(written.decode("utf-8"), before, role == RAISED)
        return None if text is None else text.encode("utf-8")

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def put_untagged(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        """Write text as it stands, its entities decoded, without the tags in it."""
        begin: cython.Py_ssize_t = low
        while low < high:
            if self.base[low] == b"<":
                self.put_decoded(begin, low)
                while low < high and self.base[low] != b">":
                    if self.base[low] == b'"':
                        low += 1
                        while low < high and self.base[low] != b'"':
                            low += 1
                    low += 1
                begin = low + 1
            low += 1
        self.put_decoded(begin, high)

    @cython.final
    @cython.cfunc
    def before(self, row: cython.int) -> object:
        """Give the last character of the node before an element; refuse where that is not easily seen."""
        at: cython.Py_ssize_t = self.start[row]
        low: cython.Py_ssize_t
        above: cython.int = self.parent[row]
        j: cython.int = row - 1
        if above < 0 or at == self.content(above):
            return ""
        while j > above and self.parent[j] != above:
            j = self.parent[j]
        if j > above and self.is_gone(j):
            self.failed = True
            return ""
        if self.base[at - 1] == b">":
            if self.role(j) == SKIPPED:
                self.failed = True
                return ""
            if self.kind[j] != ELEMENT or self.roles[self.tag[j]] & VOID:
                return ""
            low = self.content(j)
            while at > low and self.base[at - 1] == b">":
                at -= 1
                while at > low and self.base[at - 1] != b"<" and self.base[at - 1] != b'"':
                    at -= 1
                at -= 1
                if at < low or self.base[at] != b"<" or self.base[at + 1] != b"/":
                    self.failed = True
                    return ""
            if at == low or (self.role(j) >= LOWERED and self.base[at - 1] == b")"):
                self.failed = True
                return ""
            low = j + 1
            while low < row:
                if self.is_gone(cython.cast(cython.int, low)):
                    self.failed = True
                low += 1
        if self.base[at - 1] == b";":
            return " "  # an entity; a semicolon is no base, either
        low = at - 1
        while self.base[low] & 0xC0 == 0x80:
            low -= 1
        return self.base[low:at].decode("utf-8")

    # The walk.

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def again(self) -> cython.void:
        """Begin again."""
        memset(cython.address(self.line), 0, cython.sizeof(Line))
        memset(self.blocks, 0, self.rows)
        self.depth = 0
        self.codes = 0
        self.cells = 0
        self.lead = False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def text(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        """Lay out a text, or a part of one."""
        frame: cython.pointer[Frame] = self.frames + self.depth - 1
        if low >= high:
            return
        if frame.walk == FLOW:
            self.put_text(low, high, frame.unescaped)
        elif frame.walk == LISTED:
            if self.has_loose and self.gap_kind(low, high) >= 2:
                self.failed = True  # the reference makes an item of it
        elif frame.walk == BLOCKS:
            if not frame.in_run:
                while low < high and is_space(self.base[low]):
                    self.lead = True
                    low += 1
                if low == high:
                    return
                self.begin_block(not self.line.tight)
                frame.in_run = 1
                if self.lead:
                    self.line.owed = 1
            self.put_text(low, high, frame.unescaped)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def element(self, row: cython.int, above: cython.pointer[Frame]) -> cython.Py_ssize_t:
        """Enter an element, or pass by it; give the byte behind its start tag, or behind it."""
        flags: cython.int = self.roles[self.tag[row]]
        role: cython.int = flags & ROLE
        begin: cython.Py_ssize_t = self.stop[row] if flags & VOID else self.content(row)
        frame: cython.pointer[Frame]
        number: cython.int = self.depth - 1
        passed: cython.Py_ssize_t = self.stop[row]
        walk: cython.int = above.walk
        block: cython.bint
        if role == REFUSED:
            self.failed = True
            return passed
        if self.is_skipped(row, role):
            if walk == LISTED and self.has_loose and self.end[row] > row + 1:
                self.failed = True  # the reference makes an item of it
            return passed
        if walk == LISTED:
            if role == BULLETS or role == NUMBERS:
                frame = self.push(row, LISTED, begin)
                above = self.frames + number
                self.indent(above.marker, 2, frame)
                self.line.tight = 1
                self.begin_list(frame, role)
                return begin
            if role != ITEM:
                if not self.has_loose or flags & VOID or not (self.has_items(row) or self.holds_text(row)):
                    if self.has_loose and (
                        memchr(self.base + begin, b"&", passed - begin) != cython.NULL
                        or self.has_dropped(row)
                    ):
                        self.failed = True  # no-break spaces and links that go are text for the reference
                    if role == TERMS:
                        self.failed = True  # it is a list in a list without text of its own
                    return passed
                return self.enter_made_item(row, begin)
            if self.open_items and not self.cells and self.open_item(row, begin, False) and not above.ordered:
                return passed
            self.enter_item(row, above, begin)
            return begin
        if walk == DEFINED or walk == GROUP:
            while self.frames[number].walk == GROUP:
                number -= 1
            if role == TERM or role == DEFINITION:
                if (
                    self.open_items
                    and not self.cells
                    and self.open_item(row, begin, False)
                    and not (role == TERM and self.is_defined(row, self.frames[number].end))
                ):
                    if role == TERM:
                        self.failed = True
                    return passed
                self.enter_definition(row, role, number, begin)
                return begin
            if role == OPENING and walk == DEFINED and self.is_div(row):
                self.push(row, GROUP, begin)
                return begin
            return passed
        if walk == ROWS:
            if role == CAPTION:
                self.push(row, BLOCKS, begin)
            elif role == SECTION or role == ROW:
                frame = self.push(row, ROWS, begin)
                frame.cell = 2 if role == ROW else 0
            elif role == CELL or role == HEADER:
                self.enter_column(row)
                self.enter_cell()
                frame = self.push(row, BLOCKS, begin)
                frame.cell = 1
            else:
                return passed
            return begin
        block = self.is_block(row)
        if block:
            if role == ITEM and self.open_items and not self.cells and self.open_item(row, begin, False):
                return passed
            above.in_run = 0
            return self.block(row, role, begin)
        if role >= LOWERED and self.write_level(row, role, begin):
            return passed
        if walk == BLOCKS and not above.in_run:
            self.begin_block(not self.line.tight)
            above.in_run = 1
        if role == BREAK:
            self.end_line()
            return passed
        if role == EMPTY or flags & VOID:
            return passed
        frame = self.push(row, FLOW, begin)
        if self.blocks[row] == OPENED_LINE:
            frame.cell = 4
        if role == INLINE_CODE and self.has_code:
            frame.code = 1
            self.codes += 1
            for number in range(row + 1, self.end[row]):
                if self.kind[number] == ELEMENT and self.role(number) == CODE:
                    self.failed = True  # a block, whether or not the block in it is laid out
        return begin

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def has_items(self, row: cython.int) -> cython.bint:
        """Tell whether items are right inside an element."""
        inner: cython.int = self.next_element(row + 1, self.end[row])
        while inner >= 0:
            if self.role(inner) == ITEM:
                return True
            inner = self.next_element(self.end[inner], self.end[row])
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def has_dropped(self, row: cython.int) -> cython.bint:
        """Tell whether links that go are in an element."""
        j: cython.int
        for j in range(row + 1, self.end[row]):
            if self.is_dropped(j):
                return True
        return False

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_made_item(self, row: cython.int, begin: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Make an item of a block that is in a list, and in no item; refuse what is inline, or holds items."""
        number: cython.int = self.depth - 1
        found = cython.declare(Attribute)
        frame: cython.pointer[Frame]
        if (
            not self.roles[self.tag[row]] & SEPARATE
            or self.has_items(row)
            or self.has_dropped(row)
            or self.attribute(row, b"value", 5, cython.address(found))
        ):
            self.failed = True
        if self.open_items and not self.cells:
            self.open_item(row, begin, True)
        if self.failed:
            return self.stop[row]
        self.enter_item(row, self.frames + number, begin)
        self.line.joined = not self.is_block(row)
        frame = self.frames + number + 1
        frame.stop = self.stop[row]
        frame.unescaped = 0
        return self.element(row, frame)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def begin_list(self, frame: cython.pointer[Frame], role: cython.int) -> cython.void:
        if role == NUMBERS:
            frame.ordered = 1
            frame.number = self.ordinal(frame.row, b"start", 5, 1)

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def block(self, row: cython.int, role: cython.int, begin: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Enter a block."""
        frame: cython.pointer[Frame]
        if self.blocks[row]:
            role = BLOCK
        if self.roles[self.tag[row]] & VOID:
            return begin
        if role == BULLETS or role == NUMBERS:
            frame = self.push(row, LISTED, begin)
            self.begin_list(frame, role)
        elif role == TERMS:
            self.push(row, DEFINED if self.check_definitions(row, False, begin) else BLOCKS, begin)
        elif role == CODE:
            self.write_code(row, begin)
            return self.stop[row]
        elif role == TABLE:
            if self.is_layout(row):
                self.push(row, BLOCKS, begin)
            else:
                frame = self.push(row, ROWS, begin)
                frame.cell = 3
                self.grid_size = 0
                self.row_at = 0
                self.columns = 0
        elif role == QUOTE:
            frame = self.push(row, BLOCKS, begin)
            self.indent(4, 1, frame)
            self.line.tight = 0
            if self.line.started:
                self.put_byte(b"\n")
                if not frame.tight:
                    self.put_byte(b"\n")
                self.put_indent()
                self.line.filled = 0
                self.line.loose = 1
                self.line.joined = 1
        else:
            self.push(row, BLOCKS, begin)
        return begin

    @cython.final
    @cython.cfunc
    @cython.exceptval(check=False)
    def walk(self) -> cython.void:
        """Lay out the page."""
        i: cython.int = 0
        at: cython.Py_ssize_t = 0
        cut: cython.int = 0
        frame: cython.pointer[Frame]
        space: cython.bint
        self.push(-1, BLOCKS, 0)
        while not self.failed:
            frame = self.frames + self.depth - 1
            if i >= frame.end:
                self.text(at, frame.stop)
                self.lead = False
                if frame.row < 0:
                    break
                at = self.stop[frame.row]
                self.leave()
                continue
            self.text(at, self.start[i])
            while cut < self.cuts and self.gone[cut] < i:
                cut += 1
            self.next_cut = cut
            if cut < self.cuts and self.gone[cut] == i:
                if self.spaced[cut]:
                    space = frame.walk == FLOW or (frame.walk == BLOCKS and frame.in_run)
                    if space:
                        self.line.owed = 1
                    else:
                        self.lead = True
                at = self.stop[i]
                i = self.end[i]
                continue
            if self.kind[i] != ELEMENT:
                if self.kind[i] < COMMENT:
                    self.text(self.start[i], self.stop[i])
                else:
                    self.lead = False
                at = self.stop[i]
                i += 1
                continue
            self.lead = False
            at = self.element(i, frame)
            i = self.end[i] if at == self.stop[i] else i + 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def decoded(
    p: cython.p_uchar, stop: cython.p_uchar, out: cython.pointer[cython.p_uchar]
) -> cython.Py_ssize_t:
    """Write what begins with ``&``; give the bytes that are read."""
    n: cython.Py_ssize_t = stop - p
    if n >= 5 and memcmp(p, b"&amp;", 5) == 0:
        out[0][0] = b"&"
        out[0] += 1
        return 5
    if n >= 4 and memcmp(p, b"&lt;", 4) == 0:
        out[0][0] = b"<"
        out[0] += 1
        return 4
    if n >= 4 and memcmp(p, b"&gt;", 4) == 0:
        out[0][0] = b">"
        out[0] += 1
        return 4
    if n >= 6 and memcmp(p, b"&nbsp;", 6) == 0:
        out[0][0] = 0xC2
        out[0][1] = 0xA0
        out[0] += 2
        return 6
    out[0][0] = b"&"
    out[0] += 1
    return 1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def begins(p: cython.p_uchar, stop: cython.p_uchar, part: cython.p_char, length: cython.int) -> cython.bint:
    return stop - p >= length and memcmp(p, part, length) == 0


@cython.cfunc
@cython.exceptval(check=False)
def is_sign(text: cython.p_uchar, count: cython.int) -> cython.bint:
    """Tell whether a text is a sign of links from headings to themselves."""
    return (
        (count == 2 and memcmp(text, b"\xc2\xb6", 2) == 0)
        or (count == 2 and memcmp(text, b"\xc2\xa7", 2) == 0)
        or (count == 1 and text[0] == b"#")
        or (count == 4 and memcmp(text, b"\xf0\x9f\x94\x97", 4) == 0)
        or (count == 3 and (memcmp(text, b"\xe2\x9a\x93", 3) == 0 or memcmp(text, b"\xe2\x80\x8b", 3) == 0))
    )


@cython.cfunc
@cython.exceptval(check=False)
def digits_of(number: cython.longlong, digits: cython.p_uchar) -> cython.int:
    """Write the digits of a number of at most 20 digits; give how many."""
    count: cython.int = 1
    left: cython.longlong = number
    k: cython.int
    while left >= 10:
        left //= 10
        count += 1
    for k in range(count - 1, -1, -1):
        digits[k] = cython.cast(cython.uchar, 48 + number % 10)
        number //= 10
    return count


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def unicode_space(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.int:
    """Give the bytes of the white space that a text begins with, as Python has it; 0 for none."""
    c: cython.uchar = p[0]
    if c < 0x80:
        return c == b" " or (9 <= c <= 13) or (28 <= c <= 31)
    if c == 0xC2:
        return 2 if n > 1 and (p[1] == 0x85 or p[1] == 0xA0) else 0
    if n < 3:
        return 0
    if c == 0xE2:
        if p[1] == 0x80:
            return 3 if (0x80 <= p[2] <= 0x8A) or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF else 0
        return 3 if p[1] == 0x81 and p[2] == 0x9F else 0
    if c == 0xE1:
        return 3 if p[1] == 0x9A and p[2] == 0x80 else 0
    if c == 0xE3:
        return 3 if p[1] == 0x80 and p[2] == 0x80 else 0
    return 0


@cython.cfunc
def tidied(text: cython.p_uchar, size: cython.Py_ssize_t) -> str:
    """Begin the items of a text on the lines of their signs; see detemplate.output.spaces.

    ``text`` has room for one more byte.
    """
    out: cython.p_uchar
    done: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    following: cython.Py_ssize_t
    item: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    begins: cython.bint = True  # whether a line begins at ``done``
    inside: cython.bint
    text[size] = b"\n"
    size += 1
    at = line_end(text, 0, size)
    out = cython.cast(cython.p_uchar, malloc(size + 1))
    if out == cython.NULL:
        raise MemoryError
    while at < size:
        low = at
        while low > done and text[low - 1] != b"\n":
            low -= 1
        if low == done and not begins:
            low = at
        following = line_end(text, at + 2, size)
        if at == 0 or (text[at - 1] != b"*" and text[at - 1] != b".") or sign_end(text, low, size) != at + 1:
            high = at
            while high > done and text[high - 1] == b" ":
                high -= 1
            memcpy(out + n, text + done, high - done)
            n += high - done
            out[n] = b"\n"
            n += 1
            done = at + 2
            begins = True
        else:
            item = at + 2
            high = min(following, size)
            while item < high and text[item] == b" ":
                item += 1
            k = low
            while text[k] == b" ":
                k += 1
            inside = item - (at + 2) >= k - low + 2
            begins = not inside or item_begins(text, item, high)
            if not begins:
                memcpy(out + n, text + done, at - done)
                n += at - done
                if item < high:
                    out[n] = b" "
                    n += 1
                done = item
            elif not inside and text[at - 1] == b"*":
                memcpy(out + n, text + done, low - done)
                n += low - done
                done = at + 2
            else:
                memcpy(out + n, text + done, at - done)
                n += at - done
                out[n] = b"\n"
                n += 1
                done = at + 2
        at = following
    if done < size:
        memcpy(out + n, text + done, size - done)
        n += size - done
    # At most one empty line, and none at the ends.
    k = 0
    low = 0  # line breaks before
    for at in range(n):
        if out[at] == b"\n":
            low += 1
            if low > 2:
                continue
        else:
            low = 0
        out[k] = out[at]
        k += 1
    low = 0
    while low < k and out[low] == b"\n":
        low += 1
    while k > low and out[k - 1] == b"\n":
        k -= 1
    try:
        return out[low:k].decode("utf-8")
    finally:
        free(out)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def line_end(text: cython.p_uchar, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Find the next line that ends in a space; ``size`` without one."""
    found: cython.p_uchar
    while at + 1 < size:
        found = cython.cast(cython.p_uchar, memchr(text + at + 1, b"\n", size - at - 1))
        if found == cython.NULL:
            return size
        at = found - text
        if text[at - 1] == b" ":
            return at - 1
    return size


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def sign_end(text: cython.p_uchar, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Give the end of the sign of an item that stands at a place, with its space; -1 if none does."""
    begin: cython.Py_ssize_t
    while at < size and text[at] == b" ":
        at += 1
    if at < size and text[at] == b"*":
        at += 1
    else:
        begin = at
        while at < size and text[at] >= b"0" and text[at] <= b"9":
            at += 1
        if at == begin or at >= size or text[at] != b".":
            return -1
        at += 1
    return at + 1 if at < size and text[at] == b" " else -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def item_begins(text: cython.p_uchar, at: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.bint:
    """Tell whether a text up to ``high``, and a space, begins with the sign of an item."""
    end: cython.Py_ssize_t = sign_end(text, at, high)
    if end >= 0:
        return True
    # A sign right before the end.
    if high <= at or (text[high - 1] != b"*" and text[high - 1] != b"."):
        return False
    if text[high - 1] == b"*":
        return high - 1 == at
    high -= 1
    if high == at:
        return False
    while high > at:
        high -= 1
        if text[high] < b"0" or text[high] > b"9":
            return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def has_bare_signs(text: cython.p_uchar, size: cython.Py_ssize_t) -> cython.bint:
    return (size > 0 and text[size - 1] == b" ") or line_end(text, 0, size) < size


def plain(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    children: cython.int[::1],
    roles: cython.ushort[::1],
    removed: cython.int[::1],
    spaced: cython.uchar[::1],
    has_code: cython.bint,
    has_loose: cython.bint,
    level_written: object,
):
    """Give the text of a page without the removed nodes; None where it has what is not done here."""
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    k: cython.Py_ssize_t
    bare: cython.bint
    writer: Writer = Writer()
    if not writer.take(
        data,
        kind,
        tag,
        parent,
        end,
        start,
        stop,
        children,
        roles,
        removed,
        spaced,
        level_written,
    ):
        return None
    writer.has_code = has_code
    writer.has_loose = has_loose
    while True:
        writer.walk()
        if writer.error is not None:
            raise writer.error
        if writer.failed:
            return None
        low = 0
        high = writer.line.size
        while low < high and writer.out[low] == b"\n":
            low += 1
        while high > low and is_space(writer.out[high - 1]):
            high -= 1
        bare = has_code and has_bare_signs(writer.out + low, high - low)
        k = writer.breakable(low, high)
        if not bare or writer.open_items:
            break
        writer.again()
        writer.open_items = True
    high = k
    if has_code or not has_bare_signs(writer.out + low, high - low):
        return writer.out[low:high].decode("utf-8")
    if high == writer.capacity and not writer.grow(1):
        raise MemoryError
    return tidied(writer.out + low, high - low)
