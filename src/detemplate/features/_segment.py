# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The segment features, compiled; ``tests/oracles/segments.py`` states each number in NumPy.

One pass down the nodes, for what each has of its own and from above; one pass up, for the sums of subtrees;
then the rows of the table, one by one. What several texts have in common (their groups, their block, the
page) is computed once and copied. All is computed in double precision.

Columns are named in ``_segment_columns.pxd``, records in ``_segment_records.pxd``. Written in Cython's
pure-Python mode.
"""

import cython
from cython.cimports.detemplate.algorithms._arena import (
    Arena,
    Kept,
    bytes_for,
    close_arena,
    open_arena,
    piece,
)
from cython.cimports.detemplate.features import _segment_columns as col
from cython.cimports.detemplate.features._cohorts import Cohort, bytes_for_cohorts, join, open_cohorts
from cython.cimports.detemplate.features._segment_constants import (
    ARIA_HIDDEN,
    AROUND_A,
    AROUND_ARTICLE,
    AROUND_BITS,
    AROUND_END,
    AROUND_FORM,
    AROUND_MAIN,
    AROUND_P,
    BYTES_A_FIELD,
    CAPITAL,
    COMMA,
    DIGIT,
    FIELD,
    FIRST_H1,
    GROUP,
    HASHES,
    HASHES_A_VALUE,
    HEADING,
    HIDDEN,
    INPUT,
    IS_CAPITAL,
    IS_DIGIT,
    IS_LETTER,
    IS_SPACE,
    ITEM,
    LINK,
    LONG_CHARS,
    LONGEST,
    LOWER,
    MEDIA,
    MEETINGS,
    MOST_CLASSES,
    MOST_WORDS,
    OUTERMOST,
    PROSE,
    SCORED_CHARS,
    SENTENCE_MARK,
    SHORT_WORDS,
    SPACE,
    SPECIAL,
    VALUE_BITS,
    VALUE_ROWS,
    VALUES,
    WEIGHT,
    WIDE,
    WORD_NUMBER,
)
from cython.cimports.detemplate.features._segment_records import (
    Block,
    Classes,
    Floats,
    Hashes,
    Ints,
    Job,
    Meeting,
    Node,
    Segment,
    Shorts,
    Value,
    Weighed,
)
from cython.cimports.detemplate.page._markup import CODE, ELEMENT, TEXT, Attribute, is_named, next_attribute
from cython.cimports.detemplate.page._tags import NUMBER
from cython.cimports.libc.string import memcmp, memcpy, memset

# Memory that stays between the pages.
KEPT = cython.declare(Kept)

# As in detemplate.features.vocabulary.
BASIS = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
MIX = cython.declare(cython.ulonglong, 0x9E3779B185EBCA87)

# Odd multiplier of a parent's row in the key of a signature among its siblings.
SIBLING = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
# Slot of a text without an element around it.
NO_SLOT = cython.declare(cython.ulonglong, 7)

# Bytes of columns that are copied. They are variables: for a size that is known when it compiles, the compiler
# puts an instruction in the place of memcpy that is slower here.
GROUP_BYTES = cython.declare(cython.size_t, col.GROUP_WIDTH * cython.sizeof(cython.float))
GROUPS_BYTES = cython.declare(cython.size_t, col.LEVELS * col.GROUP_WIDTH * cython.sizeof(cython.float))
BLOCK_BYTES = cython.declare(cython.size_t, col.BLOCK_WIDTH * cython.sizeof(cython.float))
PAGE_BYTES = cython.declare(cython.size_t, col.PAGE_WIDTH * cython.sizeof(cython.float))

COUNTS = cython.declare(cython.ulonglong[256])  # what a byte of a text counts as
SUMS = cython.declare(cython.ulonglong, (1 << 60) - 1)  # mask of the fields that are summed
CLASSES = cython.declare(cython.uchar[256])  # what a byte of an attribute is


@cython.cfunc
def bit(place: cython.int, value: cython.bint) -> cython.ulonglong:
    return cython.cast(cython.ulonglong, value) << place


for _byte in range(256):
    COUNTS[_byte] = (
        bit(COMMA, _byte in b",")
        | bit(DIGIT, _byte in b"0123456789")
        | bit(CAPITAL, 65 <= _byte <= 90)
        | bit(SENTENCE_MARK, _byte in b".!?;:")
        | bit(SPACE, _byte in b"\t\n\f\r ")
        | bit(WIDE, 0xE3 <= _byte <= 0xED)
        | bit(SPECIAL, 0xE3 <= _byte <= 0xEF or _byte in b"\xc3\xce\xd0\xd8\xdb\xe0")
    )
    CLASSES[_byte] = (
        (IS_SPACE if _byte in b"\t\n\v\f\r " else 0)
        | (IS_DIGIT if _byte in b"0123456789" else 0)
        | (IS_LETTER if 97 <= _byte <= 122 else 0)
        | (IS_LETTER | IS_CAPITAL if 65 <= _byte <= 90 else 0)
    )


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def single(value: cython.double) -> cython.float:
    return cython.cast(cython.float, value)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def begins(p: cython.p_uchar, stop: cython.p_uchar, word: cython.p_char, size: cython.int) -> cython.bint:
    """Tell whether bytes begin with a word of lower-case letters, whatever their case."""
    at: cython.int
    if stop - p < size:
        return False
    for at in range(size):
        if p[at] | LOWER != cython.cast(cython.uchar, word[at]):
            return False
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def skip_space(p: cython.p_uchar, stop: cython.p_uchar) -> cython.p_uchar:
    while p < stop and CLASSES[p[0]] & IS_SPACE:
        p += 1
    return p


@cython.cfunc
@cython.exceptval(check=False)
def style_hides(p: cython.p_uchar, stop: cython.p_uchar) -> cython.bint:
    """Tell whether a declaration of a style hides its element."""
    is_display: cython.bint
    while p < stop:
        p = skip_space(p, stop)
        is_display = begins(p, stop, b"display", 7)
        if is_display or begins(p, stop, b"visibility", 10):
            p = skip_space(p + (7 if is_display else 10), stop)
            if p < stop and p[0] == b":":
                p = skip_space(p + 1, stop)
                if begins(p, stop, b"none", 4) if is_display else begins(p, stop, b"hidden", 6):
                    p = skip_space(p + (4 if is_display else 6), stop)
                    if p == stop or p[0] == b";" or p[0] == b"!":
                        return True
        while p < stop and p[0] != b";":
            p += 1
        p += 1
    return False


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def hides(found: cython.pointer[Attribute]) -> cython.int:
    """Tell how an attribute hides its element: HIDDEN, ARIA_HIDDEN, or 0 for not at all."""
    if is_named(found, b"style", 5):
        return HIDDEN if style_hides(found.value, found.stop) else 0
    if is_named(found, b"hidden", 6):
        return HIDDEN
    if is_named(found, b"aria-hidden", 11):
        if found.stop - found.value == 4 and begins(found.value, found.stop, b"true", 4):
            return ARIA_HIDDEN
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def add_run(
    hashes: Hashes, run: cython.ulonglong, letters: cython.int, part: cython.ulonglong, first: cython.int
) -> cython.int:
    """Add the last part of a run of letters, if it has parts, and the run; return how many were long enough."""
    count: cython.int = 0
    if first and letters - first > 2:
        hashes[0] = part
        count = 1
    if letters > 2:
        hashes[count] = run
        count += 1
    return count


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def has_words(found: cython.pointer[Attribute]) -> cython.bint:
    """Tell whether the words of an attribute are read."""
    return (
        is_named(found, b"class", 5)
        or is_named(found, b"id", 2)
        or is_named(found, b"rel", 3)
        or is_named(found, b"role", 4)
        or is_named(found, b"itemprop", 8)
        or is_named(found, b"itemtype", 8)
    )


@cython.cfunc
@cython.exceptval(check=False)
def read_value(
    found: cython.pointer[Attribute], hashes: Hashes, count: cython.int, classes: cython.pointer[Classes]
) -> cython.int:
    """Read an attribute with words: fill in their hashes behind the first ``count``, return the new number.

    Adds its classes to ``classes``.
    """
    p: cython.p_uchar = found.value
    begin: cython.p_uchar
    words: cython.int = 0
    letters: cython.int
    first: cython.int  # letters of the run before its last part; 0: it has no parts
    word: cython.int
    is_class: cython.bint = found.name[0] == b"c"
    before: cython.int
    after_capital: cython.bint
    byte: cython.ulonglong
    prefix: cython.ulonglong
    whole: cython.ulonglong
    run: cython.ulonglong
    part: cython.ulonglong = 0
    style: cython.ulonglong
    prefix = (((BASIS ^ found.name[0]) * PRIME) ^ found.name[1]) * PRIME
    prefix = (prefix ^ cython.cast(cython.uchar, b":")) * PRIME
    while words < MOST_WORDS:
        while p < found.stop and CLASSES[p[0]] & IS_SPACE:
            p += 1
        if p == found.stop:
            break
        # The value's hash stands before those of its runs of letters, so its place is kept free.
        words += 1
        word = count
        count += 1
        if count > HASHES - HASHES_A_VALUE:
            return word
        begin = p
        whole = prefix
        run = style = BASIS
        letters = first = 0
        before = 0
        while p < found.stop:
            byte = p[0]
            if CLASSES[byte] & IS_SPACE:
                break
            # A run of digits counts as one 0 in the signature.
            if not CLASSES[byte] & IS_DIGIT:
                style = (style ^ byte) * PRIME
            elif not before & IS_DIGIT:
                style = (style ^ cython.cast(cython.uchar, b"0")) * PRIME
            after_capital = (before & IS_CAPITAL) != 0
            before = CLASSES[byte]
            if before & IS_CAPITAL:
                byte |= LOWER
                # A part of a run in camel case begins, except within several capitals.
                if letters and (
                    not after_capital
                    or (p + 1 < found.stop and CLASSES[p[1]] & (IS_LETTER | IS_CAPITAL) == IS_LETTER)
                ):
                    if letters - first > 2 and p - begin < LONGEST:
                        hashes[count] = part if first else run
                        count += 1
                    part = BASIS
                    first = letters
            whole = (whole ^ byte) * PRIME
            if before & IS_LETTER:
                run = (run ^ byte) * PRIME
                if first:
                    part = (part ^ byte) * PRIME
                letters += 1
            elif letters:
                if p - begin < LONGEST:
                    count += add_run(hashes + count, run, letters, part, first)
                run = BASIS
                letters = first = 0
            p += 1
        if is_class:
            if classes.count == 0:
                classes.first = style
            classes.sum += style
            classes.count += 1
        if p - begin <= LONGEST:
            hashes[word] = whole
            count += add_run(hashes + count, run, letters, part, first)
        else:
            count = word
    return count


@cython.cfunc
@cython.exceptval(check=False)
def read_start(p: cython.p_uchar, end: cython.p_uchar, hashes: Hashes) -> cython.int:
    """Read a start tag: fill in the hashes of its words, return their number."""
    found = cython.declare(Attribute)
    classes = cython.declare(Classes)
    classes.sum = classes.first = 0
    classes.count = 0
    count: cython.int = 0
    while p < end and p[0] != b" " and p[0] != b">":
        p += 1
    while next_attribute(cython.address(p), end, cython.address(found)):
        if has_words(cython.address(found)) and count < HASHES - HASHES_A_VALUE:
            count = read_value(cython.address(found), hashes, count, cython.address(classes))
    return count


@cython.cfunc
@cython.exceptval(check=False)
def count_bytes(p: cython.p_uchar, size: cython.Py_ssize_t, node: cython.pointer[Node]) -> cython.void:
    """Count the words, commas, digits, capitals and sentence marks of a text."""
    at: cython.Py_ssize_t = 0
    upto: cython.Py_ssize_t
    sums: cython.ulonglong
    one: cython.ulonglong
    before: cython.ulonglong = 0
    ever: cython.ulonglong = 0
    node.words = 1
    if size > 0:
        node.words -= cython.cast(cython.int, (COUNTS[p[0]] >> WIDE) & 1)  # count_wide counts wide ones
    while at < size:
        upto = min(size, at + BYTES_A_FIELD)
        sums = 0
        while at < upto:
            one = COUNTS[p[at]]
            # A word begins where white space has ended and no wide character begins.
            sums += (one & SUMS) + ((before & ~one & ~(one << (SPACE - WIDE))) >> SPACE)
            before = one
            ever |= one
            at += 1
        node.words += cython.cast(cython.int, sums & FIELD)
        node.commas += cython.cast(cython.int, (sums >> COMMA) & FIELD)
        node.digits += cython.cast(cython.int, (sums >> DIGIT) & FIELD)
        node.capitals += cython.cast(cython.int, (sums >> CAPITAL) & FIELD)
        node.sentence_marks += cython.cast(cython.int, (sums >> SENTENCE_MARK) & FIELD)
    if (ever >> SPECIAL) & 1:
        count_wide(p, size, node)


@cython.cfunc
@cython.exceptval(check=False)
def count_wide(p: cython.p_uchar, size: cython.Py_ssize_t, node: cython.pointer[Node]) -> cython.void:
    """Count the characters beyond ASCII of a text."""
    at: cython.Py_ssize_t
    byte: cython.int
    second: cython.int
    third: cython.int
    wide: cython.int = 0
    for at in range(size):
        byte = p[at]
        if byte < 0xC3:
            continue
        second = p[at + 1] if at + 1 < size else 0
        third = p[at + 2] if at + 2 < size else 0
        if 0xE3 <= byte <= 0xED:
            wide += 1
            node.chars += 2 if 0xE4 <= byte <= 0xE9 else 1
            if byte == 0xE3 and second == 0x80:
                node.commas += third == 0x81
                node.sentence_marks += third == 0x82
        elif byte == 0xEF:
            if second == 0xBC:
                node.commas += third == 0x8C
                node.sentence_marks += (
                    third == 0x81 or third == 0x8E or 0x9A <= third <= 0x9B or third == 0x9F
                )
        elif byte == 0xC3:
            node.capitals += 0x80 <= second <= 0x9E and second != 0x97
        elif byte == 0xCE:
            node.capitals += 0x91 <= second <= 0xAB
        elif byte == 0xD0:
            node.capitals += 0x80 <= second <= 0xAF
        elif byte == 0xD8:
            node.commas += second == 0x8C
            node.sentence_marks += second == 0x9B or second == 0x9F
        elif byte == 0xDB:
            node.sentence_marks += second == 0x94
        elif byte == 0xE0:
            node.sentence_marks += second == 0xA5 and third == 0xA4
    node.words += (wide + 1) // 2


@cython.cfunc
@cython.exceptval(check=False)
def look_up(
    hashes: Hashes,
    count: cython.int,
    vocabulary: cython.ulonglong[:, ::1],
    numbers: cython.uint[:, ::1],
    shift: cython.int,
) -> cython.int:
    """Put the rows of the known words in the vocabulary's table in the place of hashes, return their number."""
    number: cython.int
    at: cython.ulonglong
    left: cython.int = 0
    found: cython.int = 0
    # A word whose home is free is not known. This loop has no branches, so that many rows are loaded at once.
    for number in range(count):
        at = (hashes[number] * MIX) >> shift
        hashes[left] = hashes[number]
        left += numbers[at, WORD_NUMBER] != 0
    for number in range(left):
        at = (hashes[number] * MIX) >> shift
        while numbers[at, WORD_NUMBER] != 0 and vocabulary[at, 0] != hashes[number]:
            at += 1
        if numbers[at, WORD_NUMBER] != 0:
            hashes[found] = at
            found += 1
    return found


@cython.cfunc
@cython.exceptval(check=False)
def weigh(
    p: cython.p_uchar,
    end: cython.p_uchar,
    values: cython.pointer[Value],
    hashes: Hashes,
    vocabulary: cython.ulonglong[:, ::1],
    numbers: cython.uint[:, ::1],
    weights: cython.float[:, ::1],
    shift: cython.int,
    classes: cython.pointer[Classes],
    hidden: Ints,
    weighed: cython.pointer[Weighed],
) -> cython.int:
    """Read a start tag: sum the weights of its known words, find the least and the greatest, 0 if none is known.

    Sets ``classes`` to its classes, and ``hidden`` to how it hides. Returns the number of its words.
    ``values`` are those that were read before; a page repeats most of them.
    """
    found = cython.declare(Attribute)
    value: cython.pointer[Value]
    length: cython.Py_ssize_t
    key: cython.ulonglong
    count: cython.int = 0
    read: cython.int
    known: cython.int
    number: cython.int
    at: cython.ulonglong
    weight: cython.double
    any_known: cython.bint = False
    classes.sum = classes.first = 0
    classes.count = 0
    hidden[0] = 0
    while p < end and p[0] != b" " and p[0] != b">":
        p += 1
    while next_attribute(cython.address(p), end, cython.address(found)):
        if not has_words(cython.address(found)):
            hidden[0] |= hides(cython.address(found))
            continue
        length = found.stop - found.value
        if length == 0:
            continue
        key = found.value[0]
        if length + found.length >= 6:  # the last eight bytes; what stands before a short value is its name
            memcpy(cython.address(key), found.stop - 8, 8)
        value = values + (((key ^ cython.cast(cython.ulonglong, length)) * MIX) >> (64 - VALUE_BITS))
        if (
            value.length == length
            and value.name == found.name[0] * 256 + found.name[1]
            and memcmp(value.first, found.value, length) == 0
        ):
            read = value.count
            known = value.known
            for number in range(known):
                hashes[number] = value.rows[number]
            if value.classes.count:
                classes[0] = value.classes
        else:
            read = read_value(cython.address(found), hashes, 0, classes)
            known = look_up(hashes, read, vocabulary, numbers, shift)
            if known <= VALUE_ROWS:
                value.first = found.value
                value.length = length
                value.name = found.name[0] * 256 + found.name[1]
                value.count = read
                value.known = known
                if found.name[0] == b"c":
                    value.classes = classes[0]
                else:
                    value.classes.count = 0
                for number in range(known):
                    value.rows[number] = cython.cast(cython.uint, hashes[number])
        count += read
        for number in range(known):
            at = hashes[number]
            weight = weights[at, WEIGHT]
            weighed.own += weight
            if not any_known or weight < weighed.least:
                weighed.least = weight
            if not any_known or weight > weighed.most:
                weighed.most = weight
            any_known = True
    return count


@cython.cfunc
@cython.exceptval(check=False)
def meet(job: cython.pointer[Job], which: cython.int, target: cython.int, above: Ints) -> cython.void:
    """Find each text's meeting with a target (-1: with none). ``above`` has room for all nodes.

    From text to text, the lowest node around both moves down towards the target before it, and up behind it.
    So one pass over the texts and the nodes around the target is enough.
    """
    number: cython.int
    depth: cython.int = 0
    at: cython.int
    row: cython.int
    meeting: cython.pointer[Meeting]
    within: cython.bint
    at = target
    while at >= 0:
        above[depth] = at
        depth += 1
        at = job.parent[at]
    at = depth
    for number in range(job.segments):
        row = job.segment[number].row
        meeting = job.meeting + (number * MEETINGS + which)
        if row < target:
            while at > 0 and above[at - 1] <= row:
                at -= 1
        else:
            if number == 0 or job.segment[number - 1].row < target:
                at = 0
            while at < depth and row >= job.end[above[at]]:
                at += 1
        within = at < depth
        meeting.steps = at if within else -1
        meeting.row = above[at] if within else -1


@cython.cfunc
@cython.exceptval(check=False)
def write_group(job: cython.pointer[Job], row: cython.int, out: Floats) -> cython.void:
    """Write the features of a group."""
    node: cython.pointer[Node] = job.node + row
    parent: cython.int = job.parent[row]
    chars: cython.double = node.chars
    some: cython.double = max(chars, 1.0)
    words: cython.double = max(node.words, 1)
    total: cython.double = job.total
    out[col.GROUP_TAG] = single(job.tag[row] & NUMBER)
    out[col.GROUP_CHARS] = single(chars)
    out[col.GROUP_TEXT_SHARE] = single(chars / total)
    out[col.GROUP_LINK_DENSITY] = single(node.linked_chars / some)
    out[col.GROUP_LINKS] = single(node.links)
    out[col.GROUP_LINKS_PER_WORD] = single(node.links / words)
    out[col.GROUP_TEXT_PER_BYTE] = single(chars / max(job.stop[row] - job.start[row], 1))
    out[col.GROUP_SEGMENTS] = single(node.texts)
    out[col.GROUP_CHARS_PER_SEGMENT] = single(chars / max(node.texts, 1))
    out[col.GROUP_PROSE_SHARE] = single(node.prose_chars / some)
    out[col.GROUP_PROSE_CHARS] = single(node.prose_chars)
    out[col.GROUP_COMMAS] = single(node.commas)
    out[col.GROUP_SENTENCE_MARKS_PER_WORD] = single(node.sentence_marks / words)
    out[col.GROUP_DIGIT_SHARE] = single(node.digits / some)
    out[col.GROUP_MEDIA] = single(node.media)
    out[col.GROUP_INPUTS] = single(node.inputs)
    out[col.GROUP_HEADINGS] = single(node.headings)
    out[col.GROUP_PARAGRAPHS] = single(node.paragraphs)
    out[col.GROUP_ITEMS] = single(node.items)
    out[col.GROUP_ELEMENTS] = single(node.elements)
    out[col.GROUP_START] = single(node.before / total)
    out[col.GROUP_END] = single((node.before + chars) / total)
    out[col.GROUP_DEPTH] = single(node.depth)
    out[col.GROUP_CHILDREN] = single(job.children[row])
    out[col.GROUP_SHARE_OF_PARENT] = single(chars / max(job.node[parent].chars, 1) if parent >= 0 else -1)
    out[col.GROUP_REPEATS] = single(job.sibling.cohort[node.sibling].count)
    out[col.GROUP_LONG_SHARE] = single(node.long_chars / job.long_chars)


@cython.cfunc
@cython.exceptval(check=False)
def write_cohort(
    job: cython.pointer[Job], cohort: cython.pointer[Cohort], number: cython.int, out: Floats
) -> cython.void:
    """Write the features of a segment's cohort."""
    count: cython.double = cohort.count
    out[col.COHORT_COUNT] = single(count)
    out[col.COHORT_TEXT_SHARE] = single(cohort.chars / job.total)
    out[col.COHORT_MEAN_CHARS] = single(cohort.chars / count)
    out[col.COHORT_LONG_SHARE] = single(cohort.long_chars / job.long_chars)
    out[col.COHORT_MEAN_SENTENCE_MARKS] = single(cohort.sentence_marks / count)
    out[col.COHORT_SPREAD] = single(cython.cast(cython.double, cohort.last - cohort.first) / job.segments)
    out[col.COHORT_SEGMENTS_SINCE_FIRST] = single(number - cohort.first)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def link_density(linked_chars: cython.int, chars: cython.int) -> cython.double:
    """Compute the share of the characters that is inside of links."""
    return cython.cast(cython.double, linked_chars) / max(cython.cast(cython.double, chars), 1.0)


@cython.cfunc
@cython.exceptval(check=False)
def write_near_block(
    blocks: cython.pointer[Block], count: cython.int, number: cython.int, chars: Floats, density: Floats
) -> cython.void:
    """Write the size and the link density of a block; -1 if there is none."""
    block: cython.pointer[Block] = blocks + number
    chars[0] = density[0] = -1
    if 0 <= number < count:
        chars[0] = single(block.chars)
        density[0] = single(link_density(block.linked_chars, block.chars))


@cython.cfunc
@cython.exceptval(check=False)
def write_window(
    blocks: cython.pointer[Block],
    count: cython.int,
    number: cython.int,
    window: cython.int,
    net: Floats,
    long_chars: Floats,
) -> cython.void:
    """Write the means of a window around a block; ``long_chars`` may be NULL."""
    low: cython.int = max(number - window, 0)
    high: cython.int = min(number + window + 1, count)
    width: cython.double = high - low
    net[0] = single((blocks[high].net_before - blocks[low].net_before) / width)
    if long_chars != cython.NULL:
        long_chars[0] = single((blocks[high].long_before - blocks[low].long_before) / width)


@cython.cfunc
@cython.exceptval(check=False)
def write_block(
    blocks: cython.pointer[Block], count: cython.int, number: cython.int, out: Floats
) -> cython.void:
    """Write the features of a block, its neighbours and the windows around it.

    ``blocks`` has one more block, with the sums of all.
    """
    block: cython.pointer[Block] = blocks + number
    write_near_block(blocks, count, number, out + col.BLOCK_CHARS, out + col.BLOCK_LINK_DENSITY)
    write_near_block(
        blocks, count, number - 1, out + col.PREVIOUS_BLOCK_CHARS, out + col.PREVIOUS_BLOCK_LINK_DENSITY
    )
    write_near_block(blocks, count, number + 1, out + col.NEXT_BLOCK_CHARS, out + col.NEXT_BLOCK_LINK_DENSITY)
    out[col.BLOCK_SENTENCE_MARKS] = single(block.sentence_marks)
    out[col.BLOCK_WORDS] = single(block.words)
    out[col.BLOCK_SEGMENTS] = single(block.texts)
    write_window(blocks, count, number, 3, out + col.WINDOW3_NET_CHARS, cython.NULL)
    write_window(blocks, count, number, 8, out + col.WINDOW8_NET_CHARS, cython.NULL)
    write_window(blocks, count, number, 20, out + col.WINDOW20_NET_CHARS, out + col.WINDOW20_LONG_CHARS)
    write_window(blocks, count, number, 60, out + col.WINDOW60_NET_CHARS, out + col.WINDOW60_LONG_CHARS)
    out[col.LONG_TEXT_BEFORE] = single(
        block.long_before / max(cython.cast(cython.double, blocks[count].long_before), 1.0)
    )


@cython.cfunc
@cython.exceptval(check=False)
def add_up(job: cython.pointer[Job]) -> cython.void:
    """Sum over subtrees; the node behind the last one gets the sums of the page."""
    row: cython.int
    node: cython.pointer[Node]
    up: cython.pointer[Node]
    for row in range(job.nodes - 1, -1, -1):
        node = job.node + row
        up = job.node + (job.parent[row] if job.parent[row] >= 0 else job.nodes)
        up.chars += node.chars
        up.words += node.words
        up.linked_chars += node.linked_chars
        up.links += node.links
        up.texts += node.texts
        up.prose_chars += node.prose_chars
        up.commas += node.commas
        up.sentence_marks += node.sentence_marks
        up.digits += node.digits
        up.long_chars += node.long_chars
        up.media += node.media
        up.inputs += node.inputs
        up.headings += node.headings
        up.paragraphs += node.paragraphs
        up.items += node.items
        up.elements += node.elements


@cython.cfunc
@cython.exceptval(check=False)
def score(job: cython.pointer[Job], marks: Shorts, targets: Ints, share: cython.p_double) -> cython.void:
    """Find the three targets, and the share of all scores that the first has."""
    number: cython.int
    step: cython.int
    up: cython.int
    row: cython.int
    own: cython.double
    factor: cython.double
    best: cython.double = 0
    total: cython.double = 0
    half: cython.int = -1
    most: cython.int = -1
    node: cython.pointer[Node]
    for step in range(1, 4):
        factor = 0.3 if step == 1 else 1.0 if step == 2 else 0.5
        for number in range(job.segments):
            row = job.segment[number].row
            own = job.node[row].chars
            if own < SCORED_CHARS or job.node[row].linked_chars:
                continue
            up = job.parent[row]
            if up >= 0 and step >= 2:
                up = job.parent[up]
            if up >= 0 and step == 3:
                up = job.parent[up]
            if up >= 0:
                job.node[up].score += factor * (min(own / 100, 3.0) + 1 + job.node[row].commas)
    targets[0] = targets[1] = targets[2] = 0
    for row in range(job.nodes):
        if job.kind[row] != ELEMENT:
            continue
        node = job.node + row
        if marks[job.tag[row]] & GROUP:
            own = node.score * (1 - link_density(node.linked_chars, node.chars))
            total += own
            if own > best:
                best = own
                targets[0] = row
        if node.long_chars >= 0.5 * job.long_chars and node.depth > half:
            half = node.depth
            targets[1] = row
        if node.long_chars >= 0.8 * job.long_chars and node.depth > most:
            most = node.depth
            targets[2] = row
    share[0] = best / max(total, 1e-9)


@cython.cfunc
@cython.exceptval(check=False)
def add_to_cohort(
    cohort: cython.pointer[Cohort], node: cython.pointer[Node], number: cython.int
) -> cython.void:
    """Add a text to the sums of its cohort."""
    cohort.chars += node.chars
    cohort.long_chars += node.long_chars
    cohort.sentence_marks += node.sentence_marks
    cohort.last = number


@cython.cfunc
@cython.exceptval(check=False)
def add_segments(job: cython.pointer[Job], blocks: cython.int) -> cython.void:
    """Sum over cohorts and over blocks; give all segments of a run the length of the run."""
    number: cython.int
    segment: cython.pointer[Segment]
    node: cython.pointer[Node]
    block: cython.pointer[Block]
    net: cython.longlong = 0
    long_chars: cython.longlong = 0
    for number in range(job.segments):
        segment = job.segment + number
        node = job.node + segment.row
        add_to_cohort(job.path.cohort + segment.path, node, number)
        add_to_cohort(job.slot.cohort + segment.slot, node, number)
        block = job.block + segment.block
        block.chars += node.chars
        block.linked_chars += node.linked_chars
        block.words += node.words
        block.sentence_marks += node.sentence_marks
        block.texts += 1
    for number in range(job.segments - 2, -1, -1):
        segment = job.segment + number
        if segment.link_run and segment[1].link_run:
            segment.link_run = segment[1].link_run
        if segment.short_run and segment[1].short_run:
            segment.short_run = segment[1].short_run
    for number in range(blocks + 1):
        block = job.block + number
        block.net_before = net
        block.long_before = long_chars
        net += block.chars - 2 * block.linked_chars
        if block.chars >= LONG_CHARS and block.linked_chars < 0.5 * block.chars:
            long_chars += block.chars


@cython.cfunc
@cython.exceptval(check=False)
def write_text(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the features of a text, its place, its cohorts and its parents. The elements around it stand already."""
    segment: cython.pointer[Segment] = job.segment + number
    row: cython.int = segment.row
    node: cython.pointer[Node] = job.node + row
    chars: cython.double = node.chars
    some: cython.double = max(chars, 1.0)
    up: cython.int
    out[col.CHARS] = single(chars)
    out[col.WORDS] = single(node.words)
    out[col.DIGIT_SHARE] = single(node.digits / some)
    out[col.CAPITAL_SHARE] = single(node.capitals / some)
    out[col.SENTENCE_MARKS] = single(node.sentence_marks)
    out[col.CHARS_PER_WORD] = single(chars / max(node.words, 1))
    out[col.DEPTH] = single(node.depth)
    out[col.POSITION] = single(node.before / job.total)
    out[col.CHARS_BEFORE] = single(node.before)
    out[col.CHARS_TO_END] = single(job.total - node.before)
    out[col.RANK] = single(cython.cast(cython.double, number) / job.segments)
    out[col.SEGMENTS_BEFORE] = single(number)
    out[col.SEGMENTS_TO_END] = single(job.segments - number)
    out[col.BYTE_POSITION] = single(cython.cast(cython.double, job.start[row]) / max(job.size, 1))
    write_cohort(job, job.path.cohort + segment.path, number, out + col.PATH)
    write_cohort(job, job.slot.cohort + segment.slot, number, out + col.SLOT)
    out[col.COPIES] = single(job.content.cohort[segment.content].count)
    out[col.LINK_RUN] = single(segment.link_run)
    out[col.SHORT_RUN] = single(segment.short_run)
    up = job.parent[row]
    out[col.PARENT_TAG] = single(job.tag[up] & NUMBER if up >= 0 else 0)
    out[col.PARENT_REPEATS] = single(repeats(job, up) if up >= 0 else 0)
    out[col.PARENT_CHARS] = single(job.node[up].chars if up >= 0 else 0)
    up = job.parent[up] if up >= 0 else -1
    out[col.GRANDPARENT_TAG] = single(job.tag[up] & NUMBER if up >= 0 else 0)
    out[col.GRANDPARENT_REPEATS] = single(repeats(job, up) if up >= 0 else 0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def repeats(job: cython.pointer[Job], row: cython.int) -> cython.int:
    """Count the siblings with an element's signature, itself included."""
    return job.sibling.cohort[job.node[row].sibling].count if job.kind[row] == ELEMENT else 1


@cython.cfunc
@cython.exceptval(check=False)
def write_groups(
    job: cython.pointer[Job], number: cython.int, first: Floats, out: Floats, groups: Ints
) -> cython.void:
    """Write the features of the groups around a text; ``first`` is the table's first row.

    Groups that stand in the table already are copied from there.
    """
    level: cython.int
    column: cython.int
    place: cython.int
    group: cython.int = job.node[job.segment[number].row].group
    node: cython.pointer[Node]
    source: Floats
    out += col.GROUPS
    if number > 0 and (groups - col.LEVELS)[0] == group:
        memcpy(groups, groups - col.LEVELS, col.LEVELS * cython.sizeof(cython.int))
        memcpy(out, out - col.WIDTH, GROUPS_BYTES)
        return
    for level in range(col.LEVELS):
        groups[level] = group
        if group < 0:
            for column in range(col.GROUP_WIDTH):
                out[column] = -1
        else:
            node = job.node + group
            if node.filled > 0:
                place = node.filled - 1
                source = first + cython.cast(cython.Py_ssize_t, place // col.LEVELS) * col.WIDTH
                source += col.GROUPS + place % col.LEVELS * col.GROUP_WIDTH
                memcpy(out, source, GROUP_BYTES)
            else:
                write_group(job, group, out)
                node.filled = number * col.LEVELS + level + 1
            group = node.group
        out += col.GROUP_WIDTH


@cython.cfunc
@cython.exceptval(check=False)
def write_targets(
    job: cython.pointer[Job], number: cython.int, targets: Ints, share: cython.double, out: Floats
) -> cython.void:
    """Write the distances of a text to the targets; ``share`` is target 0's share of all scores."""
    which: cython.int
    target: cython.int
    row: cython.int = job.segment[number].row
    before: cython.double = job.node[row].before
    start: cython.double
    meeting: cython.pointer[Meeting]
    its: Floats
    for which in range(col.TARGETS):
        target = targets[which]
        start = job.node[target].before
        meeting = job.meeting + (number * MEETINGS + which)
        its = out + (col.TARGET + which * col.TARGET_WIDTH)
        its[col.TARGET_INSIDE] = 0
        if row < target:
            its[col.TARGET_DISTANCE] = single((start - before) / job.total)
        elif row < job.end[target]:
            its[col.TARGET_INSIDE] = 1
            its[col.TARGET_DISTANCE] = 0
        else:
            its[col.TARGET_DISTANCE] = single((before - start - job.node[target].chars) / job.total + 2)
        its[col.TARGET_STEPS] = single(meeting.steps)
        its[col.TARGET_MEETING_SHARE] = meeting_share(job, meeting)
    target = targets[0]
    out[col.TARGET0_TEXT_SHARE] = single(job.node[target].chars / job.total)
    out[col.TARGET0_LINK_DENSITY] = single(
        link_density(job.node[target].linked_chars, job.node[target].chars)
    )
    out[col.TARGET0_DEPTH_BELOW] = single(job.node[row].depth - job.node[target].depth)
    out[col.TARGET0_SCORE_SHARE] = single(share)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def meeting_share(job: cython.pointer[Job], meeting: cython.pointer[Meeting]) -> cython.float:
    """Compute the share of the page's characters that is inside of a meeting's node; -1 if there is none."""
    return single(job.node[meeting.row].chars / job.total if meeting.row >= 0 else -1.0)


@cython.cfunc
@cython.exceptval(check=False)
def write_heading(
    job: cython.pointer[Job], number: cython.int, first: cython.int, h1s: cython.int, out: Floats
) -> cython.void:
    """Write the features of the last heading, and the distance to the first of the page's ``h1s``."""
    segment: cython.pointer[Segment] = job.segment + number
    before: cython.double = job.node[segment.row].before
    row: cython.int = segment.heading
    meeting: cython.pointer[Meeting] = job.meeting + (number * MEETINGS + FIRST_H1)
    out[col.HEADING_TAG] = 0
    out[col.HEADING_DISTANCE] = out[col.HEADING_LINK_DENSITY] = -1
    if row >= 0:
        out[col.HEADING_TAG] = single(job.tag[row] & NUMBER)
        out[col.HEADING_DISTANCE] = single(before - job.node[row].before)
        out[col.HEADING_LINK_DENSITY] = single(link_density(job.node[row].linked_chars, job.node[row].chars))
    out[col.HEADING_NUMBER] = single(segment.headings - 1)
    out[col.H1_DISTANCE] = single((before - job.node[first].before) / job.total if first >= 0 else -2.0)
    out[col.H1_COUNT] = single(h1s)
    out[col.H1_STEPS] = single(meeting.steps)
    out[col.H1_MEETING_SHARE] = meeting_share(job, meeting)


@cython.cfunc
@cython.exceptval(check=False)
def write_page(
    job: cython.pointer[Job],
    chars: cython.int,
    elements: Ints,
    code: cython.double,
    hidden: cython.double,
    out: Floats,
) -> cython.void:
    """Write the features of the page.

    ``elements`` counts those of AROUND, ``code`` is in bytes, ``hidden`` in characters.
    """
    node: cython.pointer[Node] = job.node + job.nodes
    largest: cython.int = 0
    number: cython.int
    for number in range(job.slot.count):
        largest = max(largest, job.slot.cohort[number].chars)
    out[col.PAGE_CHARS] = single(chars)
    out[col.PAGE_SEGMENTS] = single(job.segments)
    out[col.PAGE_LINK_DENSITY] = single(node.linked_chars / job.total)
    out[col.PAGE_PROSE_SHARE] = single(node.prose_chars / job.total)
    out[col.PAGE_LINKS] = single(node.links)
    out[col.PAGE_MEDIA] = single(node.media)
    out[col.PAGE_ITEMS] = single(node.items)
    out[col.PAGE_HEADINGS] = single(node.headings)
    out[col.PAGE_TEXT_PER_BYTE] = single(job.total / max(job.size, 1))
    out[col.PAGE_INPUTS] = single(node.inputs)
    out[col.PAGE_LONG_CHARS] = single(node.long_chars)
    out[col.PAGE_LONG_SHARE] = single(node.long_chars / job.total)
    out[col.PAGE_LARGEST_SLOT_SHARE] = single(largest / job.total)
    out[col.PAGE_SENTENCE_MARKS_PER_CHAR] = single(node.sentence_marks / job.total)
    out[col.PAGE_FORMS] = single(elements[AROUND_FORM])
    out[col.PAGE_MAINS] = single(elements[AROUND_MAIN])
    out[col.PAGE_ARTICLES] = single(elements[AROUND_ARTICLE])
    out[col.PAGE_CHARS_PER_WORD] = single(job.total / max(node.words, 1))
    out[col.PAGE_DIGIT_SHARE] = single(node.digits / job.total)
    out[col.PAGE_CODE_BYTES] = single(code)
    out[col.PAGE_HIDDEN_SHARE] = single(hidden / job.total)


@cython.cfunc
@cython.exceptval(check=False)
def write_vocabulary(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the features of the weights of the known words around a text."""
    place: cython.int = job.node[job.segment[number].row].weighed
    weighed: cython.pointer[Weighed]
    column: cython.int
    for column in range(col.VOCABULARY_SUM, col.VOCABULARY_SUM + col.VOCABULARY_WIDTH):
        out[column] = 0
    if place < 0:
        return
    weighed = job.weighed + place
    out[col.VOCABULARY_SUM] = single(weighed.total)
    out[col.VOCABULARY_LEAST] = single(weighed.least)
    out[col.VOCABULARY_MOST] = single(weighed.most)
    out[col.VOCABULARY_ELEMENTS] = single(weighed.count)
    for column in range(col.VOCABULARY_NEAREST, col.VOCABULARY_THIRD + 1):
        out[column] = single(weighed.own)
        if weighed.above < 0:
            break
        weighed = job.weighed + weighed.above


@cython.cfunc
@cython.exceptval(check=False)
def compute(
    job: cython.pointer[Job],
    marks: Shorts,
    h1: cython.int,
    vocabulary: cython.ulonglong[:, ::1],
    numbers: cython.uint[:, ::1],
    weights: cython.float[:, ::1],
    shift: cython.int,
    content: cython.ulonglong[::1],
    path: cython.ulonglong[::1],
    block: cython.int[::1],
    rows: cython.int[::1],
    table: cython.float[:, ::1],
    groups: cython.int[:, ::1],
    slots: cython.ulonglong[::1],
    node_slots: cython.ulonglong[::1],
    words: cython.int[::1],
    blocks: cython.int,
    above: Ints,
) -> cython.void:
    """Compute all features. Parameters as for :func:`segment_features`; ``above`` has room for all nodes."""
    row: cython.int
    up: cython.int
    number: cython.int = 0
    count: cython.int
    flags: cython.int
    kind: cython.int
    opened: cython.int = -1
    depth: cython.int
    before: cython.int = 0
    heading: cython.int = -1
    headings: cython.int = 0
    first_h1: cython.int = -1
    h1s: cython.int = 0
    weighed_count: cython.int = 0
    code: cython.double = 0
    hidden_chars: cython.double = 0
    hidden: cython.int = 0
    own: cython.int
    key: cython.ulonglong
    sibling: cython.ulonglong
    classes = cython.declare(Classes)
    data: cython.p_uchar = job.data
    end: cython.p_uchar = job.data + job.size
    node: cython.pointer[Node]
    weighed: cython.pointer[Weighed]
    segment: cython.pointer[Segment]
    first: Floats
    out: Floats
    around = cython.declare(cython.int[AROUND_END])  # elements around the node, by mark
    elements = cython.declare(cython.int[AROUND_END])  # elements so far, by mark
    hashes = cython.declare(cython.ulonglong[HASHES])
    values = cython.declare(Value[VALUES])
    targets = cython.declare(cython.int[MEETINGS])
    share: cython.double = 0
    for count in range(AROUND_END):
        around[count] = 0
        elements[count] = 0
    for count in range(VALUES):
        values[count].length = 0
    for row in range(job.nodes):
        while opened >= 0 and job.end[opened] <= row:
            around[marks[job.tag[opened]] >> AROUND_BITS] -= 1
            opened = job.parent[opened]
        node = job.node + row
        up = job.parent[row]
        node.before = before
        node.group = -1
        node.weighed = -1
        node.slot = node.site_slot = NO_SLOT
        depth = 0
        if up >= 0:
            node.group = up if marks[job.tag[up]] & GROUP else job.node[up].group
            node.weighed = job.node[up].weighed
            node.slot = job.node[up].slot
            node.site_slot = job.node[up].site_slot
            depth = job.node[up].depth
            node.hidden = job.node[up].hidden
            node.aria_hidden = job.node[up].aria_hidden
            node.hidden_depth = job.node[up].hidden_depth
        node.depth = depth
        kind = job.kind[row]
        if kind == ELEMENT:
            opened = row
            flags = marks[job.tag[row]]
            around[flags >> AROUND_BITS] += 1
            elements[flags >> AROUND_BITS] += 1
            node.depth = depth + 1
            node.elements = 1
            node.links = (flags & LINK) != 0
            node.media = (flags & MEDIA) != 0
            node.inputs = (flags & INPUT) != 0
            node.paragraphs = (flags & PROSE) != 0
            node.items = (flags & ITEM) != 0
            if flags & HEADING:
                node.headings = 1
                heading = row
                headings += 1
                if job.tag[row] == h1:
                    h1s += 1
                    if first_h1 < 0:
                        first_h1 = row
            weighed = job.weighed + weighed_count
            weighed.own = weighed.least = weighed.most = 0
            count = weigh(
                data + job.start[row], end, values, hashes, vocabulary, numbers, weights, shift,
                cython.address(classes), cython.address(hidden), weighed,
            )  # fmt: skip
            if hidden & HIDDEN:
                node.hidden += 1
                node.hidden_depth = node.depth
            if hidden & ARIA_HIDDEN:
                node.aria_hidden += 1
            key = classes.sum * MIX + job.tag[row] + 1
            node.slot = (node.slot * MIX) ^ key
            sibling = key ^ cython.cast(cython.ulonglong, cython.cast(cython.longlong, up)) * SIBLING
            node.sibling = join(cython.address(job.sibling), sibling, 0)
            if depth < OUTERMOST:
                key = cython.cast(cython.ulonglong, job.tag[row] + 1)
            elif classes.count > MOST_CLASSES:
                key = classes.first * MIX + job.tag[row] + 1
            node.site_slot = (node.site_slot * MIX) ^ key
            if count:
                weighed.above = node.weighed
                weighed.count = 1
                weighed.total = weighed.own
                if node.weighed >= 0:
                    weighed.least = min(weighed.least, job.weighed[node.weighed].least)
                    weighed.most = max(weighed.most, job.weighed[node.weighed].most)
                    weighed.total += job.weighed[node.weighed].total
                    weighed.count += job.weighed[node.weighed].count
                node.weighed = weighed_count
                weighed_count += 1
        elif kind == TEXT:
            node.texts = 1
            node.chars = job.chars[row]
            count_bytes(data + job.start[row], job.stop[row] - job.start[row], node)
            own = node.chars
            if around[AROUND_A] > 0:
                node.linked_chars = own
            else:
                node.long_chars = own if own >= LONG_CHARS else 0
                node.prose_chars = own if around[AROUND_P] > 0 else 0
            before += own
            if node.hidden:
                hidden_chars += own
            if number < job.segments and rows[number] == row:
                segment = job.segment + number
                segment.row = row
                segment.block = block[row]
                segment.heading = heading
                segment.headings = headings
                segment.path = join(cython.address(job.path), path[row], number)
                segment.slot = join(cython.address(job.slot), node.slot, number)
                segment.content = join(cython.address(job.content), content[row], number)
                segment.link_run = around[AROUND_A] > 0
                segment.short_run = node.words < SHORT_WORDS
                if number > 0:
                    if segment.link_run:
                        segment.link_run += job.segment[number - 1].link_run
                    if segment.short_run:
                        segment.short_run += job.segment[number - 1].short_run
                slots[number] = node.slot
                words[number] = node.words
                out = cython.address(table[number, 0])
                for count in range(col.AROUND_WIDTH):
                    out[col.IN_A + count] = single(around[AROUND_A + count])
                out[col.IN_HIDDEN] = single(node.hidden)
                out[col.IN_ARIA_HIDDEN] = single(node.aria_hidden)
                out[col.HIDDEN_STEPS] = single(depth + 1 - node.hidden_depth if node.hidden else -1)
                number += 1
        elif kind == CODE:
            code += job.stop[row] - job.start[row]
        node_slots[row] = node.site_slot
    if number == 0:
        return
    job.total = max(before, 1)
    add_up(job)
    job.long_chars = max(job.node[job.nodes].long_chars, 1)
    add_segments(job, blocks)
    score(job, marks, targets, cython.address(share))
    targets[FIRST_H1] = first_h1
    for count in range(MEETINGS):
        meet(job, count, targets[count], above)
    first = cython.address(table[0, 0])
    write_page(job, before, elements, code, hidden_chars, first)
    for number in range(job.segments):
        out = first + cython.cast(cython.Py_ssize_t, number) * col.WIDTH
        write_text(job, number, out)
        write_groups(job, number, first, out, cython.address(groups[number, 0]))
        write_targets(job, number, targets, share, out)
        if number > 0 and job.segment[number].block == job.segment[number - 1].block:
            memcpy(out + col.BLOCK_CHARS, out + col.BLOCK_CHARS - col.WIDTH, BLOCK_BYTES)
        else:
            write_block(job.block, blocks, job.segment[number].block, out)
        write_heading(job, number, first_h1, h1s, out)
        if number > 0:
            memcpy(out + col.PAGE_CHARS, first + col.PAGE_CHARS, PAGE_BYTES)
        write_vocabulary(job, number, out)


def segment_features(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    block: cython.int[::1],
    chars: cython.int[::1],
    children: cython.int[::1],
    content: cython.ulonglong[::1],
    path: cython.ulonglong[::1],
    rows: cython.int[::1],
    marks: cython.ushort[::1],
    h1: cython.int,
    vocabulary: cython.ulonglong[:, ::1],
    numbers: cython.uint[:, ::1],
    weights: cython.float[:, ::1],
    shift: cython.int,
    multiplier: cython.ulonglong,
    table: cython.float[:, ::1],
    groups: cython.int[:, ::1],
    slots: cython.ulonglong[::1],
    node_slots: cython.ulonglong[::1],
    words: cython.int[::1],
) -> None:
    """Fill ``table``, ``groups``, ``slots``, ``node_slots`` and ``words``.

    ``rows`` are the segments. ``marks`` and ``h1`` are those of detemplate.features.segment_marks.
    ``vocabulary`` and ``shift`` are a Vocabulary's table; ``numbers`` and ``weights`` are the same memory as
    other types. ``multiplier`` is an odd number for the hash tables.
    """
    job = cython.declare(Job)
    arena = cython.declare(Arena)
    nodes: cython.Py_ssize_t = len(kind)
    segments: cython.Py_ssize_t = len(rows)
    row: cython.Py_ssize_t
    elements: cython.Py_ssize_t = 0
    blocks: cython.int = 0
    above: Ints = cython.NULL
    if min(len(tag), len(parent), len(end), len(start), len(stop), len(block), len(chars)) < nodes:
        raise ValueError("the columns differ in length")
    if min(len(children), len(content), len(path)) < nodes or nodes >= 1 << 30 or len(data) >= 1 << 31:
        raise ValueError("the columns differ in length")
    if len(marks) < 1 << 16:
        raise ValueError("the tables are too short")
    if min(len(numbers), len(weights)) < len(vocabulary) or not numbers.shape[1] == weights.shape[1] == 4:
        raise ValueError("the vocabulary is no table")
    if not 32 < shift < 64 or len(vocabulary) < (1 << (64 - shift)) + 1 or vocabulary.shape[1] != 2:
        raise ValueError("the vocabulary is no table")
    if numbers[len(vocabulary) - 1, WORD_NUMBER] != 0:
        raise ValueError("the vocabulary is full")
    if min(table.shape[0], groups.shape[0], len(words), len(slots)) < segments or len(node_slots) < nodes:
        raise ValueError("the arrays have too few rows")
    if table.shape[1] != col.WIDTH or groups.shape[1] != col.LEVELS:
        raise ValueError("the arrays have other columns")
    if nodes == 0:
        return
    for row in range(nodes):
        if not -1 <= parent[row] < row or not row < end[row] <= nodes:
            raise ValueError("the columns do not describe a tree")
        if not 0 <= start[row] <= stop[row] <= len(data) or not 0 <= block[row] <= nodes:
            raise ValueError("the columns do not describe this text")
        elements += kind[row] == ELEMENT
    for row in range(segments):
        if not (0 if row == 0 else rows[row - 1] + 1) <= rows[row] < nodes or kind[rows[row]] != TEXT:
            raise ValueError("the segments are no texts")
        blocks = max(blocks, block[rows[row]] + 1)
    job.data = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    job.size = len(data)
    job.nodes = cython.cast(cython.int, nodes)
    job.segments = cython.cast(cython.int, segments)
    job.kind = cython.address(kind[0])
    job.tag = cython.address(tag[0])
    job.parent = cython.address(parent[0])
    job.end = cython.address(end[0])
    job.start = cython.address(start[0])
    job.stop = cython.address(stop[0])
    job.chars = cython.address(chars[0])
    job.children = cython.address(children[0])
    node_bytes: cython.size_t = (nodes + 1) * cython.sizeof(Node)
    block_bytes: cython.size_t = (blocks + 1) * cython.sizeof(Block)
    weighed_bytes: cython.size_t = (elements + 1) * cython.sizeof(Weighed)
    segment_bytes: cython.size_t = (segments + 1) * cython.sizeof(Segment)
    meeting_bytes: cython.size_t = (segments * MEETINGS + 1) * cython.sizeof(Meeting)
    above_bytes: cython.size_t = nodes * cython.sizeof(cython.int)
    needed: cython.size_t = bytes_for(node_bytes) + bytes_for(block_bytes) + bytes_for(weighed_bytes)
    needed += bytes_for(segment_bytes) + bytes_for(meeting_bytes) + bytes_for(above_bytes)
    needed += bytes_for_cohorts(elements) + 3 * bytes_for_cohorts(segments)
    if not open_arena(cython.address(arena), cython.address(KEPT), needed):
        raise MemoryError
    job.node = cython.cast(cython.pointer[Node], piece(cython.address(arena), node_bytes))
    job.block = cython.cast(cython.pointer[Block], piece(cython.address(arena), block_bytes))
    job.weighed = cython.cast(cython.pointer[Weighed], piece(cython.address(arena), weighed_bytes))
    job.segment = cython.cast(cython.pointer[Segment], piece(cython.address(arena), segment_bytes))
    job.meeting = cython.cast(cython.pointer[Meeting], piece(cython.address(arena), meeting_bytes))
    above = cython.cast(Ints, piece(cython.address(arena), above_bytes))
    memset(job.node, 0, node_bytes)
    memset(job.block, 0, block_bytes)
    open_cohorts(cython.address(job.sibling), elements, multiplier, cython.address(arena))
    open_cohorts(cython.address(job.path), segments, multiplier, cython.address(arena))
    open_cohorts(cython.address(job.slot), segments, multiplier, cython.address(arena))
    open_cohorts(cython.address(job.content), segments, multiplier, cython.address(arena))
    try:
        compute(
            cython.address(job), cython.address(marks[0]), h1, vocabulary, numbers, weights, shift, content,
            path, block, rows, table, groups, slots, node_slots, words, blocks, above,
        )  # fmt: skip
    finally:
        close_arena(cython.address(arena))


def word_hashes(
    data: bytes,
    start: cython.int[::1],
    elements: cython.int[::1],
    rows: cython.int[::1],
    hashes: cython.ulonglong[::1],
) -> int:
    """Fill in the row and the hash of each word of some elements; return their number."""
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    number: cython.Py_ssize_t
    row: cython.Py_ssize_t
    filled: cython.Py_ssize_t = 0
    count: cython.int
    place: cython.int
    of_tag = cython.declare(cython.ulonglong[HASHES])
    for number in range(len(elements)):
        row = elements[number]
        if not 0 <= row < len(start) or not 0 <= start[row] < size:
            raise ValueError("the columns do not describe this text")
        count = read_start(base + start[row], base + size, of_tag)
        if filled + count > len(rows) or filled + count > len(hashes):
            raise ValueError("the arrays are too short")
        for place in range(count):
            rows[filled] = cython.cast(cython.int, row)
            hashes[filled] = of_tag[place]
            filled += 1
    return filled
