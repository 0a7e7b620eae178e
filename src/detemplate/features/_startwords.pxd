# cython: language_level=3
from detemplate.features._segment_records cimport Classes, Ints, Job, Weighed

cdef int weigh(Job* job, unsigned char* p, Classes* classes, Ints hidden, Weighed* weighed) noexcept
