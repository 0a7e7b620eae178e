# cython: language_level=3
# Constants of the log-odds by slots; tests/oracles/slotodds.py says what each means.

cdef extern from *:
    """
    #define DETEMPLATE_CONTAINER 0.5
    #define DETEMPLATE_MOST_OF_A_PAGE 0.99
    #define DETEMPLATE_MIXED 0.6
    #define DETEMPLATE_SHELTER 0.75
    #define DETEMPLATE_UNLIKELY -2.0
    #define DETEMPLATE_LIKELY 1.0
    #define DETEMPLATE_CONTAINER_ODDS 2.0
    #define DETEMPLATE_COMMON 0.75
    #define DETEMPLATE_DOUBTED -3.0
    #define DETEMPLATE_GRANTED 0.0
    #define DETEMPLATE_THRESHOLD 0.2
    #define DETEMPLATE_PROSE_THRESHOLD 0.2
    #define DETEMPLATE_SWITCH 0.03
    #define DETEMPLATE_LABEL_ODDS 0.9
    #define DETEMPLATE_TEMPLATE_ODDS 0.5
    """
    const double CONTAINER "DETEMPLATE_CONTAINER"
    const double MOST_OF_A_PAGE "DETEMPLATE_MOST_OF_A_PAGE"
    const double MIXED "DETEMPLATE_MIXED"
    const double SHELTER "DETEMPLATE_SHELTER"
    const double UNLIKELY "DETEMPLATE_UNLIKELY"
    const double LIKELY "DETEMPLATE_LIKELY"
    const double CONTAINER_ODDS "DETEMPLATE_CONTAINER_ODDS"
    const double COMMON "DETEMPLATE_COMMON"
    const double DOUBTED "DETEMPLATE_DOUBTED"
    const double GRANTED "DETEMPLATE_GRANTED"
    const double THRESHOLD "DETEMPLATE_THRESHOLD"
    const double PROSE_THRESHOLD "DETEMPLATE_PROSE_THRESHOLD"
    const double SWITCH "DETEMPLATE_SWITCH"
    const double LABEL_ODDS "DETEMPLATE_LABEL_ODDS"
    const double TEMPLATE_ODDS "DETEMPLATE_TEMPLATE_ODDS"

cdef enum:
    HALFWAY_PAGES = 32
    SLOT_PAGES = 2
    CONTAINER_PAGES = 3
    TREE_PAGES = 4

# What is known of a slot of the page.
cdef struct Slot:
    double mean  # log-odds on the other pages
    double pages  # number of these
    double purity  # how surely it is in a container of nothing but main content
    double words  # shares of a page's words and content directly in it
    double content
    double missing_words  # the same in slots inside it that the page lacks
    double missing_content
    double sum  # of the weights of its segments
    double gain  # of these, if the slot is content
    double inside  # the most that it and what is in it gain if it is content, and otherwise
    double outside
    bint label  # whether it is content
