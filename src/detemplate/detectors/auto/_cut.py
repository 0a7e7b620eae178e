# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.cut`: the cut of the greatest expected F1.

Only segments that are content in some samples and not in others are ranked. Sums run in the order of the
reference's, so that both give the same numbers to the last bit. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.detectors.auto._cut import LANES, TINY
from cython.cimports.libc.math import exp
from cython.cimports.libc.stdlib import free, malloc

Reals = cython.typedef(cython.p_double)
Rows = cython.typedef(cython.pointer[cython.int])


@cython.cfunc
@cython.exceptval(check=False)
def rank(content: Reals, order: Rows, spare: Rows, count: cython.int) -> Rows:
    """Sort segments by probability, the greatest first; equal ones stay in order.

    Merges runs of doubling length from ``order`` to ``spare`` and back; returns that with the result.
    """
    size: cython.int = 1
    low: cython.int
    middle: cython.int
    high: cython.int
    i: cython.int
    j: cython.int
    at: cython.int
    other: Rows
    while size < count:
        low = 0
        while low < count:
            middle = min(low + size, count)
            high = min(middle + size, count)
            i = low
            j = middle
            for at in range(low, high):
                if j >= high or (i < middle and content[order[i]] >= content[order[j]]):
                    spare[at] = order[i]
                    i += 1
                else:
                    spare[at] = order[j]
                    j += 1
            low = high
        other = order
        order = spare
        spare = other
        size *= 2
    return order


@cython.cfunc
@cython.exceptval(check=False)
def f1_sum(hits: Rows, true: Rows, samples: cython.int, kept: cython.int) -> cython.double:
    """Sum half the F1 of a prefix of ``kept`` words over the samples."""
    s: cython.int
    r: cython.int
    width: cython.int
    sums = cython.declare(cython.double[LANES])
    for r in range(LANES):
        sums[r] = cython.cast(cython.double, hits[r]) / cython.cast(cython.double, kept + true[r])
    for s in range(LANES, samples, LANES):
        for r in range(LANES):
            sums[r] += cython.cast(cython.double, hits[s + r]) / cython.cast(
                cython.double, kept + true[s + r]
            )
    width = LANES
    while width > 1:
        width //= 2
        for r in range(width):
            sums[r] = sums[2 * r] + sums[2 * r + 1]
    return sums[0]


@cython.cfunc
@cython.exceptval(check=False)
def cut_of(
    content: cython.double[::1],
    words: cython.int[::1],
    group: cython.int[::1],
    thresholds: cython.const[cython.float][:, ::1],
    prose_shift: cython.double,
    running_words: cython.int,
    shifted: Reals,
    order: Rows,
    hits: Rows,
) -> cython.double:
    """Give the cut.

    ``shifted`` has room for the segments, ``order`` for twice as many, ``hits`` for twice the samples.
    """
    count: cython.int = cython.cast(cython.int, len(content))
    samples: cython.int = cython.cast(cython.int, thresholds.shape[1])
    mask: cython.int = cython.cast(cython.int, thresholds.shape[0]) - 1
    true: Rows = hits + samples
    half: cython.double = 0.5
    lowest: cython.double = half / samples
    highest: cython.double = 1 - half / samples
    prose: cython.double = 0
    total: cython.double = 0
    expected: cython.double
    inner: cython.double
    least: cython.double = 1 / TINY
    lowered: cython.double
    chance: cython.float
    best: cython.double = -1
    f1: cython.double
    lowest_kept: cython.double = 0
    highest_gone: cython.double = 0
    below: cython.double = 0
    between: cython.double
    unsure: cython.int = 0
    sure: cython.int = -1  # the last of the segments that are content in all samples
    before: cython.int = 0  # words of these
    kept: cython.int
    i: cython.int
    at: cython.int
    s: cython.int
    last: cython.int = 0
    weight: cython.int
    limit: cython.pointer[cython.const[cython.float]]
    for i in range(count):
        expected = content[i] * max(words[i], 1)
        total += expected
        if words[i] >= running_words:
            prose += expected
        inner = min(max(content[i], TINY), 1 - TINY)
        shifted[i] = (1 - inner) / inner
        least = min(least, shifted[i])
    lowered = exp(prose_shift * (prose / max(total, TINY)))
    for i in range(count):
        shifted[i] = 1 / (1 + (shifted[i] * lowered if least * lowered < 1 else shifted[i] / least))
        if shifted[i] > highest:
            before += max(words[i], 1)
            if sure < 0 or content[i] <= content[sure]:
                sure = i
        elif shifted[i] > lowest:
            order[unsure] = i
            unsure += 1
        else:
            below = max(below, content[i])
    if sure >= 0:  # the shortest prefix that is compared ends with it
        before -= max(words[sure], 1)
        order[unsure] = sure
        unsure += 1
    order = rank(cython.address(content[0]), order, order + count, unsure)
    for s in range(samples):
        hits[s] = true[s] = before
    for at in range(unsure):
        i = order[at]
        weight = max(words[i], 1)
        chance = cython.cast(cython.float, shifted[i])
        limit = cython.address(thresholds[group[i] & mask, 0])
        for s in range(samples):
            true[s] += weight if limit[s] < chance else 0
    kept = before
    for at in range(unsure):
        i = order[at]
        weight = max(words[i], 1)
        chance = cython.cast(cython.float, shifted[i])
        limit = cython.address(thresholds[group[i] & mask, 0])
        kept += weight
        for s in range(samples):
            hits[s] += weight if limit[s] < chance else 0
        f1 = 0
        if at + 1 == unsure or content[order[at + 1]] != content[i]:  # equal ones are kept together
            f1 = f1_sum(hits, true, samples, kept)
        if f1 > best:
            best = f1
            last = at
    lowest_kept = content[order[last]]
    highest_gone = content[order[last + 1]] if last + 1 < unsure else below
    between = (lowest_kept + highest_gone) * half
    return between if between < lowest_kept else highest_gone  # neighbouring floats have nothing in between


def best_cut(
    content: cython.double[::1],
    words: cython.int[::1],
    group: cython.int[::1],
    thresholds: cython.const[cython.float][:, ::1],
    prose_shift: cython.double,
    running_words: cython.int,
) -> float:
    """Give the probability of content above which segments are best kept."""
    count: cython.Py_ssize_t = len(content)
    groups: cython.Py_ssize_t = thresholds.shape[0]
    samples: cython.Py_ssize_t = thresholds.shape[1]
    cut: cython.double
    memory: Reals
    rows: Rows
    if not 0 < count == len(words) == len(group):
        raise ValueError("the columns are empty or differ in length")
    if groups < 1 or groups & (groups - 1) or samples < 1 or samples % LANES:
        raise ValueError("groups must be a power of 2, samples a multiple of 8")
    memory = cython.cast(
        Reals,
        malloc(count * cython.sizeof(cython.double) + 2 * (count + samples) * cython.sizeof(cython.int)),
    )
    if memory == cython.NULL:
        raise MemoryError
    rows = cython.cast(Rows, memory + count)
    cut = cut_of(
        content, words, group, thresholds, prose_shift, running_words, memory, rows, rows + 2 * count
    )
    free(memory)
    return cut
