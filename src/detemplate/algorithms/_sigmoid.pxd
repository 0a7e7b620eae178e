# cython: language_level=3
# The logistic function, as detemplate.algorithms.sigmoid defines it.

from libc.math cimport exp

cdef extern from *:
    """
    #define DETEMPLATE_STEEPEST 30.0
    """
    const double STEEPEST "DETEMPLATE_STEEPEST"


cdef inline double probability(double odds) noexcept nogil:
    return 1.0 / (1.0 + exp(-min(max(odds, -STEEPEST), STEEPEST)))
