# cython: language_level=3
# What is best for a node at a score of its parent.

cdef enum:
    MOVE = 0  # start a section at the next higher LEAST
    KEEP = 1  # take the parent's score
    LEAST = 2  # a section that starts here takes this score; keeping it is best too
