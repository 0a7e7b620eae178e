# cython: language_level=3
# Numbers of the flow layout, as in detemplate.layout.layout.

# How an element is laid out.
cdef enum:
    INLINE = 0
    BLOCK = 1
    NONE = 2
    ROW = 3
    CELL = 4
    REPLACED = 5

# Sides of a box: rows of the result.
cdef enum:
    LEFT = 0
    TOP = 1
    WIDTH = 2
    HEIGHT = 3
    SIDES = 4
