# cython: language_level=3
# How an element hides its text: by hidden, aria-hidden, or a declaration of its style.

from detemplate.page._markup cimport Attribute, is_named

cdef enum:  # from all readers, or from screen readers
    HIDDEN = 1
    ARIA_HIDDEN = 2


# Tell whether bytes begin with a word of lower-case letters, whatever their case.
cdef inline bint begins(unsigned char* p, unsigned char* stop, const char* word, int size) noexcept nogil:
    cdef int at
    if stop - p < size:
        return False
    for at in range(size):
        if p[at] | 32 != <unsigned char>word[at]:
            return False
    return True


cdef inline unsigned char* skip_space(unsigned char* p, unsigned char* stop) noexcept nogil:
    while p < stop and (p[0] == c' ' or 9 <= p[0] <= 13):
        p += 1
    return p


# Tell whether a declaration of a style hides its element.
cdef inline bint style_hides(unsigned char* p, unsigned char* stop) noexcept nogil:
    cdef bint is_display
    while p < stop:
        p = skip_space(p, stop)
        is_display = begins(p, stop, b"display", 7)
        if is_display or begins(p, stop, b"visibility", 10):
            p = skip_space(p + (7 if is_display else 10), stop)
            if p < stop and p[0] == c':':
                p = skip_space(p + 1, stop)
                if begins(p, stop, b"none", 4) if is_display else begins(p, stop, b"hidden", 6):
                    p = skip_space(p + (4 if is_display else 6), stop)
                    if p == stop or p[0] == c';' or p[0] == c'!':
                        return True
        while p < stop and p[0] != c';':
            p += 1
        p += 1
    return False


# Tell how an attribute hides its element: HIDDEN, ARIA_HIDDEN, or 0 for not at all.
cdef inline int hides(Attribute* found) noexcept nogil:
    if is_named(found, b"style", 5):
        return HIDDEN if style_hides(found.value, found.stop) else 0
    if is_named(found, b"hidden", 6):
        return HIDDEN
    if is_named(found, b"aria-hidden", 11):
        if found.stop - found.value == 4 and begins(found.value, found.stop, b"true", 4):
            return ARIA_HIDDEN
    return 0
