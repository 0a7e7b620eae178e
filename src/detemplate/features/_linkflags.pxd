# cython: language_level=3
# Flags of links, as in detemplate.features.node.

cdef enum:
    LINK = 1
    LEADS = 2
    STAYS = 4
