"""Headings whose sections stay: they stay with what they head, as "Return value" on each page of a manual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

MAX_WORDS: Final = 15
"""Maximum words of a heading."""

SECTION_WORDS: Final = 8
"""Minimum words that stay in its section."""

SECTION_SHARE: Final = 0.5
"""Minimum share of the section's words that stay."""

LEAST_ODDS: Final = -3.0
"""Minimum log-odds, by page, site and slots, of a heading that is not surely template."""

_HEADINGS: Final = tags.marked({1: "h1 h2 h3 h4 h5 h6"}, np.uint8).astype(np.bool_)
"""Marks the tags of headings."""


def section_headings(
    page: Page, kept: Bools, words: npt.NDArray[np.integer], odds: npt.NDArray[np.float64]
) -> Bools:
    """Tell which segments are headings that go, while their sections stay.

    A section is what follows a heading, up to the next heading, inside the lowest element around the heading
    that has anything behind it.

    Parameters
    ----------
    page
        The page.
    kept
        Which segments are kept.
    words
        Words of each segment.
    odds
        Log-odds of each segment, by the page, its site and the site's slots.
    """
    raised = np.zeros(len(kept), np.bool_)
    columns, segments = page.columns, page.segments
    rows = _HEADINGS.take(columns.tag).nonzero()[0].astype(np.int32)
    first, last = segments.searchsorted(rows), segments.searchsorted(columns.end[rows])
    shown = last > first
    rows, first, last = rows[shown], first[shown], last[shown]
    if not len(rows):
        return raised
    following = np.append(first[1:], len(kept))
    kept_words, all_words = np.zeros((2, len(kept) + 1), np.int64)
    (words * kept).cumsum(out=kept_words[1:])
    inside = kept_words[last]
    # A section in the whole page has at least what the section has in its element.
    likely = kept_words[np.maximum(following, last)] - inside >= SECTION_WORDS
    likely &= kept_words[first] == inside
    numbers = likely.nonzero()[0].tolist()
    if not numbers:
        return raised
    words.cumsum(out=all_words[1:])
    for number in numbers:
        if all_words[last[number]] - all_words[first[number]] > MAX_WORDS:
            continue
        behind = int(last[number])
        above = int(columns.parent[rows[number]])
        while above >= 0 and columns.end[above] <= segments[behind]:
            above = int(columns.parent[above])
        if above < 0:
            continue
        stop = min(int(following[number]), page.segments_in(above).stop)
        stays = kept_words[stop] - kept_words[behind]
        sure = odds[first[number] : behind].max() < LEAST_ODDS
        if not sure and stays >= max(SECTION_WORDS, SECTION_SHARE * (all_words[stop] - all_words[behind])):
            raised[first[number] : behind] = True
    return raised
