# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled LCP array and LCP intervals; :mod:`detemplate.algorithms.substrings` says what they do.

Written in Cython's pure-Python mode.
"""

import cython
import numpy as np


def write_codes(text_array, codes_array, widths_array, written_array, begins_array):
    """See :func:`detemplate.algorithms.substrings.reference_write_codes`, which does the same."""
    text: cython.int[::1] = text_array
    codes: cython.uchar[:, ::1] = codes_array
    widths: cython.uchar[::1] = widths_array
    written: cython.uchar[::1] = written_array
    begins: cython.uchar[::1] = begins_array
    filled: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for i in range(text.shape[0]):
        begins[filled] = 1
        for place in range(widths[text[i]]):
            written[filled] = codes[text[i], place]
            filled += 1


def keep_symbols(array_array, begins_array):
    """See :func:`detemplate.algorithms.substrings.reference_keep_symbols`, which does the same.

    32 bytes a word, and the symbols before each word: both tables stay in the processor's caches.
    """
    array: cython.int[::1] = array_array
    begins: cython.uchar[::1] = begins_array
    size: cython.Py_ssize_t = begins.shape[0]
    words_array = np.zeros((size >> 5) + 1, np.uint32)
    ranks_array = np.zeros((size >> 5) + 1, np.int32)
    words: cython.uint[::1] = words_array
    ranks: cython.int[::1] = ranks_array
    kept: cython.Py_ssize_t = 0
    total: cython.int = 0
    i: cython.Py_ssize_t
    bits: cython.uint
    bit: cython.uint
    for i in range(size):
        if i & 31 == 0:
            ranks[i >> 5] = total
        if begins[i]:
            words[i >> 5] |= cython.cast(cython.uint, 1) << (i & 31)
            total += 1
    for i in range(array.shape[0]):
        bits = words[array[i] >> 5]
        bit = cython.cast(cython.uint, 1) << (array[i] & 31)
        if bits & bit:
            total = ranks[array[i] >> 5]
            bits &= bit - 1  # the symbols that begin before this one in the word, counted side by side
            bits -= (bits >> 1) & 0x55555555
            bits = (bits & 0x33333333) + ((bits >> 2) & 0x33333333)
            bits = (((bits + (bits >> 4)) & 0x0F0F0F0F) * 0x01010101) >> 24
            array[kept] = total + cython.cast(cython.int, bits)
            kept += 1
    return kept


def common_prefixes(text_array, suffixes_array):
    """See :func:`detemplate.algorithms.substrings.reference_common_prefixes`, which gives the same.

    In text order, by way of Φ (Kärkkäinen, Manzini, Puglisi 2009): one random access a position,
    where Kasai's algorithm has two and needs the inverse suffix array as well.
    """
    text: cython.int[::1] = text_array
    suffixes: cython.int[::1] = suffixes_array
    count: cython.Py_ssize_t = suffixes.shape[0]
    size: cython.Py_ssize_t = text.shape[0]
    # Who has no predecessor gets the text's first symbol, a separator: nothing in common.
    phi_array = np.zeros(size, np.int32)
    phi: cython.int[::1] = phi_array
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
    found_array = np.empty(count, np.int32)
    found: cython.int[::1] = found_array
    for i in range(count):
        found[i] = phi[suffixes[i]]
    return found_array


def close_intervals(
    suffixes_array,
    prefixes_array,
    before_array,
    document_array,
    documents: cython.Py_ssize_t,
    min_documents: cython.int,
    min_length: cython.int,
):
    """See :func:`detemplate.algorithms.substrings.reference_close_intervals`, which gives the same.

    An interval is known by the row at which it was opened: no two share it, and what the four arrays
    said of that row has been read by then. So the interval's data live there, and neither the stack
    nor the result needs further memory: ``start`` is the least position, ``length`` stays, ``before``
    the token before all occurrences (0: they differ), ``document`` the occurrences in documents that
    the interval had before.
    """
    start: cython.int[::1] = suffixes_array
    length: cython.int[::1] = prefixes_array
    before: cython.int[::1] = before_array
    document: cython.int[::1] = document_array
    count: cython.Py_ssize_t = start.shape[0]
    opened_array = np.empty(count + 1, np.int32)
    first_array = np.empty(count + 1, np.int32)
    latest_array = np.full(documents, -1, np.int32)
    opened: cython.int[::1] = opened_array  # the stack: the row at which each interval was opened
    first: cython.int[::1] = first_array  # and the row at which it begins; strictly increasing
    latest: cython.int[::1] = latest_array  # the last row of each document
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
    opened[0] = 0  # the root, of length 0: open to the end, never given
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
            if length[row] >= common:  # else the one that is opened next lies between the two
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
            # Counted twice by every interval that has this document's last row too: the innermost of
            # these is told, and tells those around it when it is closed (Yamamoto & Church 2001).
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
