# cython: language_level=3
# Constants of detemplate.detectors.auto.decision_reference.

cdef extern from *:
    """
    #define DETEMPLATE_SPREAD 0.49
    #define DETEMPLATE_REPEATED_PENALTY 4.0
    #define DETEMPLATE_HALF 0.5
    #define DETEMPLATE_TINY 1e-6
    """
    const double SPREAD "DETEMPLATE_SPREAD"
    const double REPEATED_PENALTY "DETEMPLATE_REPEATED_PENALTY"
    const double HALF "DETEMPLATE_HALF"
    const double TINY "DETEMPLATE_TINY"

cdef enum:
    STEPS = 15
