# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.headings`: headings whose sections stay.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.libc.stdlib import free, malloc

Sums = cython.typedef(cython.p_longlong)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def place_of(segments: cython.int[::1], row: cython.int) -> cython.Py_ssize_t:
    """Give the number of the first segment in a row or behind it."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = segments.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        if segments[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


def raise_headings(
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    segments: cython.int[::1],
    marks: cython.uchar[::1],
    kept: cython.uchar[::1],
    words: cython.int[::1],
    odds: cython.double[::1],
    heading_words: cython.longlong,
    section_words: cython.longlong,
    section_share: cython.double,
    least_odds: cython.double,
    raised: cython.uchar[::1],
) -> None:
    """Mark the segments of headings that go, while their sections stay; see the reference."""
    nodes: cython.Py_ssize_t = tag.shape[0]
    count: cython.Py_ssize_t = segments.shape[0]
    row: cython.Py_ssize_t
    place: cython.Py_ssize_t
    first: cython.Py_ssize_t
    behind: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    following: cython.Py_ssize_t = count
    above: cython.int
    stays: cython.longlong
    section: cython.longlong
    sure: cython.bint
    if marks.shape[0] <= 65535 or min(parent.shape[0], end.shape[0]) < nodes:
        raise ValueError("the columns differ in length")
    if not count == kept.shape[0] == words.shape[0] == odds.shape[0] == raised.shape[0]:
        raise ValueError("the columns differ in length")
    # Words before each segment: those that are kept, then all.
    kept_words: Sums = cython.cast(Sums, malloc(2 * (count + 1) * cython.sizeof(cython.longlong)))
    if kept_words == cython.NULL:
        raise MemoryError
    all_words: Sums = kept_words + count + 1
    kept_words[0] = all_words[0] = 0
    for place in range(count):
        kept_words[place + 1] = kept_words[place] + (words[place] if kept[place] else 0)
        all_words[place + 1] = all_words[place] + words[place]
    # From the last heading to the first, so that the one behind is known.
    for row in range(nodes - 1, -1, -1):
        if not marks[tag[row]]:
            continue
        first = place_of(segments, cython.cast(cython.int, row))
        behind = place_of(segments, end[row])
        if behind <= first:
            continue
        stop = following
        following = first
        if behind == count or kept_words[behind] > kept_words[first]:
            continue
        if all_words[behind] - all_words[first] > heading_words:
            continue
        above = parent[row]
        while above >= 0 and end[above] <= segments[behind]:
            above = parent[above]
        if above < 0:
            continue
        stop = min(stop, place_of(segments, end[above]))
        stays = kept_words[stop] - kept_words[behind]
        section = all_words[stop] - all_words[behind]
        if stays < section_words or cython.cast(cython.double, stays) < section_share * section:
            continue
        sure = True
        for place in range(first, behind):
            sure = sure and odds[place] < least_odds
        if not sure:
            for place in range(first, behind):
                raised[place] = 1
    free(kept_words)
