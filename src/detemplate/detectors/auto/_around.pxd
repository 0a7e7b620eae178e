# cython: language_level=3
# What is measured around a segment. detemplate.detectors.auto.stages repeats the columns.

cdef extern from *:
    """
    #define DETEMPLATE_LEAST 0.3
    #define DETEMPLATE_NONE -1.0
    #define DETEMPLATE_HALF 0.5
    #define DETEMPLATE_UNSURE_WITHIN 0.3
    #define DETEMPLATE_STRONG 0.7
    #define DETEMPLATE_TINY 1e-9
    """
    const double LEAST "DETEMPLATE_LEAST"  # added to words to give a weight
    const double NONE "DETEMPLATE_NONE"  # stands for a mean over nothing
    const double HALF "DETEMPLATE_HALF"  # above it a segment counts as content
    const double UNSURE_WITHIN "DETEMPLATE_UNSURE_WITHIN"  # nearer to HALF than this, a segment is unsure
    const double STRONG "DETEMPLATE_STRONG"  # above it a segment of STRONG_WORDS is strong
    const double TINY "DETEMPLATE_TINY"  # minimum of a sum that others are divided by

cdef enum:
    LEVELS = 6
    NEAR = 3  # blocks before and after the segment's own whose means are taken
    NARROW = 10  # segments before and after the segment in the two windows
    BROAD = 30
    STRONG_WORDS = 8
    FAR = 999  # maximum of distances, in segments; also where there is no strong segment

# Columns of LEAD; from PART_LEVEL_0 on, one a level.
cdef enum:
    CONTENT
    CONTENT_WORDS
    CONTENT_SHARE
    HIGHEST
    UNSURE
    PURE
    CONTENT_BEFORE
    WORDS_BEFORE
    WORDS_AFTER
    STRONG_BEFORE
    STRONG_AFTER
    PART_LEVEL_0

# Columns of mean_names: where each kind of them begins, and how many there are.
cdef enum:
    MEAN_LEVEL_0 = 0
    MEAN_BLOCKS = 6
    MEAN_WINDOWS = 13
    MEAN_SLOT = 15
    MEANS = 16

# Columns at the end of the site stage's table, with one value a page.
cdef enum:
    SUMMARIES = 5
