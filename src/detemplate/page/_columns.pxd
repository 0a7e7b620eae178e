# cython: language_level=3
# Rows of the three arrays that the scan fills. Rows have the names of the fields of
# detemplate.page.columns.Columns; CONTEXT is the scan's own.

# uint16: one entry a node.
cdef enum:
    KIND = 0
    TAG = 1
    CONTEXT = 2
    SMALL_ROWS = 3

# int32: one entry a node; of SEGMENTS, one a segment.
cdef enum:
    PARENT = 0
    END = 1
    START = 2
    STOP = 3
    BLOCK = 4
    CHARS = 5
    PLACE = 6
    CHILDREN = 7
    SEGMENTS = 8
    INT_ROWS = 9

# uint64: one entry a node; of KEYS, one a segment.
cdef enum:
    CONTENT = 0
    PATH = 1
    KEYS = 2
    HASH_ROWS = 3
