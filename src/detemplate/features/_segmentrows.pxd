# cython: language_level=3
from detemplate.features._segment_records cimport Job

cdef void write_rows(Job* job) noexcept
