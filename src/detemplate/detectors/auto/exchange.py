"""What a page asks its site, what the site answers, and what stays beside the page meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from detemplate.detectors.auto.sitekeys import SiteKeys
    from detemplate.detectors.auto.siteslots import PageSlots, SlotTotals
    from detemplate.detectors.auto.stages import PageOdds, PageStage

    Counts = npt.NDArray[np.int32]


class Query(NamedTuple):
    """What a page asks its site.

    Attributes
    ----------
    keys
        Keys that other pages may have as well.
    slots
        What the page adds to the sums of its slots.
    """

    keys: SiteKeys
    slots: PageSlots


class Answer(NamedTuple):
    """What the site has learnt about what a page asks, where it has learnt other pages.

    Attributes
    ----------
    counts
        Document frequency of each key.
    pages
        Number of pages that were counted.
    counted
        Whether the page, or a copy of it, is one of them.
    slots
        What the pages have in the page's slots.
    """

    counts: Counts
    pages: int
    counted: bool
    slots: SlotTotals


class PageResult(NamedTuple):
    """What judging a page needs again.

    Attributes
    ----------
    stage, odds
        Results of both stages without other pages.
    slots
        What the page adds to the sums of its slots; None if other pages do not matter.
    """

    stage: PageStage
    odds: PageOdds
    slots: PageSlots | None
