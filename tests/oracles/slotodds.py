"""Log-odds of segments by the site's slots: a slot's other pages first, then the whole tree of slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.site import (
    ODDS,
    PAGES,
    SCALE,
    WEIGHT,
    WORDS,
    WORDS_INSIDE,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.site import Answer, Query, SlotTree
    from detemplate.detectors.auto.slotodds import SegmentOdds

    Bools = npt.NDArray[np.bool_]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]

CLIP: Final = 6.0
"""Log-odds count up to this, and down to minus this."""

TINY: Final = 1e-9
"""Minimum divisor of a mean."""

HALFWAY_PAGES: Final = 32
"""Number of other pages at which the absence of repetition raises the log-odds half of the way."""

SLOT_PAGES: Final = 2
"""Number of other pages with a slot whose mean weighs as much as the segment's own log-odds."""

CONTAINER_PAGES: Final = 3
"""Minimum number of pages, the page included, that tell which slots are containers of main content."""

CONTAINER: Final = 0.5
"""Minimum share of a page's expected content inside a slot that is a container of main content."""

MOST_OF_A_PAGE: Final = 0.99
"""A slot with this share of all words says nothing: what is around the main content is in it, too."""

MIXED: Final = 0.6
"""Up to this content probability of its words, what is in a container of main content says nothing."""

SHELTER: Final = 0.75
"""Share of the effect of repetition that a container of nothing but content takes off."""

UNLIKELY: Final = -2.0
"""Log-odds by the page alone up to which a repeated segment is template wherever it is."""

LIKELY: Final = 1.0
"""Log-odds by the page alone from which a container shelters a repeated segment in full."""

CONTAINER_ODDS: Final = 2.0
"""Log-odds that a label as content adds beside those of every label, at most, in a container of nothing but
main content."""

COMMON: Final = 0.75
"""On this share of the other pages a segment gets none of them: links to the next chapter, say."""

DOUBTED: Final = -3.0
"""Log-odds by the page alone up to which a segment gets none of them."""

GRANTED: Final = 0.0
"""Log-odds by the page alone from which a segment gets all of them."""

TREE_PAGES: Final = 4
"""Minimum number of pages, the page included, for labels of slots."""

THRESHOLD: Final = 0.2
"""Content probability from which a slot gains by being content, where no page has running text."""

PROSE_THRESHOLD: Final = 0.2
"""Times the mean share of running text, this is added to the threshold: beside articles, less is content."""

SWITCH: Final = 0.03
"""Cost of a slot with another label than the slot around it, as a share of a page's content."""

LABEL_ODDS: Final = 0.9
"""Log-odds that a label as content adds to the segments of a slot."""

TEMPLATE_ODDS: Final = 0.5
"""Log-odds that a label as template takes off the segments of a slot."""


class SlotEvidence(NamedTuple):
    """The slots of a page, its sums, those of the site, and the number and the prose of the site's pages."""

    tree: SlotTree
    own: npt.NDArray[np.int64]
    total: npt.NDArray[np.int64]
    pages: int
    prose: float


def joined_odds(
    tree: SlotTree, query: Query, answer: Answer, segments: SegmentOdds, *, articles: bool, record: bool
) -> Reals:
    """Join log-odds with the evidence of the slots, step by step."""
    slots = SlotEvidence(tree, query.sums, answer.total, answer.pages, answer.prose)
    pure = purity(slots)
    odds = slot_odds(slots, segments, answer.others, pure, record=record)
    more = np.zeros(len(odds)) if articles else container_odds(slots, segments, pure)
    return labelled_odds(slots, odds, segments.weight, more, record=record)


def slot_odds(slots: SlotEvidence, segments: SegmentOdds, others: int, pure: Reals, *, record: bool) -> Reals:
    """Combine log-odds with those of the same slot on other pages.

    The log-odds of the page alone move towards the mean of the other pages' segments in the slot. Repetition
    lowers them in full. The absence of repetition raises them by n / (n + 32) of the difference after n other
    pages, on a page that is no record times the content probability of the slot's mean: teasers, dates and
    tags, too, are new on every page.

    In a container of nothing but main content (:func:`purity`) repetition says less: headings of tables and
    names of sections recur on each page of a manual. So up to three quarters of its effect are taken off, the
    more the page alone takes the segment for content.
    """
    own = slots.tree.own
    mean, pages = (column[own] for column in other_pages(slots))
    change = segments.sited - segments.alone
    raised = np.maximum(change, 0) * (others / (others + HALFWAY_PAGES))
    if not record:
        raised *= np.where(pages > 0, sigmoid(mean), 1.0)
    likely = ((segments.alone - UNLIKELY) / (LIKELY - UNLIKELY)).clip(0, 1)
    lowered = np.minimum(change, 0) * (1 - SHELTER * pure[own] * likely)
    moved = segments.alone + pages / (pages + SLOT_PAGES) * (mean - segments.alone)
    return np.asarray(moved + lowered + raised)


def container_odds(slots: SlotEvidence, segments: SegmentOdds, pure: Reals) -> Reals:
    """Give the log-odds that a label as content adds to each segment beside those of every label.

    Lists of types and functions look like menus wherever they are. In a container of nothing but main content
    (:func:`purity`) they are content, unless the page alone is sure that they are template, or most other
    pages have them, too. A link whose text the page shows elsewhere, too, gets nothing.
    """
    likely = ((segments.alone - DOUBTED) * (1 / (GRANTED - DOUBTED))).clip(0, 1)
    likely *= np.maximum(1 - segments.share * (1 / COMMON), 0)
    likely[segments.linked & (segments.copies > 1)] = 0
    return np.asarray(CONTAINER_ODDS * pure[slots.tree.own] * likely)


def labelled_odds(slots: SlotEvidence, odds: Reals, weight: Reals, more: Reals, *, record: bool) -> Reals:
    """Raise the log-odds of segments in content slots, and lower others, but none on a record."""
    if slots.pages < TREE_PAGES:
        return odds
    content = content_slots(slots, odds, weight)
    return odds + np.where(content, LABEL_ODDS + more, 0.0 if record else -TEMPLATE_ODDS)


def content_slots(slots: SlotEvidence, odds: Reals, weight: Reals) -> Bools:
    """Tell which segments are in slots that the site keeps for content.

    Each slot of the page gains by being content as many words as the site's pages have in it, times the
    content probability of this page's segments above a threshold. Slots inside it that other pages have, but
    not this one, count with their own probabilities. Neighbouring slots mostly have the same label.
    """
    own = slots.tree.own
    threshold = THRESHOLD + PROSE_THRESHOLD * slots.prose
    words, content, missing_words, missing_content = shares(slots)
    sums = np.bincount(own, weight, len(words))
    mean = np.bincount(own, weight * sigmoid(odds), len(words)) / np.maximum(sums, TINY)
    gain = np.where(sums > 0, words * (mean - threshold), content - threshold * words)
    return label_slots(slots.tree.above, gain, missing_content - threshold * missing_words, SWITCH)[own]


def label_slots(above: Rows, gain: Reals, missing: Reals, switch: float) -> Bools:
    """Label slots as content or template, for the greatest sum of gains.

    Parameters
    ----------
    above
        Number of the slot around each slot, lower than its own; -1 for none.
    gain
        Gain of each slot if it is content; 0 if it is template.
    missing
        Gain of the slots inside each slot that this page does not have, if all of them are content.
    switch
        Cost of each slot with another label than the slot around it; the top of the page is template.

    Returns
    -------
    array of bool
        Which slots are content. Of equal sums, a slot takes the label of the slot around it.
    """
    inside = (gain + np.maximum(missing, -switch)).tolist()
    outside = np.maximum(missing - switch, 0.0).tolist()
    ups = above.tolist()
    for slot in range(len(ups) - 1, -1, -1):
        up, content, template = ups[slot], inside[slot], outside[slot]
        if up >= 0:
            inside[up] += max(content, template - switch)
            outside[up] += max(template, content - switch)
    labels: list[bool] = []
    for up, content, template in zip(ups, inside, outside, strict=True):
        around = up >= 0 and labels[up]
        labels.append(content >= template - switch if around else content - switch > template)
    return np.array(labels, np.bool_)


def other_pages(slots: SlotEvidence) -> tuple[Reals, Reals]:
    """Give, for each slot, the mean log-odds on the other pages (0 for none), and the number of these."""
    rest = slots.total - slots.own
    weight = rest[:, WEIGHT]
    mean = np.divide(rest[:, ODDS], weight, out=np.zeros(len(rest)), where=weight > 0).clip(-CLIP, CLIP)
    return mean, np.where(weight > 0, rest[:, PAGES], 0).astype(np.float64)


def purity(slots: SlotEvidence) -> Reals:
    """Tell how surely a slot is in a container that holds main content and nothing else, in [0, 1].

    A slot is a container of main content if the expected content inside it is at least :data:`CONTAINER` of
    all of it, while some of the page's words are outside of it.

    Returns
    -------
    array of float64
        For each slot, the greatest content probability of the words in such a container around it, or in the
        slot itself: 0 up to :data:`MIXED`, or without one, or on few pages; 1 for 1.
    """
    if slots.pages < CONTAINER_PAGES:
        return np.zeros(len(slots.total))
    inside = slots.total[:, WORDS_INSIDE:].astype(np.float64)
    container = inside[:, 1] >= CONTAINER * (SCALE * slots.pages)
    container &= inside[:, 0] < MOST_OF_A_PAGE * inside[:, 0].max(initial=0.0)
    if not np.count_nonzero(container):
        return np.zeros(len(slots.total))
    found = np.where(container, inside[:, 1] / np.maximum(inside[:, 0], 1.0), 0.0).tolist()
    for slot, up in enumerate(slots.tree.above.tolist()):
        if up >= 0 and found[up] > found[slot]:
            found[slot] = found[up]
    return np.asarray(((np.array(found) - MIXED) / (1 - MIXED)).clip(0, 1))


def shares(slots: SlotEvidence) -> Reals:
    """Give rows with mean shares of each slot: words, content, and both in slots in it that are missing.

    Missing are the slots that other pages have, but not this one.
    """
    above = slots.tree.above
    share = slots.total[:, WORDS:] / (SCALE * slots.pages)
    missing = share[:, 2:] - share[:, :2]
    inner = above >= 0
    np.subtract.at(missing, above[inner], share[inner, 2:])
    missing[np.abs(missing) < 1 / SCALE] = 0
    return np.concatenate([share[:, :2], missing], axis=1).T
