# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.algorithms.substrings`: codes, LCP array and LCP intervals.

Written in Cython's pure-Python mode.
"""

import cython
import numpy as np


def write_codes(
    text: cython.int[::1],
    codes: cython.uchar[:, ::1],
    widths: cython.uchar[::1],
    written: cython.uchar[::1],
    begins: cython.uchar[::1],
):
    """Write the codes of a text's symbols one after the other; set the byte in ``begins`` at which each begins.

    ``codes`` has a row of bytes a symbol; ``widths`` says how many of them are its code.
    """
    filled: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for i in range(text.shape[0]):
        begins[filled] = 1
        for place in range(widths[text[i]]):
            written[filled] = codes[text[i], place]
            filled += 1


def common_prefixes(text: cython.int[::1], suffixes: cython.int[::1]):
    """Compute the length of the longest common prefix of each suffix with the one before it.

    Symbol 0 is a separator, at which prefixes end; the text begins and ends with one. ``suffixes`` has the
    positions of all other symbols, in the order of their suffixes.

    In text order, by way of Φ (Kärkkäinen, Manzini, Puglisi 2009): one random access a position. Kasai's
    algorithm has two, and also needs the inverse suffix array.
    """
    count: cython.Py_ssize_t = suffixes.shape[0]
    size: cython.Py_ssize_t = text.shape[0]
    # The position of the suffix before that at each position, later the length of their common prefix.
    # 0, the text's first separator, for the first suffix: nothing in common.
    phi: cython.int[::1] = np.zeros(size, np.int32)
    i: cython.Py_ssize_t
    other: cython.Py_ssize_t
    common: cython.Py_ssize_t = 0
    for i in range(1, count):
        phi[suffixes[i]] = suffixes[i - 1]
    for i in range(size):
        other = phi[i]
        while text[i + common] == text[other + common] and text[i + common] != 0:
            common += 1
        phi[i] = cython.cast(cython.int, common)
        if common > 0:
            common -= 1
    lengths = np.empty(count, np.int32)
    length: cython.int[::1] = lengths
    for i in range(count):
        length[i] = phi[suffixes[i]]
    return lengths


def close_intervals(
    start: cython.int[::1],
    length: cython.int[::1],
    before: cython.int[::1],
    document: cython.int[::1],
    documents: cython.Py_ssize_t,
    min_documents: cython.int,
    min_length: cython.int,
):
    """Find the maximal strings among the LCP intervals.

    An interval is identified by the row at which it was opened. No two share a row, and the four arrays'
    entries of that row have been read by then. So the interval's data are kept there, and neither the stack
    nor the result needs further memory: in ``start`` the least position; in ``length`` the length; in
    ``before`` the token before all occurrences (0: they differ); in ``document`` the number of occurrences in
    documents that the interval had before.
    """
    count: cython.Py_ssize_t = start.shape[0]
    # The stack of open intervals: the row at which each was opened, and the row at which it begins, which
    # strictly increases from the bottom up.
    opened: cython.int[::1] = np.empty(count + 1, np.int32)
    first: cython.int[::1] = np.empty(count + 1, np.int32)
    latest: cython.int[::1] = np.full(documents, -1, np.int32)  # the last row of each document
    top: cython.Py_ssize_t = 0
    kept: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    row: cython.int
    common: cython.int
    position: cython.int
    token: cython.int
    number: cython.int
    begins: cython.int
    least: cython.int
    shared: cython.int
    again: cython.int
    occurrences: cython.int
    last_position: cython.int
    last_token: cython.int

    if count == 0:
        return 0
    last_position = start[0]
    last_token = before[0]
    latest[document[0]] = 0
    opened[0] = 0  # the root, of length 0: open to the end, never a result
    first[0] = 0
    length[0] = 0
    document[0] = 0
    for i in range(1, count + 1):
        common = length[i] if i < count else 0
        begins = cython.cast(cython.int, i - 1)
        least = last_position
        shared = last_token
        again = 0
        while length[opened[top]] > common:
            row = opened[top]
            begins = first[top]
            least = start[row]
            shared = before[row]
            again = document[row]
            occurrences = cython.cast(cython.int, i - begins)
            top -= 1
            if shared == 0 and length[row] >= min_length and occurrences - again >= min_documents:
                before[row] = occurrences
                document[row] = occurrences - again
            else:
                length[row] = 0
            row = opened[top]
            if length[row] >= common:  # otherwise the interval opened next lies between the two
                if least < start[row]:
                    start[row] = least
                if shared != before[row]:
                    before[row] = 0
                document[row] += again
        if i == count:
            break
        position = start[i]
        token = before[i]
        number = document[i]
        row = opened[top]
        if length[row] < common:
            top += 1
            opened[top] = cython.cast(cython.int, i)
            first[top] = begins
            row = cython.cast(cython.int, i)
            start[i] = least
            before[i] = shared
            document[i] = again
        else:
            length[i] = 0
        if position < start[row]:
            start[row] = position
        if token != before[row]:
            before[row] = 0
        if latest[number] >= 0:
            # Every interval that also has this document's last row would count the document twice. Note it
            # in the innermost of these; when closed, it passes the number on to the interval around it
            # (Yamamoto & Church 2001).
            low = 0
            high = top
            while low < high:
                middle = (low + high + 1) >> 1
                if first[middle] <= latest[number]:
                    low = middle
                else:
                    high = middle - 1
            document[opened[low]] += 1
        latest[number] = cython.cast(cython.int, i)
        last_position = position
        last_token = token
    for i in range(count):
        if length[i] > 0:
            start[kept] = start[i]
            length[kept] = length[i]
            before[kept] = before[i]
            document[kept] = document[i]
            kept += 1
    return kept
