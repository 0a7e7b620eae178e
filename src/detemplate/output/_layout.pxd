# cython: language_level=3
# How the kernels of text and Markdown lay elements out. Everything is an enum or a struct, so nothing of it exists at
# run time.

# Roles of elements, as in detemplate.output.plain, and their flags; how the children of an element are laid out.
cdef enum:
    INLINE = 0
    BLOCK = 1
    SKIPPED = 2
    BREAK = 3
    EMPTY = 4
    BULLETS = 5
    NUMBERS = 6
    ITEM = 7
    QUOTE = 8
    CODE = 9
    TABLE = 10
    TERMS = 11
    TERM = 12
    DEFINITION = 13
    LINK = 14
    SECTION = 15
    ROW = 16
    CELL = 17
    HEADER = 18
    CAPTION = 19
    OPENING = 20
    LAYOUT = 21
    PARAGRAPH = 22
    BUTTON = 23
    INLINE_CODE = 24
    REFUSED = 25
    LOWERED = 26
    RAISED = 27
    ROLE = 31
    VOID = 32
    UNESCAPED = 64
    LABELLED = 128
    CODE_LINE = 512  # a line of code
    SEPARATE = 256  # a block in HTML
    LEVEL_PART = 1024  # an element that may be in an exponent or an index
    FLOW = 0  # in the line
    BLOCKS = 1  # runs of text and inline elements open lines
    LISTED = 2  # items of a list
    DEFINED = 3  # terms and definitions
    GROUP = 4  # a group of these
    ROWS = 5  # parts of a table of data
    DEEPEST = 17  # lists and quotes that indent a line
    FEW = 3
    WIDER = 20
    SPARSE = 4
    SMALL = 4000
    MOST_SPAN = 1000
    LONGEST_LEVEL = 400  # bytes of an exponent or an index
    MOST_NODES = 31  # more nodes than a line with a button has
    SECTION_OF = 2
    ROW_OF = 3
    PART_OF = 4
    OPENED = 9
    OPENED_LINE = 10


cdef struct Frame:
    int row
    int end
    int stop  # byte at which its content ends
    int walk
    int in_run
    int indent  # to restore; -1: nothing
    int tight
    int levels
    int number
    int marker  # width of the last marker
    int ordered
    int unescaped
    int within  # inside a term, an item of a made list: 0 no, 1 the term, 2 its definitions
    int outer_indent
    int outer_tight
    int outer_levels
    int cell  # 1: a cell, 2: a row of cells, 3: the table; 4: a line ends behind it
    int code  # an element ``code``


# Where the writer stands in a line.
cdef struct Line:
    int started
    int filled
    int owed
    int loose
    int joined  # the next block begins on this line
    int tight
    int indent
    int levels
    Py_ssize_t size
