# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.site`: slots of a page, its keys, sums over slots, and shares.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.algorithms._sigmoid import probability
from cython.cimports.detemplate.detectors.auto._site import (
    CLIP,
    COLUMNS,
    CONTENT,
    CONTENT_INSIDE,
    HALF,
    MOST_WORDS,
    NEW,
    ODDS,
    PAGES,
    SCALE,
    TEXTS,
    TINY,
    VOTES,
    WEIGHT,
    WORDS,
    WORDS_INSIDE,
)
from cython.cimports.libc.math import floor, log, rint
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memcpy

SUMMED = cython.declare(cython.int, 4)  # columns from WEIGHT on that are summed as real numbers
PARTS = cython.declare(cython.int, 5)  # sums of a slot in all


def collect(
    parent: cython.int[::1],
    segments: cython.int[::1],
    slots: cython.ulonglong[::1],
    keys: cython.ulonglong[::1],
    above: cython.int[::1],
    own: cython.int[::1],
) -> int:
    """Number slots in the order of the first row that has each; give their number."""
    nodes: cython.Py_ssize_t = parent.shape[0]
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    rows: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 16
    count: cython.int = 0
    row: cython.int
    # The number of each row's slot, plus one; 1 before it is known, 0 for rows that are not collected.
    of_row: cython.p_int = cython.cast(cython.p_int, calloc(nodes + 1, cython.sizeof(cython.int)))
    if not of_row:
        raise MemoryError
    for place in range(segments.shape[0]):
        row = parent[segments[place]]
        if row < 0:
            row = segments[place]
        while row >= 0 and not of_row[row]:
            of_row[row] = 1
            rows += 1
            row = parent[row]
    while size < 2 * rows:
        size *= 2
    # A hash table of the numbers of slots, plus one, with linear probing.
    table: cython.p_int = cython.cast(cython.p_int, calloc(size, cython.sizeof(cython.int)))
    if not table:
        free(of_row)
        raise MemoryError
    for place in range(nodes):
        if not of_row[place]:
            continue
        at = (slots[place] ^ (slots[place] >> 32)) & (size - 1)
        while table[at] and keys[table[at] - 1] != slots[place]:
            at = (at + 1) & (size - 1)
        if not table[at]:
            keys[count] = slots[place]
            above[count] = of_row[parent[place]] - 1 if parent[place] >= 0 else -1
            count += 1
            table[at] = count
        of_row[place] = table[at]
    for place in range(segments.shape[0]):
        row = parent[segments[place]]
        own[place] = of_row[row if row >= 0 else segments[place]] - 1
    free(of_row)
    free(table)
    return count


def page_keys(
    content: cython.ulonglong[::1],
    rows: cython.int[::1],
    held: cython.int[::1],
    slots: cython.ulonglong[::1],
    own: cython.int[::1],
    likely: cython.double[::1],
    words: cython.int[::1],
    mixes: cython.ulonglong[::1],
    least: cython.double,
    longest: cython.int,
    ratio: cython.double,
    golden: cython.ulonglong,
    keys: cython.ulonglong[::1],
    signed: cython.ulonglong[::1],
) -> None:
    """Fill the keys of segments, texts and groups; sign the page.

    A segment's key is odd, with the slot's mixed hash in the upper half and the text's in the lower one; other
    keys are even.
    """
    count: cython.Py_ssize_t = own.shape[0]
    groups: cython.Py_ssize_t = held.shape[0]
    place: cython.Py_ssize_t
    text: cython.ulonglong
    even: cython.ulonglong = ~cython.cast(cython.ulonglong, 1)
    upper: cython.ulonglong = cython.cast(cython.ulonglong, 0xFFFFFFFF) << 32
    if min(rows.shape[0], words.shape[0], likely.shape[0]) < count or keys.shape[0] != 2 * count + groups:
        raise ValueError("the columns differ in length")
    if mixes.shape[0] != 2 or signed.shape[0] != 2 or not 0 < longest <= 8:
        raise ValueError("there are two kinds of even keys, two signatures, and up to eight longest segments")
    for place in range(groups):
        if not 0 <= held[place] < content.shape[0]:
            raise ValueError("there is no such row")
        keys[2 * count + place] = (content[held[place]] ^ mixes[1]) & even
    for place in range(count):
        if not 0 <= own[place] < slots.shape[0]:
            raise ValueError("there is no such slot")
        if not 0 <= rows[place] < content.shape[0]:
            raise ValueError("there is no such row")
        text = content[rows[place]]
        keys[place] = ((slots[own[place]] * golden) & upper) | ((text * golden) >> 32) | 1
        keys[count + place] = (text ^ mixes[0]) & even
    sign(keys, likely, words, least, longest, ratio, golden, signed)


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
def share(count: cython.longlong, whole: cython.double) -> cython.double:
    """Give a share, at most 1."""
    return min(count / whole, 1.0)


def fill_shares(
    counts: cython.int[::1],
    slot: cython.int[::1],
    group: cython.int[:, ::1],
    own: cython.longlong[:, ::1],
    total: cython.longlong[:, ::1],
    pages: cython.double,
    slot_pages: cython.double,
    copies: cython.int,
    table: cython.double[:, ::1],
) -> None:
    """Fill the table of shares; in ``own``, NEW counts the page's texts in a slot that no other page has there."""
    segments: cython.Py_ssize_t = slot.shape[0]
    levels: cython.Py_ssize_t = group.shape[1]
    groups: cython.Py_ssize_t = counts.shape[0] - 2 * segments
    place: cython.Py_ssize_t
    level: cython.Py_ssize_t
    number: cython.Py_ssize_t
    known: cython.longlong
    fresh: cython.longlong
    if groups < 0 or group.shape[0] != segments or table.shape[0] != segments:
        raise ValueError("the columns differ in length")
    if table.shape[1] != 8 + levels or not own.shape[1] == total.shape[1] == COLUMNS:
        raise ValueError("the tables have other columns")
    if own.shape[0] != total.shape[0]:
        raise ValueError("the sums are of other slots")
    for place in range(segments):
        known = max(counts[place] - copies, 0)
        table[place, 0] = known
        table[place, 1] = share(known, pages)
        table[place, 2] = share(max(counts[segments + place] - copies, 0), pages)
        for level in range(levels):
            number = group[place, level]
            if not number < groups:
                raise ValueError("there is no such group")
            known = max(counts[2 * segments + number] - copies, 0) if number >= 0 else 0
            table[place, 3 + level] = share(known, pages)
        number = slot[place]
        if not 0 <= number < own.shape[0]:
            raise ValueError("there is no such slot")
        known = total[number, PAGES] - own[number, PAGES]
        table[place, 3 + levels] = share(known, slot_pages) if slot_pages > 0.0 else 0.0
        table[place, 4 + levels] = known
        if known > 0:
            fresh = max(total[number, NEW] - own[number, NEW], 0)
            table[place, 5 + levels] = share(max(total[number, VOTES] - own[number, VOTES], 0), known)
            table[place, 6 + levels] = share(fresh, known)
            table[place, 7 + levels] = share(fresh, max(total[number, TEXTS] - own[number, TEXTS], 1))


def page_sums(
    above: cython.int[::1],
    own: cython.int[::1],
    words: cython.int[::1],
    weight: cython.double[::1],
    alone: cython.double[::1],
    content: cython.double[::1],
    running: cython.int,
    sums: cython.longlong[:, ::1],
) -> cython.longlong:
    """Fill the sums of a page; give its prose."""
    count: cython.Py_ssize_t = above.shape[0]
    segments: cython.Py_ssize_t = own.shape[0]
    place: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    column: cython.Py_ssize_t
    up: cython.Py_ssize_t
    heavy: cython.double
    share: cython.double
    total: cython.double = 0.0
    prose: cython.double = 0.0
    # Per slot the four sums and that of weighted page-only probabilities, then each segment's expected content.
    parts: cython.p_double = cython.cast(
        cython.p_double, calloc(count * PARTS + segments + 1, cython.sizeof(cython.double))
    )
    if not parts:
        raise MemoryError
    expected: cython.p_double = parts + count * PARTS
    for place in range(segments):
        expected[place] = min(cython.cast(cython.double, words[place]), MOST_WORDS) * probability(
            alone[place]
        )
        total += expected[place]
        if words[place] >= running:
            prose += expected[place]
    share = SCALE / max(total, 1.0)
    for place in range(segments):
        slot = own[place] * PARTS
        heavy = min(weight[place], MOST_WORDS)
        parts[slot] += heavy * SCALE
        parts[slot + 1] += heavy * min(max(alone[place], -CLIP), CLIP) * SCALE
        parts[slot + 2] += min(cython.cast(cython.double, words[place]), MOST_WORDS) * share
        parts[slot + 3] += expected[place] * share
        parts[slot + 4] += heavy * content[place] * SCALE
    for slot in range(count):
        sums[slot, PAGES] = 1
        sums[slot, VOTES] = parts[slot * PARTS + 4] > HALF * parts[slot * PARTS]
        sums[slot, TEXTS] = 0
        sums[slot, NEW] = 0
        for column in range(SUMMED):
            sums[slot, WEIGHT + column] = cython.cast(cython.longlong, rint(parts[slot * PARTS + column]))
        sums[slot, WORDS_INSIDE] = sums[slot, WORDS]
        sums[slot, CONTENT_INSIDE] = sums[slot, CONTENT]
    free(parts)
    for slot in range(count - 1, -1, -1):
        up = above[slot]
        if up >= 0:
            sums[up, WORDS_INSIDE] += sums[slot, WORDS_INSIDE]
            sums[up, CONTENT_INSIDE] += sums[slot, CONTENT_INSIDE]
    return cython.cast(cython.longlong, rint(prose * SCALE / max(total, TINY)))


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def place_of(known: cython.ulonglong[::1], key: cython.ulonglong) -> cython.Py_ssize_t:
    """Give the place of the first of the ascending keys that is not below a key."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = known.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        if known[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


def gather(
    known: cython.ulonglong[::1],
    table: cython.longlong[:, ::1],
    keys: cython.ulonglong[::1],
    own: cython.longlong[:, ::1],
    counted: cython.bint,
    total: cython.longlong[:, ::1],
) -> None:
    """Fill the sums of all pages in the slots of a page."""
    slot: cython.Py_ssize_t
    column: cython.Py_ssize_t
    place: cython.Py_ssize_t
    found: cython.bint
    short: cython.bint
    for slot in range(keys.shape[0]):
        place = place_of(known, keys[slot])
        found = place < known.shape[0] and known[place] == keys[slot]
        short = False
        for column in range(COLUMNS):
            total[slot, column] = table[place, column] if found else 0
            if not counted:
                total[slot, column] += own[slot, column]
            short = short or (column != ODDS and total[slot, column] < own[slot, column])
        if short:
            for column in range(COLUMNS):
                total[slot, column] = own[slot, column]


def add(
    known: cython.ulonglong[::1],
    table: cython.longlong[:, ::1],
    last: cython.longlong[::1],
    keys: cython.ulonglong[::1],
    own: cython.longlong[:, ::1],
    page: cython.longlong,
    places: cython.longlong[::1],
) -> int:
    """Add a page to the slots that are known; give the number of others, and their places."""
    slot: cython.Py_ssize_t
    column: cython.Py_ssize_t
    place: cython.Py_ssize_t
    new: cython.int = 0
    for slot in range(keys.shape[0]):
        place = place_of(known, keys[slot])
        if place < known.shape[0] and known[place] == keys[slot]:
            for column in range(COLUMNS):
                table[place, column] += own[slot, column]
            last[place] = page
            places[slot] = -1
        else:
            places[slot] = place
            new += 1
    return new


def insert(
    known: cython.longlong[:, ::1],
    rows: cython.longlong[:, ::1],
    order: cython.longlong[::1],
    places: cython.longlong[::1],
    grown: cython.longlong[:, ::1],
) -> None:
    """Insert some of the rows into a table, each before the row at its place."""
    number: cython.Py_ssize_t
    place: cython.Py_ssize_t = 0
    following: cython.Py_ssize_t
    width: cython.Py_ssize_t = known.shape[1] * cython.sizeof(cython.longlong)
    for number in range(order.shape[0] + 1):
        following = places[order[number]] if number < order.shape[0] else known.shape[0]
        if following > place:
            memcpy(
                cython.address(grown[place + number, 0]),
                cython.address(known[place, 0]),
                (following - place) * width,
            )
        place = following
        if number < order.shape[0]:
            memcpy(cython.address(grown[place + number, 0]), cython.address(rows[order[number], 0]), width)


def label_slots(
    above: cython.int[::1],
    gain: cython.double[::1],
    missing: cython.double[::1],
    switch: cython.double,
    labels: cython.uchar[::1],
) -> None:
    """Label slots as content or not, for the greatest sum of gains."""
    count: cython.Py_ssize_t = above.shape[0]
    slot: cython.Py_ssize_t
    up: cython.int
    if not count == gain.shape[0] == missing.shape[0] == labels.shape[0]:
        raise ValueError("the columns differ in length")
    for slot in range(count):
        if not -1 <= above[slot] < slot:
            raise ValueError("the slots are no tree")
    # Most that each slot and what is in it gain as content, then as template.
    best: cython.p_double = cython.cast(cython.p_double, calloc(2 * count + 1, cython.sizeof(cython.double)))
    if not best:
        raise MemoryError
    for slot in range(count):
        best[2 * slot] = gain[slot] + max(missing[slot], -switch)
        best[2 * slot + 1] = max(missing[slot] - switch, 0.0)
    for slot in range(count - 1, -1, -1):
        up = above[slot]
        if up >= 0:
            best[2 * up] += max(best[2 * slot], best[2 * slot + 1] - switch)
            best[2 * up + 1] += max(best[2 * slot + 1], best[2 * slot] - switch)
    for slot in range(count):
        up = above[slot]
        if up >= 0 and labels[up]:
            labels[slot] = best[2 * slot] >= best[2 * slot + 1] - switch
        else:
            labels[slot] = best[2 * slot] - switch > best[2 * slot + 1]
    free(best)
