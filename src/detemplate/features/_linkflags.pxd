# cython: language_level=3
# What a link is, as in detemplate.features.sitelinks.

cdef enum:
    LINK = 1  # the node is a link
    LEADS = 2  # it leads to a page
    STAYS = 4  # to a page of the same site
    HARD = 8  # only the resolver can tell
    HIDDEN = 16  # inside an element that browsers do not show
