# cython: language_level=3
# What the flow layout and its kernel share: detemplate.layout.flowrows and detemplate.layout.defaults.

# How an element is laid out.
cdef enum:
    INLINE = 0
    BLOCK = 1
    NONE = 2
    TABLE = 3
    GROUP = 4
    ROW = 5
    CELL = 6
    REPLACED = 7
    BREAK = 8
    DETAILS = 9
    SUMMARY = 10
    DIALOG = 11

# Lengths of a tag: rows of the table of styles.
cdef enum:
    LINE = 0
    CHAR = 1
    ABOVE = 2
    BELOW = 3
    MARGIN_LEFT = 4
    MARGIN_RIGHT = 5
    PAD_LEFT = 6
    PAD_RIGHT = 7
    WIDE = 8
    HIGH = 9
    STYLES = 10

# Traits of a tag.
cdef enum:
    SIZED = 1
    INPUT = 2
    KEEPING = 4

# What is known of a node: rows of the working memory.
cdef enum:
    LINE_OF = 0
    CHAR_OF = 1
    SHOWN = 2
    WIDTH = 3
    HEIGHT = 4
    SPAN = 5
    FLAGS = 6
    NATURAL = 7
    RUN = 8
    TEXT_WIDTH = 9
    X = 10
    W = 11
    KEPT_Y = 12
    KEPT_X = 13
    KEPT_LINE = 14
    KEPT_GAP = 15
    ROWS = 16

# Sides of a box: rows of the result.
cdef enum:
    LEFT = 0
    TOP = 1
    BOX_WIDTH = 2
    BOX_HEIGHT = 3
    SIDES = 4

# What a start tag asks for.
cdef enum:
    HIDE = 1
    OPEN = 2
    OUT = 4

# Columns of a table.
cdef enum:
    MOST_COLUMNS = 64
