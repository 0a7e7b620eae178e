"""Log-odds of segments by the site's slots: a slot's other pages first, then the whole tree of slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.slotsums import pooled_odds, slot_gains
from detemplate.detectors.auto.slottree import label_slots

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.siteslots import SlotEvidence

    Bools = npt.NDArray[np.bool_]
    Reals = npt.NDArray[np.float64]

HALFWAY_PAGES: Final = 32
"""Number of other pages at which the absence of repetition raises the log-odds half of the way."""

SLOT_PAGES: Final = 2
"""Number of other pages with a slot whose mean weighs as much as the segment's own log-odds."""

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

CONTAINER_ODDS: Final = 2.0
"""Log-odds that a label as content adds beside that, at most, in a container of nothing but main content."""

COMMON: Final = 0.75
"""On this share of the other pages a segment gets none of them: links to the next chapter, say."""

_DOUBTED: Final = -3.0
"""Log-odds by the page alone up to which a segment gets none of them."""

_LIKELY: Final = 0.0
"""Log-odds by the page alone from which a segment gets all of them."""


def slot_odds(alone: Reals, sited: Reals, others: int, slots: SlotEvidence, *, record: bool) -> Reals:
    """Combine log-odds with those of the same slot on other pages.

    The log-odds of the page alone move towards the mean of the other pages' segments in the slot. Repetition
    lowers them in full. The absence of repetition raises them by n / (n + 32) of the difference after n other
    pages, on a page that is no record times the content probability of the slot's mean: teasers, dates and
    tags, too, are new on every page.

    In a container of nothing but main content (:func:`~detemplate.detectors.auto.slotsums.containers`)
    repetition says less: headings of tables and names of sections recur on each page of a manual. So up to
    three quarters of its effect are taken off, the more the page alone takes the segment for content.

    Parameters
    ----------
    alone, sited
        Log-odds of the site stage without the site's other pages, and with them.
    others
        Number of other pages of the site.
    slots
        What the site's pages have in the page's slots.
    record
        Whether the page is a record (:func:`~detemplate.detectors.auto.fields.is_record`).
    """
    rise = others / (others + HALFWAY_PAGES)
    return pooled_odds(
        slots.tree, slots.others(), slots.purity(), alone, sited, SLOT_PAGES, rise, record=record
    )


def container_odds(alone: Reals, segment_share: Reals, listed: Bools, slots: SlotEvidence) -> Reals:
    """Give the log-odds that a label as content adds to each segment beside those of every label.

    Lists of types and functions look like menus wherever they are. In a container of nothing but main content
    (:func:`~detemplate.detectors.auto.slotsums.containers`) they are content, unless the page alone is sure
    that they are template, or most other pages have them, too.

    Parameters
    ----------
    alone
        Log-odds of the site stage without the site's other pages.
    segment_share
        Share of the other pages that have each segment.
    listed
        Which segments are links whose text the page shows elsewhere, too: they get none of them.
    slots
        What the site's pages have in the page's slots.
    """
    purity = slots.purity()
    if not np.count_nonzero(purity):
        return np.zeros(len(alone))
    likely = (alone - _DOUBTED) * (1 / (_LIKELY - _DOUBTED))
    rare = 1 - segment_share * (1 / COMMON)
    likely = np.minimum(np.maximum(likely, 0), 1)
    likely *= np.maximum(rare, 0)
    likely[listed] = 0
    return np.asarray(CONTAINER_ODDS * purity[slots.tree.own] * likely)


def labelled_odds(
    odds: Reals, weight: Reals, slots: SlotEvidence, more: Reals | float = 0.0, *, record: bool
) -> Reals:
    """Raise the log-odds of segments in content slots, and lower others, but none on a record.

    Parameters
    ----------
    odds, weight
        Log-odds and weight of each segment.
    slots
        What the site's pages have in the page's slots.
    more
        Log-odds that a label as content adds to each segment beside :data:`LABEL_ODDS`.
    record
        Whether the page is a record.
    """
    if slots.pages < TREE_PAGES:
        return odds
    content = content_slots(odds, weight, slots)
    return odds + np.where(content, LABEL_ODDS + more, 0.0 if record else -TEMPLATE_ODDS)


def content_slots(odds: Reals, weight: Reals, slots: SlotEvidence) -> Bools:
    """Tell which segments are in slots that the site keeps for content.

    Each slot of the page gains by being content as many words as the site's pages have in it, times the
    content probability of this page's segments above a threshold. Slots inside it that other pages have, but
    not this one, count with their own probabilities. Neighbouring slots mostly have the same label
    (:func:`~detemplate.detectors.auto.slottree.label_slots`).

    Parameters
    ----------
    odds, weight
        Log-odds and weight of each segment.
    slots
        What the site's pages have in the page's slots.
    """
    tree = slots.tree
    threshold = THRESHOLD + PROSE_THRESHOLD * slots.prose
    gain, missing = slot_gains(tree, odds, weight, slots.shares(), threshold)
    return label_slots(tree.above, gain, missing, SWITCH)[tree.own]
