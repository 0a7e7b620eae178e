"""The text that is a page's headline: its title, shown nearest before its content.

Labelled pages disagree on whether a title is content; readers do not. So it is found, not learnt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

FEWEST: Final = 2
"""Words that a headline has at least."""

COMMON: Final = 0.5
"""A title that such a share of the site's other pages shows is the site's, not the page's."""

OTHERS: Final = 2
"""Other pages that must be known to tell."""

RUNNING: Final = 8
"""Words that a text has at least where content begins."""


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
        Words of each.
    shares
        Share of the site's other pages that have each.
    others
        Number of other pages.

    Returns
    -------
    int or None
        The last title before the first kept segment of running text, else the first title. None where there
        is none.
    """
    own = titles[words[titles] >= FEWEST]
    if others >= OTHERS:
        own = own[shares[own] < COMMON]
    if not len(own):
        return None
    running = np.flatnonzero(kept & (words >= RUNNING))
    before = own[own <= running[0]] if len(running) else own[:1]
    return int(before[-1] if len(before) else own[0])
