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

_HEADINGS: Final = tags.marked({1: "h1 h2 h3 h4 h5 h6"}, np.uint8)


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
    columns, segments = page.columns, page.columns.segments
    rows = _HEADINGS.take(columns.tag).nonzero()[0].astype(np.int32)
    first, behind = segments.searchsorted(rows), segments.searchsorted(columns.end[rows])
    shown = behind > first
    if not np.count_nonzero(shown):
        return raised
    rows, first, behind = rows[shown], first[shown], behind[shown]
    following = np.append(first[1:], len(kept))
    kept_words, all_words = np.zeros((2, len(kept) + 1), np.int64)
    np.cumsum(np.where(kept, words, 0), out=kept_words[1:])
    np.cumsum(words, out=all_words[1:])
    gone = (kept_words[behind] == kept_words[first]) & (behind < len(kept))
    gone &= all_words[behind] - all_words[first] <= MAX_WORDS
    for number in gone.nonzero()[0].tolist():
        begin, stop = int(first[number]), int(behind[number])
        above, after = int(columns.parent[rows[number]]), segments[stop]
        while above >= 0 and columns.end[above] <= after:
            above = int(columns.parent[above])
        if above < 0:
            continue
        end = min(int(following[number]), int(segments.searchsorted(columns.end[above])))
        stays = kept_words[end] - kept_words[stop]
        enough = max(SECTION_WORDS, SECTION_SHARE * (all_words[end] - all_words[stop]))
        if stays >= enough and odds[begin:stop].max() >= LEAST_ODDS:
            raised[begin:stop] = True
    return raised
