# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel of :mod:`detemplate.detectors.auto.slotodds`: log-odds by the site's slots.

``tests/oracles/slotodds.py`` states each step in NumPy; sums run in the same order, so that both give the same
numbers to the last bit. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.algorithms._sigmoid import probability
from cython.cimports.detemplate.detectors.auto._site import (
    CLIP,
    COLUMNS,
    CONTENT,
    CONTENT_INSIDE,
    ODDS,
    PAGES,
    SCALE,
    TINY,
    WEIGHT,
    WORDS,
    WORDS_INSIDE,
)
from cython.cimports.detemplate.detectors.auto._slotodds import (
    COMMON,
    CONTAINER,
    CONTAINER_ODDS,
    CONTAINER_PAGES,
    DOUBTED,
    GRANTED,
    HALFWAY_PAGES,
    LABEL_ODDS,
    LIKELY,
    MIXED,
    MOST_OF_A_PAGE,
    PROSE_THRESHOLD,
    SHELTER,
    SLOT_PAGES,
    SWITCH,
    TEMPLATE_ODDS,
    THRESHOLD,
    TREE_PAGES,
    UNLIKELY,
    Slot,
)
from cython.cimports.libc.math import fabs
from cython.cimports.libc.stdlib import calloc, free

Slots = cython.typedef(cython.pointer[Slot])


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def within(value: cython.double) -> cython.double:
    """Clip a number to [0, 1]."""
    return min(max(value, 0.0), 1.0)


@cython.cfunc
@cython.exceptval(check=False)
def find_others(own: cython.longlong[:, ::1], total: cython.longlong[:, ::1], slots: Slots) -> cython.void:
    """Fill the mean log-odds of each slot on the other pages, and the number of these."""
    slot: cython.Py_ssize_t
    weight: cython.longlong
    odds: cython.double
    for slot in range(own.shape[0]):
        weight = total[slot, WEIGHT] - own[slot, WEIGHT]
        if weight > 0:
            odds = cython.cast(cython.double, total[slot, ODDS] - own[slot, ODDS])
            slots[slot].mean = min(max(odds / cython.cast(cython.double, weight), -CLIP), CLIP)
            slots[slot].pages = cython.cast(cython.double, total[slot, PAGES] - own[slot, PAGES])


@cython.cfunc
@cython.exceptval(check=False)
def find_containers(
    above: cython.int[::1], total: cython.longlong[:, ::1], unit: cython.double, slots: Slots
) -> cython.void:
    """Fill how surely the best container of main content around each slot holds nothing else, in [0, 1]."""
    slot: cython.Py_ssize_t
    words: cython.double
    content: cython.double
    most: cython.double = 0.0
    for slot in range(above.shape[0]):
        most = max(most, MOST_OF_A_PAGE * cython.cast(cython.double, total[slot, WORDS_INSIDE]))
    for slot in range(above.shape[0]):
        words = cython.cast(cython.double, total[slot, WORDS_INSIDE])
        content = cython.cast(cython.double, total[slot, CONTENT_INSIDE])
        if content >= CONTAINER * unit and words < most:
            slots[slot].purity = content / max(words, 1.0)
        if above[slot] >= 0:
            slots[slot].purity = max(slots[slot].purity, slots[above[slot]].purity)
    for slot in range(above.shape[0]):
        slots[slot].purity = within((slots[slot].purity - MIXED) / (1.0 - MIXED))


@cython.cfunc
@cython.exceptval(check=False)
def find_shares(
    above: cython.int[::1], total: cython.longlong[:, ::1], unit: cython.double, slots: Slots
) -> cython.void:
    """Fill mean shares a page: words, content, and both in what the page lacks of each slot."""
    slot: cython.Py_ssize_t
    words: cython.double
    content: cython.double
    for slot in range(above.shape[0]):
        slots[slot].words = cython.cast(cython.double, total[slot, WORDS]) / unit
        slots[slot].content = cython.cast(cython.double, total[slot, CONTENT]) / unit
        words = cython.cast(cython.double, total[slot, WORDS_INSIDE]) / unit
        content = cython.cast(cython.double, total[slot, CONTENT_INSIDE]) / unit
        slots[slot].missing_words = words - slots[slot].words
        slots[slot].missing_content = content - slots[slot].content
        if above[slot] >= 0:
            slots[above[slot]].missing_words -= words
            slots[above[slot]].missing_content -= content
    for slot in range(above.shape[0]):
        if fabs(slots[slot].missing_words) < 1.0 / SCALE:
            slots[slot].missing_words = 0.0
        if fabs(slots[slot].missing_content) < 1.0 / SCALE:
            slots[slot].missing_content = 0.0


@cython.cfunc
@cython.exceptval(check=False)
def label(above: cython.int[::1], threshold: cython.double, slots: Slots) -> cython.void:
    """Label slots as content or not, for the greatest sum of gains."""
    count: cython.Py_ssize_t = above.shape[0]
    slot: cython.Py_ssize_t
    up: cython.int
    missing: cython.double
    one: Slots
    for slot in range(count):
        one = slots + slot
        if one.sum > 0.0:
            one.gain = one.words * (one.gain / max(one.sum, TINY) - threshold)
        else:
            one.gain = one.content - threshold * one.words
        missing = one.missing_content - threshold * one.missing_words
        one.inside = one.gain + max(missing, -SWITCH)
        one.outside = max(missing - SWITCH, 0.0)
    for slot in range(count - 1, -1, -1):
        up = above[slot]
        if up >= 0:
            slots[up].inside += max(slots[slot].inside, slots[slot].outside - SWITCH)
            slots[up].outside += max(slots[slot].outside, slots[slot].inside - SWITCH)
    for slot in range(count):
        up = above[slot]
        one = slots + slot
        if up >= 0 and slots[up].label:
            one.label = one.inside >= one.outside - SWITCH
        else:
            one.label = one.inside - SWITCH > one.outside


def joined_odds(
    above: cython.int[::1],
    own: cython.int[::1],
    sums: cython.longlong[:, ::1],
    total: cython.longlong[:, ::1],
    pages: cython.longlong,
    prose: cython.double,
    alone: cython.double[::1],
    sited: cython.double[::1],
    weight: cython.double[::1],
    share: cython.double[:],
    linked: cython.uchar[::1],
    copies: cython.float[:],
    others: cython.longlong,
    articles: cython.bint,
    record: cython.bint,
    joined: cython.double[::1],
) -> None:
    """Fill the log-odds of each segment."""
    count: cython.Py_ssize_t = above.shape[0]
    segments: cython.Py_ssize_t = own.shape[0]
    place: cython.Py_ssize_t
    unit: cython.double = SCALE * cython.cast(cython.double, pages)
    rise: cython.double = cython.cast(cython.double, others) / (
        cython.cast(cython.double, others) + HALFWAY_PAGES
    )
    change: cython.double
    raised: cython.double
    likely: cython.double
    more: cython.double
    slot: Slots
    slots: Slots
    if not count == sums.shape[0] == total.shape[0] or not sums.shape[1] == total.shape[1] == COLUMNS:
        raise ValueError("the sums are of other slots")
    if min(alone.shape[0], sited.shape[0], weight.shape[0], share.shape[0]) < segments:
        raise ValueError("the columns differ in length")
    if min(linked.shape[0], copies.shape[0], joined.shape[0]) < segments:
        raise ValueError("the columns differ in length")
    for place in range(count):
        if not -1 <= above[place] < place:
            raise ValueError("the slots are no tree")
    for place in range(segments):
        if not 0 <= own[place] < count:
            raise ValueError("there is no such slot")
    slots = cython.cast(Slots, calloc(count + 1, cython.sizeof(Slot)))
    if not slots:
        raise MemoryError
    find_others(sums, total, slots)
    if pages >= CONTAINER_PAGES:
        find_containers(above, total, unit, slots)
    for place in range(segments):
        slot = slots + own[place]
        change = sited[place] - alone[place]
        raised = max(change, 0.0) * rise
        if not record and raised > 0.0 and slot.pages > 0.0:
            raised *= probability(slot.mean)
        likely = within((alone[place] - UNLIKELY) / (LIKELY - UNLIKELY))
        joined[place] = (
            alone[place]
            + slot.pages / (slot.pages + SLOT_PAGES) * (slot.mean - alone[place])
            + min(change, 0.0) * (1.0 - SHELTER * slot.purity * likely)
            + raised
        )
    if pages >= TREE_PAGES:
        find_shares(above, total, unit, slots)
        for place in range(segments):
            slot = slots + own[place]
            slot.sum += weight[place]
            slot.gain += weight[place] * probability(joined[place])
        label(above, THRESHOLD + PROSE_THRESHOLD * prose, slots)
        for place in range(segments):
            slot = slots + own[place]
            if not slot.label:
                joined[place] += 0.0 if record else -TEMPLATE_ODDS
                continue
            more = 0.0
            if not articles and not (linked[place] and copies[place] > 1):
                likely = within((alone[place] - DOUBTED) * (1.0 / (GRANTED - DOUBTED)))
                likely *= max(1.0 - share[place] * (1.0 / COMMON), 0.0)
                more = CONTAINER_ODDS * slot.purity * likely
            joined[place] += LABEL_ODDS + more
    free(slots)
