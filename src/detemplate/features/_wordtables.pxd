# cython: language_level=3
# What the word counts share, as in detemplate.features.words.

# What a character is to words.
cdef enum:
    PART = 1
    SINGLE = 2

# Bounds of the tables of characters.
cdef enum:
    BEYOND = 0x20000
    LAST = 0x40000

# Rows of the counts.
cdef enum:
    WORDS = 0
    TITLED = 1
    DIFFERENT = 2
    COUNTS = 3
