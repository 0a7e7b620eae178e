# cython: language_level=3
# Rows of the arrays that the kernel of node features fills. Kernels cimport them as a whole, since some have
# the names of node kinds:
#
#     from cython.cimports.detemplate.features import _nodefeatures as features

# The features: detemplate.features.node.NAMES.
cdef enum:
    MARGIN = 0
    MARGIN_LEFT = 1
    MARGIN_RIGHT = 2
    MARGIN_TOP = 3
    MARGIN_BOTTOM = 4
    CENTRE = 5
    CENTRE_X = 6
    CENTRE_Y = 7
    WIDTH = 8
    HEIGHT = 9
    AREA = 10
    LOG_AREA = 11
    LOG_WORDS = 12
    LOG_WORDS_A_TEXT = 13
    TEXT = 14
    TEXT_PER_HTML = 15
    IN_TITLE = 16
    OF_TITLE = 17
    LOG_LINKS = 18
    LINKS_PER_WORD = 19
    ANCHOR_TEXT = 20
    LOG_ANCHOR_SIZE = 21
    INTRA_SITE = 22
    LOG_IMAGES = 23
    LOG_DEPTH = 24
    LOG_CHILDREN = 25
    LOG_NODES = 26
    FEATURES = 27

# Working memory, int32. The rows from LINKS on are summed over subtrees.
cdef enum:
    HTML = 0  # characters of markup and text; before the node is closed, bytes that begin no character
    DEPTH = 1  # elements around the node
    OUTERMOST = 2  # one more than the row of the outermost link around the node; 0: none
    CHILDREN = 3  # element children
    LINKS = 4
    LEADING = 5  # links that lead to pages
    STAYING = 6  # links that stay on the site
    IMAGES = 7
    TEXTS = 8
    ANCHORS = 9  # characters inside links
    WORK_ROWS = 10
