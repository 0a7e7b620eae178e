"""The segment that is the page's headline: its title, where it is shown nearest before the text.

Labelled pages disagree on whether a title is content; readers do not. So the headline is found by rule, not
by a forest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

MIN_WORDS: Final = 2
"""Minimum words of a headline."""

SITE_TITLE_SHARE: Final = 0.5
"""A title on at least this share of the site's other pages is the site's, not the page's."""

MIN_PAGES: Final = 2
"""Minimum number of other pages for telling the site's title from the page's."""

BODY_WORDS: Final = 8
"""Minimum words of the kept segment with which the text begins."""


def headline(
    titles: npt.NDArray[np.intp],
    kept: Bools,
    words: npt.NDArray[np.integer],
    shares: Reals,
    others: int,
) -> int | None:
    """Choose the segment that is the page's headline.

    Parameters
    ----------
    titles
        Numbers of the segments that show the page's title, ascending.
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
    if kept[titles].any():
        return None
    own = titles[words[titles] >= MIN_WORDS]
    if others >= MIN_PAGES:
        own = own[shares[own] < SITE_TITLE_SHARE]
    if not len(own):
        return None
    body = np.flatnonzero(kept & (words >= BODY_WORDS))
    before = own[own <= body[0]] if len(body) else own[:1]
    return int(before[-1] if len(before) else own[0])
