# cython: language_level=3
from detemplate.features._segment_records cimport Job

cdef void add_up(Job* job) noexcept
cdef void add_segments(Job* job) noexcept
cdef void score(Job* job) noexcept
cdef void meet(Job* job, int which) noexcept
