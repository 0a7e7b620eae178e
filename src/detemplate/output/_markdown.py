# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.output.markdown`: a page's Markdown, out of its columns and its serialisation.

It lays out as turbohtml does, after the changes of the DOM that :mod:`detemplate.output.markdown_reference`
makes. What it shares with plain text (code, tables, exponents, signs of headings) is the text writer's. Where
a page has what it does not do, it gives None. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.cpython.unicode import Py_UNICODE_ISALNUM, Py_UNICODE_ISSPACE
from cython.cimports.detemplate.output._layout import (
    ADDRESS_AT,
    BARE,
    BUTTON,
    C_ADDRESS,
    C_BRACKET,
    C_CONTEXT,
    C_ESCAPE,
    C_OUTSIDE,
    C_PATH,
    C_SPACE,
    C_TEXT,
    C_WIDE,
    CODE_LINE,
    DIVIDED,
    DROPPED,
    EMPHASIS_BESIDE,
    FRAMED,
    K_BREAK,
    K_BULLETS,
    K_CAPTION,
    K_CELL,
    K_CODE,
    K_CODE_BLOCK,
    K_DEFINITION,
    K_DELETED,
    K_EMPHASIS,
    K_HEADING,
    K_IMAGE,
    K_INPUT,
    K_ITEM,
    K_LINK,
    K_LOWERED,
    K_NUMBERS,
    K_QUOTE,
    K_RAISED,
    K_REFUSED,
    K_ROW,
    K_RULE,
    K_SECTION,
    K_SILENT,
    K_SKIPPED,
    K_STRONG,
    K_SUMMARY,
    K_TABLE,
    K_TERM,
    K_TERMS,
    KEPT,
    KIND,
    L_BLOCK_END,
    L_CELL,
    L_EMPHASIS,
    L_HEADING,
    L_LINK,
    L_LIST,
    L_NOTHING,
    L_QUOTE,
    L_ROW,
    L_SPACE,
    L_TABLE,
    L_WRAP,
    LONGEST_PREFIX,
    MOST_LEVELS,
    MOST_MARKERS,
    NEUTRAL,
    NOTHING_BESIDE,
    SEPARATE,
    SETTLED,
    UNESCAPED,
    UNWRAPPED,
    VOID,
    W_BLOCK,
    W_FLAT,
    W_INLINE,
    W_LIST,
    W_NOTHING,
    W_ROW,
    W_ROWS,
    W_SAME,
    W_TERM,
    W_TERMS,
    W_WRAPPER,
    Picture,
    Place,
    State,
)
from cython.cimports.detemplate.output._plain import Writer, decoded, digits_of, is_sign, unicode_space
from cython.cimports.detemplate.page._markup import (
    COMMENT,
    ELEMENT,
    Attribute,
    is_named,
    is_space,
    next_attribute,
)
from cython.cimports.libc.stdlib import calloc, free, malloc, realloc
from cython.cimports.libc.string import memchr, memcmp, memcpy


@cython.final
@cython.cclass
class MarkdownWriter(Writer):
    """Lays a page out as Markdown."""

    kinds: cython.p_ushort
    cut: cython.p_uchar  # 1 for a node to cut, 2 for one that leaves a space
    marks: cython.p_uchar
    where: (
        cython.p_int
    )  # of links and images: place of the address, from 1; of headings: the link that moves in
    pool: cython.p_uchar
    pooled: cython.Py_ssize_t
    pool_room: cython.Py_ssize_t
    places: cython.pointer[Place]
    pictures: cython.pointer[Picture]
    count: cython.int
    places_room: cython.int
    s: State
    blocked: cython.int  # a block inside an inline element ended
    interrupt: cython.int
    item_marker: cython.int
    levels: cython.int
    heading: cython.int
    cell: cython.int
    amp_open: cython.int
    list_end: cython.Py_ssize_t
    list_end_prefix: cython.int
    markers: cython.int
    kind_of_marker: cython.int[9]
    emitted: cython.int[9]
    prefix: cython.uchar[512]
    break_start: cython.Py_ssize_t
    break_end: cython.Py_ssize_t
    break_base: cython.Py_ssize_t
    column: cython.int
    formula_row: cython.int  # the last element that was seen with a formula in an attribute
    raised: cython.bint  # the page has what may be the first of several notes: a raised 1
    # The text that is written.
    scratch: cython.p_uchar
    scratch_size: cython.Py_ssize_t
    scratch_room: cython.Py_ssize_t
    hold: cython.p_uchar
    hold_room: cython.Py_ssize_t
    next_row: cython.int  # what follows the text or element that is written
    next_at: cython.Py_ssize_t
    passed_row: cython.int
    passed_at: cython.Py_ssize_t
    beside: cython.int  # the character before
    last: cython.int
    last_space: cython.int
    signs: cython.int  # of the text that is written: 1 a dollar sign, 2 a backslash, 4 a bracket
    texts: cython.longlong
    seen: cython.longlong
    breaks: cython.longlong
    events: cython.longlong
    root_folder: bytes  # None until it is asked for
    own_folder: bytes
    own_place: bytes
    scheme: bytes
    tools: object
    languages: dict  # of blocks of code, by their tags
    numbered: dict  # whether tags are those of line numbers
    ways: dict  # folders of addresses, by the way up
    classes: cython.p_uchar

    def __dealloc__(self):
        free(self.cut)
        free(self.marks)
        free(self.where)
        free(self.pool)
        free(self.places)
        free(self.pictures)
        free(self.scratch)
        free(self.hold)

    # Bytes.

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def write(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        if self.line.size + n > self.capacity and not self.grow(n):
            return
        memcpy(self.out + self.line.size, p, n)
        self.line.size += n

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def byte(self, c: cython.uchar) -> cython.void:
        if self.line.size + 1 > self.capacity and not self.grow(1):
            return
        self.out[self.line.size] = c
        self.line.size += 1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def words(self, text: cython.p_char, n: cython.Py_ssize_t) -> cython.void:
        self.write(cython.cast(cython.p_uchar, text), n)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def literal(self, c: cython.uchar) -> cython.void:
        """Write a byte of content; in a cell, a bar is escaped."""
        if c == b"|" and self.cell:
            self.byte(b"\\")
        self.byte(c)

    @cython.cfunc
    @cython.exceptval(check=False)
    def literals(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        k: cython.Py_ssize_t
        if not self.cell:
            self.write(p, n)
            return
        for k in range(n):
            self.literal(p[k])

    @cython.cfunc
    @cython.exceptval(check=False)
    def decimal(self, number: cython.longlong) -> cython.int:
        digits = cython.declare(cython.uchar[24])
        count: cython.int = digits_of(number, digits)
        k: cython.int
        for k in range(count):
            self.byte(digits[k])
        return count

    # Lines.

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_prefix(self) -> cython.void:
        self.write(self.prefix + self.s.prefix_at, self.s.prefix - self.s.prefix_at)

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_blank_prefix(self) -> cython.void:
        n: cython.int = self.s.prefix
        while n > self.s.prefix_at and self.prefix[n - 1] == b" ":
            n -= 1
        self.write(self.prefix + self.s.prefix_at, n - self.s.prefix_at)

    @cython.cfunc
    @cython.exceptval(check=False)
    def block_line(self, loose: cython.int) -> cython.void:
        """Begin the line of a block, after an empty one if either block wants it."""
        at: cython.Py_ssize_t
        self.blocked = 0
        if not self.s.started:
            self.s.started = 1
            self.write_prefix()
        elif self.s.joined:
            self.s.joined = 0
        else:
            if not self.s.filled:
                at = self.line.size
                while at > self.s.base and self.out[at - 1] == b" ":
                    at -= 1
                if at > self.s.base and self.out[at - 1] == b">":
                    self.line.size = at
            self.byte(b"\n")
            if ((self.s.loose or loose) and not self.s.tight and not self.item_marker) or self.interrupt:
                self.write_blank_prefix()
                self.byte(b"\n")
            self.write_prefix()
            self.s.filled = 0
        self.interrupt = 0
        self.item_marker = 0
        self.s.loose = loose
        self.s.owed = 0
        self.s.drop = 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def new_line(self) -> cython.void:
        self.byte(b"\n")
        self.write_prefix()
        self.s.filled = 0
        self.s.owed = 0
        self.s.drop = 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_break(self) -> cython.void:
        if self.blocked:
            self.block_line(1)
        self.break_start = self.line.size
        if self.s.filled:
            self.words(b"  ", 2)
        else:
            self.byte(b"\\")
        self.new_line()
        self.break_end = self.line.size
        self.break_base = self.s.base

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def before_visible(self) -> cython.void:
        """Write the space that is owed, and the brackets of links."""
        drop: cython.int
        if self.blocked:
            self.block_line(1)
        drop = self.s.drop
        self.s.drop = 0
        if self.s.owed:
            self.s.owed = 0
            if not drop:
                self.byte(b" ")
        if self.markers > self.s.marker_base and not self.emitted[self.markers - 1]:
            self.emit_pending()

    @cython.cfunc
    @cython.exceptval(check=False)
    def emit_pending(self) -> cython.void:
        first: cython.int = self.markers
        k: cython.int
        slash: cython.Py_ssize_t
        while first > self.s.marker_base and not self.emitted[first - 1]:
            first -= 1
        for k in range(first, self.markers):
            if self.kind_of_marker[k]:
                if self.line.size > self.s.base and self.out[self.line.size - 1] == b"!":
                    slash = self.line.size - 1
                    while slash > self.s.base and self.out[slash - 1] == b"\\":
                        slash -= 1
                    if not (self.line.size - 1 - slash) & 1:
                        self.out[self.line.size - 1] = b"\\"
                        self.byte(b"!")
                self.byte(b"[")
            self.emitted[k] = 1
            self.s.filled = 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def push_marker(self, kind: cython.int) -> cython.int:
        if self.markers == MOST_MARKERS:
            self.failed = True
            return self.markers - 1
        self.kind_of_marker[self.markers] = kind
        self.emitted[self.markers] = 0
        self.markers += 1
        return self.markers - 1

    # Texts.

    @cython.cfunc
    @cython.exceptval(check=False)
    def emit(self, p: cython.p_uchar, stop: cython.p_uchar) -> cython.void:
        """Write a text: white space collapsed, signs of Markdown escaped."""
        begin: cython.p_uchar
        q: cython.p_uchar
        c: cython.uchar
        kind: cython.int
        width: cython.int
        n: cython.Py_ssize_t
        end: cython.Py_ssize_t
        trailing: cython.p_uchar = cython.NULL
        at_end: cython.int = -1
        escaped: cython.bint
        first: cython.int = 0
        linked: cython.bint = self.markers > 0
        if p == stop:
            return
        if self.s.number_at and not self.s.owed and self.markers <= self.s.marker_base:
            end = self.line.size
            while end >= self.s.number_at and b"0" <= self.out[end - 1] <= b"9":
                end -= 1
            if end == self.s.number_at - 1:
                q = p
                while q < stop and b"0" <= q[0] <= b"9":
                    q += 1
                if q < stop and (q[0] == b"." or q[0] == b")"):
                    if q > p:
                        self.emit(p, q)
                    self.byte(b"\\")
                    self.emit(q, stop)
                    return
            else:
                self.s.number_at = 0
        if self.amp_open:
            self.amp_open = 0
            c = p[0]
            if (c == b"#" or c == b";" or is_word(c)) and self.joins_reference(p, stop):
                self.failed = True
                return
        while p < stop:
            c = p[0]
            kind = self.classes[c] & C_TEXT
            if kind & C_SPACE:
                self.s.owed = 1
                p += 1
                continue
            self.before_visible()
            if not self.s.filled:
                if b"0" <= c <= b"9":
                    q = p
                    while q < stop and b"0" <= q[0] <= b"9":
                        q += 1
                    if q < stop and (q[0] == b"." or q[0] == b")"):
                        self.write(p, q - p)
                        self.byte(b"\\")
                        self.byte(q[0])
                        self.s.filled = 1
                        p = q + 1
                        continue
                    self.s.number_at = self.line.size + 1
            width = 0
            if kind & C_WIDE and not linked:
                width = unicode_space(p, stop - p)
                if width == 2 and p[1] == 0x85:
                    width = 0
            if width:
                if trailing == cython.NULL:
                    trailing = stop
                    while trailing > p:
                        n = space_before(p, trailing)
                        if not n:
                            break
                        trailing -= n
                if p >= trailing and at_end < 0:
                    at_end = self.ends_block(self.next_row, self.next_at)
                if self.heading or not self.s.filled or (p >= trailing and at_end):
                    self.words(b"&#", 2)
                    self.decimal(codepoint(p))
                    self.byte(b";")
                else:
                    self.write(p, width)
                self.s.filled = 1
                p += width
            else:
                escaped = kind & C_ESCAPE
                if escaped:
                    self.note_sign(c)
                if kind & C_CONTEXT:
                    escaped = self.escapes(p, stop)
                if escaped or (
                    not self.s.filled and (c == b"#" or c == b">" or c == b"-" or c == b"+" or c == b"=")
                ):
                    self.byte(b"\\")
                elif c == b"|" and self.cell:
                    self.byte(b"\\")
                self.s.filled = 1
                if c == b"|":
                    self.byte(c)
                    p += 1
                else:
                    first = 1
            while True:
                begin = p
                p += first  # a character that was escaped, or needs not be
                first = 0
                while p < stop:
                    kind = self.classes[p[0]] & C_TEXT
                    if kind:
                        if kind == C_SPACE:
                            # One space between plain words.
                            if p[0] != b" " or p + 1 == stop or self.classes[p[1]] & C_TEXT:
                                break
                        elif kind != C_WIDE or (not linked and unicode_space(p, stop - p)):
                            break
                    p += 1
                if p > begin:
                    self.literals(begin, p - begin)
                if p == stop or not self.classes[p[0]] & C_ESCAPE:
                    break
                self.note_sign(p[0])
                self.byte(b"\\")
                self.byte(p[0])
                p += 1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def note_sign(self, c: cython.uchar) -> cython.void:
        """Remember the signs of a text that formulas and numbers of notes have."""
        if c == b"\\":
            self.signs |= 2
        elif c == b"[":
            self.signs |= 4

    @cython.cfunc
    @cython.exceptval(check=False)
    def check_signs(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        """Refuse a text with a formula between delimiters; keep one with numbers in brackets."""
        try:
            self.ask_of_signs(p, n)
        except BaseException as error:  # noqa: BLE001  # raised again at the end
            self.caught(error)

    @cython.cfunc
    def ask_of_signs(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        """Refuse a text with a formula between delimiters; keep one with numbers in brackets."""
        signs: cython.int = self.signs
        k: cython.int
        self.signs = 0
        if (signs & 2 and (has_part(p, n, b"\\(", 2) or has_part(p, n, b"\\[", 2))) or (
            signs & 1
            and (
                signs & 2
                or memchr(p, b"^", n) != cython.NULL
                or has_part(p, n, b"_{", 2)
                or has_part(p, n, b"$$", 2)
            )
        ):
            if self.tools.has_formulas(p[:n].decode("utf-8", "replace")):
                self.failed = True
                return
        if signs & 4:
            for k in range(self.count):
                if self.places[k].leave == L_LINK:
                    return
            if has_number(p, n):
                self.tools.bracketed.append(p[:n].decode("utf-8", "replace"))

    @cython.cfunc
    @cython.exceptval(check=False)
    def joins_reference(self, p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
        """Tell whether a text ends a character reference that what is written begins."""
        shape = cython.declare(cython.uchar[96])
        at: cython.Py_ssize_t = self.line.size
        n: cython.Py_ssize_t
        while (
            at > self.s.base
            and self.line.size - at < 34
            and (is_word(self.out[at - 1]) or self.out[at - 1] == b"#")
        ):
            at -= 1
        if at == self.s.base or self.out[at - 1] != b"&":
            return False
        n = self.line.size - at + 1
        memcpy(shape, self.out + at - 1, n)
        while p < stop and n < 90:
            shape[n] = p[0]
            n += 1
            if p[0] == b";":
                break
            p += 1
        return is_reference(shape, cython.cast(cython.p_uchar, shape) + n)

    @cython.cfunc
    @cython.exceptval(check=False)
    def escapes(self, p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
        """Tell whether ``<``, ``&`` or ``$`` is escaped, by what follows it."""
        if p[0] == b"$":
            self.signs |= 1
            return False
        if p[0] == b"<":
            return p + 1 == stop or not is_space(p[1])
        if is_reference(p, stop):
            return True
        p += 1
        while p < stop and (is_word(p[0]) or p[0] == b"#"):
            p += 1
        self.amp_open = p == stop
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def store(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t, unescaped: cython.bint) -> cython.void:
        """Add text of the page to the text at hand, its entities decoded."""
        p: cython.p_uchar = self.base + low
        stop: cython.p_uchar = self.base + high
        if not unescaped and memchr(p, b"&", high - low) != cython.NULL:
            self.unescape(p, stop)
        elif self.reserve(high - low):
            memcpy(self.scratch + self.scratch_size, p, high - low)
            self.scratch_size += high - low

    @cython.cfunc
    @cython.exceptval(check=False)
    def reserve(self, n: cython.Py_ssize_t) -> cython.bint:
        moved: cython.p_void
        if self.scratch_size + n + 8 > self.scratch_room:
            moved = realloc(self.scratch, 2 * (self.scratch_size + n) + 1024)
            if moved == cython.NULL:
                self.failed = True
                return False
            self.scratch = cython.cast(cython.p_uchar, moved)
            self.scratch_room = 2 * (self.scratch_size + n) + 1024
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def note_text(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        """Remember the end of a text of the DOM."""
        at: cython.Py_ssize_t = n - 1
        while at > 0 and p[at] & 0xC0 == 0x80:
            at -= 1
        self.last = codepoint(p + at)
        self.beside = self.last
        self.texts += 1
        self.events += 1
        self.last_space = is_space(p[n - 1])
        if not is_blank_run(p, n):
            self.seen += 1

    # What becomes of the page.

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def kind_of(self, row: cython.int) -> cython.int:
        return self.kinds[self.tag[row]] & KIND

    @cython.cfunc
    @cython.exceptval(check=False)
    def begins(self, row: cython.int) -> cython.Py_ssize_t:
        """Give the byte at which an element's content begins."""
        if self.roles[self.tag[row]] & VOID:
            return self.stop[row]
        return self.behind_tag(row)

    @cython.cfunc
    @cython.exceptval(check=False)
    def behind_tag(self, row: cython.int) -> cython.Py_ssize_t:
        """Give the byte behind a start tag; an attribute with a formula is noted."""
        begin: cython.p_uchar = self.base + self.start[row]
        at: cython.p_uchar = begin + 2
        limit: cython.p_uchar = self.base + self.stop[row]
        while at < limit and at[0] != b" " and at[0] != b">":
            at += 1  # a tag's name may have quotation marks
        while at < limit:
            if at[0] == b">":
                return at + 1 - self.base
            if at[0] == b'"':
                if (at - 1)[0] != b"=" or (at - 2)[0] == b" ":
                    return self.content(row)  # so may an attribute's
                if (at - 2)[0] == b"h" and at - begin > 12 and memcmp(at - 11, b" data-math", 10) == 0:
                    self.formula_row = row
                at = cython.cast(cython.p_uchar, memchr(at + 1, b'"', limit - at - 1))
                if at == cython.NULL:
                    break
            at += 1
        self.failed = True
        return self.stop[row]

    @cython.cfunc
    @cython.exceptval(check=False)
    def ends(self, row: cython.int) -> cython.Py_ssize_t:
        """Give the byte at which an element's content ends."""
        at: cython.Py_ssize_t = self.stop[row]
        if self.roles[self.tag[row]] & VOID:
            return at
        at -= 3
        while at > self.start[row] and not (self.base[at] == b"<" and self.base[at + 1] == b"/"):
            at -= 1
        if at <= self.start[row]:
            self.failed = True
        return at

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_framed(self, row: cython.int) -> cython.bint:
        """Tell whether an element is a block in Markdown."""
        if self.kinds[self.tag[row]] & FRAMED:
            return True
        return self.blocks[row] != 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_separate(self, row: cython.int) -> cython.bint:
        """Tell whether an element is a block in HTML."""
        return self.roles[self.tag[row]] & SEPARATE != 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def gap(self, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.int:
        """Tell what a text with tags in it is: 0 nothing, 1 white space of HTML, 2 other white space too, 3 more."""
        kind: cython.int = 0
        width: cython.int
        while low < high:
            if self.base[low] == b"<":
                while low < high and self.base[low] != b">":
                    if self.base[low] == b'"':
                        low += 1
                        while low < high and self.base[low] != b'"':
                            low += 1
                    low += 1
                low += 1
            elif is_space(self.base[low]):
                low += 1
                kind = max(kind, 1)
            elif high - low >= 6 and memcmp(self.base + low, b"&nbsp;", 6) == 0:
                kind = 2
                low += 6
            else:
                width = unicode_space(self.base + low, high - low)
                if not width:
                    return 3
                kind = 2
                low += width
        return kind

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_table(self, row: cython.int) -> cython.bint:
        """Tell whether a table is one of data; else its parts are blocks."""
        if not self.marks[row] & 7:
            self.numbers_cell = -1
            self.marks[row] |= UNWRAPPED if self.is_layout(row) else KEPT
            if self.numbers_cell >= 0:
                # Code takes the place of the table; its line numbers go.
                self.marks[row] = (self.marks[row] & ~7) | BARE
                self.cut[self.numbers_cell] = 1
                self.check_beside(row)
                above: cython.int = self.parent[row]
                while above >= 0:
                    if self.kind_of(above) == K_TABLE:
                        self.failed = True  # it may be one of data without a table in it
                    above = self.parent[above]
        return self.marks[row] & 7 == KEPT

    @cython.cfunc
    @cython.exceptval(check=False)
    def table_of_code(self, row: cython.int) -> cython.int:
        """Give the table whose place the code in a cell takes; -1 for another element."""
        if self.kind_of(row) != K_CELL:
            return -1
        while row >= 0 and (
            self.kind_of(row) == K_CELL or self.kind_of(row) == K_ROW or self.kind_of(row) == K_SECTION
        ):
            row = self.parent[row]
        return row if row >= 0 and self.kind_of(row) == K_TABLE and self.marks[row] & 7 == BARE else -1

    @cython.cfunc
    @cython.exceptval(check=False)
    def heading_state(self, row: cython.int) -> cython.int:
        """Tell whether a heading stays: one without text and images goes."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t
        if self.marks[row] & 7:
            return self.marks[row] & 7
        at = self.begins(row)
        while j < self.end[row]:
            if self.gap(at, self.start[j]) == 3:
                break
            if self.cut[j]:
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                if self.kind_of(j) == K_IMAGE:
                    break
                at = self.begins(j)
            elif self.kind[j] < COMMENT:
                break
            else:
                at = self.stop[j]
            j += 1
        if j < self.end[row] or self.gap(at, self.stop[row]) == 3:
            self.marks[row] |= KEPT
        else:
            self.marks[row] |= DROPPED
        return self.marks[row] & 7

    @cython.cfunc
    @cython.exceptval(check=False)
    def resolve(self, row: cython.int, p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
        """Store the absolute form of the address in an attribute; tell whether it has one."""
        try:
            return self.resolve_address(row, p, stop)
        except BaseException as error:  # noqa: BLE001  # raised again at the end
            self.caught(error)
            return False

    @cython.cfunc
    def resolve_address(self, row: cython.int, p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
        """Store the absolute form of the address in an attribute; tell whether it has one."""
        n: cython.Py_ssize_t = stop - p
        q: cython.p_uchar = p
        at: cython.Py_ssize_t = self.pooled
        folder: bytes = b""
        found: bytes
        classes: cython.int = 0
        simple: cython.bint = False
        if (
            n > 8
            and n <= 2000
            and memcmp(p, b"http", 4) == 0
            and (memcmp(p + 4, b"://", 3) == 0 or memcmp(p + 4, b"s://", 4) == 0)
        ):
            while q < stop:
                classes |= self.classes[q[0]]
                q += 1
            simple = not classes & (C_OUTSIDE | C_BRACKET)
            q = p
        elif n == 0 or n > 2000 or not self.has_folders():
            pass
        elif p[0] == b"#":
            folder = self.own_place
            q = p + 1
            while q < stop:
                classes |= self.classes[q[0]]
                q += 1
            simple = n > 1 and not classes & C_OUTSIDE
            q = p + 1
        elif p[0] == b"/" and n > 1 and p[1] == b"/":
            # With a host.
            folder = self.scheme
            q = p + 2
            while q < stop and (is_word(q[0]) or q[0] == b"." or q[0] == b"-"):
                q += 1
            simple = q > p + 2 and q < stop and q[0] == b"/" and is_simple(q + 1, stop, self.classes)
            q = p
        elif p[0] == b"/":
            folder = self.root_folder
            q = p + 1
            simple = is_simple(q, stop, self.classes)
        else:
            # The way up.
            while stop - q > 2 and q[0] == b"." and (q[1] == b"/" or (q[1] == b"." and q[2] == b"/")):
                q += 2 if q[1] == b"/" else 3
            simple = is_simple(q, stop, self.classes)
            if simple:
                folder = self.own_folder if q == p else self.folder(p[: q - p])
        if simple and (folder or q == p) and has_plain_signs(q, stop):
            # What is behind the way up; ``#`` is part of the folder.
            if not self.keep(folder, q, stop, True):
                return False
        else:
            text: object = self.tools.resolve(said(stop - n, stop))
            if not text:
                return False
            found = text.encode("utf-8", "surrogatepass")
            if not self.keep(b"", found, cython.cast(cython.p_uchar, found) + len(found), False):
                return False
        self.where[row] = cython.cast(cython.int, at + ADDRESS_AT + 1)
        return self.pooled > at + ADDRESS_AT

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def length(self, row: cython.int) -> cython.int:
        """Give the bytes of an address: they stand before it."""
        n: cython.int = 0
        memcpy(cython.address(n), self.pool + self.where[row] - 1 - ADDRESS_AT, ADDRESS_AT)
        return n

    @cython.cfunc
    def has_folders(self) -> cython.bint:
        """Tell whether relative addresses may be simple; ask for what they are put behind."""
        if self.root_folder is None:
            self.root_folder, self.own_folder, self.own_place = self.tools.folders()
            self.scheme = self.root_folder[: self.root_folder.find(b":") + 1]
        return len(self.root_folder) > 0

    @cython.cfunc
    def folder(self, way: bytes) -> bytes:
        """Give what a way up leads to."""
        found: object = self.ways.get(way)
        if found is None:
            found = self.ways[way] = self.tools.folder(way.decode())
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def keep(
        self, folder: bytes, p: cython.p_uchar, stop: cython.p_uchar, entities: cython.bint
    ) -> cython.bint:
        """Add an address to those that are stored. In one from the page, ``&`` is written ``&amp;``."""
        c: cython.p_uchar
        n: cython.Py_ssize_t = len(folder)
        room: cython.Py_ssize_t = self.pooled + ADDRESS_AT + n + (stop - p)
        at: cython.Py_ssize_t = self.pooled
        length: cython.int
        moved: cython.p_void
        if room > self.pool_room:
            moved = realloc(self.pool, 2 * room + 4096)
            if moved == cython.NULL:
                self.failed = True
                return False
            self.pool = cython.cast(cython.p_uchar, moved)
            self.pool_room = 2 * room + 4096
        self.pooled += ADDRESS_AT
        if n:
            memcpy(self.pool + self.pooled, cython.cast(cython.p_char, folder), n)
        self.pooled += n
        while p < stop:
            c = cython.cast(cython.p_uchar, memchr(p, b"&", stop - p)) if entities else cython.NULL
            n = (stop if c == cython.NULL else c + 1) - p
            memcpy(self.pool + self.pooled, p, n)
            self.pooled += n
            p += n if c == cython.NULL else n + 4
        length = cython.cast(cython.int, self.pooled - at - ADDRESS_AT)
        memcpy(self.pool + at, cython.address(length), ADDRESS_AT)
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def unescape(self, p: cython.p_uchar, stop: cython.p_uchar) -> cython.void:
        """Add a text or an attribute's value to the text at hand, its entities decoded."""
        q: cython.p_uchar
        if not self.reserve(stop - p):
            return
        q = self.scratch + self.scratch_size
        while p < stop:
            if p[0] == b"&":
                if stop - p >= 6 and memcmp(p, b"&quot;", 6) == 0:
                    q[0] = b'"'
                    q += 1
                    p += 6
                else:
                    p += decoded(p, stop, cython.address(q))
            else:
                q[0] = p[0]
                q += 1
                p += 1
        self.scratch_size = q - self.scratch

    @cython.cfunc
    @cython.exceptval(check=False)
    def label(self, row: cython.int) -> cython.int:
        """Tell what the text of a link is: 0 text, 1 nothing, 2 a sign, 3 perhaps signs of items."""
        text = cython.declare(cython.uchar[24])
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        limit: cython.Py_ssize_t
        count: cython.int = 0
        units: cython.int = 0
        spaced: cython.bint = False  # the text begins with white space
        listed: cython.bint = False  # there is what a text leaves parts of out
        drawn: cython.bint = False  # there is something that is not shown, or a drawing
        width: cython.int
        c: cython.uchar
        while True:
            limit = self.start[j] if j < self.end[row] else high
            while at < limit:
                c = self.base[at]
                if c == b"<":
                    while at < limit and self.base[at] != b">":
                        at += 1
                    at += 1
                    continue
                if c == b"&" and high - at >= 6 and memcmp(self.base + at, b"&nbsp;", 6) == 0:
                    width = 6
                else:
                    width = unicode_space(self.base + at, high - at)
                if width:
                    spaced |= units == 0
                    units += 1
                    at += width
                    if count:
                        if count < 20:
                            text[count] = b" "
                        count += 1
                    continue
                if c == b"&":
                    return 0  # no sign has one
                units += 1
                if count >= 20:
                    return 0
                text[count] = c
                count += 1
                at += 1
                while at < limit and self.base[at] & 0xC0 == 0x80:
                    if count >= 20:
                        return 0
                    text[count] = self.base[at]
                    count += 1
                    at += 1
                if count > 4:
                    return 0
            if j >= self.end[row]:
                break
            if self.cut[j]:
                if self.cut[j] == 2:
                    spaced |= units == 0
                    units += 1
                    if count and count < 20:
                        text[count] = b" "
                        count += 1
                at = self.stop[j]
                j = self.end[j]
            elif self.kind[j] == ELEMENT:
                if self.kind_of(j) == K_SKIPPED:
                    drawn = True
                    at = self.stop[j]
                    j = self.end[j]
                    continue
                listed |= self.kind_of(j) >= K_BULLETS and self.kind_of(j) <= K_DEFINITION
                drawn |= is_tag(self.base + self.start[j], b"<svg", 4) or is_tag(
                    self.base + self.start[j], b"<noscript", 9
                )
                at = self.begins(j)
                j += 1
            elif self.kind[j] >= COMMENT:
                at = self.stop[j]
                j += 1
            else:
                at = self.start[j]
                # The text is read as a part of what is before the next node.
                j += 1
        while count > 0 and count <= 20 and text[count - 1] == b" ":
            count -= 1
        if listed and drawn:  # signs of items are text
            if count == 0:
                return 3
            if count <= 20 and is_sign(text, count):
                self.failed = True
        if units > 4 and not spaced and not drawn:
            return 0
        if count == 0:
            return 1
        if count > 20:
            return 0
        return 2 if is_sign(text, count) else 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def link_state(self, row: cython.int) -> cython.int:
        """Tell what becomes of a link: it stays, is its content alone, or goes."""
        found = cython.declare(Attribute)
        j: cython.int
        k: cython.int
        said: cython.int
        has_href: cython.bint
        moves: cython.bint = False
        state: cython.int = KEPT
        if self.marks[row] & 7:
            return self.marks[row] & 7
        has_href = self.attribute(row, b"href", 4, cython.address(found))
        if has_href and found.value < found.stop and found.value[0] == b"#" and self.may_be_mark(row):
            self.failed = True
        j = row + 1
        while j < self.end[row]:
            if self.cut[j]:
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                if self.kind_of(j) == K_HEADING and (
                    self.parent[j] == row or self.parent[self.parent[j]] == row
                ):
                    if self.heading_state(j) == KEPT:
                        moves = True
                        break
                elif self.kind_of(j) == K_LINK:
                    self.failed = True
            j += 1
        if moves:
            state = UNWRAPPED
            for k in range(j + 1, self.end[j]):
                if self.kind[k] == ELEMENT and (self.kind_of(k) == K_LINK or self.kind_of(k) == K_HEADING):
                    self.failed = True
            if has_href and found.value < found.stop:
                if self.resolve(j, found.value, found.stop):
                    said = self.label(j)
                    if said == 2 and memchr(found.value, b"#", found.stop - found.value) != cython.NULL:
                        self.failed = True
                    if said == 1 or said == 3:
                        k = j + 1
                        while k < self.end[j] and not (
                            self.kind[k] == ELEMENT and self.kind_of(k) == K_IMAGE and self.where[k]
                        ):
                            k += 1
                        if k == self.end[j]:
                            self.where[j] = 0
                            if said == 3:
                                self.failed = True
                else:
                    self.where[j] = 0
        elif not has_href:
            state = BARE
        elif not self.resolve(row, found.value, found.stop):
            state = UNWRAPPED
        else:
            said = self.label(row)
            if said == 1 or said == 3:
                j = row + 1
                while j < self.end[row]:
                    if self.cut[j]:
                        j = self.end[j]
                        continue
                    if self.kind[j] == ELEMENT and self.kind_of(j) == K_IMAGE and self.where[j]:
                        break
                    j += 1
                if j >= self.end[row]:
                    state = UNWRAPPED
                    if said == 3:
                        self.failed = True
            elif said == 2 and memchr(found.value, b"#", found.stop - found.value) != cython.NULL:
                state = DROPPED
        self.marks[row] = (self.marks[row] & ~7) | state
        return state

    @cython.cfunc
    @cython.exceptval(check=False)
    def may_be_mark(self, row: cython.int) -> cython.bint:
        """Tell whether a link may be to a note: its text is short, and it is raised or named so."""
        found = cython.declare(Attribute)
        tag: cython.p_uchar = self.base + self.start[row] + 2
        above: cython.int = self.parent[row]
        named: cython.bint = above >= 0 and (
            self.kind_of(above) == K_RAISED
            or (self.parent[above] >= 0 and self.kind_of(self.parent[above]) == K_RAISED)
        )
        j: cython.int
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        units: cython.int = 0
        letters: cython.int = 0
        while next_attribute(cython.address(tag), self.base + self.stop[row], cython.address(found)):
            if (
                is_named(cython.address(found), b"class", 5)
                or is_named(cython.address(found), b"role", 4)
                or is_named(cython.address(found), b"epub:type", 9)
                or is_named(cython.address(found), b"id", 2)
                or is_named(cython.address(found), b"rel", 3)
            ):
                named = named or has_folded(found.value, found.stop, b"ref", 3)
        for j in range(row + 1, self.end[row]):
            named = named or (self.kind[j] == ELEMENT and self.kind_of(j) == K_RAISED)
        if not named:
            return False
        while at < high:
            if self.base[at] == b"<":
                while at < high and self.base[at] != b">":
                    if self.base[at] == b'"':
                        at += 1
                        while at < high and self.base[at] != b'"':
                            at += 1
                    at += 1
            elif self.base[at] & 0xC0 != 0x80:
                units += 1
                letters += (self.base[at] | 0x20) >= b"a" and (self.base[at] | 0x20) <= b"z"
                if units > 8 or letters > 1:
                    return False
            at += 1
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def title_of(self, row: cython.int) -> cython.int:
        """Give the title of a note or warning that is set apart; -1 if the element is none."""
        found = cython.declare(Attribute)
        p: cython.p_uchar = self.base + self.start[row]
        j: cython.int = row + 1
        k: cython.int
        units: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        if not (
            is_tag(p, b"<div", 4)
            or is_tag(p, b"<p", 2)
            or is_tag(p, b"<section", 8)
            or is_tag(p, b"<article", 8)
            or is_tag(p, b"<figure", 7)
        ):
            return -1
        if not (
            self.attribute(row, b"class", 5, cython.address(found)) and names_callout(cython.address(found))
        ):
            return -1
        while j < self.end[row] and (self.cut[j] or self.kind[j] != ELEMENT):
            j = self.end[j]
        if j < self.end[row] and (
            self.kind_of(j) == K_LINK or (self.kind_of(j) != K_SKIPPED and self.gives_nothing(j))
        ):
            self.failed = True  # the DOM may have another first element
            return -1
        if j >= self.end[row] or not self.attribute(j, b"class", 5, cython.address(found)):
            return -1
        if not (
            has_folded(found.value, found.stop, b"title", 5)
            or has_folded(found.value, found.stop, b"header", 6)
            or has_folded(found.value, found.stop, b"heading", 7)
        ):
            return -1
        # What may be a title in another way is refused.
        if (
            self.kind_of(j) == K_LINK
            or self.kind_of(j) == K_TABLE
            or self.kind_of(j) == K_SKIPPED
            or self.where[j]
        ):
            self.failed = True
            return -1
        units = 0
        for k in range(j + 1, self.end[j]):
            if self.cut[k] or self.kind[k] >= COMMENT:
                self.failed = True
            elif self.kind[k] == ELEMENT:
                if (
                    self.is_separate(k)
                    or self.kind_of(k) == K_LINK
                    or self.kind_of(k) == K_SKIPPED
                    or self.kind_of(k) == K_BREAK
                ):
                    self.failed = True
            else:
                units += 1
        at = self.ends(j) - self.begins(j)
        if units == 0 or at > 120:
            self.failed = True
            return -1
        return j

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_quote(self, row: cython.int) -> cython.bint:
        """Tell whether an element becomes a quote: a note that is set apart."""
        title: cython.int
        if self.kind_of(row) != 1:
            return False
        if not self.marks[row] & 7:
            title = self.title_of(row)
            if title >= 0:
                self.marks[row] |= UNWRAPPED
                self.marks[title] = (self.marks[title] & ~7) | DIVIDED
            else:
                self.marks[row] |= KEPT
        return self.marks[row] & 7 == UNWRAPPED

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_bold(self, row: cython.int) -> cython.void:
        """Enter what becomes a paragraph in bold."""
        place: cython.pointer[Place] = self.enter(row, W_BLOCK, L_NOTHING)
        place.kind = FRAMED
        self.beside = NOTHING_BESIDE
        if self.is_strong(row):
            self.block_line(0 if self.s.tight else 1)
            place.in_run = 1
            self.enter_emphasis(row)
            place = self.places + self.count - 1
            place.kind = K_STRONG
            place.inside = 3
            place.beside = NOTHING_BESIDE

    @cython.cfunc
    @cython.exceptval(check=False)
    def find_images(self) -> cython.void:
        """Find the addresses of all images."""
        found = cython.declare(Attribute)
        at: cython.p_uchar
        limit: cython.p_uchar
        image: cython.pointer[Picture]
        moved: cython.p_void
        i: cython.int = 0
        k: cython.int
        count: cython.int = 0
        room: cython.int = 0
        last: cython.int = -1
        lazy: cython.bint = False
        fine: cython.bint
        while i < self.rows:
            if self.cut[i]:
                i = self.end[i]
                continue
            if self.kind_of(i) != K_IMAGE or self.kind[i] != ELEMENT:
                i += 1
                continue
            if count == room:
                room = 2 * room + 32
                moved = realloc(self.pictures, room * cython.sizeof(Picture))
                if moved == cython.NULL:
                    self.failed = True
                    return
                self.pictures = cython.cast(cython.pointer[Picture], moved)
            image = self.pictures + count
            count += 1
            image.row = i
            image.sized = 0
            image.source = image.stop = cython.NULL
            at = self.base + self.start[i] + 4
            limit = self.base + self.stop[i]
            while next_attribute(cython.address(at), limit, cython.address(found)):
                if found.name[0] == b"s":
                    if is_named(cython.address(found), b"src", 3):
                        image.source = found.value
                        image.stop = found.stop
                elif found.name[0] == b"d":
                    if source_of(cython.address(found)) >= 0:
                        lazy = True
                elif is_named(cython.address(found), b"width", 5) or is_named(
                    cython.address(found), b"height", 6
                ):
                    if found.stop - found.value == 1 and (found.value[0] == b"0" or found.value[0] == b"1"):
                        image.sized += 1
            i += 1
        for k in range(count):
            image = self.pictures + k
            i = image.row
            fine = (
                not lazy
                and image.source != cython.NULL
                and image.stop > image.source
                and not is_foreign(image.source, image.stop)
            )
            if fine:
                fine = self.resolve(i, image.source, image.stop)
            if not fine:
                self.where[i] = 0
                self.image_address(i)
            if image.sized == 2:
                self.where[i] = 0
            if self.where[i]:
                if (
                    last >= 0
                    and self.length(last) == self.length(i)
                    and memcmp(
                        self.pool + self.where[last] - 1, self.pool + self.where[i] - 1, self.length(i)
                    )
                    == 0
                ):
                    self.where[i] = 0
                else:
                    last = i

    @cython.cfunc
    @cython.exceptval(check=False)
    def image_address(self, row: cython.int) -> cython.void:
        """Find the address of an image that has it elsewhere than in ``src``: see detemplate.output.addresses."""
        try:
            self.find_address(row)
        except BaseException as error:  # noqa: BLE001  # raised again at the end
            self.caught(error)

    @cython.cfunc
    def find_address(self, row: cython.int) -> cython.void:
        """Find the address of an image that has it elsewhere than in ``src``: see detemplate.output.addresses."""
        found = cython.declare(Attribute)
        sources = cython.declare(Attribute[8])
        known: cython.int = 0
        k: cython.int
        tag: cython.p_uchar = self.base + self.start[row] + 4
        limit: cython.p_uchar = self.base + self.stop[row]
        above: cython.int = self.parent[row]
        j: cython.int
        sets: list = []
        at: cython.Py_ssize_t = self.pooled
        while next_attribute(cython.address(tag), limit, cython.address(found)):
            k = source_of(cython.address(found))
            if k >= 0:
                sources[k] = found
                known |= 1 << k
        for k in range(8):
            found = sources[k]
            if (
                known >> k & 1
                and found.stop > found.value
                and not (found.stop - found.value > 4 and memcmp(found.value, b"data:", 5) == 0)
                and self.resolve(row, found.value, found.stop)
            ):
                if self.length(row) > 5 and is_web(self.pool + at + ADDRESS_AT):
                    return
                break  # perhaps no address of an image
        self.where[row] = 0
        self.pooled = at
        if above >= 0 and is_tag(self.base + self.start[above], b"<picture", 8):
            j = above + 1
            while j < self.end[above]:
                if self.cut[j]:
                    j = self.end[j]
                    continue
                if self.kind[j] == ELEMENT and is_tag(self.base + self.start[j], b"<source", 7):
                    sets.append(self.attributes(j))
                j += 1
        text: object = self.tools.image(self.attributes(row), sets)
        if text:
            address: bytes = text.encode("utf-8", "surrogatepass")
            if self.keep(b"", address, cython.cast(cython.p_uchar, address) + len(address), False):
                self.where[row] = cython.cast(cython.int, at + ADDRESS_AT + 1)

    @cython.cfunc
    def attributes(self, row: cython.int) -> dict:
        found = cython.declare(Attribute)
        at: cython.p_uchar = self.base + self.start[row] + 1
        limit: cython.p_uchar = self.base + self.stop[row]
        result: dict = {}
        while at < limit and at[0] != b" " and at[0] != b">":
            at += 1
        while next_attribute(cython.address(at), limit, cython.address(found)):
            name: str = found.name[: found.length].decode("utf-8", "replace")
            result[name] = said(found.value, found.stop)
        return result

    # Looking ahead.

    @cython.cfunc
    @cython.exceptval(check=False)
    def gives_nothing(self, row: cython.int) -> cython.bint:
        """Tell whether an element is not in the DOM that is written, or nothing of it is written."""
        kind: cython.int = self.kind_of(row)
        if kind == K_SKIPPED:
            return True
        if kind == K_LINK:
            return self.link_state(row) == DROPPED
        if kind == K_HEADING:
            return self.heading_state(row) == DROPPED
        if kind == K_IMAGE:
            return not self.where[row]
        if kind == K_BREAK:
            return self.break_state(row) == DROPPED
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def break_state(self, row: cython.int) -> cython.int:
        """Tell what becomes of a line break: it stays, goes, or begins a paragraph."""
        above: cython.int = self.parent[row]
        while above >= 0 and self.kind_of(above) == K_LINK and self.link_state(above) == UNWRAPPED:
            above = self.parent[above]
        if above < 0:
            self.failed = True
            return KEPT
        if not self.marks[above] & SETTLED:
            self.settle_breaks(above)
        return self.marks[row] & 7

    @cython.cfunc
    @cython.exceptval(check=False)
    def settle_breaks(self, above: cython.int) -> cython.void:
        """Find what becomes of the line breaks right inside an element."""
        j: cython.int = above + 1
        at: cython.Py_ssize_t = self.begins(above)
        before: cython.int = 0  # 0 nothing, 1 a block, 2 something else
        run: cython.int = -1  # the break that began the run of breaks
        many: cython.bint = False
        block: cython.bint = self.is_separate(above) or self.blocks[above] != 0
        splits: cython.bint
        kind: cython.int
        if block and self.is_bold(above):
            block = False
        splits = block or is_plain_wrapper(self.base + self.start[above])
        self.marks[above] |= SETTLED
        while True:
            if self.gap(at, self.start[j] if j < self.end[above] else self.ends(above)) == 3:
                if many:
                    self.marks[run] = (DIVIDED if splits else KEPT) | 8
                run = -1
                many = False
                before = 2
            if j >= self.end[above]:
                break
            if self.cut[j] or self.kind[j] >= COMMENT:
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                kind = self.kind_of(j)
                if kind == K_BREAK:
                    if run >= 0:
                        self.marks[j] = DROPPED
                        many = True
                    elif block and before != 2:
                        self.marks[j] = DROPPED
                    else:
                        self.marks[j] = KEPT
                        run = j
                    at = self.stop[j]
                    j = self.end[j]
                    continue
                if kind == K_LINK and self.link_state(j) == UNWRAPPED:
                    at = self.begins(j)
                    j += 1
                    continue
                if kind != K_SKIPPED and self.gives_nothing(j):
                    at = self.stop[j]
                    j = self.end[j]
                    continue
            if many:
                self.marks[run] = (DIVIDED if splits else KEPT) | 8
            run = -1
            many = False
            before = 1 if self.kind[j] == ELEMENT and (self.is_separate(j) or self.blocks[j]) else 2
            at = self.stop[j]
            j = self.end[j]
        if many:
            self.marks[run] = (DIVIDED if splits else KEPT) | 8

    @cython.cfunc
    @cython.exceptval(check=False)
    def ends_block(self, i: cython.int, at: cython.Py_ssize_t) -> cython.bint:
        """Tell whether nothing visible is between a place and the end of the block that it is in."""
        d: cython.int = self.count - 1
        place: cython.pointer[Place]
        linked: cython.int = 0
        k: cython.int
        kind: cython.int
        high: cython.Py_ssize_t
        if self.s.flat:
            for k in range(self.count):
                if self.places[k].leave == L_LINK:
                    linked += 1
        while True:
            place = self.places + d
            if place.walk == W_NOTHING:
                d -= 1
                continue
            high = self.start[i] if i < place.end else place.stop
            if self.gap(at, high) > 1:
                return False
            if i >= place.end:
                if place.row < 0:
                    return True
                i = place.end
                at = self.stop[place.row]
                if place.walk == W_ROW and place.number < self.places[place.owner].width:
                    return False  # empty cells follow
                if place.leave == L_LINK:
                    linked -= 1
                elif not linked and place.walk != W_SAME and self.is_framed(place.row):
                    return True
                d -= 1
                continue
            if self.cut[i] or self.kind[i] >= COMMENT:
                at = self.stop[i]
                i = self.end[i]
                continue
            if self.kind[i] != ELEMENT:
                return False
            kind = self.kind_of(i)
            if self.gives_nothing(i):
                at = self.stop[i]
                i = self.end[i]
                continue
            if kind == K_LINK and self.link_state(i) == UNWRAPPED:
                at = self.begins(i)
                i += 1
                continue
            if kind == K_BREAK:
                return self.marks[i] & 7 == DIVIDED and not linked
            return not linked and self.is_framed(i)

    @cython.cfunc
    @cython.exceptval(check=False)
    def leads(self, row: cython.int, interrupts: cython.bint) -> cython.bint:
        """Tell whether an item begins with something in the line."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        kind: cython.int
        while j < self.end[row]:
            if self.gap(at, self.start[j]) > 1:
                return True
            if self.cut[j] or self.kind[j] >= COMMENT:
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT:
                return True
            if self.gives_nothing(j):
                at = self.stop[j]
                j = self.end[j]
                continue
            kind = self.kind_of(j)
            if kind == K_CODE:
                if self.holds(j):
                    return True
                at = self.stop[j]
                j = self.end[j]
                continue
            if kind == K_IMAGE or (kind == K_HEADING and self.marks[j] & 7 != DIVIDED):
                return True
            if kind == K_BREAK:
                if self.marks[j] & 7 == KEPT:
                    if interrupts:
                        self.failed = True
                    return True
                at = self.stop[j]
                j = self.end[j]
                continue
            if kind == K_LINK and self.link_state(j) == KEPT:
                return True
            if (
                kind == K_QUOTE
                or kind == K_CODE_BLOCK
                or kind == K_RULE
                or kind == K_BULLETS
                or kind == K_NUMBERS
                or (kind == K_TABLE and self.is_table(j))
                or (kind == 1 and self.is_quote(j))
            ):
                return False
            if kind == K_TERMS and self.is_listing(j):
                return False
            at = self.begins(j)
            j += 1
        return self.gap(at, self.ends(row)) > 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_listing(self, row: cython.int) -> cython.bint:
        """Tell whether a list of definitions has terms; refuse one that holds more than these."""
        if not self.marks[row] & 7:
            self.marks[row] |= KEPT if self.check_definitions(row, False, self.begins(row)) else UNWRAPPED
        return self.marks[row] & 7 == KEPT

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_strong(self, row: cython.int) -> cython.bint:
        """Tell whether a term is written in bold: it has neither blocks nor bold text."""
        j: cython.int = row + 1
        while j < self.end[row]:
            if self.cut[j]:
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                if self.is_separate(j) or self.kind_of(j) == K_STRONG:
                    return False
                if self.tag[j] & 0xC000:
                    self.failed = True  # SVG and MathML may have elements of these names
            j += 1
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_bold(self, row: cython.int) -> cython.bint:
        """Tell whether bold text is made of an element's content: of a term, or a summary."""
        above: cython.int = self.parent[row]
        if self.kind_of(row) == K_SUMMARY:
            return self.is_strong(row)
        if self.kind_of(row) != K_TERM or above < 0:
            return False
        if self.is_div(above):
            above = self.parent[above]
        return (
            above >= 0 and self.kind_of(above) == K_TERMS and self.is_listing(above) and self.is_strong(row)
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_empty(self, row: cython.int) -> cython.bint:
        """Tell whether an element beside terms has nothing in it, and shows nothing."""
        kind: cython.int = self.kind_of(row)
        return (
            self.end[row] == row + 1
            and kind != K_REFUSED
            and kind != K_ITEM
            and kind != K_CODE_BLOCK
            and not self.roles[self.tag[row]] & VOID
            and self.gap(self.begins(row), self.ends(row)) < 3
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_terms(self, row: cython.int) -> cython.void:
        """Begin a list of definitions: a list of terms, and below each of its definitions."""
        j: cython.int = row + 1
        first: cython.int = -1
        kind: cython.int
        loose: cython.bint = False
        group: cython.int = -1
        place: cython.pointer[Place]
        while j < self.end[row]:
            if self.cut[j] or self.kind[j] != ELEMENT:
                j = self.end[j]
                continue
            kind = self.kind_of(j)
            if kind == K_TERM:
                if first < 0:
                    first = j
                loose = loose or self.is_loose(j)
                group = -1
            elif kind == K_DEFINITION:
                if first < 0 or group >= 0:
                    self.failed = True
                    return
            elif self.is_div(j) and self.parent[j] == row:
                group = j
                j += 1
                continue
            elif kind != K_SKIPPED and not self.is_empty(j):
                self.failed = True
                return
            j = self.end[j]
        if self.failed:
            return
        place = self.open_list(row, first, 45, 0, 1, loose)
        place.walk = W_TERMS

    @cython.cfunc
    @cython.exceptval(check=False)
    def term_child(self, row: cython.int, kind: cython.int) -> cython.void:
        """Lay out a term, a definition, or a group of these."""
        place: cython.pointer[Place] = self.places + self.count - 1
        owner: cython.int
        term: cython.int
        j: cython.int
        loose: cython.bint
        if kind == K_TERM:
            # The term before ends here.
            while place.walk != W_TERMS:
                self.leave_place()
                place = self.places + self.count - 1
            owner = place.owner
            term = self.count
            self.render_item(row, owner)
            place = self.places + term
            place.row = self.places[term - 1].row
            place.end = self.places[term - 1].end
            place.stop = self.places[term - 1].stop
            place.kind = 0
            place.walk = W_TERM
            if self.is_strong(row):
                self.block_line(0 if self.s.tight else 1)
                place.in_run = 1
                self.enter_emphasis(row)
                place = self.places + self.count - 1
                place.kind = K_STRONG
                place.inside = 1
            else:
                self.enter(row, W_SAME, L_NOTHING)
                self.beside = NOTHING_BESIDE
        elif kind == K_DEFINITION:
            if place.walk == W_TERM:
                place.in_run = 0
                loose = False
                j = row
                while j < place.end and (self.cut[j] or self.kind_of(j) != K_TERM):
                    if not self.cut[j] and self.kind[j] == ELEMENT and self.kind_of(j) == K_DEFINITION:
                        loose = loose or self.is_loose(j)
                    j = self.end[j]
                term = self.count
                place = self.open_list(place.row, row, 45, 0, 1, loose)
                place.end = self.places[term - 1].end
                place.stop = self.places[term - 1].stop
                place.kind = 0
                place.inside = 2
            if place.walk != W_LIST:
                self.failed = True
                return
            self.render_item(row, self.count - 1)
        elif self.is_div(row):
            while place.walk != W_TERMS:
                self.leave_place()
                place = self.places + self.count - 1
            owner = place.owner
            place = self.enter(row, W_TERMS, L_NOTHING)
            place.owner = owner

    @cython.cfunc
    @cython.exceptval(check=False)
    def holds(self, row: cython.int) -> cython.bint:
        """Tell whether code has any text, white space included."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        while j < self.end[row]:
            if self.gap(at, self.start[j]):
                return True
            if self.cut[j] == 2:
                return True
            if self.cut[j] or self.kind[j] >= COMMENT or (self.kind[j] == ELEMENT and self.gives_nothing(j)):
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT or self.kind_of(j) == K_BREAK:
                return True
            at = self.begins(j)
            j += 1
        return self.gap(at, self.ends(row)) > 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_loose(self, row: cython.int) -> cython.bint:
        """Tell whether an item has several paragraphs."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        kind: cython.int
        units: cython.int = 0
        in_run: cython.bint = False
        absorbs: cython.bint = False
        visible: cython.bint
        around = cython.declare(cython.int[64])
        depth: cython.int = 0
        above: cython.int
        if j == self.end[row]:
            return False
        while True:
            above = around[depth - 1] if depth else row
            if j >= self.end[above]:
                # The rest of a block, or of the item.
                if not in_run and self.gap(at, self.stop[above]) > 1:
                    units += 1
                    if units > 1 or absorbs:
                        return True
                if not depth:
                    return False
                at = self.stop[above]
                depth -= 1
                in_run = False
                continue
            visible = False
            if not in_run and self.gap(at, self.start[j]) > 1:
                units += 1
                if units > 1 or absorbs:
                    return True
                in_run = True
            at = self.stop[j]
            if self.cut[j] or self.kind[j] >= COMMENT:
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT:
                visible = True
                j += 1
            elif self.gives_nothing(j):
                if self.kind_of(j) == K_BREAK and self.passes_blank(
                    self.end[j], at, self.end[above], self.ends(above)
                ):
                    at = self.passed_at
                    j = self.passed_row
                else:
                    j = self.end[j]
                continue
            else:
                kind = self.kind_of(j)
                if kind == K_TERMS and self.is_listing(j):
                    kind = K_BULLETS
                if kind == K_TABLE and not self.is_table(j):
                    kind = 1
                if kind == K_BREAK and self.marks[j] & 7 == DIVIDED:
                    in_run = False
                    if self.passes_blank(self.end[j], at, self.end[above], self.ends(above)):
                        at = self.passed_at
                        j = self.passed_row
                    else:
                        j = self.end[j]
                    continue
                if self.is_framed(j):
                    in_run = False
                    if (
                        kind == K_BULLETS
                        or kind == K_NUMBERS
                        or kind == K_QUOTE
                        or kind == K_TABLE
                        or (kind == 1 and self.is_quote(j))
                    ):
                        absorbs = True
                        j = self.end[j]
                        continue
                    if (
                        kind == K_CODE_BLOCK
                        or kind == K_RULE
                        or (kind == K_HEADING and self.marks[j] & 7 != DIVIDED)
                    ):
                        absorbs = False
                        j = self.end[j]
                        continue
                    if depth == 64:
                        self.failed = True
                        return False
                    around[depth] = j
                    depth += 1
                    at = self.begins(j)
                    j += 1
                    continue
                if kind == K_IMAGE or (kind == K_LINK and self.link_state(j) == KEPT):
                    visible = True
                    j = self.end[j]
                elif kind == K_CODE:
                    at = self.begins(j)
                    j += 1
                    continue
                else:
                    at = self.begins(j)
                    j += 1
                    continue
            if visible and not in_run:
                units += 1
                if units > 1 or absorbs:
                    return True
                in_run = True

    # Elements.

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter(self, row: cython.int, walk: cython.int, leave: cython.int) -> cython.pointer[Place]:
        """Enter an element whose children are laid out."""
        place: cython.pointer[Place]
        moved: cython.p_void
        if self.count == self.places_room:
            moved = realloc(self.places, (2 * self.places_room + 64) * cython.sizeof(Place))
            if moved == cython.NULL:
                self.failed = True
                return self.places
            self.places = cython.cast(cython.pointer[Place], moved)
            self.places_room = 2 * self.places_room + 64
        place = self.places + self.count
        self.count += 1
        place.row = row
        place.walk = walk
        place.leave = leave
        place.in_run = 0
        place.prefix = -1
        place.marker = -1
        place.owner = self.count - 1
        place.link = -1
        place.inside = 0
        place.texts = self.texts
        place.seen = self.seen
        place.breaks = self.breaks
        place.events = self.events
        place.beside = self.beside
        if walk == W_NOTHING:
            place.kind = 0
            return place
        if row < 0:
            place.end = self.rows
            place.stop = self.limit
            place.unescaped = 0
            place.kind = 0
            return place
        place.kind = self.kinds[self.tag[row]]
        place.end = self.end[row]
        place.stop = self.ends(row)
        place.unescaped = self.roles[self.tag[row]] & UNESCAPED
        if not place.kind & NEUTRAL and walk != W_SAME:
            self.beside = NOTHING_BESIDE
        return place

    @cython.cfunc
    @cython.exceptval(check=False)
    def indent_by(self, width: cython.int) -> cython.void:
        k: cython.int
        self.levels += 2
        if self.levels <= MOST_LEVELS:
            if self.s.prefix + width > LONGEST_PREFIX:
                self.failed = True
                return
            for k in range(width):
                self.prefix[self.s.prefix] = b" "
                self.s.prefix += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def push_indent(self, width: cython.int, tight: cython.int) -> cython.void:
        prefix: cython.int = self.s.prefix
        levels: cython.int = self.levels
        was: cython.int = self.s.tight
        place: cython.pointer[Place]
        self.indent_by(width)
        self.s.tight = tight
        place = self.enter(-2, W_NOTHING, L_NOTHING)
        place.prefix = prefix
        place.tight = was
        place.levels = levels

    @cython.cfunc
    @cython.exceptval(check=False)
    def render_item(self, row: cython.int, number: cython.int) -> cython.void:
        """Begin an item; ``number`` is the place of its list."""
        listing: cython.pointer[Place] = self.places + number
        place: cython.pointer[Place]
        prefix: cython.int
        levels: cython.int
        tight: cython.int
        width: cython.int = 2
        found = cython.declare(Attribute)
        self.block_line(listing.loose)
        if listing.ordered:
            if self.attribute(row, b"value", 5, cython.address(found)):
                listing.number = self.number_in(found.value, found.stop, listing.number)
            width = self.decimal(listing.number) + 2
            self.byte(cython.cast(cython.uchar, listing.bullet))
            self.byte(b" ")
            listing.number += 1
        else:
            self.byte(cython.cast(cython.uchar, listing.bullet))
            self.byte(b" ")
        self.s.filled = 0
        self.item_marker = 1
        listing.width = width
        listing.begun = 1
        listing.run = 0
        levels = self.levels
        prefix = self.s.prefix
        self.indent_by(width)
        tight = self.s.tight
        self.s.tight = not listing.loose
        self.s.joined = self.leads(row, False)
        place = self.enter(row, W_BLOCK, L_NOTHING)
        place.prefix = prefix
        place.tight = tight
        place.levels = levels

    @cython.cfunc
    @cython.exceptval(check=False)
    def number_in(self, p: cython.p_uchar, stop: cython.p_uchar, otherwise: cython.int) -> cython.int:
        """Give the number that an attribute begins with; refuse one that no list of Markdown has."""
        value: cython.longlong = 0
        while p < stop and is_space(p[0]):
            p += 1
        if p < stop and p[0] == b"-":
            self.failed = True
        if p < stop and p[0] == b"+":
            p += 1
        if p == stop or not (b"0" <= p[0] <= b"9"):
            return otherwise
        while p < stop and b"0" <= p[0] <= b"9":
            value = value * 10 + (p[0] - 48)
            if value > 99_999_999:
                self.failed = True
                return otherwise
            p += 1
        return cython.cast(cython.int, value)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_wrapper(self, row: cython.int) -> cython.bint:
        """Tell whether an element has items right inside."""
        j: cython.int = row + 1
        while j < self.end[row]:
            if not self.cut[j] and self.kind[j] == ELEMENT:
                if self.kind_of(j) == K_ITEM:
                    return True
                if self.kind_of(j) == K_LINK and self.link_state(j) == UNWRAPPED:
                    j += 1
                    continue
            j = self.end[j]
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_odd_wrapper(self, row: cython.int) -> cython.bint:
        """Tell whether an element around items may be another one in the DOM."""
        kind: cython.int = self.kind_of(row)
        return (
            kind == K_CODE_BLOCK
            or kind == K_TABLE
            or kind == K_TERMS
            or kind == K_HEADING
            or kind == K_SUMMARY
            or kind == K_TERM
            or kind == K_DEFINITION
        )

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_list(self, row: cython.int, kind: cython.int) -> cython.void:
        """Begin a list."""
        found = cython.declare(Attribute)
        ordered: cython.bint = kind == K_NUMBERS
        number: cython.int = 1
        loose: cython.bint = False
        first: cython.int = -1
        bullet: cython.int = 46 if ordered else 45
        j: cython.int
        if ordered:
            if self.attribute(row, b"reversed", 8, cython.address(found)):
                self.failed = True
            if self.attribute(row, b"start", 5, cython.address(found)):
                number = self.number_in(found.value, found.stop, 1)
        j = row + 1
        while j < self.end[row]:
            if self.cut[j] or self.kind[j] != ELEMENT:
                j = self.end[j]
                continue
            if self.kind_of(j) != K_SKIPPED and self.gives_nothing(j):
                j = self.end[j]
                continue
            if self.kind_of(j) == K_LINK and self.link_state(j) == UNWRAPPED:
                j += 1
                continue
            if first < 0:
                first = j
            if self.kind_of(j) == K_ITEM:
                if not loose:
                    loose = self.is_loose(j)
            elif self.is_wrapper(j):
                # The items of elements around items.
                if self.is_odd_wrapper(j):
                    self.failed = True
                j += 1
                continue
            j = self.end[j]
        if self.failed:
            return
        if first >= 0 and self.kind_of(first) != K_ITEM:
            first = -1
        self.open_list(row, first, bullet, ordered, number, loose)

    @cython.cfunc
    @cython.exceptval(check=False)
    def open_list(
        self,
        row: cython.int,
        first: cython.int,
        bullet: cython.int,
        ordered: cython.int,
        number: cython.int,
        loose: cython.bint,
    ) -> cython.pointer[Place]:
        """Begin a list whose first child is an item, ``first``; -1 where it is none."""
        place: cython.pointer[Place]
        if self.s.filled and first >= 0:
            if not self.leads(first, True) or (ordered and number != 1):
                self.interrupt = 1
        if (
            self.s.list_marker
            and self.list_end_prefix == self.s.prefix - self.s.prefix_at
            and self.blank_since(self.list_end)
        ):
            if ordered and self.s.list_marker == 46:
                bullet = 41
            elif not ordered and self.s.list_marker == bullet:
                bullet = 42
        place = self.enter(row, W_LIST, L_LIST)
        place.number = number
        place.width = 2
        place.bullet = bullet
        place.ordered = ordered
        place.loose = loose
        place.begun = 0
        place.run = 0
        place.start = self.line.size
        self.s.depth += 1
        return place

    @cython.cfunc
    @cython.exceptval(check=False)
    def blank_since(self, at: cython.Py_ssize_t) -> cython.bint:
        """Tell whether only line breaks and prefixes are written from a place on."""
        width: cython.int = self.s.prefix - self.s.prefix_at
        column: cython.int = width
        while at < self.line.size:
            if self.out[at] == b"\n":
                column = 0
            elif column < width and is_of_prefix(self.out[at]):
                column += 1
            else:
                return False
            at += 1
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def list_child(self, row: cython.int, number: cython.int) -> cython.void:
        """Lay out an element in a list whose place has a number."""
        kind: cython.int = self.kind_of(row)
        listing: cython.pointer[Place] = self.places + number
        place: cython.pointer[Place]
        if kind == K_ITEM:
            self.render_item(row, number)
            return
        if kind == K_BULLETS or kind == K_NUMBERS or (kind == K_TERMS and self.is_listing(row)):
            listing.run = 0
            self.push_indent(listing.width, 1)
            self.enter_block(row, kind)
            return
        if self.is_wrapper(row):
            place = self.enter(row, W_WRAPPER, L_NOTHING)
            place.owner = number
            return
        if not listing.begun:
            self.block_child(row, kind, number)
            return
        self.push_indent(listing.width, not listing.loose)
        self.block_child(row, kind, number)

    @cython.cfunc
    @cython.exceptval(check=False)
    def block_child(self, row: cython.int, kind: cython.int, number: cython.int) -> cython.void:
        """Lay out an element in a block, or in a list without items so far."""
        place: cython.pointer[Place] = self.places + number
        listing: cython.bint = place.walk == W_LIST
        if kind == K_SKIPPED:
            return
        if not kind and self.is_columns(row):
            place.in_run = 0
            return
        if self.is_framed(row) or (kind == K_BREAK and self.marks[row] & 7 == DIVIDED):
            if listing:
                place.run = 0
            else:
                place.in_run = 0
            self.enter_block(row, kind)
            return
        if not (place.run if listing else place.in_run):
            if kind == K_BREAK and self.ends_block(self.next_row, self.next_at):
                self.breaks += 1
                self.events += 1
                self.last_space = 1
                self.beside = NOTHING_BESIDE
                return
            self.block_line(0 if self.s.tight else 1)
            if listing:
                self.places[number].run = 1
            else:
                self.places[number].in_run = 1
        self.inline(row, kind)

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_block(self, row: cython.int, kind: cython.int) -> cython.void:
        """Enter a block."""
        place: cython.pointer[Place]
        prefix: cython.int
        levels: cython.int
        tight: cython.int
        k: cython.int
        self.beside = NOTHING_BESIDE
        if kind == K_BREAK:
            return
        if self.blocks[row]:
            self.enter(row, W_BLOCK, L_NOTHING)
            return
        if self.marks[row] & 7 == DIVIDED:
            self.enter_bold(row)
            return
        if self.cell and (kind == K_BULLETS or kind == K_NUMBERS or kind == K_TABLE):
            self.enter_flat(row, kind, -1)
            return
        if kind == K_HEADING:
            self.block_line(1)
            k = self.base[self.start[row] + 2] - 48
            while k > 0:
                self.byte(b"#")
                k -= 1
            self.byte(b" ")
            self.s.filled = 1
            self.s.drop = 1
            place = self.enter(row, W_INLINE, L_HEADING)
            place.start = self.line.size
            place.inside = self.heading
            self.heading = 1
            if self.where[row]:
                if place.end > row + 1:
                    place.link = row
                self.enter_link(row, row)
        elif kind == K_RULE:
            self.block_line(1)
            self.words(b"---", 3)
            self.s.filled = 1
        elif kind == K_BULLETS or kind == K_NUMBERS:
            self.enter_list(row, kind)
        elif kind == K_CODE_BLOCK:
            self.code_block(row)
        elif kind == K_TABLE:
            if self.is_table(row):
                self.enter_table(row)
            else:
                self.enter(row, W_BLOCK, L_NOTHING)
        elif kind == K_TERMS:
            if self.is_listing(row):
                self.enter_terms(row)
            else:
                self.enter(row, W_BLOCK, L_NOTHING)
        elif kind == K_SUMMARY:
            self.enter_bold(row)
        elif kind == K_QUOTE or (kind == 1 and self.is_quote(row)):
            self.blocked = 0
            prefix = self.s.prefix
            levels = self.levels
            self.levels += 1
            if self.s.started:
                self.byte(b"\n")
                if not self.s.tight and not self.item_marker:
                    self.write_blank_prefix()
                    self.byte(b"\n")
                self.item_marker = 0
                self.quote_prefix()
                self.write_prefix()
                self.s.filled = 0
                self.s.owed = 0
                self.s.drop = 1
                self.s.loose = 1
                self.s.joined = 1
            else:
                self.quote_prefix()
            tight = self.s.tight
            self.s.tight = 0
            place = self.enter(row, W_BLOCK, L_QUOTE)
            place.prefix = prefix
            place.tight = tight
            place.levels = levels
        else:
            self.enter(row, W_BLOCK, L_NOTHING)

    @cython.cfunc
    @cython.exceptval(check=False)
    def quote_prefix(self) -> cython.void:
        if self.levels > MOST_LEVELS:
            return
        if self.s.prefix + 2 > LONGEST_PREFIX:
            self.failed = True
            return
        self.prefix[self.s.prefix] = b">"
        self.prefix[self.s.prefix + 1] = b" "
        self.s.prefix += 2

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_link(self, row: cython.int, address: cython.int) -> cython.void:
        """Enter a link; ``address`` is the row that has its address."""
        place: cython.pointer[Place]
        p: cython.p_uchar = self.pool + self.where[address] - 1
        n: cython.Py_ssize_t = self.length(address)
        found = cython.declare(Attribute)
        if (
            is_absolute(p, n)
            and is_autolink(p, n)
            and (
                row != address
                or self.kind_of(row) == K_HEADING
                or not self.attribute(row, b"title", 5, cython.address(found))
            )
            and self.shows(row, p, n)
        ):
            # A text that is the address itself.
            if self.kind_of(row) == K_HEADING or memchr(p, b"$", n) != cython.NULL:
                self.failed = True  # it may have a formula
            if self.failed:
                return
            self.before_visible()
            self.byte(b"<")
            self.write(p, n)
            self.byte(b">")
            self.s.filled = 1
            self.note_text(p, n)
            self.next_row = self.end[row]
            return
        place = self.enter(row, W_INLINE, L_LINK)
        place.link = address
        place.marker = self.push_marker(1)
        self.s.flat += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def shows(self, row: cython.int, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.bint:
        """Tell whether the text of an element is an address."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        limit: cython.Py_ssize_t
        k: cython.Py_ssize_t = 0
        while True:
            limit = self.start[j] if j < self.end[row] else high
            while at < limit:
                if self.base[at] == b"<":
                    while at < limit and self.base[at] != b">":
                        at += 1
                    at += 1
                    continue
                if k == n or self.base[at] != p[k]:
                    return False
                if self.base[at] == b"&":
                    if high - at < 5 or memcmp(self.base + at, b"&amp;", 5) != 0:
                        return False
                    at += 4
                at += 1
                k += 1
            if j >= self.end[row]:
                return k == n
            if self.cut[j] == 2:
                return False
            if self.cut[j] or self.kind[j] >= COMMENT:
                at = self.stop[j]
                j = self.end[j]
            elif self.kind[j] != ELEMENT:
                at = self.start[j]
                j += 1
            elif self.kind_of(j) == K_IMAGE or self.roles[self.tag[j]] & VOID == 0:
                if self.is_framed(j) or self.kind_of(j) in (
                    K_SKIPPED,
                    K_RAISED,
                    K_LOWERED,
                    K_REFUSED,
                    K_CELL,
                    K_ROW,
                ):
                    break
                at = self.begins(j)
                j += 1
            else:
                break
        # What the element has, the DOM may not have.
        if k == 0:
            while at < high and self.base[at] == b"<":
                while at < high and self.base[at] != b">":
                    at += 1
                at += 1
            if self.base[at] != p[0]:
                return False
        self.scratch_size = 0
        self.collect(row)
        return self.scratch_size == n and memcmp(self.scratch, p, n) == 0

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave_link(self, place: cython.pointer[Place]) -> cython.void:
        found = cython.declare(Attribute)
        self.s.flat -= 1
        if not self.emitted[place.marker]:
            self.before_visible()
        self.markers = place.marker
        self.words(b"](", 2)
        self.url(self.pool + self.where[place.link] - 1, self.length(place.link))
        if self.kind_of(place.row) == K_LINK and self.attribute(
            place.row, b"title", 5, cython.address(found)
        ):
            self.title(found.value, found.stop)
        self.byte(b")")

    @cython.cfunc
    @cython.exceptval(check=False)
    def title(self, p: cython.p_uchar, stop: cython.p_uchar) -> cython.void:
        """Write a title between quotation marks."""
        if p == stop:
            return  # without a value
        self.scratch_size = 0
        self.unescape(p, stop)
        p = self.scratch
        stop = self.scratch + self.scratch_size
        self.words(b' "', 2)
        while p < stop:
            if p[0] == b"\n":
                self.words(b"&#10;", 5)
            elif p[0] == b"\r":
                self.words(b"&#13;", 5)
            else:
                if p[0] == b'"' or p[0] == b"\\" or (p[0] == b"&" and is_reference(p, stop)):
                    self.byte(b"\\")
                self.literal(p[0])
            p += 1
        self.byte(b'"')

    @cython.cfunc
    @cython.exceptval(check=False)
    def url(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        """Write an address."""
        stop: cython.p_uchar = p + n
        q: cython.p_uchar
        plain: cython.bint = True
        angle: cython.bint = n == 0
        unbalanced: cython.bint = False
        depth: cython.int = 0
        c: cython.uchar
        q = p
        while q < stop:
            c = q[0]
            if self.classes[c] & C_ADDRESS:
                plain = False
                if c == b"\t" or c == b"\n" or c == b"\r":
                    self.failed = True
                elif c <= 32 or c == 127 or (c == b"<" and q == p):
                    angle = True
                elif c == b"(":
                    depth += 1
                elif c == b")":
                    unbalanced |= depth == 0
                    depth -= depth > 0
            q += 1
        if plain:
            self.literals(p, n)
            return
        unbalanced |= depth > 0
        if angle:
            self.byte(b"<")
        q = p
        while q < stop:
            c = q[0]
            if (
                ((c == b"<" or c == b">") if angle else (unbalanced and (c == b"(" or c == b")")))
                or c == b"\\"
                or (c == b"&" and is_reference(q, stop))
            ):
                self.byte(b"\\")
            self.literal(c)
            q += 1
        if angle:
            self.byte(b">")

    @cython.cfunc
    @cython.exceptval(check=False)
    def image(self, row: cython.int) -> cython.void:
        """Write an image."""
        found = cython.declare(Attribute)
        p: cython.p_uchar
        stop: cython.p_uchar
        c: cython.uchar
        kind: cython.int
        self.before_visible()
        self.words(b"![", 2)
        if self.attribute(row, b"alt", 3, cython.address(found)):
            self.scratch_size = 0
            self.unescape(found.value, found.stop)
            p = self.scratch
            stop = self.scratch + self.scratch_size
            while p < stop:
                c = p[0]
                kind = self.classes[c] & C_TEXT
                if c == b"\n":
                    self.words(b"&#10;", 5)
                elif c == b"\r":
                    self.words(b"&#13;", 5)
                else:
                    if kind & C_ESCAPE:
                        self.byte(b"\\")
                    elif kind & C_CONTEXT:
                        if (
                            is_reference(p, stop)
                            if c == b"&"
                            else (c == b"<" and (p + 1 == stop or not is_space(p[1])))
                        ):
                            self.byte(b"\\")
                    self.literal(c)
                p += 1
        self.words(b"](", 2)
        self.url(self.pool + self.where[row] - 1, self.length(row))
        if self.attribute(row, b"title", 5, cython.address(found)):
            self.title(found.value, found.stop)
        self.byte(b")")
        self.s.filled = 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def collect(self, row: cython.int) -> cython.void:
        """Add the text of an element to the text at hand, as it stands; refuse blocks in code."""
        blank: cython.bint = False
        blank_before: cython.bint = False
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        limit: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        kind: cython.int
        while True:
            limit = self.start[j] if j < self.end[row] else high
            while at < limit:
                begin = at
                while at < limit and self.base[at] != b"<":
                    at += 1
                if at > begin:
                    blank = self.gap(begin, at) == 1
                    if blank and blank_before:
                        self.failed = True  # the DOM may keep one of the two
                    self.store(begin, at, False)
                if at < limit:
                    while at < limit and self.base[at] != b">":
                        at += 1
                    at += 1
            if j >= self.end[row]:
                return
            if self.cut[j] or self.kind[j] >= COMMENT:
                if self.cut[j] == 2 and self.reserve(1):
                    self.scratch[self.scratch_size] = b" "
                    self.scratch_size += 1
                blank_before = blank_before or blank
                at = self.stop[j]
                j = self.end[j]
                continue
            blank_before = False
            blank = False
            if self.kind[j] != ELEMENT:
                self.store(self.start[j], self.stop[j], self.roles[self.tag[self.parent[j]]] & UNESCAPED)
                at = self.stop[j]
                j += 1
                continue
            kind = self.kind_of(j)
            if kind == K_SKIPPED or kind == K_RAISED or kind == K_LOWERED or kind == K_REFUSED:
                self.failed = True
                return
            if kind != K_BREAK and self.gives_nothing(j):
                at = self.stop[j]
                j = self.end[j]
                continue
            if kind == K_BREAK:
                if self.break_state(j) == KEPT and self.reserve(1):
                    self.scratch[self.scratch_size] = b" "
                    self.scratch_size += 1
                at = self.behind_break(j, high, self.end[row])
                j = self.end[j]
                continue
            if self.is_framed(j) or kind == K_CELL or kind == K_ROW:
                self.failed = True
                return
            at = self.begins(j)
            j += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def check_code(self, row: cython.int) -> cython.void:
        """Refuse code with exponents, indices, SVG or MathML."""
        j: cython.int
        for j in range(row + 1, self.end[row]):
            if self.kind[j] == ELEMENT and (
                self.kind_of(j) == K_RAISED or self.kind_of(j) == K_LOWERED or self.tag[j] & 0xC000
            ):
                self.failed = True

    @cython.cfunc
    @cython.exceptval(check=False)
    def code_in_cell(self, row: cython.int) -> cython.void:
        """Write a block of code in a cell, in its line; refuse one with lines of its own, or odd white space."""
        begin: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        n: cython.Py_ssize_t
        k: cython.Py_ssize_t
        size: cython.Py_ssize_t = 0
        c: cython.uchar
        p: cython.p_uchar
        if not self.cell or self.s.flat or self.heading or self.is_marked(begin, high):
            self.failed = True
            return
        self.check_beside(row)
        if self.has_lines(row):
            self.failed = True
        self.check_code(row)
        if begin < high and self.base[begin] == b"\n":
            begin += 1
        self.scratch_size = 0
        self.collect_code(row, begin, high)
        if self.failed:
            return
        n = self.scratch_size
        p = self.scratch
        if n and p[n - 1] == b"\n":
            n -= 1
        if not n or is_space(p[0]) or is_space(p[n - 1]):
            self.failed = True
            return
        for k in range(n):
            c = p[k]
            if c == b"\n" or c == b" ":
                if p[size - 1] == b" ":
                    continue
                c = b" "
            elif c < b" " or c == b"`" or c == 0xC2 or c == 0xE2 or c == 0xE3:
                self.failed = True  # also white space beyond ASCII
                return
            p[size] = c
            size += 1
        self.note_text(p, size)
        self.before_visible()
        self.byte(b"`")
        self.literals(p, size)
        self.byte(b"`")
        self.s.filled = 1
        self.s.owed = 1
        self.beside = NOTHING_BESIDE

    @cython.cfunc
    @cython.exceptval(check=False)
    def code_span(self, row: cython.int) -> cython.void:
        """Write code in a line."""
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        run: cython.int = 0
        fence: cython.int = 0
        blank: cython.bint = True
        padded: cython.bint
        p: cython.p_uchar
        self.scratch_size = 0
        self.collect(row)
        n = self.scratch_size
        p = self.scratch
        if not n or self.failed:
            return
        self.note_text(p, n)
        for k in range(n):
            if p[k] == b"\n":
                p[k] = b" "
            if p[k] == b"`":
                run += 1
                fence = max(fence, run)
            else:
                run = 0
            if p[k] != b" ":
                blank = False
        self.before_visible()
        if self.line.size > self.s.base and self.out[self.line.size - 1] == b"`":
            self.words(b"<code>", 6)
            for k in range(n):
                if p[k] < 0x80 and is_mark(p[k]):
                    self.byte(b"\\")
                self.byte(p[k])
            self.words(b"</code>", 7)
            self.s.filled = 1
            return
        padded = p[0] == b"`" or p[n - 1] == b"`" or (p[0] == b" " and p[n - 1] == b" " and not blank)
        for k in range(fence + 1):
            self.byte(b"`")
        if padded:
            self.byte(b" ")
        self.literals(p, n)
        if padded:
            self.byte(b" ")
        for k in range(fence + 1):
            self.byte(b"`")
        self.s.filled = 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def code_block(self, row: cython.int) -> cython.void:
        """Write a block of code between fences."""
        begin: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        j: cython.int
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        run: cython.int = 0
        fence: cython.int = 2
        size: cython.Py_ssize_t
        base: cython.Py_ssize_t
        lines: cython.bint
        p: cython.p_uchar
        code: cython.int = -1
        marked: cython.bint = self.is_marked(begin, high)
        self.check_beside(row)
        lines = self.has_lines(row)
        if marked:
            lines = True
        if lines and self.may_be_counted(row):
            self.cut_counters(row)
        if self.failed:
            return
        for j in range(row + 1, self.end[row]):
            if self.parent[j] == row and self.kind[j] == ELEMENT and not self.cut[j]:
                if code < 0 and is_tag(self.base + self.start[j], b"<code", 5):
                    code = j
        self.check_code(row)
        said: tuple = self.languages_of(row)
        language: bytes = said[0]
        self.scratch_size = 0
        if lines:
            base = self.line.size
            self.write_lines(row, marked)
            if self.failed:
                return
            n = self.line.size - base
            if not self.reserve(n):
                return
            memcpy(self.scratch, self.out + base, n)
            self.line.size = base
            p = self.scratch
            while n and p[0] == b"\n":
                p += 1
                n -= 1
            while n and p[n - 1] == b"\n":
                n -= 1
        else:
            if begin < high and self.base[begin] == b"\n":
                begin += 1
            self.collect_code(row, begin, high)
            p = self.scratch
            n = self.scratch_size
        if self.failed:
            return
        blank: cython.bint = is_blank_run(p, n)
        if blank and lines:
            self.failed = True
            return
        if n:
            self.note_text(p, n)
        if blank or not language:
            language = said[1] if not lines and code >= 0 and self.is_only(row, code) else said[2]
        if n and p[n - 1] == b"\n":
            n -= 1
            k = n + 1
        else:
            k = n
        size = k
        for k in range(size):
            if p[k] == b"`":
                run += 1
                fence = max(fence, run)
            else:
                run = 0
        self.block_line(1)
        for j in range(fence + 1):
            self.byte(b"`")
        if language:
            self.words(language, len(language))
        self.s.filled = 1
        self.new_line()
        for k in range(n):
            if p[k] == b"\n":
                self.new_line()
            else:
                self.literal(p[k])
                self.s.filled = 1
        if size:
            self.new_line()
        for j in range(fence + 1):
            self.byte(b"`")
        self.s.filled = 1

    @cython.cfunc
    def languages_of(self, row: cython.int) -> tuple:
        """Give the language of a block of code, by the tags of code inside, of the block, of what is around.

        With it, the languages that turbohtml takes from the classes of the code and the block, and of the
        block. Each is asked for once for the same tags.
        """
        try:
            return self.languages_asked(row)
        except BaseException as error:  # noqa: BLE001  # raised again at the end
            self.caught(error)
            return b"", b"", b""

    @cython.cfunc
    def languages_asked(self, row: cython.int) -> tuple:
        j: cython.int
        k: cython.int
        above: cython.int = self.parent[row]
        count: cython.int = 0
        table: cython.int
        around = cython.declare(cython.int[3])
        key: bytes
        found: object
        self.scratch_size = 0
        for j in range(row + 1, self.end[row]):
            if (
                self.parent[j] == row
                and self.kind[j] == ELEMENT
                and not self.cut[j]
                and is_tag(self.base + self.start[j], b"<code", 5)
            ):
                self.add_tag(j)
        self.add_tag(row)
        for k in range(3):
            if above < 0:
                break
            table = self.table_of_code(above)
            if table >= 0 or self.is_around_code(above):
                around[count] = above
                count += 1
                self.add_tag(above)
            above = self.parent[table if table >= 0 else above]
        if self.failed or memchr(self.scratch, b'"', self.scratch_size) == cython.NULL:
            return b"", b"", b""
        key = self.scratch[: self.scratch_size]
        found = self.languages.get(key)
        if found is None:
            places: list = []
            for j in range(row + 1, self.end[row]):
                if (
                    self.parent[j] == row
                    and self.kind[j] == ELEMENT
                    and not self.cut[j]
                    and is_tag(self.base + self.start[j], b"<code", 5)
                ):
                    places.append(("code", self.attributes(j)))
            places.append(("pre", self.attributes(row)))
            classes: list = [attributes.get("class", "") for _, attributes in places]
            for k in range(count):
                places.append((self.tag_name(around[k]), self.attributes(around[k])))
            found = self.languages[key] = (
                self.tools.language(places).encode("utf-8", "surrogatepass"),
                self.tools.class_language(classes).encode("utf-8", "surrogatepass"),
                self.tools.class_language([self.attributes(row).get("class", "")]).encode(
                    "utf-8", "surrogatepass"
                ),
            )
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def add_tag(self, row: cython.int) -> cython.void:
        """Add a start tag to the text at hand."""
        n: cython.Py_ssize_t = self.begins(row) - self.start[row]
        if self.reserve(n):
            self.add_run(self.base + self.start[row], n)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_only(self, row: cython.int, code: cython.int) -> cython.bint:
        """Tell whether nothing but white space is beside an element in a block of code."""
        j: cython.int = row + 1
        if self.gap(self.begins(row), self.start[code]) > 1 or self.gap(self.stop[code], self.ends(row)) > 1:
            return False
        while j < self.end[row]:
            if j != code and not self.cut[j]:
                return False
            j = self.end[j]
        return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_around_code(self, row: cython.int) -> cython.bint:
        p: cython.p_uchar = self.base + self.start[row]
        return (
            is_tag(p, b"<div", 4)
            or is_tag(p, b"<figure", 7)
            or is_tag(p, b"<code", 5)
            or is_tag(p, b"<span", 5)
        )

    @cython.cfunc
    def tag_name(self, row: cython.int) -> str:
        p: cython.p_uchar = self.base + self.start[row] + 1
        n: cython.int = 0
        while p[n] != b" " and p[n] != b">":
            n += 1
        return p[:n].decode("utf-8", "replace")

    @cython.cfunc
    @cython.exceptval(check=False)
    def collect_code(self, row: cython.int, at: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.void:
        """Add the text of a block of code to the text at hand."""
        j: cython.int = row + 1
        limit: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        while True:
            limit = self.start[j] if j < self.end[row] else high
            while at < limit:
                if self.base[at] == b"<":
                    while at < limit and self.base[at] != b">":
                        at += 1
                    at += 1
                    continue
                begin = at
                while at < limit and self.base[at] != b"<":
                    at += 1
                self.store(begin, at, False)
            if j >= self.end[row]:
                return
            if self.cut[j] or self.kind[j] >= COMMENT:
                if self.cut[j] == 2 and self.reserve(1):
                    self.scratch[self.scratch_size] = b" "
                    self.scratch_size += 1
                at = self.stop[j]
                j = self.end[j]
            elif self.kind[j] == ELEMENT:
                if self.gives_nothing(j):
                    at = self.stop[j]
                    j = self.end[j]
                    continue
                at = self.begins(j)
                j += 1
            else:
                self.store(
                    max(at, self.start[j]), self.stop[j], self.roles[self.tag[self.parent[j]]] & UNESCAPED
                )
                at = self.stop[j]
                j += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_numbers(self, row: cython.int) -> cython.bint:
        """Tell whether an element holds line numbers, and nothing else."""
        try:
            return self.are_numbers(row)
        except BaseException as error:  # noqa: BLE001  # raised again at the end
            self.caught(error)
            return False

    @cython.cfunc
    def are_numbers(self, row: cython.int) -> cython.bint:
        """Tell whether an element holds line numbers, and nothing else."""
        n: cython.Py_ssize_t = self.begins(row) - self.start[row]
        tag: bytes
        found: object
        if not has_part(self.base + self.start[row], n, b'="', 2):
            return False
        tag = self.base[self.start[row] : self.start[row] + n]
        found = self.numbered.get(tag)
        if found is None:
            found = self.numbered[tag] = self.tools.numbers(self.attributes(row))
        if not found:
            return False
        if self.is_numbers_cell(row):
            return True
        if self.may_be_numbers(row) or self.holds_cut(row):
            self.failed = True  # perhaps other digits, or what is left is digits
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def cut_counters(self, row: cython.int) -> cython.void:
        """Cut the elements that count the lines of code, each the first in its line; refuse other digits."""
        holder: cython.int = self.holder_of_lines(row)
        line: cython.int
        inner: cython.int
        number: cython.int
        k: cython.int
        for k in range(2):
            number = 0
            line = self.next_element(holder + 1, self.end[holder])
            while line >= 0:
                if self.is_counting(line):
                    number += 1
                    inner = self.next_element(line + 1, self.end[line])
                    if inner < 0 or not self.is_number(inner, number):
                        return
                    if k == 1:
                        self.cut[inner] = 1
                line = self.next_element(self.end[line], self.end[holder])
            if number < 3:
                return

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_number(self, row: cython.int, number: cython.int) -> cython.bint:
        """Tell whether the text of an element is a number."""
        digits = cython.declare(cython.uchar[24])
        count: cython.int = digits_of(number, digits)
        seen: cython.int = 0
        ended: cython.bint = False
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        if self.holds_cut(row):
            self.failed = True
        while at < high:
            if self.base[at] == b"<":
                while at < high and self.base[at] != b">":
                    if self.base[at] == b'"':
                        at += 1
                        while at < high and self.base[at] != b'"':
                            at += 1
                    at += 1
            elif is_space(self.base[at]):
                ended = seen > 0
            elif self.base[at] == b"&" or self.base[at] >= 0x80:
                self.failed = True  # perhaps white space
            elif ended or seen == count or self.base[at] != digits[seen]:
                return False
            else:
                seen += 1
            at += 1
        return seen == count

    @cython.cfunc
    @cython.exceptval(check=False)
    def holds_cut(self, row: cython.int) -> cython.bint:
        """Tell whether a part of an element is cut."""
        cut: cython.int = self.first_cut(row)
        return cut < self.cuts and self.gone[cut] < self.end[row]

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_lines(self, row: cython.int, marked: cython.bint) -> cython.void:
        """Write code whose lines are elements, at the end of the output; line numbers may be marked."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        flags: cython.int
        if at < high and self.base[at] == b"\n":
            at += 1
        self.line.indent = 0
        self.held = 0
        self.fresh = True
        self.bare = True
        self.line_depth = 0
        while j < self.end[row]:
            at = self.end_code_lines(at, self.start[j])
            if self.cut[j]:
                if self.cut[j] == 2:
                    self.put_code_byte(b" ")
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] == ELEMENT:
                flags = self.roles[self.tag[j]]
                if (self.kind_of(j) == K_LINK and self.link_state(j) == DROPPED) or (
                    self.kind_of(j) != K_BREAK and ((marked and self.is_numbers(j)) or self.role(j) == BUTTON)
                ):
                    at = self.stop[j]
                    j = self.end[j]
                    continue
                at = self.begins(j)
                if flags & UNESCAPED:
                    self.put_verbatim(at, self.ends(j))
                    at = self.stop[j]
                    j = self.end[j]
                    continue
                if self.kind_of(j) == K_CODE_BLOCK and at < self.stop[j] and self.base[at] == b"\n":
                    at += 1
                if self.kind_of(j) == K_BREAK:
                    self.put_code_byte(b"\n")
                elif flags & CODE_LINE:
                    self.begin_code_line(j)
                    if self.failed:
                        return
            elif self.kind[j] >= COMMENT:
                at = self.stop[j]
            j += 1
        self.end_code_lines(at, high)

    # Tables.

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_flat(self, row: cython.int, kind: cython.int, owner: cython.int) -> cython.void:
        """Enter a list in a cell, or a part of one."""
        place: cython.pointer[Place]
        found = cython.declare(Attribute)
        is_list: cython.bint = kind == K_BULLETS or kind == K_NUMBERS
        place = self.enter(row, W_FLAT, L_SPACE if is_list else L_NOTHING)
        place.owner = owner
        if is_list:
            place.owner = self.count - 1
            place.ordered = kind == K_NUMBERS
            place.number = 1
            if place.ordered and self.attribute(row, b"start", 5, cython.address(found)):
                place.number = self.number_in(found.value, found.stop, 1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def flat_child(self, row: cython.int, kind: cython.int, owner: cython.int) -> cython.void:
        """Lay out what is in a list in a cell."""
        listing: cython.pointer[Place]
        found = cython.declare(Attribute)
        if kind == K_TABLE or kind == K_SECTION or kind == K_ROW or kind == K_CELL:
            self.failed = True
            return
        if kind != K_BULLETS and kind != K_NUMBERS and kind != K_ITEM:
            self.inline(row, kind)
            return
        self.s.owed = 1
        if kind != K_ITEM:
            self.enter_flat(row, kind, owner)
            return
        if not self.s.drop:
            self.byte(b" ")
        self.s.owed = 0
        self.s.drop = 0
        if self.markers > self.s.marker_base and not self.emitted[self.markers - 1]:
            self.emit_pending()
        if owner >= 0 and self.places[owner].ordered:
            listing = self.places + owner
            if self.attribute(row, b"value", 5, cython.address(found)):
                listing.number = self.number_in(found.value, found.stop, listing.number)
            self.decimal(listing.number)
            self.words(b". ", 2)
            listing.number += 1
        else:
            if self.markers > self.s.marker_base:
                self.byte(b"\\")
            self.words(b"* ", 2)
        self.s.filled = 1
        self.enter_flat(row, kind, -1)

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_table(self, row: cython.int) -> cython.void:
        """Begin a table of data; its parts are places of their own."""
        place: cython.pointer[Place]
        j: cython.int
        above: cython.int
        kind: cython.int
        width: cython.int
        widest: cython.int = 0
        count: cython.int = 0
        cells: cython.int = 0
        spans: cython.bint = False
        found = cython.declare(Attribute)
        j = row + 1
        width = 0
        while j < self.end[row]:
            if self.cut[j] or self.kind[j] != ELEMENT:
                j = self.end[j]
                continue
            kind = self.kind_of(j)
            above = self.parent[j]
            if kind == K_SECTION and above == row:
                j += 1
                continue
            if kind == K_ROW:
                widest = max(widest, width)
                count += width > 0
                width = 0
                j += 1
                continue
            if kind == K_CELL and self.kind_of(above) == K_ROW:
                if self.attribute(j, b"colspan", 7, cython.address(found)) or self.attribute(
                    j, b"rowspan", 7, cython.address(found)
                ):
                    spans = True
                width += 1
                cells += 1
            elif kind == K_CAPTION and above == row:
                if count or width:
                    self.failed = True
            elif kind != K_SKIPPED and not self.is_columns(j):
                self.failed = True
            j = self.end[j]
        widest = max(widest, width)
        count += width > 0
        if spans and not self.failed:
            self.is_layout(row)  # measures them
            widest = self.width_with_spans(row)
            self.is_layout(row)
        if not count or widest * count > max(4 * cells, 4000):
            self.failed = True
            return
        place = self.enter(row, W_ROWS, L_TABLE)
        place.width = widest
        place.begun = 0
        place.run = spans and self.bounded

    @cython.cfunc
    @cython.exceptval(check=False)
    def width_with_spans(self, row: cython.int) -> cython.int:
        """Give the columns of a table with merged cells."""
        j: cython.int = row + 1
        kind: cython.int
        widest: cython.int = 0
        begun: cython.bint = False
        filled: cython.bint = False
        self.columns = 0
        while j < self.end[row]:
            if self.cut[j] or self.kind[j] != ELEMENT:
                j = self.end[j]
                continue
            kind = self.kind_of(j)
            if kind == K_SECTION and self.parent[j] == row:
                j += 1
            elif kind == K_ROW:
                if begun:
                    self.end_columns()
                if filled:
                    widest = max(widest, self.columns)
                begun = True
                filled = False
                self.columns = 0
                j += 1
            else:
                if kind == K_CELL:
                    filled = True
                    self.take_columns(j, False)
                    self.columns += 1 + self.after_cell
                j = self.end[j]
        if filled:
            widest = max(widest, self.columns)
        return widest

    @cython.cfunc
    @cython.exceptval(check=False)
    def take_columns(self, row: cython.int, writes: cython.bint) -> cython.void:
        """Pass by the columns that cells above still take, and take those of a merged cell."""
        wide: cython.int
        self.after_cell = 0
        if not self.bounded:
            return
        while self.columns < self.below_size and self.below[self.columns]:
            self.below[self.columns] -= 1
            self.columns += 1
            if writes:
                self.words(b"  |", 3)
        wide = self.merged(row)
        if not wide:
            return
        self.after_cell = wide - 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def end_columns(self) -> cython.void:
        """Count a row for the cells that go on below it."""
        k: cython.int
        if self.bounded:
            for k in range(self.columns, self.below_size):
                if self.below[k]:
                    self.below[k] -= 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def row_child(self, row: cython.int, kind: cython.int) -> cython.void:
        """Lay out a part of a table of data."""
        place: cython.pointer[Place] = self.places + self.count - 1
        owner: cython.int = place.owner
        table: cython.pointer[Place] = self.places + owner
        if kind == K_CAPTION:
            self.enter(row, W_BLOCK, L_NOTHING)
        elif kind == K_SECTION:
            place = self.enter(row, W_ROWS, L_NOTHING)
            place.owner = owner
        elif kind == K_ROW:
            self.columns = 0
            if not self.has_cells(row):
                if table.run:
                    self.end_columns()
                self.skip(row)
                return
            if not table.begun:
                self.block_line(1)
            else:
                self.new_line()
            self.byte(b"|")
            place = self.enter(row, W_ROW, L_ROW)
            place.owner = owner
            place.number = 0
        elif kind == K_CELL and place.walk == W_ROW:
            if table.run:
                self.take_columns(row, True)
                self.columns += 1 + self.after_cell
                place.number = self.columns
                place.width = self.after_cell
            else:
                place.number += 1
                place.width = 0
            self.byte(b" ")
            self.enter_cell_of(row)
        else:
            self.skip(row)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_columns(self, row: cython.int) -> cython.bint:
        """Tell whether an element says how wide the columns of a table are."""
        return self.parent[row] >= 0 and self.kind_of(self.parent[row]) == K_TABLE and self.is_colgroup(row)

    @cython.cfunc
    @cython.exceptval(check=False)
    def has_cells(self, row: cython.int) -> cython.bint:
        j: cython.int = row + 1
        while j < self.end[row]:
            if not self.cut[j] and self.kind[j] == ELEMENT and self.kind_of(j) == K_CELL:
                return True
            j = self.end[j]
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def skip(self, row: cython.int) -> cython.void:
        """Pass by an element."""
        self.next_row = self.end[row]
        self.next_at = self.stop[row]

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_cell_of(self, row: cython.int) -> cython.void:
        saved: State = self.s
        place: cython.pointer[Place]
        self.s.base = self.line.size
        self.s.prefix_at = self.s.prefix
        self.s.marker_base = self.markers
        self.s.filled = 1
        self.s.number_at = 0
        self.s.owed = 0
        self.s.drop = 1
        self.cell = 1
        place = self.enter(row, W_INLINE, L_CELL)
        place.saved = saved

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave_cell_of(self, place: cython.pointer[Place]) -> cython.void:
        at: cython.Py_ssize_t = self.s.base
        high: cython.Py_ssize_t = self.line.size
        to: cython.Py_ssize_t = at
        owed: cython.bint = False
        begun: cython.bint = False
        k: cython.int
        while at < high:
            if self.out[at] == b"\n" or self.out[at] == b" ":
                owed = begun
            else:
                if owed:
                    self.out[to] = b" "
                    to += 1
                    owed = False
                self.out[to] = self.out[at]
                to += 1
                begun = True
            at += 1
        self.line.size = to
        self.s.base = place.saved.base
        self.s.prefix = place.saved.prefix
        self.s.prefix_at = place.saved.prefix_at
        self.s.marker_base = place.saved.marker_base
        self.s.started = place.saved.started
        self.s.filled = place.saved.filled
        self.s.number_at = place.saved.number_at
        self.s.owed = place.saved.owed
        self.s.drop = place.saved.drop
        self.cell = 0
        self.words(b" |", 2)
        for k in range(self.places[self.count - 1].width):
            self.words(b"  |", 3)

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave_row(self, place: cython.pointer[Place]) -> cython.void:
        table: cython.pointer[Place] = self.places + place.owner
        k: cython.int
        for k in range(place.number, table.width):
            self.words(b"  |", 3)
        if table.run:
            self.end_columns()
        self.s.filled = 1
        if not table.begun:
            table.begun = 1
            self.new_line()
            self.byte(b"|")
            for k in range(table.width):
                self.words(b" --- |", 6)
            self.s.filled = 1

    # Emphasis.

    @cython.cfunc
    @cython.exceptval(check=False)
    def enter_emphasis(self, row: cython.int) -> cython.void:
        """Begin emphasis: it is written apart, and put in its place at its end."""
        saved: State = self.s
        place: cython.pointer[Place]
        self.s.base = self.line.size
        self.s.prefix_at = self.s.prefix
        self.s.marker_base = self.markers
        self.s.started = 0
        self.s.filled = 0
        self.s.number_at = 0
        self.s.owed = 0
        self.s.drop = 1
        self.s.loose = 0
        self.s.joined = 0
        self.s.tight = 0
        self.s.depth = 0
        self.s.flat = 0
        self.s.list_marker = 0
        place = self.enter(row, W_BLOCK, L_EMPHASIS)
        place.saved = saved

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave_emphasis(self, place: cython.pointer[Place]) -> cython.void:
        """End emphasis: see detemplate.output.emphasis."""
        base: cython.Py_ssize_t = self.s.base
        end: cython.Py_ssize_t = self.line.size
        n: cython.Py_ssize_t
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        left: cython.Py_ssize_t
        right: cython.Py_ssize_t
        width: cython.Py_ssize_t
        k: cython.int
        sign: cython.p_char = b"*"
        signs: cython.int = 1
        kind: cython.int = place.kind & KIND
        before: cython.int = place.beside
        after: cython.int
        row: cython.int = place.row
        moved: cython.p_void
        p: cython.p_uchar
        lead: cython.bint
        tail: cython.bint
        blank: cython.bint
        broken: cython.bint
        leading: cython.bint
        plain: cython.bint
        before_letter: cython.bint
        after_letter: cython.bint
        if end == self.break_end and self.break_base == base:
            end = self.break_start
        while end > base and is_space(self.out[end - 1]):
            end -= 1
        n = end - base
        # Twice the text: line breaks may become longer.
        if 2 * n + 16 > self.hold_room:
            moved = realloc(self.hold, 3 * n + 1024)
            if moved == cython.NULL:
                self.failed = True
                return
            self.hold = cython.cast(cython.p_uchar, moved)
            self.hold_room = 3 * n + 1024
        p = self.hold + 2
        memcpy(p, self.out + base, n)
        self.line.size = base
        self.s = place.saved
        blank = n == 0
        broken = False
        if self.breaks > place.breaks and memchr(p, b"`", n) != cython.NULL:
            self.failed = True  # the reference may write it in another way
            return
        if memchr(p, b"\n", n) != cython.NULL and memchr(p, b"`", n) == cython.NULL:
            leading = n > 2 and p[0] == b"\\" and p[1] == b"\n"
            n = tidied_breaks(self.out + base, n, p)
            if leading and n and p[0] != b"\n":
                broken = before == EMPHASIS_BESIDE or (before >= 0 and not Py_UNICODE_ISSPACE(before))
            low = 0
            while n and (p[n - 1] == b"\n" or p[n - 1] == b" "):
                n -= 1
            while low < n and (p[low] == b"\n" or p[low] == b" "):
                low += 1
            p += low
            n -= low
            if broken:
                # A break at the beginning goes before the sign, unless a block begins there.
                p -= 2
                n += 2
                memcpy(p, b" \n", 2)
        low = 0
        high = n
        plain = not has_part(p, n, b"&#160;", 6)
        high = strip_right(p, low, high)
        if not plain:
            for k in range(50):
                if high - low < 6 or memcmp(p + high - 6, b"&#160;", 6) != 0:
                    break
                high = strip_right(p, low, high - 6)
        low = strip_left(p, low, high)
        if not plain:
            for k in range(50):
                if high - low < 6 or memcmp(p + low, b"&#160;", 6) != 0:
                    break
                low = strip_left(p, low + 6, high)
        if low == high:
            if self.breaks > place.breaks:
                self.convert(row, cython.cast(cython.p_uchar, b"  \n"), 3, blank, place)
            elif self.texts > place.texts:
                self.convert(row, cython.cast(cython.p_uchar, b" "), 1, blank, place)
            return
        if kind == K_STRONG:
            sign = b"**"
            signs = 2
        elif kind == K_DELETED:
            sign = b"~~"
            signs = 2
        if has_part(p + low, high - low, b"\n\n", 2) or self.is_inside(kind):
            self.convert(row, p, n, blank, place)
            return
        after = NOTHING_BESIDE
        if place.inside == 1:
            after = self.char_after_term(row)
        elif place.inside != 3:
            after = self.char_after(row)
        if self.failed:
            return
        if before == EMPHASIS_BESIDE or (after == EMPHASIS_BESIDE and kind == K_DELETED):
            self.convert(row, p, n, blank, place)
            return
        before_letter = before >= 0 and not broken and Py_UNICODE_ISALNUM(before)
        after_letter = after >= 0 and Py_UNICODE_ISALNUM(after)
        left = low
        right = high
        if before_letter:
            while left < right and self.is_movable(p + left):
                left += width_of(p + left)
        if after_letter:
            while right > left:
                width = 1
                while p[right - width] & 0xC0 == 0x80:
                    width += 1
                if not self.is_movable(p + right - width):
                    break
                right -= width
        # What is between, without white space.
        width = strip_left(p, left, right)
        end = strip_right(p, width, right)
        if width == end:
            self.convert(row, p, n, blank, place)
            return
        if before_letter and self.is_punctuation(p + width):
            self.convert(row, p, n, blank, place)
            return
        k = 1
        while p[end - k] & 0xC0 == 0x80:
            k += 1
        if after_letter and self.is_punctuation(p + end - k):
            self.convert(row, p, n, blank, place)
            return
        lead = low > 0
        k = width_of(p + low)
        if lead and memcmp(p, p + low, k) == 0:
            lead = False
        tail = high < n
        if tail:
            k = 1
            while p[high - k] & 0xC0 == 0x80:
                k += 1
            if n >= k and memcmp(p + n - k, p + high - k, k) == 0:
                tail = False
        # The text is put together behind the one that it is of.
        self.scratch_size = 0
        if not self.reserve(n + 16):
            return
        if broken:
            self.add(b" \n", 2)
        elif lead:
            self.add(b" ", 1)
        self.add_run(p + low, left - low)
        self.add(sign, signs)
        self.add_run(p + width, end - width)
        self.add(sign, signs)
        self.add_run(p + right, high - right)
        if tail:
            self.add(b" ", 1)
        self.convert(row, self.scratch, self.scratch_size, blank, place)

    @cython.cfunc
    @cython.exceptval(check=False)
    def add(self, text: cython.p_char, n: cython.Py_ssize_t) -> cython.void:
        memcpy(self.scratch + self.scratch_size, text, n)
        self.scratch_size += n

    @cython.cfunc
    @cython.exceptval(check=False)
    def add_run(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        memcpy(self.scratch + self.scratch_size, p, n)
        self.scratch_size += n

    @cython.cfunc
    @cython.exceptval(check=False)
    def convert(
        self,
        row: cython.int,
        p: cython.p_uchar,
        n: cython.Py_ssize_t,
        blank: cython.bint,
        place: cython.pointer[Place],
    ) -> cython.void:
        """Put emphasis in its place."""
        k: cython.Py_ssize_t
        if not n:
            return
        if self.s.filled and self.begins_with_space(row):
            self.s.owed = 1
        self.before_visible()
        for k in range(n):
            if p[k] == b"\n":
                self.new_line()
            else:
                self.literal(p[k])
                self.s.filled = 1
        if not blank and self.events > place.events and self.last_space:
            self.s.owed = 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def begins_with_space(self, row: cython.int) -> cython.bint:
        """Tell whether what an element has begins with white space."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        limit: cython.Py_ssize_t
        kind: cython.int
        while True:
            limit = self.start[j] if j < self.end[row] else high
            while at < limit and self.base[at] == b"<":
                while at < limit and self.base[at] != b">":
                    at += 1
                at += 1
            if at < limit:
                return is_space(self.base[at])
            if j >= self.end[row]:
                return False
            if self.cut[j] == 2:
                return True
            if self.cut[j] or self.kind[j] >= COMMENT:
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT:
                return is_space(self.base[self.start[j]])
            if self.gives_nothing(j):
                at = self.stop[j]
                j = self.end[j]
                continue
            kind = self.kind_of(j)
            if kind == K_BREAK:
                return self.marks[j] & 7 == KEPT
            if kind == K_IMAGE or kind == K_INPUT:
                return False
            at = self.begins(j)
            j += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_inside(self, kind: cython.int) -> cython.bint:
        """Tell whether an element around has the same sign."""
        k: cython.int = self.count - 1
        place: cython.pointer[Place]
        while k >= 0:
            place = self.places + k
            if not place.kind & NEUTRAL and not (K_EMPHASIS <= place.kind & KIND <= K_DELETED):
                return False
            if place.kind & KIND == kind:
                return True
            k -= 1
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def char_after(self, row: cython.int) -> cython.int:
        """Give the character behind an element."""
        i: cython.int = self.end[row]
        at: cython.Py_ssize_t = self.stop[row]
        d: cython.int = self.count - 1
        place: cython.pointer[Place]
        high: cython.Py_ssize_t
        kind: cython.int
        inner: cython.int
        while True:
            place = self.places + d
            high = self.start[i] if i < place.end else place.stop
            while at < high and self.base[at] == b"<":
                while at < high and self.base[at] != b">":
                    at += 1
                at += 1
            if at < high:
                return self.char_at(at)
            if i >= place.end:
                if place.walk == W_SAME and place.kind & KIND == K_TERM:
                    return self.char_after_term(place.row)
                if not place.kind & NEUTRAL or place.row < 0:
                    return NOTHING_BESIDE
                at = self.stop[place.row]
                i = place.end
                d -= 1
                if place.leave == L_LINK and place.link != place.row:
                    self.failed = True
                continue
            if self.cut[i] == 2:
                return 32
            if self.cut[i] or self.kind[i] >= COMMENT:
                at = self.stop[i]
                i = self.end[i]
                continue
            if self.kind[i] != ELEMENT:
                return self.char_at(self.start[i])
            kind = self.kind_of(i)
            if kind == K_LINK and self.link_state(i) == UNWRAPPED:
                at = self.begins(i)
                i += 1
                continue
            if kind == K_SKIPPED and self.roles[self.tag[i]] & UNESCAPED:
                # A script's text is one of the DOM.
                if self.begins(i) < self.ends(i):
                    return codepoint(self.base + self.begins(i))
                at = self.stop[i]
                i = self.end[i]
                continue
            if kind == K_SKIPPED:
                self.failed = True
                return NOTHING_BESIDE
            if kind == K_RAISED or kind == K_LOWERED:
                inner = self.first_of_level(i, kind)
                if inner != NOTHING_BESIDE or self.failed:
                    return inner
            if self.gives_nothing(i) or (kind == K_BREAK and self.marks[i] & 7 == DIVIDED):
                at = self.stop[i]
                i = self.end[i]
                if kind == K_BREAK and self.passes_blank(i, at, place.end, place.stop):
                    i = self.passed_row
                    at = self.passed_at
                continue
            if kind == K_BREAK:
                return NOTHING_BESIDE
            if K_EMPHASIS <= kind <= K_DELETED:
                inner = i + 1
                while inner < self.end[i]:
                    if self.cut[inner]:
                        inner = self.end[inner]
                        continue
                    if self.kind[inner] != ELEMENT and self.kind[inner] < COMMENT:
                        return EMPHASIS_BESIDE
                    inner += 1
                if self.gap(self.begins(i), self.stop[i]) == 3:
                    self.failed = True
            if kind == K_TABLE:
                self.is_table(i)
            inner = self.first_char(i)
            if inner >= 0:
                return inner
            at = self.stop[i]
            i = self.end[i]

    @cython.cfunc
    @cython.exceptval(check=False)
    def first_of_level(self, row: cython.int, kind: cython.int) -> cython.int:
        """Give the first character of an exponent or an index as it is written; -1 if the element is none."""
        text: bytes = self.level(row, kind)
        if self.failed or not text:
            return NOTHING_BESIDE
        return codepoint(text)

    @cython.cfunc
    @cython.exceptval(check=False)
    def char_after_term(self, row: cython.int) -> cython.int:
        """Give the first character of the definitions of a term."""
        j: cython.int = self.end[row]
        found: cython.int
        high: cython.int = self.end[self.parent[row]]
        while j < high:
            if not self.cut[j] and self.kind[j] == ELEMENT:
                if self.kind_of(j) == K_TERM:
                    break
                if self.kind_of(j) == K_DEFINITION:
                    found = self.first_char(j)
                    if found >= 0:
                        return found
            j = self.end[j]
        return NOTHING_BESIDE

    @cython.cfunc
    @cython.exceptval(check=False)
    def first_char(self, row: cython.int) -> cython.int:
        """Give the first character of an element's text; -1 without text."""
        j: cython.int = row + 1
        at: cython.Py_ssize_t = self.begins(row)
        high: cython.Py_ssize_t = self.ends(row)
        limit: cython.Py_ssize_t
        kind: cython.int
        if self.roles[self.tag[row]] & VOID:
            return -1
        while True:
            limit = self.start[j] if j < self.end[row] else high
            while at < limit and self.base[at] == b"<":
                while at < limit and self.base[at] != b">":
                    at += 1
                at += 1
            if at < limit:
                return self.char_at(at)
            if j >= self.end[row]:
                return -1
            if self.cut[j] == 2:
                return 32
            if self.cut[j] or self.kind[j] >= COMMENT:
                at = self.stop[j]
                j = self.end[j]
                continue
            if self.kind[j] != ELEMENT:
                return self.char_at(self.start[j])
            kind = self.kind_of(j)
            if kind == K_RAISED or kind == K_LOWERED:
                self.failed = True
                return -1
            if kind == K_TABLE:
                self.is_table(j)
            if kind != K_SKIPPED and self.gives_nothing(j):
                at = self.stop[j]
                j = self.end[j]
                continue
            at = self.begins(j)
            j += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def char_at(self, at: cython.Py_ssize_t) -> cython.int:
        """Give the character of the page at a place."""
        c: cython.uchar = self.base[at]
        if c == b"&" and self.limit - at >= 6:
            if memcmp(self.base + at, b"&nbsp;", 6) == 0:
                return 0xA0
            if memcmp(self.base + at, b"&lt;", 4) == 0:
                return 60
            if memcmp(self.base + at, b"&gt;", 4) == 0:
                return 62
        return codepoint(self.base + at)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_punctuation(self, p: cython.p_uchar) -> cython.bint:
        if p[0] < 0x80:
            return is_mark(p[0])
        return self.asked(codepoint(p))

    @cython.cfunc
    @cython.exceptval(check=False)
    def asked(self, character: cython.int) -> cython.bint:
        """Tell whether a character beyond ASCII is punctuation or a symbol."""
        try:
            return self.ask(character)
        except BaseException as error:  # noqa: BLE001  # raised again at the end
            self.caught(error)
            return False

    @cython.cfunc
    def ask(self, character: cython.int) -> cython.bint:
        return self.tools.is_punctuation(character)

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_movable(self, p: cython.p_uchar) -> cython.bint:
        c: cython.uchar = p[0]
        if c >= 0x80:
            return unicode_space(p, 4) > 0 or self.asked(codepoint(p))
        if unicode_space(p, 1):
            return True
        if not is_mark(c):
            return False
        return not (
            c == b"["
            or c == b"]"
            or c == b"("
            or c == b")"
            or c == b"<"
            or c == b">"
            or c == b"`"
            or c == b"*"
            or c == b"_"
            or c == b"~"
            or c == b"\\"
            or c == b"!"
            or c == b"$"
            or c == b"&"
        )

    # The walk.

    @cython.cfunc
    @cython.exceptval(check=False)
    def inline(self, row: cython.int, kind: cython.int) -> cython.void:
        """Lay out an element in a line."""
        place: cython.pointer[Place]
        state: cython.int
        trailing: cython.bint
        if kind == K_SKIPPED or kind == K_SILENT:
            self.skip(row)
            return
        if K_EMPHASIS <= kind <= K_DELETED:
            self.enter_emphasis(row)
            return
        if kind == K_LINK:
            state = self.link_state(row)
            if state == KEPT:
                self.enter_link(row, row)
            else:
                self.enter(row, W_INLINE, L_NOTHING)
            return
        if kind == K_IMAGE:
            self.image(row)
            self.events += 1
            self.last_space = 0
            return
        if kind == K_INPUT:
            self.events += 1
            self.last_space = 0
            return
        if kind == K_CODE:
            self.code_span(row)
            self.skip(row)
            return
        if kind == K_BREAK:
            if self.marks[row] & 7 == DIVIDED:
                # An empty block.
                self.beside = NOTHING_BESIDE
                if not self.s.flat and not self.heading and not self.cell:
                    self.blocked = 1
                else:
                    self.s.owed = 1
                return
            self.breaks += 1
            self.events += 1
            self.last_space = 1
            self.beside = NOTHING_BESIDE
            if self.heading or ((self.s.flat or self.cell) and self.in_heading(row)):
                self.s.owed = 1
            elif self.cell:
                self.s.owed = 1
            else:
                trailing = self.ends_block(self.next_row, self.next_at)
                if not trailing:
                    self.write_break()
            return
        if kind == K_RAISED or kind == K_LOWERED:
            if self.level_text(row, kind):
                self.skip(row)
                return
            place = self.enter(row, W_INLINE, L_WRAP)
            place.marker = self.push_marker(0)
            return
        if self.is_framed(row):
            if not self.s.flat and not self.heading and not self.cell:
                if self.markers:
                    self.failed = True  # a block in emphasis in a link
                    return
                place = self.enter(-2, W_NOTHING, L_BLOCK_END)
                self.enter_block(row, kind)
                return
            if self.cell and not self.s.flat and (kind == K_BULLETS or kind == K_NUMBERS or kind == K_TABLE):
                self.enter_block(row, kind)
                return
            if self.cell and (kind == K_BULLETS or kind == K_NUMBERS or kind == K_TABLE):
                self.s.owed = 1
                self.enter_flat(row, kind, -1)
                return
            self.s.owed = 1
            if kind == K_CODE_BLOCK:
                self.code_in_cell(row)
                return
            if kind == K_RULE:
                self.s.owed = 1
                return
            if kind == K_TABLE:
                self.is_table(row)
            if (
                (kind == K_TERMS and self.is_listing(row))
                or kind == K_SUMMARY
                or self.where[row]
                or (kind == 1 and self.is_quote(row))
            ):
                self.failed = True
            self.enter(row, W_INLINE, L_SPACE)
            return
        if kind == K_ROW or kind == K_CELL:
            self.s.owed = 1
            self.enter(row, W_INLINE, L_SPACE)
            return
        self.enter(row, W_INLINE, L_NOTHING)

    @cython.cfunc
    @cython.exceptval(check=False)
    def in_heading(self, row: cython.int) -> cython.bint:
        row = self.parent[row]
        while row >= 0 and not self.is_framed(row):
            row = self.parent[row]
        return row >= 0 and self.kind_of(row) == K_HEADING

    @cython.cfunc
    @cython.exceptval(check=False)
    def level_text(self, row: cython.int, kind: cython.int) -> cython.bint:
        """Write an exponent or an index; tell whether the element is one."""
        at: cython.Py_ssize_t = self.begins(row)
        if kind == K_RAISED:
            while at < self.stop[row] and (
                self.base[at] == b"[" or self.base[at] == b"<" or is_space(self.base[at])
            ):
                if self.base[at] == b"<":
                    while at < self.stop[row] and self.base[at] != b">":
                        at += 1
                at += 1
            if self.base[at] == b"1" and not (b"0" <= self.base[at + 1] <= b"9"):
                self.raised = True  # it may be the first of several notes
        text: bytes = self.level(row, kind)
        if self.failed or text is None:
            return False
        p: cython.p_uchar = text
        n: cython.Py_ssize_t = len(text)
        if n:
            self.note_text(p, n)
            self.emit(p, p + n)
            if self.signs:
                self.check_signs(p, n)
        return True

    @cython.cfunc
    def level(self, row: cython.int, kind: cython.int) -> bytes:
        """Give how an exponent or an index is written; None if an element is none."""
        # The character before is that of the page as it is.
        j: cython.int = row - 1
        above: cython.int = self.parent[row]
        if above >= 0 and self.kind_of(above) == K_LINK and self.link_state(above) == UNWRAPPED:
            self.failed = True
        while j > above and self.parent[j] != above:
            j = self.parent[j]
        if j > above and self.kind[j] == ELEMENT and self.kind_of(j) != K_SKIPPED and self.gives_nothing(j):
            self.failed = True
        for j in range(row + 1, self.end[row]):
            if (
                self.kind[j] == ELEMENT
                and not self.cut[j]
                and ((self.kind_of(j) == K_LINK and self.link_state(j) != KEPT) or self.gives_nothing(j))
            ):
                self.failed = True  # it is not in the DOM
        if self.failed:
            return None
        return self.level_of(row, kind, self.begins(row))

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave_place(self) -> cython.void:
        """Leave the last element."""
        place: cython.pointer[Place]
        self.count -= 1
        place = self.places + self.count
        if place.leave == L_LINK:
            self.leave_link(place)
        elif place.leave == L_HEADING:
            self.leave_heading(place)
        elif place.leave == L_LIST:
            self.s.depth -= 1
            if self.line.size > place.start:
                self.list_end = self.line.size
                self.list_end_prefix = self.s.prefix - self.s.prefix_at
                self.s.list_marker = place.bullet
        elif place.leave == L_EMPHASIS:
            self.leave_emphasis(place)
        elif place.leave == L_CELL:
            self.leave_cell_of(place)
        elif place.leave == L_ROW:
            self.leave_row(place)
        elif place.leave == L_QUOTE:
            if not self.s.started:
                self.s.started = 1
                self.write_blank_prefix()
                self.s.loose = 1
        elif place.leave == L_BLOCK_END:
            self.blocked = 1
        elif place.leave == L_SPACE:
            self.s.owed = 1
        elif place.leave == L_WRAP:
            self.markers = place.marker
        if place.prefix >= 0:
            self.s.tight = place.tight
            self.levels = place.levels
            self.s.prefix = place.prefix
            self.s.joined = 0
            self.item_marker = 0
        if place.walk == W_NOTHING or place.walk == W_SAME or place.row < 0:
            return
        if self.texts > place.texts:
            if K_EMPHASIS <= place.kind & KIND <= K_DELETED and self.seen > place.seen:
                self.beside = EMPHASIS_BESIDE
            elif place.kind & FRAMED or self.blocks[place.row]:
                self.beside = NOTHING_BESIDE
            else:
                self.beside = self.last
        elif place.kind & FRAMED or self.blocks[place.row]:
            self.beside = NOTHING_BESIDE
        else:
            self.beside = place.beside

    @cython.cfunc
    @cython.exceptval(check=False)
    def leave_heading(self, place: cython.pointer[Place]) -> cython.void:
        at: cython.Py_ssize_t = self.line.size
        self.heading = place.inside
        while at > place.start and self.out[at - 1] == b"#":
            at -= 1
        if at < self.line.size and (at == place.start or self.out[at - 1] == b" "):
            self.out[at] = b"\\"
            self.byte(b"#")

    @cython.cfunc
    @cython.exceptval(check=False)
    def text_child(self, p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.void:
        """Lay out a text."""
        number: cython.int = self.count - 1
        place: cython.pointer[Place]
        while self.places[number].walk == W_SAME:
            number -= 1
        place = self.places + number
        self.note_text(p, n)
        self.write_text(p, n, number, place)
        if self.signs:
            self.check_signs(p, n)

    @cython.cfunc
    @cython.exceptval(check=False)
    def write_text(
        self, p: cython.p_uchar, n: cython.Py_ssize_t, number: cython.int, place: cython.pointer[Place]
    ) -> cython.void:
        """Write a text; the place it is in has a number."""
        listing: cython.pointer[Place]
        k: cython.Py_ssize_t
        prefix: cython.int
        tight: cython.int
        levels: cython.int
        if place.walk == W_INLINE or place.walk == W_FLAT:
            self.emit(p, p + n)
        elif place.walk == W_BLOCK or (place.walk == W_TERM and number < self.count - 1):
            if not place.in_run:
                k = 0
                while k < n and is_space(p[k]):
                    k += 1
                if k == n:
                    return
                self.block_line(0 if self.s.tight else 1)
                place.in_run = 1
            self.emit(p, p + n)
        elif place.walk == W_LIST or place.walk == W_WRAPPER:
            k = 0
            while k < n and is_space(p[k]):
                k += 1
            listing = self.places + place.owner
            if k == n and not listing.run:
                return
            if not listing.begun:
                if not listing.run:
                    self.block_line(0 if self.s.tight else 1)
                    listing.run = 1
                self.emit(p, p + n)
                return
            prefix = self.s.prefix
            levels = self.levels
            tight = self.s.tight
            self.indent_by(listing.width)
            self.s.tight = not listing.loose
            if not listing.run:
                self.block_line(0 if self.s.tight else 1)
                listing.run = 1
            self.emit(p, p + n)
            self.s.tight = tight
            self.s.prefix = prefix
            self.levels = levels

    @cython.cfunc
    @cython.exceptval(check=False)
    def lay_out(self) -> cython.void:
        """Lay out the page."""
        i: cython.int = 0
        at: cython.Py_ssize_t = 0
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = 0
        limit: cython.Py_ssize_t
        place: cython.pointer[Place]
        pieces: cython.int
        kind: cython.int
        number: cython.int
        unescaped: cython.bint
        inner: cython.Py_ssize_t
        self.enter(-1, W_BLOCK, L_NOTHING)
        while not self.failed:
            place = self.places + self.count - 1
            if place.walk == W_NOTHING:
                self.leave_place()
                continue
            # A text: all up to the next tag, across nodes that are cut.
            pieces = 0
            unescaped = place.unescaped != 0
            while True:
                limit = self.start[i] if i < place.end else place.stop
                if at < limit:
                    if pieces == 0:
                        low, high = at, limit
                    else:
                        if pieces == 1:
                            self.scratch_size = 0
                            self.store(low, high, unescaped)
                        self.store(at, limit, unescaped)
                    pieces += 1
                    at = limit
                if i >= place.end:
                    break
                if self.cut[i]:
                    if self.cut[i] == 2:
                        if pieces <= 1:
                            self.scratch_size = 0
                            if pieces:
                                self.store(low, high, unescaped)
                        if self.reserve(1):
                            self.scratch[self.scratch_size] = b" "
                            self.scratch_size += 1
                        pieces += 2
                    at = self.stop[i]
                    i = self.end[i]
                    continue
                if self.kind[i] != ELEMENT and self.kind[i] < COMMENT:
                    if pieces == 0:
                        low, high = at, self.stop[i]
                    else:
                        if pieces == 1:
                            self.scratch_size = 0
                            self.store(low, high, unescaped)
                        self.store(at, self.stop[i], unescaped)
                    pieces += 1
                    at = self.stop[i]
                    i += 1
                    continue
                break
            if pieces:
                self.next_row = i
                self.next_at = at
                if pieces == 1:
                    if unescaped or memchr(self.base + low, b"&", high - low) == cython.NULL:
                        self.text_child(self.base + low, high - low)
                    else:
                        self.scratch_size = 0
                        self.store(low, high, False)
                        self.text_child(self.scratch, self.scratch_size)
                else:
                    self.text_child(self.scratch, self.scratch_size)
                if self.failed:
                    break
            if i >= place.end:
                if place.row < 0:
                    break
                at = self.stop[place.row]
                self.leave_place()
                continue
            if self.kind[i] >= COMMENT:
                at = self.stop[i]
                i += 1
                continue
            kind = self.kind_of(i)
            if kind == K_REFUSED:
                self.failed = True
                break
            self.next_row = self.end[i]
            self.next_at = self.stop[i]
            if kind == K_SKIPPED:
                if self.end[i] > i + 1 or self.gap(self.begins(i), self.stop[i]):
                    self.note_skipped(i)
                at = self.next_at
                i = self.next_row
                continue
            if self.gives_nothing(i):
                self.next_at = self.stop[i]
                if kind == K_BREAK:
                    self.after_dropped(i)
                at = self.next_at
                i = self.next_row
                continue
            number = self.count - 1
            if kind == K_LINK and self.link_state(i) == UNWRAPPED:
                self.enter(i, W_SAME, L_NOTHING)
                inner = self.behind_tag(i)
            else:
                inner = self.behind_tag(i)
                if self.formula_row == i:
                    self.failed = True
                    break
                while self.places[number].walk == W_SAME:
                    number -= 1
                place = self.places + number
                if number == self.count - 1 and (
                    place.walk >= W_TERMS or (place.walk == W_LIST and place.inside == 2)
                ):
                    self.term_child(i, kind)
                elif place.walk == W_INLINE:
                    self.inline(i, kind)
                elif place.walk == W_TERM:
                    self.block_child(i, kind, number)
                elif place.walk == W_BLOCK:
                    self.block_child(i, kind, number)
                elif place.walk == W_LIST or place.walk == W_WRAPPER:
                    self.list_child(i, place.owner)
                elif place.walk == W_FLAT:
                    self.flat_child(i, kind, place.owner)
                else:
                    self.row_child(i, kind)
            if self.failed:
                break
            if self.places[self.count - 1].row == i:
                at = self.stop[i] if self.roles[self.tag[i]] & VOID else inner
                i += 1
            else:
                self.next_at = self.stop[i]
                self.next_row = self.end[i]
                if kind == K_BREAK and self.marks[i] & 8:
                    self.after_dropped(i)
                at = self.next_at
                i = self.next_row

    @cython.cfunc
    @cython.exceptval(check=False)
    def note_skipped(self, row: cython.int) -> cython.void:
        """Remember the end of a text that is not written."""
        at: cython.Py_ssize_t = self.ends(row)
        low: cython.Py_ssize_t
        if self.roles[self.tag[row]] & VOID or at == self.begins(row):
            return
        if self.base[at - 1] == b">" or self.base[at - 1] == b";":
            self.last = 32 if self.base[at - 1] == b";" else 62
        else:
            low = at - 1
            while self.base[low] & 0xC0 == 0x80:
                low -= 1
            self.last = codepoint(self.base + low)
        self.beside = self.last
        self.texts += 1
        self.seen += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def after_dropped(self, row: cython.int) -> cython.void:
        """Pass by the white space behind a line break that goes."""
        place: cython.pointer[Place] = self.places + self.count - 1
        while place.walk == W_NOTHING:
            place -= 1
        if self.passes_blank(self.end[row], self.stop[row], place.end, place.stop):
            self.next_row = self.passed_row
            self.next_at = self.passed_at

    @cython.cfunc
    @cython.exceptval(check=False)
    def passes_blank(
        self, i: cython.int, at: cython.Py_ssize_t, end: cython.int, stop: cython.Py_ssize_t
    ) -> cython.bint:
        """Tell whether a text, across what is cut, is white space; its end is stored."""
        high: cython.Py_ssize_t
        while True:
            high = self.start[i] if i < end else stop
            if self.gap(at, high) == 3:
                return False
            at = high
            if i < end and self.cut[i]:
                at = self.stop[i]
                i = self.end[i]
                continue
            if i < end and self.kind[i] != ELEMENT and self.kind[i] < COMMENT:
                return False
            self.passed_row = i
            self.passed_at = at
            return True

    @cython.cfunc
    @cython.exceptval(check=False)
    def behind_break(self, row: cython.int, high: cython.Py_ssize_t, end: cython.int) -> cython.Py_ssize_t:
        """Give the byte behind a line break, and behind the white space that goes with it."""
        at: cython.Py_ssize_t = self.stop[row]
        if self.marks[row] & 7 != DROPPED and not self.marks[row] & 8:
            return at
        if self.end[row] < end:
            if self.cut[self.end[row]]:
                self.failed = True
                return at
            high = self.start[self.end[row]]
        # Up to the next tag.
        while at < high and self.base[at] != b"<":
            at += 1
        return at if self.gap(self.stop[row], at) < 3 else self.stop[row]


@cython.cfunc
def said(p: cython.p_uchar, stop: cython.p_uchar) -> str:
    """Give an attribute's value."""
    text: str = p[: stop - p].decode("utf-8", "replace")
    if "&" in text:
        for written, character in (
            ("&quot;", '"'),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&nbsp;", "\xa0"),
            ("&amp;", "&"),
        ):
            text = text.replace(written, character)
    return text


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_word(c: cython.uchar) -> cython.bint:
    return b"a" <= c <= b"z" or b"A" <= c <= b"Z" or b"0" <= c <= b"9"


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_mark(c: cython.uchar) -> cython.bint:
    """Tell whether a character of ASCII is punctuation or a symbol."""
    return 33 <= c <= 47 or 58 <= c <= 64 or 91 <= c <= 96 or 123 <= c <= 126


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_of_prefix(c: cython.uchar) -> cython.bint:
    """Tell whether a character is one of those that lines in items and quotes begin with."""
    return (
        c == b" "
        or c == b">"
        or c == b"-"
        or c == b"*"
        or c == b"."
        or c == b")"
        or (b"0" <= c and c <= b"9")
    )


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def width_of(p: cython.p_uchar) -> cython.int:
    c: cython.uchar = p[0]
    return 1 if c < 0x80 else 2 if c < 0xE0 else 3 if c < 0xF0 else 4


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def codepoint(p: cython.p_uchar) -> cython.int:
    """Give the character that begins at a byte."""
    c: cython.int = p[0]
    if c < 0x80:
        return c
    if c < 0xE0:
        return (c & 0x1F) << 6 | (p[1] & 0x3F)
    if c < 0xF0:
        return (c & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F)
    return (c & 0x07) << 18 | (p[1] & 0x3F) << 12 | (p[2] & 0x3F) << 6 | (p[3] & 0x3F)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def space_before(low: cython.p_uchar, p: cython.p_uchar) -> cython.int:
    """Give the bytes of the white space right before a place; 0 for none."""
    width: cython.int = 1
    if p <= low:
        return 0
    while width < 4 and p - width > low and (p - width)[0] & 0xC0 == 0x80:
        width += 1
    return width if unicode_space(p - width, width) == width else 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def strip_left(p: cython.p_uchar, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.Py_ssize_t:
    width: cython.int
    while low < high:
        width = unicode_space(p + low, high - low)
        if not width:
            break
        low += width
    return low


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def strip_right(p: cython.p_uchar, low: cython.Py_ssize_t, high: cython.Py_ssize_t) -> cython.Py_ssize_t:
    width: cython.int
    while high > low:
        width = space_before(p + low, p + high)
        if not width:
            break
        high -= width
    return high


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_blank_run(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.bint:
    """Tell whether a text is white space."""
    width: cython.int
    while n > 0:
        if p[0] == b" " or p[0] == b"\n":
            p += 1
            n -= 1
            continue
        if p[0] > 32 and p[0] < 0x80:
            return False
        width = unicode_space(p, n)
        if not width:
            return False
        p += width
        n -= width
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def has_part(
    p: cython.p_uchar, n: cython.Py_ssize_t, part: cython.p_char, length: cython.Py_ssize_t
) -> cython.bint:
    stop: cython.p_uchar = p + n
    while stop - p >= length:
        p = cython.cast(cython.p_uchar, memchr(p, part[0], stop - p - length + 1))
        if p == cython.NULL:
            return False
        if memcmp(p, part, length) == 0:
            return True
        p += 1
    return False


@cython.cfunc
@cython.exceptval(check=False)
def has_number(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.bint:
    """Tell whether a number in brackets may be in a text."""
    stop: cython.p_uchar = p + n
    while p < stop:
        p = cython.cast(cython.p_uchar, memchr(p, b"[", stop - p))
        if p == cython.NULL or p + 1 == stop:
            return False
        if b"1" <= p[1] <= b"9":
            return True
        p += 1
    return False


@cython.cfunc
@cython.exceptval(check=False)
def has_empty_lines(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.bint:
    """Tell whether three line breaks follow each other: one of them is at every third byte."""
    k: cython.Py_ssize_t = 2
    while k < n:
        if p[k] == b"\n" and (
            (p[k - 1] == b"\n" and (p[k - 2] == b"\n" or (k + 1 < n and p[k + 1] == b"\n")))
            or (k + 2 < n and p[k + 1] == b"\n" and p[k + 2] == b"\n")
        ):
            return True
        k += 3
    return False


@cython.cfunc
@cython.exceptval(check=False)
def names_callout(found: cython.pointer[Attribute]) -> cython.bint:
    """Tell whether a class is that of notes set apart: see detemplate.output.blocks."""
    p: cython.p_uchar = found.value
    q: cython.p_uchar
    n: cython.Py_ssize_t
    while p < found.stop:
        q = p
        while q < found.stop and not is_space(q[0]):
            q += 1
        n = q - p
        if (
            (n == 5 and memcmp(p, b"alert", 5) == 0)
            or (n == 7 and memcmp(p, b"callout", 7) == 0)
            or (n == 10 and memcmp(p, b"admonition", 10) == 0)
            or (n == 14 and memcmp(p, b"markdown-alert", 14) == 0)
            or (n == 16 and memcmp(p, b"theme-admonition", 16) == 0)
        ):
            return True
        p = q + 1
    return False


@cython.cfunc
@cython.exceptval(check=False)
def has_folded(
    p: cython.p_uchar, stop: cython.p_uchar, word: cython.p_char, n: cython.Py_ssize_t
) -> cython.bint:
    """Tell whether a value has a word, in any case."""
    k: cython.Py_ssize_t
    while stop - p >= n:
        k = 0
        while k < n and p[k] | 0x20 == cython.cast(cython.uchar, word[k]):
            k += 1
        if k == n:
            return True
        p += 1
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_reference(p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
    """Tell whether ``&`` begins what Markdown reads as a character reference."""
    begin: cython.p_uchar
    p += 1
    if p < stop and p[0] == b"#":
        p += 1
        if p < stop and (p[0] == b"x" or p[0] == b"X"):
            p += 1
    begin = p
    while p < stop and is_word(p[0]):
        p += 1
    return p > begin and p < stop and p[0] == b";"


@cython.cfunc
@cython.exceptval(check=False)
def has_plain_signs(p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
    """Tell whether all entities in an address are ``&amp;``."""
    while p < stop:
        p = cython.cast(cython.p_uchar, memchr(p, b"&", stop - p))
        if p == cython.NULL:
            return True
        if stop - p < 5 or memcmp(p, b"&amp;", 5) != 0:
            return False
        p += 5
    return True


@cython.cfunc
@cython.exceptval(check=False)
def is_simple(p: cython.p_uchar, stop: cython.p_uchar, classes: cython.p_uchar) -> cython.bint:
    """Tell whether nothing is to be changed in what an address has behind the way up.

    See ``_RELATIVE`` in detemplate.output.addresses.
    """
    c: cython.uchar
    if p == stop or p[0] == b"." or p[0] == b"/" or p[0] == b"?" or p[0] == b"#":
        return False
    while p < stop and classes[p[0]] & C_PATH:
        if p[0] == b"/" and p + 1 < stop and (p[1] == b"/" or p[1] == b"."):
            return False
        p += 1
    if p < stop and p[0] == b"?":
        p += 1
        if p == stop or p[0] == b"#":
            return False
        while p < stop and p[0] != b"#":
            c = p[0]
            if classes[c] & C_OUTSIDE or c == b"?" or c == b"\\":
                return False
            if c == b"/" and p + 1 < stop and (p[1] == b"/" or p[1] == b"."):
                return False
            p += 1
    if p == stop:
        return True
    if p[0] != b"#" or p + 1 == stop:
        return False
    p += 1
    while p < stop:
        c = p[0]
        if classes[c] & C_OUTSIDE or c == b"\\":
            return False
        if c == b"/" and p + 1 < stop and (p[1] == b"/" or p[1] == b"."):
            return False
        p += 1
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_absolute(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.bint:
    k: cython.Py_ssize_t
    for k in range(n):
        if p[k] == b":":
            return True
        if p[k] == b"/" or p[k] == b"#" or p[k] == b"?":
            return False
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_autolink(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.bint:
    k: cython.Py_ssize_t
    for k in range(n):
        if p[k] <= 32 or p[k] == b"<" or p[k] == b">" or p[k] == 0x7F:
            return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_tag(p: cython.p_uchar, name: cython.p_char, n: cython.int) -> cython.bint:
    return memcmp(p, name, n) == 0 and (p[n] == b" " or p[n] == b">")


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_plain_wrapper(p: cython.p_uchar) -> cython.bint:
    return is_tag(p, b"<span", 5) or is_tag(p, b"<font", 5)


@cython.cfunc
@cython.exceptval(check=False)
def source_of(found: cython.pointer[Attribute]) -> cython.int:
    """Give the place of an attribute among those that may hold the address of an image; -1 for another."""
    if is_named(found, b"src", 3):
        return 7
    if found.length < 8 or memcmp(found.name, b"data-", 5) != 0:
        return -1
    if is_named(found, b"data-src", 8):
        return 0
    if is_named(found, b"data-lazy-src", 13):
        return 1
    if is_named(found, b"data-original", 13):
        return 2
    if is_named(found, b"data-orig-src", 13):
        return 3
    if is_named(found, b"data-lazy", 9):
        return 4
    if is_named(found, b"data-echo", 9):
        return 5
    return 6 if is_named(found, b"data-url", 8) else -1


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_web(p: cython.p_uchar) -> cython.bint:
    return memcmp(p, b"http", 4) == 0 and (p[4] == b":" or (p[4] == b"s" and p[5] == b":"))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def is_foreign(p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
    """Tell whether an address may have another scheme than that of the web."""
    q: cython.p_uchar = p
    if stop - p > 5 and (memcmp(p, b"http:", 5) == 0 or (stop - p > 6 and memcmp(p, b"https:", 6) == 0)):
        return False
    while q < stop and (is_word(q[0]) or q[0] == b"+" or q[0] == b"." or q[0] == b"-"):
        q += 1
    return q > p and q < stop and q[0] == b":"


@cython.cfunc
def tidied_markdown(text: cython.p_uchar, size: cython.Py_ssize_t) -> str:
    """Write no-break spaces as spaces, and at most one empty line, but not in code; see detemplate.output.spaces."""
    out: cython.p_uchar = cython.cast(cython.p_uchar, malloc(size + 1))
    n: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t
    low: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    fence: cython.int = 0  # signs of the code that is open
    run: cython.int
    breaks: cython.int = 0  # line breaks before, of the same text
    emptied: cython.bint = False
    p: cython.p_uchar
    if out == cython.NULL:
        raise MemoryError
    while at <= size:
        p = cython.cast(cython.p_uchar, memchr(text + at, b"\n", size - at))
        high = size if p == cython.NULL else p - text
        run = fence_of(text + at, high - at)
        if fence or run:
            # Code, or a line that begins or ends it.
            memcpy(out + n, text + at, high - at)
            n += high - at
            if not fence:
                fence = run
            elif run >= fence:
                fence = 0
            breaks = 0
            emptied = False
            if high < size:
                out[n] = b"\n"
                n += 1
                breaks = 0 if fence else 1
        else:
            if has_part(text + at, high - at, b"&#160;", 6):
                begin = n
                n += tidied_line(text + at, high - at, out + n)
                emptied = n == begin
                breaks = 0
            elif high > at:
                memcpy(out + n, text + at, high - at)
                n += high - at
                emptied = False
                breaks = 0
            if high < size:
                breaks += 1
                if breaks <= (1 if emptied else 2):
                    out[n] = b"\n"
                    n += 1
                if fence_of(text + high + 1, line_length(text + high + 1, size - high - 1)):
                    emptied = False
        at = high + 1
    low = 0
    while low < n and out[low] == b"\n":
        low += 1
    while n > low and out[n - 1] == b"\n":
        n -= 1
    try:
        return out[low:n].decode("utf-8")
    finally:
        free(out)


@cython.cfunc
@cython.exceptval(check=False)
def spaces_at(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Give the bytes of the spaces, and numbers of characters, that a text begins with; not of line breaks."""
    k: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    width: cython.int
    while k < n:
        if p[k] == b"&" and k + 1 < n and p[k + 1] == b"#":
            at = k + 2
            while at < n and b"0" <= p[at] <= b"9":
                at += 1
            if at == k + 2 or at == n or p[at] != b";":
                return k
            k = at + 1
        elif p[k] == b"\n":
            return k
        else:
            width = 1 if is_space(p[k]) else unicode_space(p + k, n - k)
            if not width:
                return k
            k += width
    return k


@cython.cfunc
@cython.exceptval(check=False)
def tidied_breaks(p: cython.p_uchar, n: cython.Py_ssize_t, out: cython.p_uchar) -> cython.Py_ssize_t:
    """Write the line breaks in emphasis as detemplate.output.emphasis does; give the bytes that are written."""
    i: cython.Py_ssize_t = 0
    o: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    breaks: cython.bint
    first: cython.bint
    while i < n:
        if p[i] == b"\\" and i + 1 < n and p[i + 1] != b"\n":
            out[o] = p[i]
            out[o + 1] = p[i + 1]
            o += 2
            i += 2
            continue
        breaks = False
        first = False  # it begins a line
        while i < n:
            if p[i] == b"\\" and (i + 1 == n or p[i + 1] == b"\n"):
                first = first or (not breaks and (o == 0 or out[o - 1] == b" " or out[o - 1] == b"\n"))
                i = min(i + 2, n)
            elif n - i > 3 and p[i] == b" " and p[i + 1] == b" " and p[i + 2] == b"\n" and p[i + 3] == b"&":
                i += 3
            else:
                break
            breaks = True
            i += spaces_at(p + i, n - i)
            while (
                i < n
                and p[i] == b"\n"
                and i > 1
                and p[i - 1] == b" "
                and p[i - 2] == b" "
                and not (i + 1 < n and p[i + 1] == b"\n")
            ):
                i += 1 + spaces_at(p + i + 1, n - i - 1)
        if not breaks:
            out[o] = p[i]
            o += 1
            i += 1
            continue
        if not first and i < n and p[i] != b"\n":
            out[o] = out[o + 1] = b" "
            out[o + 2] = b"\n"
            o += 3
        if i == n:
            break
        if p[i] == b"#" or p[i] == b">" or p[i] == b"+" or p[i] == b"=" or p[i] == b"-":
            out[o] = b"\\"
            out[o + 1] = p[i]
            o += 2
            i += 1
            continue
        k = i
        while k < n and b"0" <= p[k] <= b"9":
            k += 1
        if k > i and k < n and (p[k] == b"." or p[k] == b")"):
            while i < k:
                out[o] = p[i]
                o += 1
                i += 1
            out[o] = b"\\"
            o += 1
    return o


@cython.cfunc
@cython.exceptval(check=False)
def line_length(text: cython.p_uchar, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    p: cython.p_uchar = cython.cast(cython.p_uchar, memchr(text, b"\n", size))
    return size if p == cython.NULL else p - text


@cython.cfunc
@cython.exceptval(check=False)
def fence_of(p: cython.p_uchar, n: cython.Py_ssize_t) -> cython.int:
    """Give the signs of a line that begins or ends code; 0 for another."""
    k: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    run: cython.int = 0
    while k < n and (p[k] == b" " or p[k] == b">"):
        k += 1
    while k < n and p[k] != b"`":
        begin = k
        if p[k] == b"-" or p[k] == b"*" or p[k] == b"+":
            k += 1
        else:
            while k < n and b"0" <= p[k] <= b"9":
                k += 1
            if k == begin or k == n or (p[k] != b"." and p[k] != b")"):
                return 0
            k += 1
        if k == n or p[k] != b" ":
            return 0
        while k < n and p[k] == b" ":
            k += 1
    while k < n and p[k] == b"`":
        run += 1
        k += 1
    return run if run >= 3 else 0


@cython.cfunc
@cython.exceptval(check=False)
def tidied_line(p: cython.p_uchar, n: cython.Py_ssize_t, out: cython.p_uchar) -> cython.Py_ssize_t:
    """Write the no-break spaces of a line as spaces; those at its ends go. Give the bytes that are written."""
    high: cython.Py_ssize_t = strip_right(p, 0, n)
    low: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    size: cython.Py_ssize_t
    k: cython.int
    for k in range(50):
        if high < 6 or memcmp(p + high - 6, b"&#160;", 6) != 0:
            break
        high = strip_right(p, 0, high - 6)
    # What a line begins with: signs of quotes, then of an item or a heading.
    while low < high and (p[low] == b" " or p[low] == b">"):
        low += 1
    begin = low
    if low < high and (p[low] == b"-" or p[low] == b"*" or p[low] == b"+" or p[low] == b"#"):
        while low < high and (p[low] == b"-" or p[low] == b"*" or p[low] == b"+" or p[low] == b"#"):
            low += 1
        if low == high or p[low] != b" ":
            low = begin
    elif low < high and b"0" <= p[low] <= b"9":
        while low < high and b"0" <= p[low] <= b"9":
            low += 1
        if low + 1 >= high or (p[low] != b"." and p[low] != b")") or p[low + 1] != b" ":
            low = begin
        else:
            low += 1
    while low < high and low > begin and p[low] == b" ":
        low += 1
    memcpy(out, p, low)
    size = low
    if high - low >= 6 and memcmp(p + low, b"&#160;", 6) == 0:
        while low < high:
            if p[low] == b" ":
                low += 1
            elif high - low >= 6 and memcmp(p + low, b"&#160;", 6) == 0:
                low += 6
            else:
                break
    begin = size
    memcpy(out + size, p + low, high - low)
    size += high - low
    if memchr(out, b"`", size) != cython.NULL:
        return size
    n = size
    low = begin
    while low < n:
        if n - low >= 6 and memcmp(out + low, b"&#160;", 6) == 0:
            out[begin] = b" "
            low += 6
        else:
            out[begin] = out[low]
            low += 1
        begin += 1
    return begin


CLASSES = cython.declare(cython.uchar[256])


@cython.cfunc
def classify() -> cython.void:
    """Fill the classes of bytes."""
    c: cython.int
    for c in range(256):
        CLASSES[c] = 0
        if c <= 32 or c >= 127:
            CLASSES[c] |= C_OUTSIDE
        elif is_word(c) or memchr(b"_~%+,=@!$&'()*-./", c, 17) != cython.NULL:
            CLASSES[c] |= C_PATH
        if c <= 32:
            CLASSES[c] |= C_ADDRESS
    for c in (9, 10, 12, 13, 32):
        CLASSES[c] |= C_SPACE
    for c in (92, 96, 91, 93, 126, 42, 95):
        CLASSES[c] |= C_ESCAPE
    for c in (60, 38, 36):
        CLASSES[c] |= C_CONTEXT
    for c in (0xC2, 0xE1, 0xE2, 0xE3):
        CLASSES[c] |= C_WIDE
    for c in (127, 60, 62, 40, 41, 92, 38):
        CLASSES[c] |= C_ADDRESS
    for c in (91, 93):
        CLASSES[c] |= C_BRACKET


classify()


def markdown(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    children: cython.int[::1],
    roles: cython.ushort[::1],
    kinds: cython.ushort[::1],
    removed: cython.int[::1],
    spaced: cython.uchar[::1],
    level_written: object,
    tools: object,
):
    """Give the Markdown of a page without the removed nodes; None where it has what is not done here.

    With it, whether it has a raised 1, which may be the first of several notes.
    """
    n: cython.Py_ssize_t = kind.shape[0]
    k: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    writer: MarkdownWriter = MarkdownWriter()
    if kinds.shape[0] != 65536:
        raise ValueError("the columns differ in length")
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
    writer.kinds = cython.address(kinds[0])
    writer.tools = tools
    writer.languages = {}
    writer.numbered = {}
    writer.ways = {}
    writer.is_markdown = True
    writer.cut = cython.cast(cython.p_uchar, calloc(n, 1))
    writer.marks = cython.cast(cython.p_uchar, calloc(n, 1))
    writer.where = cython.cast(cython.p_int, calloc(n, cython.sizeof(cython.int)))
    if writer.cut == cython.NULL or writer.marks == cython.NULL or writer.where == cython.NULL:
        raise MemoryError
    for k in range(removed.shape[0]):
        writer.cut[removed[k]] = 2 if spaced[k] else 1
    writer.classes = CLASSES
    writer.break_end = -1
    writer.formula_row = -1
    writer.beside = NOTHING_BESIDE
    writer.find_images()
    writer.lay_out()
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
    if high - low >= 3 and memcmp(writer.out + low, b"\xef\xbb\xbf", 3) == 0:
        return None
    k = writer.breakable(low, high)
    n = k - low
    p: cython.p_uchar = writer.out + low
    if has_part(p, n, b"&#160;", 6) or has_empty_lines(p, n):
        return tidied_markdown(p, n), writer.raised
    return p[:n].decode("utf-8"), writer.raised
