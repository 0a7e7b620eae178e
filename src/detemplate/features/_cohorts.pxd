# cython: language_level=3
# A hash table of cohorts: what has the same key. Open addressing with linear probing.

from libc.string cimport memset

from detemplate.algorithms._arena cimport Arena, bytes_for, piece

# The sums of a cohort.
cdef struct Cohort:
    unsigned long long key
    int count  # members
    int chars
    int long_chars  # of long text
    int sentence_marks
    int first  # number of its first member
    int last

# All cohorts, in the order of their first members. A place holds the cohort's number plus 1, or 0.
cdef struct Cohorts:
    int* place
    Cohort* cohort
    int count
    int bits
    unsigned long long multiplier


# Give the binary logarithm of the number of places for ``most`` cohorts: at least half of the places stay free.
cdef inline int place_bits(Py_ssize_t most) noexcept nogil:
    cdef int bits = 1
    while (<Py_ssize_t>1 << bits) < 2 * most + 1:
        bits += 1
    return bits


# Give the bytes of an arena that ``most`` cohorts take.
cdef inline size_t bytes_for_cohorts(Py_ssize_t most) noexcept nogil:
    return bytes_for(sizeof(int) << place_bits(most)) + bytes_for((most + 1) * sizeof(Cohort))


# Make room for ``most`` cohorts in an arena that has it.
cdef inline void open_cohorts(
    Cohorts* cohorts, Py_ssize_t most, unsigned long long multiplier, Arena* arena
) noexcept nogil:
    cohorts.bits = place_bits(most)
    cohorts.count = 0
    cohorts.multiplier = multiplier
    cohorts.place = <int*>piece(arena, sizeof(int) << cohorts.bits)
    cohorts.cohort = <Cohort*>piece(arena, (most + 1) * sizeof(Cohort))
    memset(cohorts.place, 0, sizeof(int) << cohorts.bits)


# Count one more member, with this number, of the cohort with this key. Gives the cohort's number.
cdef inline int join(Cohorts* cohorts, unsigned long long key, int member) noexcept nogil:
    cdef unsigned long long mask = (<unsigned long long>1 << cohorts.bits) - 1
    cdef unsigned long long at = (key * cohorts.multiplier) >> (64 - cohorts.bits)
    cdef Cohort* cohort
    while cohorts.place[at] != 0:
        cohort = cohorts.cohort + (cohorts.place[at] - 1)
        if cohort.key == key:
            cohort.count += 1
            return cohorts.place[at] - 1
        at = (at + 1) & mask
    cohort = cohorts.cohort + cohorts.count
    cohort.key = key
    cohort.count = 1
    cohort.first = member
    cohort.chars = cohort.long_chars = cohort.sentence_marks = 0
    cohorts.count += 1
    cohorts.place[at] = cohorts.count
    return cohorts.count - 1
