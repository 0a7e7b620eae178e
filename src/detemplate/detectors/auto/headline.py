"""The segment that is the page's headline: its title, where it is shown nearest before the text.

Labelled pages disagree on whether a title is content; readers do not. So the headline is found by rule, not
by a forest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.title import title_candidates

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Numbers = npt.NDArray[np.intp]
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


def own_titles(page: Page, shares: Reals, others: int) -> Numbers:
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
    array of int64
        Numbers of the segments that show the longest part of the title that is not the site's name: no
        segment of another part that is shown is on most other pages. Ascending; empty if there is none.
    """
    none = np.zeros(0, np.intp)
    for number, titles in enumerate(title_candidates(page)):
        own = titles[shares[titles] < SITE_TITLE_SHARE]
        if number == 0 and (others < MIN_PAGES or len(own)):
            return titles
        if len(own):
            return own
    return none


def headline(
    titles: Numbers,
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
    if np.count_nonzero(kept[titles]):
        return None
    if others >= MIN_PAGES:
        own = titles[shares[titles] < SITE_TITLE_SHARE]
    else:
        own = titles[words[titles] >= MIN_WORDS]
    if not len(own):
        return None
    body = np.flatnonzero(kept & (words >= BODY_WORDS))
    before = own[own <= body[0]] if len(body) else own[:1]
    return int(before[-1] if len(before) else own[0])


def shown_again(
    titles: Numbers, kept: Bools, linked: Bools, words: npt.NDArray[np.integer], shares: Reals
) -> Numbers:
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
    array of int64
        Of the kept titles outside of links before the first kept segment of :data:`BODY_WORDS` words that
        shows no title, all but the last one. Those on more than :data:`COMMON` of the other pages stay.
    """
    shown = titles[kept[titles] & ~linked[titles]]
    if len(shown) < 2:
        return shown[:0]
    body = kept & (words >= BODY_WORDS)
    body[titles] = False
    shown = shown[: np.searchsorted(shown, body.argmax())] if np.count_nonzero(body) else shown[:0]
    return shown[:-1][shares[shown[:-1]] <= COMMON]
