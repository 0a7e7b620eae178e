# cython: language_level=3
# Constants of detemplate.detectors.auto.site.

cdef extern from *:
    """
    #define DETEMPLATE_CLIP 6.0
    #define DETEMPLATE_SCALE 1048576.0
    #define DETEMPLATE_MOST_WORDS 100000.0
    #define DETEMPLATE_HALF 0.5
    #define DETEMPLATE_TINY 1e-9
    """
    const double CLIP "DETEMPLATE_CLIP"  # log-odds count up to this, and down to minus this
    const double SCALE "DETEMPLATE_SCALE"  # sums are multiples of 1 / SCALE
    const double MOST_WORDS "DETEMPLATE_MOST_WORDS"  # maximum words of a segment that count
    const double HALF "DETEMPLATE_HALF"  # above this page-only probability a segment looks like content
    const double TINY "DETEMPLATE_TINY"  # minimum divisor of a mean

# Columns of the sums of a slot.
cdef enum:
    PAGES
    VOTES
    TEXTS
    NEW
    WEIGHT
    ODDS
    WORDS
    CONTENT
    WORDS_INSIDE
    CONTENT_INSIDE
    COLUMNS
