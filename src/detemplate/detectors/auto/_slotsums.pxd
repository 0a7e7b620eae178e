# cython: language_level=3
# Constants of detemplate.detectors.auto.slotsums_reference.

cdef extern from *:
    """
    #define DETEMPLATE_CLIP 6.0
    #define DETEMPLATE_STEEPEST 30.0
    #define DETEMPLATE_SCALE 1048576.0
    #define DETEMPLATE_MOST_WORDS 100000.0
    #define DETEMPLATE_HALF 0.5
    #define DETEMPLATE_TINY 1e-9
    #define DETEMPLATE_CONTAINER 0.5
    #define DETEMPLATE_MOST_OF_A_PAGE 0.99
    #define DETEMPLATE_MIXED 0.6
    #define DETEMPLATE_SHELTER 0.75
    #define DETEMPLATE_UNLIKELY -2.0
    #define DETEMPLATE_LIKELY 1.0
    """
    const double CLIP "DETEMPLATE_CLIP"
    const double STEEPEST "DETEMPLATE_STEEPEST"
    const double SCALE "DETEMPLATE_SCALE"
    const double MOST_WORDS "DETEMPLATE_MOST_WORDS"
    const double HALF "DETEMPLATE_HALF"
    const double TINY "DETEMPLATE_TINY"
    const double CONTAINER "DETEMPLATE_CONTAINER"
    const double MOST_OF_A_PAGE "DETEMPLATE_MOST_OF_A_PAGE"
    const double MIXED "DETEMPLATE_MIXED"
    const double SHELTER "DETEMPLATE_SHELTER"
    const double UNLIKELY "DETEMPLATE_UNLIKELY"
    const double LIKELY "DETEMPLATE_LIKELY"

# Columns of the sums of a slot.
cdef enum:
    PAGES
    WEIGHT
    ODDS
    WORDS
    CONTENT
    WORDS_INSIDE
    CONTENT_INSIDE
    COLUMNS
