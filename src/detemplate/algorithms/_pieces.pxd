# cython: language_level=3
# The layout of a forest that the kernel reads, as in detemplate.algorithms.forestlayout.

cdef enum:
    LANES = 32  # rows tried at a time
    WORD = 32  # leaves of a piece, one bit each
    SPREAD = 0x077CB531  # de Bruijn multiplier: the lowest bit of a word gives the leaf's place
    SHIFT = 27  # of the product, to the right: 32 different places are left
