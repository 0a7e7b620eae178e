# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words, commas, digits, capitals and sentence marks of texts: a part of :mod:`detemplate.features._segment`.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features import _segment_constants as const
from cython.cimports.detemplate.features._segment_records import Node

COUNTS = cython.declare(cython.ulonglong[256])  # what a byte of a text counts as
SUMS = cython.declare(cython.ulonglong, (1 << 60) - 1)  # mask of the fields that are summed


@cython.cfunc
def bit(place: cython.int, value: cython.bint) -> cython.ulonglong:
    return cython.cast(cython.ulonglong, value) << place


for _byte in range(256):
    COUNTS[_byte] = (
        bit(const.COMMA, _byte in b",")
        | bit(const.DIGIT, _byte in b"0123456789")
        | bit(const.CAPITAL, 65 <= _byte <= 90)
        | bit(const.SENTENCE_MARK, _byte in b".!?;:")
        | bit(const.SPACE, _byte in b"\t\n\f\r ")
        | bit(const.WIDE, 0xE3 <= _byte <= 0xED)
        | bit(const.SPECIAL, 0xE3 <= _byte <= 0xEF or _byte in b"\xc3\xce\xd0\xd8\xdb\xe0")
    )


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
        node.words -= cython.cast(cython.int, (COUNTS[p[0]] >> const.WIDE) & 1)  # count_wide counts wide ones
    while at < size:
        upto = min(size, at + const.BYTES_A_FIELD)
        sums = 0
        while at < upto:
            one = COUNTS[p[at]]
            # A word begins where white space has ended and no wide character begins.
            sums += (one & SUMS) + ((before & ~one & ~(one << (const.SPACE - const.WIDE))) >> const.SPACE)
            before = one
            ever |= one
            at += 1
        node.words += cython.cast(cython.int, sums & const.FIELD)
        node.commas += cython.cast(cython.int, (sums >> const.COMMA) & const.FIELD)
        node.digits += cython.cast(cython.int, (sums >> const.DIGIT) & const.FIELD)
        node.capitals += cython.cast(cython.int, (sums >> const.CAPITAL) & const.FIELD)
        node.sentence_marks += cython.cast(cython.int, (sums >> const.SENTENCE_MARK) & const.FIELD)
    if (ever >> const.SPECIAL) & 1:
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
