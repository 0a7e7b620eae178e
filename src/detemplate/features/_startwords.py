# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The words of start tags, their weights, and how elements hide: a part of :mod:`detemplate.features._segment`.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features import _segment_constants as const
from cython.cimports.detemplate.features._segment_records import (
    Classes,
    Hashes,
    Ints,
    Job,
    Value,
    Weighed,
    Word,
)
from cython.cimports.detemplate.page._hiding import hides
from cython.cimports.detemplate.page._markup import Attribute, is_named, next_attribute
from cython.cimports.libc.string import memcmp, memcpy

# As in detemplate.features.vocabulary.
BASIS = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
MIX = cython.declare(cython.ulonglong, 0x9E3779B185EBCA87)

CLASSES = cython.declare(cython.uchar[256])  # what a byte of an attribute is

for _byte in range(256):
    CLASSES[_byte] = (
        (const.IS_SPACE if _byte in b"\t\n\v\f\r " else 0)
        | (const.IS_DIGIT if _byte in b"0123456789" else 0)
        | (const.IS_LETTER if 97 <= _byte <= 122 else 0)
        | (const.IS_LETTER | const.IS_CAPITAL if 65 <= _byte <= 90 else 0)
    )


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
    while words < const.MOST_WORDS:
        while p < found.stop and CLASSES[p[0]] & const.IS_SPACE:
            p += 1
        if p == found.stop:
            break
        # The value's hash stands before those of its runs of letters, so its place is kept free.
        words += 1
        word = count
        count += 1
        if count > const.HASHES - const.HASHES_A_VALUE:
            return word
        begin = p
        whole = prefix
        run = style = BASIS
        letters = first = 0
        before = 0
        while p < found.stop:
            byte = p[0]
            if CLASSES[byte] & const.IS_SPACE:
                break
            # A run of digits counts as one 0 in the signature.
            if not CLASSES[byte] & const.IS_DIGIT:
                style = (style ^ byte) * PRIME
            elif not before & const.IS_DIGIT:
                style = (style ^ cython.cast(cython.uchar, b"0")) * PRIME
            after_capital = (before & const.IS_CAPITAL) != 0
            before = CLASSES[byte]
            if before & const.IS_CAPITAL:
                byte |= const.LOWER
                # A part of a run in camel case begins, except within several capitals.
                if letters and (
                    not after_capital
                    or (
                        p + 1 < found.stop
                        and CLASSES[p[1]] & (const.IS_LETTER | const.IS_CAPITAL) == const.IS_LETTER
                    )
                ):
                    if letters - first > 2 and p - begin < const.LONGEST:
                        hashes[count] = part if first else run
                        count += 1
                    part = BASIS
                    first = letters
            whole = (whole ^ byte) * PRIME
            if before & const.IS_LETTER:
                run = (run ^ byte) * PRIME
                if first:
                    part = (part ^ byte) * PRIME
                letters += 1
            elif letters:
                if p - begin < const.LONGEST:
                    count += add_run(hashes + count, run, letters, part, first)
                run = BASIS
                letters = first = 0
            p += 1
        if is_class:
            if classes.count == 0:
                classes.first = style
            classes.sum += style
            classes.count += 1
        if p - begin <= const.LONGEST:
            hashes[word] = whole
            count += add_run(hashes + count, run, letters, part, first)
        else:
            count = word
    return count


@cython.cfunc
@cython.exceptval(check=False)
def look_up(hashes: Hashes, count: cython.int, words: cython.pointer[Word], shift: cython.int) -> cython.int:
    """Put the rows of the known words in the vocabulary's table in the place of hashes, return their number."""
    number: cython.int
    at: cython.ulonglong
    left: cython.int = 0
    found: cython.int = 0
    # A word whose home is free is not known. This loop has no branches, so that many rows are loaded at once.
    for number in range(count):
        at = (hashes[number] * MIX) >> shift
        hashes[left] = hashes[number]
        left += words[at].number != 0
    for number in range(left):
        at = (hashes[number] * MIX) >> shift
        while words[at].number != 0 and words[at].hash != hashes[number]:
            at += 1
        if words[at].number != 0:
            hashes[found] = at
            found += 1
    return found


@cython.cfunc
@cython.exceptval(check=False)
def weigh(
    job: cython.pointer[Job],
    p: cython.p_uchar,
    classes: cython.pointer[Classes],
    hidden: Ints,
    weighed: cython.pointer[Weighed],
) -> cython.int:
    """Read a start tag: sum the weights of its known words, find the least and the greatest, 0 if none is known.

    Sets ``classes`` to its classes, and ``hidden`` to how it hides. Returns the number of its words.
    A page repeats most values of attributes, so those that were read before are in the job.
    """
    end: cython.p_uchar = job.data + job.size
    hashes: Hashes = job.hashes
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
        value = job.values + (
            ((key ^ cython.cast(cython.ulonglong, length)) * MIX) >> (64 - const.VALUE_BITS)
        )
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
            known = look_up(hashes, read, job.words, job.shift)
            if known <= const.VALUE_ROWS:
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
            weight = job.words[at].weight
            weighed.own += weight
            if not any_known or weight < weighed.least:
                weighed.least = weight
            if not any_known or weight > weighed.most:
                weighed.most = weight
            any_known = True
    return count
