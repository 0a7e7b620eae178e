# cython: language_level=3
# The records of the kernel of the segment features.

from detemplate.features._cohorts cimport Cohorts
from detemplate.features._segment_constants cimport AROUND_END, HASHES, MEETINGS, VALUE_ROWS, VALUES

ctypedef unsigned short* Shorts
ctypedef int* Ints
ctypedef unsigned long long* Hashes
ctypedef float* Floats

# The classes of a start tag. Hashes are those of their styles: a run of digits counts as one 0.
cdef struct Classes:
    unsigned long long sum  # of the hashes of all
    unsigned long long first  # hash of the first
    int count

# A node. Sums are the node's own at first, and its subtree's in the end.
cdef struct Node:
    int words
    int linked_chars  # inside of links
    int links
    int texts
    int prose_chars
    int commas
    int sentence_marks
    int digits
    int capitals
    int chars
    int long_chars  # of long text
    int media
    int inputs
    int headings
    int paragraphs
    int items
    int elements
    int before  # characters before the node
    int depth
    int hidden  # hidden elements around the node, itself included
    int aria_hidden
    int hidden_depth  # depth of the nearest hidden element, itself included, or 0
    int group  # row of the nearest group around it, or -1
    int sibling  # number of its cohort among siblings
    int filled  # group: 1 + the place where its columns stand already (row * LEVELS + level), or 0
    int weighed  # number of the Weighed of the nearest element with words, itself included, or -1
    unsigned long long slot
    unsigned long long site_slot  # the same, of the classes that other pages have as well
    double score

# The weights of the known words of an element with words, and of those around it.
cdef struct Weighed:
    int above  # number of the next such element around it, or -1
    int count  # such elements around it, itself included
    double own  # sum of its own weights
    double total
    double least
    double most

# A value of an attribute that was read before on this page. Bytes are those of its first place.
cdef struct Value:
    unsigned char* first
    Py_ssize_t length
    int name  # the first two bytes of the attribute's name
    int count  # hashes of its words
    int known  # those of them that are words of the vocabulary
    unsigned int rows[VALUE_ROWS]  # of these in the vocabulary's table
    Classes classes

cdef struct Block:
    int chars
    int linked_chars
    int words
    int sentence_marks
    int texts
    long long net_before  # characters outside of links less those inside, in the blocks before
    long long long_before  # characters of long blocks before

# The lowest node around both a text and a target: steps up from the target, and its row; -1 and -1 if none.
cdef struct Meeting:
    int steps
    int row

# A segment. path, slot and content are numbers of cohorts.
cdef struct Segment:
    int row
    int block
    int path
    int slot
    int content
    int heading  # row of the last heading, or -1
    int headings  # headings so far
    int link_run  # segments in links in a row, itself included; 0: it is in no link
    int short_run

# A word of a vocabulary: a row of its table.
cdef struct Word:
    unsigned long long hash
    unsigned int number  # plus 1; 0: the row is free
    float weight

# A page while its features are computed.
cdef struct Job:
    # What is given.
    unsigned char* data
    Py_ssize_t size
    int nodes
    int segments
    int blocks
    Shorts kind
    Shorts tag
    Ints parent
    Ints end
    Ints start
    Ints stop
    Ints block_of
    Ints chars
    Ints children
    Hashes content_of
    Hashes path_of
    Ints rows  # of the segments
    Shorts marks
    int h1
    Word* words
    int shift
    # The results.
    Floats table
    Ints groups
    Hashes slots
    Hashes node_slots
    Ints word_counts
    # What is computed on the way.
    Node* node  # one more than nodes: the sums of the page
    Weighed* weighed
    int weighed_count
    Cohorts sibling  # elements by parent and signature
    Segment* segment
    Meeting* meeting  # MEETINGS a segment
    Cohorts path
    Cohorts slot
    Cohorts content
    Block* block  # one more than blocks
    Ints above  # room for a row of each node
    Value values[VALUES]
    unsigned long long hashes[HASHES]
    int around[AROUND_END]  # elements around the node, by mark
    int elements[AROUND_END]  # elements so far, by mark
    int found  # segments so far
    int before  # characters so far
    int heading  # row of the last heading, or -1
    int headings
    int h1s
    int targets[MEETINGS]  # rows; the last is that of the first h1, or -1
    double share  # of all scores that the first target has
    double code  # bytes of code
    double hidden_chars
    double total  # characters, at least 1
    double long_chars  # of long text, at least 1


# Compute the share of the characters that is inside of links.
cdef inline double link_density(int linked_chars, int chars) noexcept nogil:
    return linked_chars / max(<double>chars, 1.0)
