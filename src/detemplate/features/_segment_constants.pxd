# cython: language_level=3
# Constants of the kernel of the segment features. A test compares those that Python has, too.

from detemplate.features._segment_columns cimport TARGETS

cdef enum:  # flags of tags, as in detemplate.features.segment_columns
    LINK = 1
    PROSE = 2
    ITEM = 4
    MEDIA = 8
    INPUT = 16
    HEADING = 32
    GROUP = 64
    AROUND_BITS = 8  # above these: index in AROUND plus 1

cdef enum:  # index in AROUND plus 1
    AROUND_A = 1
    AROUND_P = 2
    AROUND_MAIN = 8
    AROUND_ARTICLE = 9
    AROUND_FORM = 10
    AROUND_END = 20  # after the last

cdef enum:  # characters at least
    LONG_CHARS = 80  # of a long text, and of a long block
    SCORED_CHARS = 25  # of a text that adds to scores

cdef enum:  # words of a short segment at most, plus 1
    SHORT_WORDS = 8

cdef enum:  # slots of the site
    OUTERMOST = 2  # elements whose classes do not count, from the root on
    MOST_CLASSES = 3  # of an element with more, only the first counts

cdef enum:  # meetings of a segment: one a target, and one with the first h1
    FIRST_H1 = TARGETS
    MEETINGS

cdef enum:  # words of attributes, as in detemplate.features.vocabulary
    MOST_WORDS = 20
    LONGEST = 60
    # Hashes of one start tag: those of six attributes with 20 values, at most 27 hashes each, fit in.
    HASHES = 4096
    HASHES_A_VALUE = 32

cdef enum:  # values of attributes that were read before
    VALUE_BITS = 7
    VALUES = 128
    VALUE_ROWS = 12  # known words of such a value, at most

cdef enum:  # what a byte of an attribute is
    IS_SPACE = 1
    IS_DIGIT = 2
    IS_LETTER = 4
    IS_CAPITAL = 8
    LOWER = 32  # bit that makes a capital a small letter

# What a byte of a text counts as: first bits of fields of 12 bits, which are summed, and single bits. Words are
# counted in the field at 0.
cdef enum:
    COMMA = 12
    DIGIT = 24
    CAPITAL = 36
    SENTENCE_MARK = 48
    SPECIAL = 61  # it begins a character that count_wide knows
    WIDE = 62  # it begins a wide character
    SPACE = 63
    FIELD = 0xFFF
    BYTES_A_FIELD = 4000  # after so many bytes no field has overflowed
