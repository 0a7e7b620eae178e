# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.sharetable`: a page's keys, and the shares of pages with them.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.libc.math import floor, log
from cython.cimports.libc.stdlib import calloc, free


def page_keys(
    segments: cython.ulonglong[::1],
    content: cython.ulonglong[::1],
    rows: cython.int[::1],
    held: cython.int[::1],
    hashes: cython.ulonglong[::1],
    slot: cython.int[::1],
    likely: cython.double[::1],
    weight: cython.double[::1],
    words: cython.int[::1],
    mixes: cython.ulonglong[::1],
    least: cython.double,
    longest: cython.int,
    ratio: cython.double,
    golden: cython.ulonglong,
    keys: cython.ulonglong[::1],
    votes: cython.uchar[::1],
    signed: cython.ulonglong[::1],
) -> int:
    """Fill the keys of all kinds, mark the slots that vote, and sign the page; give the number of slots.

    ``keys`` and ``votes`` have room for as many slots as segments.
    """
    count: cython.Py_ssize_t = slot.shape[0]
    groups: cython.Py_ssize_t = held.shape[0]
    slots: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 2 * count + groups
    place: cython.Py_ssize_t
    if not count == likely.shape[0] == weight.shape[0] <= votes.shape[0]:
        raise ValueError("the columns differ in length")
    if min(segments.shape[0], rows.shape[0], hashes.shape[0], words.shape[0]) < count:
        raise ValueError("the columns differ in length")
    if keys.shape[0] < start + 3 * count or mixes.shape[0] != 6 or signed.shape[0] != 2:
        raise ValueError("the arrays are too short")
    if not 0 < longest <= 8:
        raise ValueError("there are up to eight longest segments")
    for place in range(count):
        if not 0 <= slot[place] < count:
            raise ValueError("there are more slots than segments")
        if not 0 <= rows[place] < content.shape[0]:
            raise ValueError("there is no such row")
        slots = max(slots, slot[place] + 1)
    for place in range(groups):
        if not 0 <= held[place] < content.shape[0]:
            raise ValueError("there is no such row")
        keys[2 * count + place] = content[held[place]] ^ mixes[2]
    # Per slot the sum of probabilities, then that of weights.
    sums: cython.p_double = cython.cast(cython.p_double, calloc(2 * slots + 1, cython.sizeof(cython.double)))
    if not sums:
        raise MemoryError
    for place in range(count):
        keys[place] = segments[place] ^ mixes[0]
        keys[count + place] = content[rows[place]] ^ mixes[1]
        keys[start + slot[place]] = hashes[place] ^ mixes[3]
        keys[start + slots + slot[place]] = hashes[place] ^ mixes[4]
        keys[start + 2 * slots + slot[place]] = hashes[place] ^ mixes[5]
        sums[2 * slot[place]] += likely[place] * weight[place]
        sums[2 * slot[place] + 1] += weight[place]
    for place in range(slots):
        votes[place] = sums[2 * place] / sums[2 * place + 1] > least
    free(sums)
    sign(keys, likely, words, least, longest, ratio, golden, signed)
    return slots


@cython.cfunc
@cython.exceptval(check=False)
def sign(
    keys: cython.ulonglong[::1],
    likely: cython.double[::1],
    words: cython.int[::1],
    least: cython.double,
    longest: cython.int,
    ratio: cython.double,
    golden: cython.ulonglong,
    signed: cython.ulonglong[::1],
) -> cython.void:
    """Fill in the two signatures of a page."""
    best = cython.declare(cython.ulonglong[8])
    length = cython.declare(cython.int[8])
    step: cython.double
    found: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    total: cython.ulonglong = 0
    size: cython.longlong = 0
    known: cython.bint
    for place in range(likely.shape[0]):
        if not likely[place] > least:
            continue
        size += words[place]
        known = False
        for at in range(found):
            known = known or best[at] == keys[place]
        if known:
            continue
        if found < longest:
            found += 1
        elif not longer(words[place], keys[place], length[found - 1], best[found - 1]):
            continue
        at = found - 1
        while at > 0 and longer(words[place], keys[place], length[at - 1], best[at - 1]):
            best[at] = best[at - 1]
            length[at] = length[at - 1]
            at -= 1
        best[at] = keys[place]
        length[at] = words[place]
    for at in range(found):
        total += best[at]
    if not found:
        for place in range(likely.shape[0]):
            total += keys[place]
            size += words[place]
    # Steps of a ratio, and the same moved by half a step.
    step = log(cython.cast(cython.double, max(size, 1))) / ratio
    signed[0] = total + (2 * cython.cast(cython.ulonglong, floor(step)) + 1) * golden
    signed[1] = total + (2 * cython.cast(cython.ulonglong, floor(step + 0.5)) + 2) * golden


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def longer(
    words: cython.int, key: cython.ulonglong, other_words: cython.int, other_key: cython.ulonglong
) -> cython.bint:
    """Tell whether a segment comes before another: the longer first, of equal ones the lower key."""
    return words > other_words or (words == other_words and key < other_key)


@cython.cfunc
@cython.inline
def share(count: cython.int, whole: cython.double) -> cython.double:
    """Give a share, at most 1."""
    return min(count / whole, 1.0)


def fill_shares(
    counts: cython.int[::1],
    slot: cython.int[::1],
    group: cython.int[:, ::1],
    votes: cython.uchar[::1],
    pages: cython.double,
    counted: cython.bint,
    table: cython.double[:, ::1],
) -> None:
    """Fill the table of shares."""
    segments: cython.Py_ssize_t = slot.shape[0]
    levels: cython.Py_ssize_t = group.shape[1]
    slots: cython.Py_ssize_t = votes.shape[0]
    start: cython.Py_ssize_t = counts.shape[0] - 3 * slots
    own: cython.int = 1 if counted else 0
    place: cython.Py_ssize_t
    level: cython.Py_ssize_t
    number: cython.Py_ssize_t
    known: cython.int
    voting: cython.int
    fresh: cython.int
    new: cython.p_uchar = cython.cast(cython.p_uchar, calloc(slots + 1, 1))
    if not new:
        raise MemoryError
    if counted:
        for place in range(segments):
            if counts[place] <= 1:
                new[slot[place]] = 1
    for place in range(segments):
        known = max(counts[place] - own, 0)
        table[place, 0] = known
        table[place, 1] = share(known, pages)
        table[place, 2] = share(max(counts[segments + place] - own, 0), pages)
        for level in range(levels):
            number = group[place, level]
            known = max(counts[2 * segments + number] - own, 0) if number >= 0 else 0
            table[place, 3 + level] = share(known, pages)
        number = slot[place]
        known = max(counts[start + number] - own, 0)
        voting = max(counts[start + slots + number] - (own if votes[number] else 0), 0)
        fresh = max(counts[start + 2 * slots + number] - new[number], 0)
        table[place, 3 + levels] = share(known, pages)
        table[place, 4 + levels] = known
        if known > 0:
            table[place, 5 + levels] = share(voting, known)
            table[place, 6 + levels] = share(fresh, known)
    free(new)
