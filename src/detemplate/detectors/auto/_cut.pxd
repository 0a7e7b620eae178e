# cython: language_level=3
# Constants of detemplate.detectors.auto.cut_reference.

cdef extern from *:
    """
    #define DETEMPLATE_TINY 1e-9
    """
    const double TINY "DETEMPLATE_TINY"

cdef enum:
    LANES = 8
