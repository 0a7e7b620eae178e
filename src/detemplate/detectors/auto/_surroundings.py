# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.stages`: means over what is around segments.

Written in Cython's pure-Python mode.
"""

import cython
import numpy as np
from cython.cimports.detemplate.detectors.auto._around import (
    BROAD,
    CONTENT,
    CONTENT_BEFORE,
    CONTENT_SHARE,
    CONTENT_WORDS,
    FAR,
    HALF,
    HIGHEST,
    LEAST,
    LEVELS,
    MEAN_BLOCKS,
    MEAN_LEVEL_0,
    MEAN_SLOT,
    MEAN_WINDOWS,
    MEANS,
    NARROW,
    NEAR,
    NONE,
    PART_LEVEL_0,
    PURE,
    STRONG,
    STRONG_AFTER,
    STRONG_BEFORE,
    STRONG_WORDS,
    SUMMARIES,
    TINY,
    UNSURE,
    UNSURE_WITHIN,
    WORDS_AFTER,
    WORDS_BEFORE,
)
from cython.cimports.libc.stdlib import calloc, free, malloc

Reals = cython.typedef(cython.p_double)
Slots = cython.typedef(cython.pointer[cython.int])
Floats = cython.typedef(cython.p_float)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def single(value: cython.double) -> cython.float:
    """Round to float32."""
    return cython.cast(cython.float, value)


def groups_around(
    rows: cython.int[::1],
    groups: cython.int[:, ::1],
    end: cython.int[::1],
    block: cython.int[::1],
    words: cython.int[::1],
    keys: cython.ulonglong[::1],
    order: cython.Py_ssize_t[::1],
    around: cython.int[:, :, ::1],
    held: cython.int[::1],
    above: cython.int[::1],
    weight: cython.double[::1],
    blocks: cython.int[::1],
    slots: cython.int[::1],
) -> int:
    """Fill the columns of Surroundings; return the number of groups, which is how much of ``held`` is filled.

    ``around`` has the first segment inside each group, the one after the last, and the group's number.
    ``slots`` are numbers of ``keys``, the hashes of the slots, which ``order`` sorts.
    """
    i: cython.int
    level: cython.int
    group: cython.int
    row: cython.int
    last: cython.int = 0
    found: cython.int = 0
    count: cython.int = cython.cast(cython.int, len(rows))
    nodes: cython.int = cython.cast(cython.int, len(end))
    before: Slots
    name: Slots
    if min(groups.shape[0], around.shape[1], len(words), len(keys), len(order), len(weight)) < count:
        raise ValueError("the arrays have too few rows")
    if around.shape[0] != 3 or not groups.shape[1] == around.shape[2] == LEVELS:
        raise ValueError("the arrays have other columns")
    if min(len(held), len(above)) < min(nodes, count * LEVELS) or len(block) < nodes:
        raise ValueError("the arrays have too few rows")
    if min(len(blocks), len(slots)) < count:
        raise ValueError("the arrays have too few rows")
    for i in range(count):
        if not 0 <= rows[i] < nodes:
            raise ValueError("a segment is no node")
        if not 0 <= order[i] < count:
            raise ValueError("an order has each place once")
        for level in range(LEVELS):
            if groups[i, level] >= nodes:
                raise ValueError("a group is no node")
    before = cython.cast(Slots, calloc(2 * (nodes + 1), cython.sizeof(cython.int)))
    if before == cython.NULL:
        raise MemoryError
    name = before + nodes + 1
    for i in range(count):
        for level in range(LEVELS):
            if groups[i, level] >= 0:
                name[groups[i, level]] = 1
    i = 0
    for row in range(nodes + 1):
        while i < count and rows[i] < row:
            i += 1
        before[row] = i  # segments before the row
        if row < nodes and name[row]:
            name[row] = found
            held[found] = row
            above[found] = -1
            found += 1
    for i in range(count):
        weight[i] = words[i] + LEAST
        blocks[i] = block[rows[i]]
        if i and keys[order[i]] != keys[order[i - 1]]:
            last += 1
        slots[order[i]] = last
        for level in range(LEVELS):
            group = groups[i, level]
            if group < 0:
                around[0, i, level] = around[1, i, level] = 0
                around[2, i, level] = -1
                continue
            around[0, i, level] = before[group]
            around[1, i, level] = before[max(0, min(end[group], nodes))]
            around[2, i, level] = name[group]
            if level + 1 < LEVELS and groups[i, level + 1] >= 0:
                above[name[group]] = name[groups[i, level + 1]]
    free(before)
    return found


@cython.ccall
def means(
    values: cython.double[::1],
    weight: cython.double[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    block: cython.int[::1],
    slot: cython.int[::1],
    table: cython.float[:, :],
) -> None:
    """Fill ``table`` with the means of a column over what is around each segment."""
    count: cython.int = cython.cast(cython.int, len(values))
    i: cython.int
    blocks: cython.int = 0
    slots: cython.int = 0
    memory: Reals
    if count == 0:
        return
    if min(len(weight), first.shape[0], last.shape[0], len(block), len(slot), table.shape[0]) < count:
        raise ValueError("the columns differ in length")
    if table.shape[1] != MEANS or first.shape[1] != LEVELS or last.shape[1] != LEVELS:
        raise ValueError("the arrays have other columns")
    if table.strides[1] != cython.sizeof(cython.float):
        raise ValueError("the numbers of a row do not stand side by side")
    for i in range(count):
        if block[i] < 0 or slot[i] < 0:
            raise ValueError("blocks and slots are numbered from 0")
        if block[i] >= count or slot[i] >= count:
            raise ValueError("there are more blocks or slots than segments")
        blocks = max(blocks, block[i] + 1)
        slots = max(slots, slot[i] + 1)
    memory = cython.cast(
        Reals, calloc(2 * (count + 1) + 2 * blocks + 2 * slots, cython.sizeof(cython.double))
    )
    if memory == cython.NULL:
        raise MemoryError
    try:
        fill_means(values, weight, first, last, block, slot, table, blocks, slots, memory)
    finally:
        free(memory)


@cython.cfunc
@cython.exceptval(check=False)
def fill_means(
    values: cython.double[::1],
    weight: cython.double[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    block: cython.int[::1],
    slot: cython.int[::1],
    table: cython.float[:, :],
    blocks: cython.int,
    slots: cython.int,
    memory: Reals,
) -> cython.void:
    count: cython.int = cython.cast(cython.int, len(values))
    i: cython.int
    column: cython.int
    level: cython.int
    step: cython.int
    low: cython.int
    high: cython.int
    size: cython.int
    weighed: cython.double
    inside: cython.double
    row: Floats
    above: Floats = cython.NULL
    # Running sums before each segment, then sums of blocks and of slots.
    weights: Reals = memory
    sums: Reals = weights + count + 1
    of_block: Reals = sums + count + 1
    in_block: Reals = of_block + blocks
    of_slot: Reals = in_block + blocks
    in_slot: Reals = of_slot + slots
    for i in range(count):
        weighed = values[i] * weight[i]
        weights[i + 1] = weights[i] + weight[i]
        sums[i + 1] = sums[i] + weighed
        of_block[block[i]] += weighed
        in_block[block[i]] += weight[i]
        of_slot[slot[i]] += weighed
        in_slot[slot[i]] += weight[i]
    for i in range(blocks):
        of_block[i] = of_block[i] / in_block[i] if in_block[i] > 0 else NONE
    for i in range(slots):
        of_slot[i] /= in_slot[i]
    for i in range(count):
        row = cython.address(table[i, 0])
        for level in range(LEVELS):
            low = first[i, level]
            high = last[i, level]
            if above != cython.NULL and low == first[i - 1, level] and high == last[i - 1, level]:
                row[MEAN_LEVEL_0 + level] = above[MEAN_LEVEL_0 + level]
            elif not 0 <= low < high <= count:
                row[MEAN_LEVEL_0 + level] = single(NONE)
            else:
                inside = weights[high] - weights[low]
                row[MEAN_LEVEL_0 + level] = single(
                    (sums[high] - sums[low]) / max(inside, LEAST) if inside > 0 else NONE
                )
        column = MEAN_BLOCKS
        for step in range(block[i] - NEAR, block[i] + NEAR + 1):
            row[column] = single(of_block[step] if 0 <= step < blocks else NONE)
            column += 1
        column = MEAN_WINDOWS
        for size in (NARROW, BROAD):
            low = max(i - size, 0)
            high = min(i + size + 1, count)
            row[column] = single((sums[high] - sums[low]) / (weights[high] - weights[low]))
            column += 1
        row[MEAN_SLOT] = single(of_slot[slot[i]])
        above = row


@cython.ccall
def lead(
    content: cython.double[::1],
    weight: cython.double[::1],
    words: cython.int[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    table: cython.float[:, :],
) -> None:
    """Fill ``table`` with what the content probabilities of the page say about each segment."""
    count: cython.int = cython.cast(cython.int, len(content))
    i: cython.int
    level: cython.int
    near: cython.int  # the nearest strong segment
    unsure: cython.int = 0
    low: cython.int
    high: cython.int
    weighed: cython.double
    total: cython.double
    all_weight: cython.double = 0
    pure: cython.double = 0
    share: cython.float
    unsure_share: cython.float
    pure_share: cython.float
    highest: cython.double
    sums: Reals
    row: Floats
    above: Floats = cython.NULL
    if count == 0:
        return
    if min(len(weight), len(words), first.shape[0], last.shape[0], table.shape[0]) < count:
        raise ValueError("the columns differ in length")
    if table.shape[1] != PART_LEVEL_0 + LEVELS or first.shape[1] != LEVELS or last.shape[1] != LEVELS:
        raise ValueError("the arrays have other columns")
    if table.strides[1] != cython.sizeof(cython.float):
        raise ValueError("the numbers of a row do not stand side by side")
    sums = cython.cast(Reals, malloc((count + 1) * cython.sizeof(cython.double)))
    if sums == cython.NULL:
        raise MemoryError
    sums[0] = 0
    highest = content[0]
    for i in range(count):
        weighed = content[i] * weight[i]
        sums[i + 1] = sums[i] + weighed
        all_weight += weight[i]
        highest = max(highest, content[i])
        unsure += -UNSURE_WITHIN < content[i] - HALF < UNSURE_WITHIN
        if content[i] > HALF:
            pure += weighed
    total = sums[count]
    share = single(total / all_weight)
    unsure_share = single(unsure / cython.cast(cython.double, count))
    pure_share = single(pure / max(total, TINY))
    near = -FAR
    for i in range(count):
        row = cython.address(table[i, 0])
        row[CONTENT] = single(content[i])
        row[CONTENT_WORDS] = single(total)
        row[CONTENT_SHARE] = share
        row[HIGHEST] = single(highest)
        row[UNSURE] = unsure_share
        row[PURE] = pure_share
        row[CONTENT_BEFORE] = single(sums[i] / max(total, TINY))
        row[WORDS_BEFORE] = single(sums[i])
        row[WORDS_AFTER] = single(total - sums[i])
        row[STRONG_BEFORE] = single(min(i - near, FAR))
        if content[i] > STRONG and words[i] >= STRONG_WORDS:
            near = i
        for level in range(LEVELS):
            low = first[i, level]
            high = last[i, level]
            if above != cython.NULL and low == first[i - 1, level] and high == last[i - 1, level]:
                row[PART_LEVEL_0 + level] = above[PART_LEVEL_0 + level]
            else:
                row[PART_LEVEL_0 + level] = single(
                    (sums[high] - sums[low]) / max(total, TINY) if 0 <= low < high <= count else 0.0
                )
        above = row
    near = count + FAR
    for i in range(count - 1, -1, -1):
        if content[i] > STRONG and words[i] >= STRONG_WORDS:
            near = i
        table[i, STRONG_AFTER] = single(min(near - i, FAR))
    free(sums)


def context(
    content: cython.double[::1],
    weight: cython.double[::1],
    words: cython.int[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    block: cython.int[::1],
    slot: cython.int[::1],
    features: cython.const[cython.float][:, ::1],
    own: cython.int[::1],
    unknown: cython.double,
    table: cython.float[:, ::1],
) -> None:
    """Fill the table of the site stage as if no other page were known."""
    count: cython.int = cython.cast(cython.int, len(content))
    copied: cython.int = cython.cast(cython.int, len(own))
    own_from: cython.int = PART_LEVEL_0 + LEVELS + MEANS
    site_from: cython.int = own_from + copied
    i: cython.int
    column: cython.int
    if count == 0:
        return
    if min(features.shape[0], table.shape[0]) < count:
        raise ValueError("the arrays have too few rows")
    if table.shape[1] <= site_from:
        raise ValueError("the arrays have other columns")
    for column in range(copied):
        if not 0 <= own[column] < features.shape[1]:
            raise ValueError("there is no such feature")
    lead(content, weight, words, first, last, table[:, : own_from - MEANS])
    means(content, weight, first, last, block, slot, table[:, own_from - MEANS : own_from])
    for i in range(count):
        for column in range(copied):
            table[i, own_from + column] = features[i, own[column]]
        table[i, site_from] = 0
        for column in range(site_from + 1, cython.cast(cython.int, table.shape[1])):
            table[i, column] = single(unknown)


def site_context(
    content: cython.double[::1],
    weight: cython.double[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    block: cython.int[::1],
    slot: cython.int[::1],
    pages: cython.int,
    shares: cython.double[:, ::1],
    share: cython.int,
    table: cython.float[:, ::1],
) -> None:
    """Fill the last columns of the site stage's table, which are about the site's other pages."""
    count: cython.int = cython.cast(cython.int, len(content))
    shared: cython.int = cython.cast(cython.int, shares.shape[1])
    width: cython.int = cython.cast(cython.int, table.shape[1])
    means_from: cython.int = width - SUMMARIES - MEANS
    site_from: cython.int = means_from - shared - 1
    i: cython.int
    column: cython.int
    values: cython.double[::1]
    if count == 0:
        return
    if min(shares.shape[0], table.shape[0]) < count:
        raise ValueError("the arrays have too few rows")
    if site_from < 0 or not 0 <= share < shared:
        raise ValueError("the arrays have other columns")
    values = np.empty(count)
    for i in range(count):
        values[i] = shares[i, share]
        table[i, site_from] = single(pages)
        for column in range(shared):
            table[i, site_from + 1 + column] = single(shares[i, column])
    means(values, weight, first, last, block, slot, table[:, means_from : means_from + MEANS])
    summarise(content, weight, values, table, width - SUMMARIES)


@cython.cfunc
@cython.exceptval(check=False)
def summarise(
    content: cython.double[::1],
    weight: cython.double[::1],
    share: cython.double[::1],
    table: cython.float[:, ::1],
    column: cython.int,
) -> cython.void:
    """Fill the columns with one value a page: what of it is on other pages."""
    count: cython.int = cython.cast(cython.int, len(share))
    i: cython.int
    weighed: cython.double
    all_weight: cython.double = 0
    all_content: cython.double = 0
    repeated: cython.double = 0
    frequent: cython.double = 0
    repeated_content: cython.double = 0
    frequent_content: cython.double = 0
    highest: cython.double = share[0]
    for i in range(count):
        weighed = weight[i] * content[i]
        all_weight += weight[i]
        all_content += weighed
        highest = max(highest, share[i])
        if share[i] > 0:
            repeated += weight[i]
            repeated_content += weighed
        if share[i] >= HALF:
            frequent += weight[i]
            frequent_content += weighed
    all_content = max(all_content, TINY)
    repeated /= all_weight
    frequent /= all_weight
    repeated_content /= all_content
    frequent_content /= all_content
    for i in range(count):
        table[i, column] = single(repeated)
        table[i, column + 1] = single(frequent)
        table[i, column + 2] = single(repeated_content)
        table[i, column + 3] = single(frequent_content)
        table[i, column + 4] = single(highest)
