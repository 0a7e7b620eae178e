# cython: language_level=3
# Constants and records of the kernel of titles, as in detemplate.page.title.

cdef enum:
    MOST_PIECES = 6
    MOST_RUNS = 21  # of pieces
    ROOM = 1000  # bytes of a title
    ALL_RUNS = 42  # of two titles
    ALL_ROOM = 2000

# A run of a title's pieces.
cdef struct Run:
    unsigned char* first
    int size
