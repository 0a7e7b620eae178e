# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled surroundings of segments; :mod:`detemplate.detectors.auto.surroundings` says what they are.

Sums run in the order of the uncompiled ones, so that both give the same numbers to the last bit. Written in
Cython's pure-Python mode.
"""

import cython
from cython.cimports.libc.stdlib import calloc, free, malloc

# As in detemplate.detectors.auto.surroundings and detemplate.features.segment.
LEVELS = cython.declare(cython.int, 6)
NEAR = cython.declare(cython.int, 3)
NARROW = cython.declare(cython.int, 10)
BROAD = cython.declare(cython.int, 30)
LEAST = cython.declare(cython.double, 0.3)
NONE = cython.declare(cython.double, -1.0)
MEANS = cython.declare(cython.int, 16)  # LEVELS + 2 · NEAR + 1 + 2 windows + 1 slot

# As in detemplate.detectors.auto.context.
HALF = cython.declare(cython.double, 0.5)
UNSURE = cython.declare(cython.double, 0.3)
STRONG = cython.declare(cython.double, 0.7)
STRONG_WORDS = cython.declare(cython.int, 8)
FAR = cython.declare(cython.int, 999)
TINY = cython.declare(cython.double, 1e-9)
LEADING = cython.declare(cython.int, 11)  # columns before the parts

Reals = cython.typedef(cython.p_double)
Slots = cython.typedef(cython.pointer[cython.int])


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def single(value: cython.double) -> cython.float:
    return cython.cast(cython.float, value)


def groups_around(
    rows: cython.int[::1],
    groups: cython.int[:, ::1],
    end: cython.int[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    number: cython.int[:, ::1],
    held: cython.int[::1],
    above: cython.int[::1],
) -> int:
    """Fill ``first``, ``last`` and ``number``, and ``held`` and ``above`` as far as there are groups.

    Gives how many there are.
    """
    i: cython.int
    level: cython.int
    group: cython.int
    row: cython.int
    found: cython.int = 0
    count: cython.int = cython.cast(cython.int, len(rows))
    nodes: cython.int = cython.cast(cython.int, len(end))
    before: Slots
    name: Slots
    if min(groups.shape[0], first.shape[0], last.shape[0], number.shape[0]) < count:
        raise ValueError("the arrays have too few rows")
    if not groups.shape[1] == first.shape[1] == last.shape[1] == number.shape[1] == LEVELS:
        raise ValueError("the arrays have other columns")
    if min(len(held), len(above)) < min(nodes, count * LEVELS):
        raise ValueError("the arrays have too few rows")
    for i in range(count):
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
        before[row] = i  # segments before it
        if row < nodes and name[row]:
            name[row] = found
            held[found] = row
            above[found] = -1
            found += 1
    for i in range(count):
        for level in range(LEVELS):
            group = groups[i, level]
            if group < 0:
                first[i, level] = last[i, level] = 0
                number[i, level] = -1
                continue
            first[i, level] = before[group]
            last[i, level] = before[max(0, min(end[group], nodes))]
            number[i, level] = name[group]
            if level + 1 < LEVELS and groups[i, level + 1] >= 0:
                above[name[group]] = name[groups[i, level + 1]]
    free(before)
    return found


def number(keys: cython.ulonglong[::1], order: cython.Py_ssize_t[::1], given: cython.int[::1]) -> None:
    """Fill ``given`` with the numbers of keys that ``order`` sorts, equal ones alike."""
    count: cython.Py_ssize_t = len(keys)
    i: cython.Py_ssize_t
    last: cython.int = 0
    if len(order) != count or len(given) != count:
        raise ValueError("the columns differ in length")
    for i in range(count):
        if not 0 <= order[i] < count:
            raise ValueError("an order has each place once")
        if i and keys[order[i]] != keys[order[i - 1]]:
            last += 1
        given[order[i]] = last


def means(
    values: cython.double[::1],
    weight: cython.double[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    block: cython.int[::1],
    slot: cython.int[::1],
    given: cython.float[:, :],
) -> None:
    """Fill ``given`` with the means of a column over what is around each segment."""
    count: cython.int = cython.cast(cython.int, len(values))
    i: cython.int
    blocks: cython.int = 0
    slots: cython.int = 0
    memory: Reals
    if count == 0:
        return
    if min(len(weight), first.shape[0], last.shape[0], len(block), len(slot), given.shape[0]) < count:
        raise ValueError("the columns differ in length")
    if given.shape[1] != MEANS or first.shape[1] != LEVELS or last.shape[1] != LEVELS:
        raise ValueError("the arrays have other columns")
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
        fill_means(values, weight, first, last, block, slot, given, blocks, slots, memory)
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
    given: cython.float[:, :],
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
    for i in range(count):
        for level in range(LEVELS):
            low = first[i, level]
            high = last[i, level]
            if not 0 <= low < high <= count:
                given[i, level] = single(NONE)
                continue
            inside = weights[high] - weights[low]
            given[i, level] = single((sums[high] - sums[low]) / max(inside, LEAST) if inside > 0 else NONE)
        column = LEVELS
        for step in range(block[i] - NEAR, block[i] + NEAR + 1):
            given[i, column] = single(
                of_block[step] / in_block[step] if 0 <= step < blocks and in_block[step] > 0 else NONE
            )
            column += 1
        for size in (NARROW, BROAD):
            low = max(i - size, 0)
            high = min(i + size + 1, count)
            given[i, column] = single((sums[high] - sums[low]) / (weights[high] - weights[low]))
            column += 1
        given[i, column] = single(of_slot[slot[i]] / in_slot[slot[i]])


def lead(
    content: cython.double[::1],
    weight: cython.double[::1],
    words: cython.int[::1],
    first: cython.int[:, ::1],
    last: cython.int[:, ::1],
    given: cython.float[:, :],
) -> None:
    """Fill ``given`` with what the second look sees of the page before its means: see autocontext."""
    count: cython.int = cython.cast(cython.int, len(content))
    i: cython.int
    level: cython.int
    near: cython.int
    unsure: cython.int = 0
    low: cython.int
    high: cython.int
    weighed: cython.double
    total: cython.double
    all_weight: cython.double = 0
    pure: cython.double = 0
    highest: cython.double
    sums: Reals
    if count == 0:
        return
    if min(len(weight), len(words), first.shape[0], last.shape[0], given.shape[0]) < count:
        raise ValueError("the columns differ in length")
    if given.shape[1] != LEADING + LEVELS or first.shape[1] != LEVELS or last.shape[1] != LEVELS:
        raise ValueError("the arrays have other columns")
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
        unsure += -UNSURE < content[i] - HALF < UNSURE
        if content[i] > HALF:
            pure += weighed
    total = sums[count]
    near = -FAR
    for i in range(count):
        given[i, 0] = single(content[i])
        given[i, 1] = single(total)
        given[i, 2] = single(total / all_weight)
        given[i, 3] = single(highest)
        given[i, 4] = single(unsure / cython.cast(cython.double, count))
        given[i, 5] = single(pure / max(total, TINY))
        given[i, 6] = single(sums[i] / max(total, TINY))
        given[i, 7] = single(sums[i])
        given[i, 8] = single(total - sums[i])
        given[i, 9] = single(min(i - near, FAR))
        if content[i] > STRONG and words[i] >= STRONG_WORDS:
            near = i
        for level in range(LEVELS):
            low = first[i, level]
            high = last[i, level]
            given[i, LEADING + level] = single(
                (sums[high] - sums[low]) / max(total, TINY) if 0 <= low < high <= count else 0.0
            )
    near = count + FAR
    for i in range(count - 1, -1, -1):
        if content[i] > STRONG and words[i] >= STRONG_WORDS:
            near = i
        given[i, 10] = single(min(near - i, FAR))
    free(sums)
