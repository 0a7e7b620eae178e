# cython: language_level=3
# A hash table of cohorts: what has the same key. Open addressing with linear probing.

from libc.stdlib cimport calloc, free, malloc

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


# Make room for ``most`` cohorts; at least half of the places stay free. False if memory is short.
cdef inline bint open_cohorts(Cohorts* cohorts, Py_ssize_t most, unsigned long long multiplier) noexcept nogil:
    cohorts.bits = 1
    while (<Py_ssize_t>1 << cohorts.bits) < 2 * most + 1:
        cohorts.bits += 1
    cohorts.count = 0
    cohorts.multiplier = multiplier
    cohorts.place = <int*>calloc(<size_t>1 << cohorts.bits, sizeof(int))
    cohorts.cohort = <Cohort*>malloc((most + 1) * sizeof(Cohort))
    return cohorts.place != NULL and cohorts.cohort != NULL


cdef inline void close_cohorts(Cohorts* cohorts) noexcept nogil:
    free(cohorts.place)
    free(cohorts.cohort)


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
