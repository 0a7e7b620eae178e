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


# Markdown.
cdef enum:
    # Kinds of elements, as in detemplate.output.markdown.
    K_SKIPPED = 2
    K_BREAK = 3
    K_IMAGE = 4
    K_BULLETS = 5
    K_NUMBERS = 6
    K_ITEM = 7
    K_QUOTE = 8
    K_CODE_BLOCK = 9
    K_TABLE = 10
    K_TERMS = 11
    K_TERM = 12
    K_DEFINITION = 13
    K_LINK = 14
    K_RULE = 15
    K_HEADING = 16
    K_CELL = 17
    K_ROW = 18
    K_SECTION = 19
    K_CAPTION = 20
    K_EMPHASIS = 21
    K_STRONG = 22
    K_DELETED = 23
    K_CODE = 24
    K_INPUT = 25
    K_LOWERED = 26
    K_RAISED = 27
    K_SUMMARY = 28
    K_SILENT = 29
    K_REFUSED = 31
    KIND = 31
    FRAMED = 64  # a block in Markdown
    NEUTRAL = 128  # puts nothing between a text and emphasis in it

    # How the children of an element are laid out.
    W_INLINE = 0
    W_BLOCK = 1
    W_LIST = 2
    W_WRAPPER = 3
    W_FLAT = 4
    W_ROWS = 5
    W_ROW = 6
    W_SAME = 7  # as those of the element around: this one is not written
    W_TERMS = 9  # terms and definitions, or a group of them
    W_TERM = 10  # an item: a term and its definitions
    W_NOTHING = 8  # an indent, for one child

    # What is written at the end of an element.
    L_NOTHING = 0
    L_LINK = 1
    L_HEADING = 2
    L_LIST = 3
    L_EMPHASIS = 4
    L_CELL = 5
    L_TABLE = 6
    L_QUOTE = 7
    L_BLOCK_END = 8
    L_SPACE = 9
    L_WRAP = 10
    L_ROW = 11

    # What becomes of links, headings, breaks and tables.
    KEPT = 1
    UNWRAPPED = 2
    DROPPED = 3
    DIVIDED = 4
    BARE = 5  # a link without an address
    SETTLED = 128

    # Classes of ASCII characters in a text.
    C_ESCAPE = 1
    C_CONTEXT = 2
    C_SPACE = 4
    C_WIDE = 8  # may begin a space beyond ASCII
    # Classes of bytes elsewhere: the classes of a text are the low four bits.
    C_ADDRESS = 16  # may be escaped in an address
    C_OUTSIDE = 32  # an address with it is changed
    C_BRACKET = 64  # an absolute one, too
    C_PATH = 128  # may be in the path of a relative one
    C_TEXT = 15
    ADDRESS_AT = 4  # bytes before a stored address, which hold its length

    NOTHING_BESIDE = -1
    EMPHASIS_BESIDE = -2
    MOST_LEVELS = 17
    MOST_MARKERS = 8
    LONGEST_PREFIX = 500


# Where the writer of Markdown stands, and where its output begins.
cdef struct State:
    int started
    int filled
    Py_ssize_t number_at
    int owed
    int drop
    int loose
    int joined
    int tight
    int depth
    int flat  # inside links
    int list_marker
    Py_ssize_t base  # where the output begins
    int prefix_at
    int prefix
    int marker_base


# An image: its row, the address in ``src``, and how many of its sides are 0 or 1 long.
cdef struct Picture:
    int row
    int sized
    unsigned char* source
    unsigned char* stop


# An element whose children are laid out as Markdown.
cdef struct Place:
    int row
    int end
    Py_ssize_t stop
    int walk
    int leave
    int in_run
    int kind
    int unescaped
    int prefix  # to restore; -1: nothing
    int tight
    int levels
    int marker
    int owner
    int number
    int width
    int bullet
    int ordered
    int loose
    int begun
    int run
    Py_ssize_t start
    int inside
    int link
    int beside
    long long texts
    long long seen
    long long breaks
    long long events
    State saved
