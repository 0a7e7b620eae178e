# cython: language_level=3
# What the reader of tokens and their automaton are limited to.

cdef enum:
    LONGEST_KEPT = 64  # bytes of a token whose letter is remembered
    MOST_PROBES = 64  # places looked at for a token; beyond, it is not remembered
    HEADS_PER_MOVE = 4  # heads that are remembered on average, for each move that may be remembered


# A slot of the reader's table; the four numbers share a cache line.
cdef enum:
    HASH  # of the token; 0: the slot is empty
    PLACE  # where the token's bytes begin
    SIZE  # how many they are
    LETTER  # the token's letter
    SLOT_NUMBERS  # numbers a slot
