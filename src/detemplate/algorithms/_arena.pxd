# cython: language_level=3
# Memory of a kernel for the time of one call, in one piece. The kernel keeps it for the next call: new memory is
# slow, because the processor has none of it at hand, and the system gives it page by page.

from libc.stdlib cimport free, malloc

cdef enum:
    LINE = 64  # bytes of a line of the processor's cache
    MOST_KEPT = 1 << 23  # bytes that a kernel keeps

# What a kernel keeps between calls.
cdef struct Kept:
    char* memory
    size_t size
    bint lent

# The memory of one call.
cdef struct Arena:
    char* memory
    size_t size
    size_t used
    Kept* lender  # NULL: the memory is the arena's own


# Give the bytes of an arena that so many bytes take.
cdef inline size_t bytes_for(size_t size) noexcept nogil:
    return (size + LINE - 1) // LINE * LINE


# Get memory for as many bytes as the pieces will take together (see bytes_for). False if memory is short.
cdef inline bint open_arena(Arena* arena, Kept* kept, size_t size) noexcept nogil:
    arena.used = 0
    arena.size = size
    arena.lender = NULL
    if size > MOST_KEPT or kept.lent:  # lent: the kernel is called again within a call
        arena.memory = <char*>malloc(size + 1)
        return arena.memory != NULL
    if kept.size < size:
        free(kept.memory)
        kept.size = min(2 * size, <size_t>MOST_KEPT)
        kept.memory = <char*>malloc(kept.size)
        if kept.memory == NULL:
            kept.size = 0
            return False
    kept.lent = True
    arena.lender = kept
    arena.memory = kept.memory
    return True


cdef inline void close_arena(Arena* arena) noexcept nogil:
    if arena.lender != NULL:
        arena.lender.lent = False
    else:
        free(arena.memory)


# Give the next piece; NULL if the arena is too small for it.
cdef inline void* piece(Arena* arena, size_t size) noexcept nogil:
    cdef char* at = arena.memory + arena.used
    if bytes_for(size) > arena.size - arena.used:
        return NULL
    arena.used += bytes_for(size)
    return at
