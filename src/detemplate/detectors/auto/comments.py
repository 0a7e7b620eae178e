"""Readers' comments below an article, told by the names that sites give to the elements around them.

Labelled pages disagree on whether comments are content, and so do readers: on a forum they are all there is.
So they are judged like any other text, unless the user wants them dropped. No forest can learn that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.intervals import covering
from detemplate.detectors.auto.decision import RUNNING_WORDS
from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]

MIN_WORDS: Final = 50
"""Minimum words of kept running text beside the comments: without a text, they are what the page says."""

_NAMED: Final = re.compile(
    rb'\s(?:class|id)="[^"]*?(?:com{1,2}ent(?!ary|ator)|kom{1,2}ent|disqus|opinie|reacties)', re.IGNORECASE
)
"""An attribute of a canonical start tag that names comments, in the languages of most sites."""

_BLOCKS: Final = np.flatnonzero(tags.FLAGS & tags.BLOCK)


def readers_comments(page: Page, kept: Bools, words: npt.NDArray[np.integer]) -> Bools:
    """Find the segments of readers' comments.

    They are in block elements whose class or id names comments. An element is not one of comments if it
    holds, or stands before, the first kept running text: a page says in its ``body`` that it may be commented
    on, and the first post of a thread is named like those below it.

    Parameters
    ----------
    page
        The page.
    kept
        Which segments are kept so far.
    words
        Words of each segment.

    Returns
    -------
    array of bool
        Which segments are in such elements; none if less than :data:`MIN_WORDS` words of kept running text
        are outside of them.
    """
    inside = np.zeros(len(kept), np.bool_)
    running = kept & (words >= RUNNING_WORDS)
    if not running.any():
        return inside
    columns, segments = page.columns, page.segments
    places = [match.start() for match in _NAMED.finditer(page.canonical)]
    rows = columns.start.searchsorted(np.array(places, np.int32), "right") - 1
    rows = rows[np.isin(columns.tag[rows], _BLOCKS)]  # others may be texts that show markup
    first, behind = segments.searchsorted(rows), segments.searchsorted(columns.end[rows])
    below = first > running.argmax()
    inside = covering(first[below], behind[below], len(kept)) > 0
    if words[running & ~inside].sum() < MIN_WORDS:
        inside[:] = False
    return inside
