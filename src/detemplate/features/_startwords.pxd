# cython: language_level=3
from detemplate.features._segment_records cimport Classes, Hashes, Ints, Job, Weighed

cdef int read_start(unsigned char* p, unsigned char* end, Hashes hashes) noexcept
cdef int weigh(Job* job, unsigned char* p, Classes* classes, Ints hidden, Weighed* weighed) noexcept
