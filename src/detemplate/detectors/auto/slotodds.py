"""Log-odds of segments by the site's slots: a slot's other pages first, then the whole tree of slots.

:mod:`detemplate.detectors.auto.slotodds_reference` has the steps and their constants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.detectors.auto import slotodds_reference
from detemplate.detectors.auto.slotodds_reference import SegmentOdds
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.siteslots import SlotEvidence

    Reals = npt.NDArray[np.float64]

__all__ = ["KERNEL", "SegmentOdds", "joined_odds"]

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._slotodds")
"""The kernel; None where it was not compiled."""


def joined_odds(
    slots: SlotEvidence, segments: SegmentOdds, others: int, *, articles: bool, record: bool
) -> Reals:
    """Join log-odds with the evidence of the slots.

    First those of a segment move towards the mean of its slot on other pages (``slot_odds``). Then slots are
    labelled as content or template (``content_slots``): a label as content raises them, more so in a
    container of nothing but main content (``container_odds``), one as template lowers them.

    Parameters
    ----------
    slots
        What the site's pages have in the page's slots.
    segments
        What is known of the segments otherwise.
    others
        Number of other pages of the site.
    articles
        Whether the site is one of articles: containers say nothing there.
    record
        Whether the page is a record (:func:`~detemplate.detectors.auto.fields.is_record`): there, the absence
        of repetition counts more, and labels as template do not count.

    Returns
    -------
    array of float64
        Log-odds of each segment.
    """
    if KERNEL is None:
        return slotodds_reference.joined_odds(slots, segments, others, articles=articles, record=record)
    joined = np.empty(len(segments.alone))
    tree = slots.tree
    alone, sited, weight, share, linked, copies = segments
    KERNEL.joined_odds(
        tree.above, tree.own, slots.own, slots.total, slots.pages, slots.prose, alone, sited, weight, share,
        linked.view(np.uint8), copies, others, articles, record, joined,
    )  # fmt: skip
    return joined
