# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.fields`: which segments are fields.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.detectors.auto._fields import (
    ARTICLE_CONTENT,
    ARTICLE_FIELDS,
    CONTENT,
    LIST_CONTENT,
    LIST_TEXTS,
    MAX_LINKED_WORDS,
    MAX_TEXTS,
    MAX_WORDS,
    MIN_CONTENT,
    MIN_FIELDS,
    NEW_SHARE,
    RECORD_CONTENT,
    RECORD_FIELDS,
    RECORD_PROSE,
    RECORD_TEXTS,
    RUNNING_WORDS,
    SHARED_CONTENT,
    SHARED_SEGMENT,
    SINGLE_NEW_SHARE,
    SLOT_SHARE,
)

# What a segment is: bits of its mark.
STRICT = cython.declare(cython.int, 1)  # a field by the strict rule
FAINT = cython.declare(cython.int, 2)  # a field of a record
MORE = cython.declare(cython.int, 4)  # more fields of a record: figures of a table, what recurs now and then


def fields(
    slot_share: cython.double[:],
    slot_new: cython.double[:],
    segment_share: cython.double[:],
    slot_texts: cython.float[:],
    linked: cython.uchar[:],
    words: cython.int[:],
    content: cython.double[:],
    article: cython.bint,
    found: cython.uchar[::1],
) -> None:
    """Mark the segments that are fields."""
    count: cython.Py_ssize_t = found.shape[0]
    i: cython.Py_ssize_t
    texts: cython.float
    mark: cython.int
    common: cython.bint
    mostly_new: cython.bint
    single_new: cython.bint
    many: cython.bint
    record: cython.bint
    least: cython.double = ARTICLE_CONTENT if article else MIN_CONTENT
    stricts: cython.Py_ssize_t = 0
    unlinked: cython.Py_ssize_t = 0  # of these
    faints: cython.Py_ssize_t = 0  # outside of links
    prose: cython.longlong = 0  # words of running text
    if not (
        count == slot_share.shape[0] == slot_new.shape[0] == segment_share.shape[0] == slot_texts.shape[0]
        and count == linked.shape[0] == words.shape[0] == content.shape[0]
    ):
        raise ValueError("the columns differ in length")
    for i in range(count):
        found[i] = 0
        if content[i] > CONTENT and words[i] >= RUNNING_WORDS:
            prose += words[i]
        common = slot_share[i] >= SLOT_SHARE and words[i] <= (MAX_LINKED_WORDS if linked[i] else MAX_WORDS)
        if not common:
            continue
        texts = slot_texts[i]
        mark = 0
        mostly_new = slot_new[i] >= NEW_SHARE
        single_new = segment_share[i] == 0 and texts == 1 and slot_new[i] >= SINGLE_NEW_SHARE
        if (mostly_new or single_new) and segment_share[i] < 1:
            if texts <= MAX_TEXTS and content[i] >= least:
                mark |= STRICT
                stricts += 1
                unlinked += not linked[i]
            if texts <= RECORD_TEXTS and content[i] >= RECORD_CONTENT:
                mark |= FAINT
                faints += not linked[i]
        if mostly_new and texts <= LIST_TEXTS and content[i] >= LIST_CONTENT:
            mark |= MORE
        if texts <= RECORD_TEXTS and slot_new[i] >= SINGLE_NEW_SHARE and segment_share[i] < SHARED_SEGMENT:
            if content[i] >= SHARED_CONTENT:
                mark |= MORE
        found[i] = cython.cast(cython.uchar, mark)
    many = unlinked >= ARTICLE_FIELDS
    record = not article and faints >= RECORD_FIELDS and prose <= RECORD_PROSE * faints
    for i in range(count):
        mark = found[i]
        if article:
            if not many and (linked[i] or slot_texts[i] != 1 or stricts < MIN_FIELDS):
                mark = 0
            found[i] = (mark & STRICT) != 0
        elif record:
            found[i] = mark & (FAINT | MORE) != 0
        else:
            found[i] = mark & STRICT and slot_texts[i] == 1 and stricts >= MIN_FIELDS
