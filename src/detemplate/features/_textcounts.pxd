# cython: language_level=3
from detemplate.features._segment_records cimport Node

cdef void count_bytes(unsigned char* p, Py_ssize_t size, Node* node) noexcept
