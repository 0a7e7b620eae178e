"""Headings whose sections stay, uncompiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Bytes = npt.NDArray[np.uint8]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]


def raise_headings(  # noqa: PLR0917  # columns of a page
    tag: npt.NDArray[np.uint16],
    parent: Rows,
    end: Rows,
    segments: Rows,
    marks: Bytes,
    kept: Bytes,
    words: Rows,
    odds: Reals,
    heading_words: int,
    section_words: int,
    section_share: float,
    least_odds: float,
    raised: Bytes,
) -> None:
    """Mark the segments of headings that go, while their sections stay.

    Parameters
    ----------
    tag, parent, end, segments
        Columns of the page.
    marks
        1 for each tag of a heading.
    kept
        1 for each segment that is kept.
    words, odds
        Words and log-odds of each segment.
    heading_words
        Maximum words of a heading.
    section_words, section_share
        Minimum words that stay in its section, and minimum share of the section's words that stay.
    least_odds
        Minimum log-odds of a heading.
    raised
        Gets 1 for the segments of such headings; 0 before.
    """
    rows = marks.take(tag).nonzero()[0].astype(np.int32)
    first, last = segments.searchsorted(rows), segments.searchsorted(end[rows])
    shown = last > first
    rows, first, last = rows[shown], first[shown], last[shown]
    following = np.append(first[1:], len(kept))
    kept_words, all_words = np.zeros((2, len(kept) + 1), np.int64)
    np.cumsum(words * kept.astype(np.int64), out=kept_words[1:])
    np.cumsum(words, out=all_words[1:])
    for number, row in enumerate(rows.tolist()):
        begin, behind = int(first[number]), int(last[number])
        if kept_words[behind] > kept_words[begin]:
            continue
        if all_words[behind] - all_words[begin] > heading_words:
            continue
        if behind == len(segments):
            continue
        above = int(parent[row])
        while above >= 0 and end[above] <= segments[behind]:
            above = int(parent[above])
        if above < 0:
            continue
        stop = min(int(following[number]), int(segments.searchsorted(end[above])))
        stays = kept_words[stop] - kept_words[behind]
        sure = odds[begin:behind].max() < least_odds
        enough = max(section_words, section_share * (all_words[stop] - all_words[behind]))
        if not sure and stays >= enough:
            raised[begin:behind] = 1
