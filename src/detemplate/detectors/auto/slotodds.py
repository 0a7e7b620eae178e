"""Log-odds of segments by the site's slots: a slot's other pages first, then the whole tree of slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.detectors.auto import _slotodds

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.site import Answer, Query, SlotTree

    Bools = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float32]
    Reals = npt.NDArray[np.float64]


class SegmentOdds(NamedTuple):
    """What is known of a page's segments without its slots; columns with one entry a segment.

    Attributes
    ----------
    alone, sited
        Log-odds of the site stage without the site's other pages, and with them.
    weight
        Weight of the segment.
    share
        Share of the other pages that have the segment.
    linked
        Whether the segment is in a link.
    copies
        Number of the page's segments with the segment's text.
    """

    alone: Reals
    sited: Reals
    weight: Reals
    share: Reals
    linked: Bools
    copies: Floats


def joined_odds(
    tree: SlotTree, query: Query, answer: Answer, segments: SegmentOdds, *, articles: bool, record: bool
) -> Reals:
    """Join log-odds with the evidence of the slots.

    First those of a segment move towards the mean of its slot on other pages. Then slots are labelled as
    content or template: a label as content raises them, more so in a container of nothing but main content,
    one as template lowers them.

    Parameters
    ----------
    tree, query, answer
        The page's slots, what it asked its site, and what this answered.
    segments
        What is known of the segments otherwise.
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
    joined = np.empty(len(segments.alone))
    alone, sited, weight, share, linked, copies = segments
    _slotodds.joined_odds(
        tree.above, tree.own, query.sums, answer.total, answer.pages, answer.prose, alone, sited, weight,
        share, linked.view(np.uint8), copies, answer.others, articles, record, joined,
    )  # fmt: skip
    return joined
