# cython: language_level=3
# What several kernels know of a page's columns and of its canonical serialisation. Kernels cimport it:
#
#     from cython.cimports.detemplate.page._markup import ELEMENT, TEXT, is_space
#
# Everything is an enum or inline, so nothing of it exists at run time.

from libc.string cimport memchr, memcmp, memcpy

# Kinds of nodes, as in detemplate.page.columns.
cdef enum:
    ELEMENT = 1
    TEXT = 2
    CODE = 3
    RAW = 4
    COMMENT = 5
    DOCTYPE = 6
    INSTRUCTION = 7


# Tell white space as HTML has it (detemplate.page.whitespace).
cdef inline bint is_space(unsigned char c) noexcept nogil:
    return c == c' ' or c == c'\n' or c == c'\t' or c == c'\r' or c == c'\f'


cdef inline unsigned long long rotl(unsigned long long x, int r) noexcept nogil:
    return (x << r) | (x >> (64 - r))


cdef inline unsigned long long read64(unsigned char* p) noexcept nogil:
    cdef unsigned long long v = 0
    memcpy(&v, p, 8)
    return v


cdef inline unsigned long long read32(unsigned char* p) noexcept nogil:
    cdef unsigned int v = 0
    memcpy(&v, p, 4)
    return v


# The primes of XXH64. P1 is also the odd multiplier of the identities of segments.
cdef extern from *:
    """
    #define DETEMPLATE_P1 0x9E3779B185EBCA87ULL
    #define DETEMPLATE_P2 0xC2B2AE3D27D4EB4FULL
    #define DETEMPLATE_P3 0x165667B19E3779F9ULL
    #define DETEMPLATE_P4 0x85EBCA77C2B2AE63ULL
    #define DETEMPLATE_P5 0x27D4EB2F165667C5ULL
    """
    const unsigned long long P1 "DETEMPLATE_P1"
    const unsigned long long P2 "DETEMPLATE_P2"
    const unsigned long long P3 "DETEMPLATE_P3"
    const unsigned long long P4 "DETEMPLATE_P4"
    const unsigned long long P5 "DETEMPLATE_P5"


cdef inline unsigned long long round64(unsigned long long acc, unsigned long long lane) noexcept nogil:
    return rotl(acc + lane * P2, 31) * P1


# XXH64 with seed 0, equal to the xxhash package's on little-endian machines.
cdef inline unsigned long long xxh64(unsigned char* p, Py_ssize_t n) noexcept nogil:
    cdef unsigned char* end = p + n
    cdef unsigned long long h, a, b, c, d
    if n >= 32:
        a = P1 + P2
        b = P2
        c = 0
        d = 0 - P1
        while end - p >= 32:
            a = round64(a, read64(p))
            b = round64(b, read64(p + 8))
            c = round64(c, read64(p + 16))
            d = round64(d, read64(p + 24))
            p += 32
        h = rotl(a, 1) + rotl(b, 7) + rotl(c, 12) + rotl(d, 18)
        h = (h ^ round64(0, a)) * P1 + P4
        h = (h ^ round64(0, b)) * P1 + P4
        h = (h ^ round64(0, c)) * P1 + P4
        h = (h ^ round64(0, d)) * P1 + P4
    else:
        h = P5
    h += <unsigned long long>n
    while end - p >= 8:
        h = rotl(h ^ round64(0, read64(p)), 27) * P1 + P4
        p += 8
    if end - p >= 4:
        h = rotl(h ^ (read32(p) * P1), 23) * P2 + P3
        p += 4
    while p < end:
        h = rotl(h ^ (<unsigned long long>p[0] * P5), 11) * P1
        p += 1
    h ^= h >> 33
    h *= P2
    h ^= h >> 29
    h *= P3
    h ^= h >> 32
    return h


# Fold one more value into the hash of a sequence, as detemplate.page.columns.mix does.
cdef inline unsigned long long mix(unsigned long long acc, unsigned long long value) noexcept nogil:
    return rotl(acc ^ (value * P2), 27) * P1 + P4


# An attribute of a start tag: its name, and the bytes of its value (still with entities).
cdef struct Attribute:
    unsigned char* name
    Py_ssize_t length
    unsigned char* value
    unsigned char* stop


# Read the attribute whose leading space stands at ``at``, and move ``at`` behind it. False at the end of the
# tag, and where no attribute stands. Every read is checked against ``end``.
cdef inline bint next_attribute(unsigned char** at, unsigned char* end, Attribute* found) noexcept nogil:
    cdef unsigned char* q = at[0]
    if q >= end or q[0] != c' ':
        return False
    q += 1
    found.name = q
    if q < end and q[0] == c'=':  # a name may begin with an equals sign
        q += 1
    while q < end and q[0] != c' ' and q[0] != c'=':
        q += 1
    if end - q < 3 or q[0] != c'=' or q[1] != c'"':
        return False
    found.length = q - found.name
    found.value = q + 2
    found.stop = <unsigned char*>memchr(found.value, c'"', end - found.value)
    if found.stop == NULL:
        return False
    at[0] = found.stop + 1
    return True


# Tell whether an attribute has this name, which is in lower case and ``length`` bytes long.
cdef inline bint is_named(Attribute* found, const char* name, Py_ssize_t length) noexcept nogil:
    return found.length == length and memcmp(found.name, name, length) == 0
