"""The segment that is the page's headline: its title, where it is shown nearest before the text.

Labelled pages disagree on whether a title is content; readers do not. So the headline is found by rule, not
by a forest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.title import title_candidates

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

MIN_WORDS: Final = 2
"""Minimum words of a headline, unless other pages tell that it is no name of the site."""

SITE_TITLE_SHARE: Final = 0.5
"""A title on at least this share of the site's other pages is the site's, not the page's."""

MIN_PAGES: Final = 2
"""Minimum number of other pages for telling the site's title from the page's."""

BODY_WORDS: Final = 8
"""Minimum words of the kept segment with which the text begins."""

LEAST_ODDS: Final = -3.0
"""Minimum log-odds, by page, site and slots, of a headline: below it is the step of a breadcrumb, say."""

COMMON: Final = 0.1
"""A title on more than this share of the site's other pages is not the same as the headline."""


def own_titles(page: Page, shares: Reals, others: int) -> list[int]:
    """Find the segments that show the page's own title.

    Parameters
    ----------
    page
        The page.
    shares
        Share of the site's other pages that have each segment.
    others
        Number of other pages.

    Returns
    -------
    list of int
        Numbers of the segments that show the longest part of the title that is not the site's name: no
        segment of another part that is shown is on most other pages. Ascending; empty if there is none.
    """
    for number, titles in enumerate(title_candidates(page)):
        own = [title for title in titles if shares[title] < SITE_TITLE_SHARE]
        if number == 0 and (others < MIN_PAGES or own):
            return titles
        if own:
            return own
    return []


def headline(
    titles: list[int],
    kept: Bools,
    words: npt.NDArray[np.integer],
    shares: Reals,
    others: int,
) -> int | None:
    """Choose the segment that is the page's headline.

    Parameters
    ----------
    titles
        Numbers of the segments that show the page's title, ascending: see :func:`own_titles`.
    kept
        Which segments are kept so far.
    words
        Words of each segment.
    shares
        Share of the site's other pages that have each segment.
    others
        Number of other pages.

    Returns
    -------
    int or None
        The last title up to the first kept segment of :data:`BODY_WORDS` words, else the first title. None if
        the page shows no title of its own, or one of them is kept already.
    """
    if any(kept[title] for title in titles):
        return None
    if others >= MIN_PAGES:
        own = [title for title in titles if shares[title] < SITE_TITLE_SHARE]
    else:
        own = [title for title in titles if words[title] >= MIN_WORDS]
    if not own:
        return None
    body = np.flatnonzero(kept & (words >= BODY_WORDS))
    before = bisect_right(own, body[0]) if len(body) else 1
    return own[max(before - 1, 0)]


def shown_again(
    titles: list[int], kept: Bools, linked: Bools, words: npt.NDArray[np.integer], shares: Reals
) -> list[int]:
    """Find titles that the page shows above its headline, like the chapter's name between arrows.

    Parameters
    ----------
    titles
        Numbers of the segments that show the page's title, ascending: see :func:`own_titles`.
    kept
        Which segments are kept by their probabilities.
    linked
        Which segments are in links.
    words
        Words of each segment.
    shares
        Share of the site's other pages that have each segment.

    Returns
    -------
    list of int
        Of the kept titles outside of links before the first kept segment of :data:`BODY_WORDS` words that
        shows no title, all but the last one. Those on more than :data:`COMMON` of the other pages stay.
    """
    shown = [title for title in titles if kept[title] and not linked[title]]
    if len(shown) < 2:
        return []
    body = kept & (words >= BODY_WORDS)
    body[titles] = False
    before = bisect_left(shown, body.argmax()) if np.count_nonzero(body) else 0
    return [title for title in shown[: max(before - 1, 0)] if shares[title] <= COMMON]
