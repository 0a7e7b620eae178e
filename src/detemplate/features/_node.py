# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled features of nodes; ``docs/features.md`` defines them.

Every read is checked against the end. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features import _nodefeatures as features
from cython.cimports.detemplate.features._linkflags import LEADS, LINK, STAYS
from cython.cimports.detemplate.features._wordtables import COUNTS, DIFFERENT, TITLED, WORDS
from cython.cimports.detemplate.page._markup import ELEMENT, TEXT


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def share(part: cython.double, whole: cython.double) -> cython.float:
    """Divide; cut the result off at 0 and 1."""
    quotient: cython.double = part / whole
    return cython.cast(cython.float, 1.0 if quotient > 1.0 else quotient if quotient > 0.0 else 0.0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def ratio(part: cython.double, whole: cython.int) -> cython.float:
    """Divide by ``whole``, or by 1 if that is less."""
    return cython.cast(cython.float, part / (whole if whole > 1 else 1))


def content_features(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    chars: cython.int[::1],
    words: cython.int[:, ::1],
    title: cython.int,
    links: cython.uchar[::1],
    img: cython.int,
    svg: cython.int,
    work: cython.int[:, ::1],
    out: cython.float[:, ::1],
) -> None:
    """Fill the features of contents, in the other rows of ``out``; LOG rows get the amounts themselves.

    ``words`` are the counts of words; they become sums over subtrees. ``work`` has the rows that
    ``_nodefeatures.pxd`` names, all 0.
    """
    p: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.int = cython.cast(cython.int, len(data))
    nodes: cython.Py_ssize_t = len(kind)
    row: cython.int
    above: cython.int
    column: cython.int
    opened: cython.int = -1
    at: cython.int = 0
    past: cython.int
    inner: cython.int = 0  # bytes before ``at`` that begin no character
    total: cython.double = 0
    if min(len(tag), len(parent), len(end), len(start), len(stop), len(chars), len(links)) < nodes:
        raise ValueError("the columns differ in length")
    if (
        words.shape[0] < COUNTS
        or words.shape[1] < nodes
        or work.shape[0] < features.WORK_ROWS
        or work.shape[1] < nodes
    ):
        raise ValueError("the arrays have too few rows")
    if out.shape[0] < features.FEATURES or out.shape[1] < nodes or len(data) >= 1 << 31:
        raise ValueError("the arrays have too few rows")
    for row in range(nodes):
        if not -1 <= parent[row] < row or not row < end[row] <= nodes:
            raise ValueError("the columns do not describe a tree")
        if not 0 <= start[row] <= stop[row] <= size:
            raise ValueError("the columns do not describe this text")
    for row in range(nodes + 1):
        # Close the elements that end before this row, then open it: places in the text ascend.
        while opened >= 0 and (row == nodes or end[opened] <= row):
            past = stop[opened]
            while at < past:
                inner += p[at] & 0xC0 == 0x80
                at += 1
            work[features.HTML, opened] = stop[opened] - start[opened] - (inner - work[features.HTML, opened])
            opened = parent[opened]
        if row == nodes:
            break
        past = start[row]
        while at < past:
            inner += p[at] & 0xC0 == 0x80
            at += 1
        work[features.HTML, row] = inner
        opened = row
        above = parent[row]
        if above >= 0:
            work[features.DEPTH, row] = work[features.DEPTH, above] + 1
            work[features.OUTERMOST, row] = work[features.OUTERMOST, above]
        if links[row] & LINK:
            work[features.LINKS, row] += 1
            work[features.LEADING, row] += (links[row] & LEADS) != 0
            work[features.STAYING, row] += (links[row] & STAYS) != 0
            if work[features.OUTERMOST, row] == 0:
                work[features.OUTERMOST, row] = row + 1
        if kind[row] == ELEMENT:
            work[features.IMAGES, row] += tag[row] == img or tag[row] == svg
            if above >= 0:
                work[features.CHILDREN, above] += 1
        elif kind[row] == TEXT:
            total += chars[row]
            work[features.TEXTS, row] = 1
            if work[features.OUTERMOST, row] > 0:
                work[features.ANCHORS, row] = chars[row]
    for row in range(cython.cast(cython.int, nodes) - 1, -1, -1):
        above = parent[row]
        if above >= 0:
            for column in range(features.LINKS, features.WORK_ROWS):
                work[column, above] += work[column, row]
            for column in range(COUNTS):
                words[column, above] += words[column, row]
        if (
            work[features.LINKS, row] == 0 and work[features.OUTERMOST, row] > 0
        ):  # a node inside of a link counts as that link
            out[features.LOG_LINKS, row] = 1
            out[features.LINKS_PER_WORD, row] = ratio(1, words[WORDS, row])
            out[features.LOG_ANCHOR_SIZE, row] = work[features.ANCHORS, row]
            out[features.INTRA_SITE, row] = (links[work[features.OUTERMOST, row] - 1] & STAYS) != 0
        else:
            out[features.LOG_LINKS, row] = work[features.LINKS, row]
            out[features.LINKS_PER_WORD, row] = ratio(
                work[features.LINKS, row], max(words[WORDS, row], work[features.LINKS, row])
            )
            out[features.LOG_ANCHOR_SIZE, row] = ratio(work[features.ANCHORS, row], work[features.LINKS, row])
            out[features.INTRA_SITE, row] = ratio(work[features.STAYING, row], work[features.LEADING, row])
        out[features.LOG_WORDS, row] = words[WORDS, row]
        out[features.LOG_WORDS_A_TEXT, row] = ratio(words[WORDS, row], work[features.TEXTS, row])
        out[features.TEXT, row] = cython.cast(cython.float, chars[row] / max(total, 1.0))
        out[features.TEXT_PER_HTML, row] = ratio(chars[row], work[features.HTML, row])
        out[features.IN_TITLE, row] = ratio(words[TITLED, row], words[WORDS, row])
        out[features.OF_TITLE, row] = ratio(words[DIFFERENT, row], title)
        out[features.ANCHOR_TEXT, row] = ratio(work[features.ANCHORS, row], chars[row])
        out[features.LOG_IMAGES, row] = work[features.IMAGES, row]
        out[features.LOG_DEPTH, row] = work[features.DEPTH, row]
        out[features.LOG_CHILDREN, row] = work[features.CHILDREN, row]
        out[features.LOG_NODES, row] = end[row] - row
