"""Different texts by the number of pages on which they were removed, or kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Pages = npt.NDArray[np.integer]


class Counted(NamedTuple):
    """The numbers of pages of some texts.

    ``pages``: of each text: a number of pages; 0 counts nowhere.
    ``share``: probability that a text is among them, in (0, 1]; 1: all are.
    """

    pages: Pages
    share: float = 1.0


def frequency_bins(removed: Counted, kept: Counted, pages: int) -> tuple[list[dict[str, int]], int | None]:
    """Count different texts by numbers of pages.

    ``removed``, ``kept``: on how many pages texts were removed, and on how many they were kept. A text that
        was sometimes removed is in both.
    ``pages``: number of pages of the site.
    Returns: ``low`` and ``high`` (pages), ``template`` and ``content`` (texts that were removed and kept on
        so many pages; estimated where not all texts are given). Each bin is about twice as wide as the one
        before.
    Returns: number of pages from which more texts are removed than kept, in this bin and all above; None if
        there is none.
    """
    bins, low = [], 1
    while low <= pages:
        high = min(2 * low - 1, pages)
        template, content = (
            round(np.count_nonzero((each.pages >= low) & (each.pages <= high)) / each.share)
            for each in (removed, kept)
        )
        bins.append({"low": low, "high": high, "template": template, "content": content})
        low = high + 1
    cut = None
    for each in reversed(bins):
        if each["content"] > each["template"]:
            break
        if each["template"]:
            cut = each["low"]
    return bins, cut
