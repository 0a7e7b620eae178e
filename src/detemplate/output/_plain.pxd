# cython: language_level=3
# What the kernel of Markdown takes from that of text: the reader of a page's columns, with its rules for code,
# tables, definitions and exponents.

cimport cython

from detemplate.page._markup cimport Attribute
from detemplate.output._layout cimport Frame, Line


cdef class Writer:
    cdef unsigned char* base
    cdef Py_ssize_t limit
    cdef int rows
    cdef unsigned short* kind
    cdef unsigned short* tag
    cdef int* parent
    cdef int* end
    cdef int* start
    cdef int* stop
    cdef int* children
    cdef unsigned short* roles
    cdef unsigned char* blocks  # rows that were parts of a table and are blocks
    cdef int* gone
    cdef unsigned char* spaced
    cdef int cuts
    cdef int next_cut
    cdef bint open_items
    cdef bint is_markdown  # what is written is Markdown
    cdef int numbers_cell  # of a table that is code with its line numbers, the cell of these; -1 if it is none
    cdef bint has_code
    cdef bint has_loose  # text in lists but in no item; the reference makes items of it
    cdef bint failed
    cdef object error  # an exception that a function of Python raised
    cdef int codes  # elements ``code`` around
    cdef int cells  # inside a cell of a table of data
    cdef bint lead  # white space was seen that a removed node parts from the text it belongs to
    cdef Line line
    cdef Line outer
    cdef Frame* frames
    cdef int depth
    cdef int room
    cdef unsigned char* out
    cdef Py_ssize_t capacity
    cdef int held  # line breaks of code that are not written yet
    cdef bint fresh  # whether a line of code begins
    cdef bint bare  # whether nothing of the code is written, where empty lines at its beginning go
    cdef int line_depth
    cdef int line_stops[64]  # where the elements end that are lines of code
    cdef unsigned char* grid
    cdef Py_ssize_t grid_size
    cdef Py_ssize_t grid_capacity
    cdef Py_ssize_t row_at
    cdef int columns
    cdef Py_ssize_t cell_at
    # Merged cells.
    cdef bint bounded
    cdef int widest
    cdef int most
    cdef int after_cell  # columns that the cell goes on over
    cdef int* below  # of each column, the rows that a cell above still takes
    cdef int below_size
    cdef object level_written  # writes an exponent or an index: detemplate.output.formulas

    @cython.final
    cdef bint take(
        self, bytes data, unsigned short[::1] kind, unsigned short[::1] tag, int[::1] parent, int[::1] end, int[::1] start,
        int[::1] stop, int[::1] children, unsigned short[::1] roles, int[::1] removed, unsigned char[::1] spaced,
        object level_written,
    ) except? -1
    @cython.final
    cdef void put(self, unsigned char* p, Py_ssize_t n) noexcept
    @cython.final
    cdef bint grow(self, Py_ssize_t n) noexcept
    @cython.final
    cdef void put_byte(self, unsigned char c) noexcept
    @cython.final
    cdef Py_ssize_t breakable(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef void put_indent(self) noexcept
    @cython.final
    cdef void begin_block(self, bint loose) noexcept
    @cython.final
    cdef void end_line(self) noexcept
    @cython.final
    cdef void put_text(self, Py_ssize_t low, Py_ssize_t high, bint unescaped) noexcept
    @cython.final
    cdef void put_run(self, unsigned char* p, unsigned char* stop, bint unescaped) noexcept
    @cython.final
    cdef void put_decoded(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef int put_number(self, int number) noexcept
    @cython.final
    cdef int role(self, int row) noexcept
    @cython.final
    cdef int first_cut(self, int row) noexcept
    @cython.final
    cdef bint is_gone(self, int row) noexcept
    @cython.final
    cdef Py_ssize_t content(self, int row) noexcept
    @cython.final
    cdef int name_length(self, int row) noexcept
    @cython.final
    cdef bint attribute(self, int row, char* name, Py_ssize_t length, Attribute* found) noexcept
    @cython.final
    cdef int ordinal(self, int row, char* name, Py_ssize_t length, int otherwise) noexcept
    @cython.final
    cdef int gap_kind(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef bint holds_text(self, int row) noexcept
    @cython.final
    cdef void check_blank(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef bint is_anchor(self, int row) noexcept
    @cython.final
    cdef bint is_dropped(self, int row) noexcept
    @cython.final
    cdef bint is_block(self, int row) noexcept
    @cython.final
    cdef bint is_skipped(self, int row, int role) noexcept
    @cython.final
    cdef bint leads_inline(self, int row, Py_ssize_t at, Py_ssize_t high) noexcept
    @cython.final
    cdef Frame* push(self, int row, int walk, Py_ssize_t begin) noexcept
    @cython.final
    cdef void indent(self, int columns, int levels, Frame* frame) noexcept
    @cython.final
    cdef void enter_item(self, int row, Frame* listing, Py_ssize_t begin) noexcept
    @cython.final
    cdef bint open_item(self, int row, Py_ssize_t begin, bint made) noexcept
    @cython.final
    cdef Py_ssize_t enter_made_item(self, int row, Py_ssize_t begin) noexcept
    @cython.final
    cdef void leave(self) noexcept
    @cython.final
    cdef void close_term(self, Frame* frame) noexcept
    @cython.final
    cdef void enter_definition(self, int row, int role, int number, Py_ssize_t begin) noexcept
    @cython.final
    cdef bint check_definitions(self, int row, bint is_group, Py_ssize_t begin) noexcept
    @cython.final
    cdef bint is_div(self, int row) noexcept
    @cython.final
    cdef bint code_lines(self, int row, Py_ssize_t begin, Py_ssize_t high) noexcept
    @cython.final
    cdef void begin_code_line(self, int row) noexcept
    @cython.final
    cdef void write_code(self, int row, Py_ssize_t begin) noexcept
    @cython.final
    cdef bint is_blank(self, Py_ssize_t at) noexcept
    @cython.final
    cdef bint has_lines(self, int row) noexcept
    @cython.final
    cdef bint is_button(self, int row) noexcept
    @cython.final
    cdef bint is_verbatim(self, int row) noexcept
    @cython.final
    cdef bint says_lines(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef bint is_defined(self, int row, int behind) noexcept
    @cython.final
    cdef void put_verbatim(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef bint is_part(self, int row) noexcept
    @cython.final
    cdef bint begins_otherwise(self, int table) noexcept
    @cython.final
    cdef bint is_colgroup(self, int row) noexcept
    @cython.final
    cdef bint has_items(self, int row) noexcept
    @cython.final
    cdef bint has_dropped(self, int row) noexcept
    @cython.final
    cdef bint may_be_counted(self, int row) noexcept
    @cython.final
    cdef int holder_of_lines(self, int row) noexcept
    @cython.final
    cdef int next_element(self, int row, int behind) noexcept
    @cython.final
    cdef bint is_counting(self, int row) noexcept
    @cython.final
    cdef bint may_be_number(self, int row, int number) noexcept
    @cython.final
    cdef void put_code_byte(self, unsigned char c) noexcept
    @cython.final
    cdef Py_ssize_t end_code_lines(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef bint is_marked(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef bint has_marks(self, int row) noexcept
    @cython.final
    cdef void check_beside(self, int row) noexcept
    @cython.final
    cdef void check_neighbour(self, int row) noexcept
    @cython.final
    cdef bint has(self, Attribute* found, char* part, Py_ssize_t length) noexcept
    @cython.final
    cdef bint is_layout(self, int row) noexcept
    @cython.final
    cdef void measure_spans(self, int row, int count, int cells) noexcept
    @cython.final
    cdef int span(self, int row, char* name) noexcept
    @cython.final
    cdef void next_column(self) noexcept
    @cython.final
    cdef int merged(self, int row) noexcept
    @cython.final
    cdef void enter_column(self, int row) noexcept
    @cython.final
    cdef bint may_be_numbers(self, int row) noexcept
    @cython.final
    cdef bint is_numbers_cell(self, int row) noexcept
    @cython.final
    cdef bint has_line_break(self, int row) noexcept
    @cython.final
    cdef void enter_cell(self) noexcept
    @cython.final
    cdef void put_grid(self, unsigned char c) noexcept
    @cython.final
    cdef void leave_part(self, int part) noexcept
    @cython.final
    cdef bint write_level(self, int row, int role, Py_ssize_t begin) noexcept
    @cython.final
    cdef void caught(self, object error) noexcept
    @cython.final
    cdef object level_asked(self, int row, int role, Py_ssize_t begin)
    @cython.final
    cdef object level_of(self, int row, int role, Py_ssize_t begin)
    @cython.final
    cdef void put_untagged(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef object before(self, int row)
    @cython.final
    cdef void again(self) noexcept
    @cython.final
    cdef void text(self, Py_ssize_t low, Py_ssize_t high) noexcept
    @cython.final
    cdef Py_ssize_t element(self, int row, Frame* above) noexcept
    @cython.final
    cdef void begin_list(self, Frame* frame, int role) noexcept
    @cython.final
    cdef Py_ssize_t block(self, int row, int role, Py_ssize_t begin) noexcept
    @cython.final
    cdef void walk(self) noexcept


cdef Py_ssize_t decoded(unsigned char* p, unsigned char* stop, unsigned char** out) noexcept
cdef bint is_sign(unsigned char* text, int count) noexcept
cdef int digits_of(long long number, unsigned char* digits) noexcept
cdef int unicode_space(unsigned char* p, Py_ssize_t n) noexcept
