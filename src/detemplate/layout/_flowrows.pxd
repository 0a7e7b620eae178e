# cython: language_level=3
# Numbers of the flow layout. The first three enums repeat detemplate.layout.layout.

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

# What is known of a node.
cdef struct Node:
    double line  # height of a line of its text
    double char  # width of a character of its text
    double width  # stated width: pixels, or percent as a negative number, or UNSTATED
    double height  # stated height, likewise
    double span  # columns that a table cell spans
    double natural  # width of an element on one line
    # Measuring: width of the line that is being added up. Later: where an inline element begins in its line; of
    # text that keeps its line breaks, the number of lines.
    double run
    # Width of a text on one line; of a table row, its lower end; of an inline element, the top of its first line.
    double text_width
    double x  # left edge and width of the inside of a block
    double room
    double kept_y  # where an element leaves the flow: top of the line, how far it was filled, its height, margin due
    double kept_x
    double kept_line
    double kept_gap
    int shown  # 1 if it is laid out; 2 if its text also keeps its line breaks; else 0
    int flags  # sum of HIDE, OPEN and OUT

# Sides of a box: rows of the result.
cdef enum:
    LEFT = 0
    TOP = 1
    BOX_WIDTH = 2
    BOX_HEIGHT = 3
    SIDES = 4

# What a start tag asks for: attributes hidden and open, and a position absolute or fixed.
cdef enum:
    HIDE = 1
    OPEN = 2
    OUT = 4

# Columns of a table; cells beyond share the last one.
cdef enum:
    MOST_COLUMNS = 64
