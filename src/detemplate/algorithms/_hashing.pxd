# cython: language_level=3
# What kernels with hash tables share.

cdef extern from *:
    """
    #define DETEMPLATE_GOLDEN 0x9E3779B97F4A7C15ULL
    """
    # Odd multiplier of keys (Fibonacci hashing): 2**64 divided by the golden ratio.
    const unsigned long long GOLDEN "DETEMPLATE_GOLDEN"
