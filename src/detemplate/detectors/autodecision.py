"""From log-odds to a verdict: what two looks together say, smoothed over the page, and where to cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.isotonic import Task, solve

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Bools = npt.NDArray[np.bool_]

ENOUGH: Final = 32
"""Other pages of a site after which what is on none of them counts half as much as what is on some."""

SURELY: Final = -5.0
"""Log-odds of content with the site up to which a segment is template, whatever the page alone says."""

SURER: Final = 0.4
"""The expected cut is this much higher where all content is running text: what is unsure beside an article is
mostly no part of it (captions, the author, comments, teasers), what is unsure in a list mostly is."""

RUNNING: Final = 20
"""Words that a segment of running text has at least."""

FIRMER: Final = 4.0
"""A section costs so many times more where it would part what other pages have from content around it."""

_LIKELY: Final = 0.5
_FEWEST: Final = 1e-9
_STEPS: Final = 15
_WITHIN: Final = 0.49


def joined(alone: Reals, sited: Reals, others: int) -> Reals:
    """Join the log-odds of content by the page alone and with its site.

    What is on other pages makes a segment less of content as much as it does. What is on none makes it more
    of content only with many pages: teasers, too, are new on every page of a news site.

    Parameters
    ----------
    alone, sited
        Log-odds of the second look without the site's other pages, and with them.
    others
        Number of other pages of the site.
    """
    raised = alone + (sited - alone) * (others / (others + ENOUGH))
    return np.where(sited < alone, sited, raised)


def expected_cut(content: Reals, words: npt.NDArray[np.integer]) -> float:
    """Give the probability of content above which segments are best kept.

    Parameters
    ----------
    content
        Probability of each segment being content.
    words
        Words of each.

    Returns
    -------
    float
        Of all sets of segments, those above half of the greatest F1 that can be expected have it
        (F1 = 2 · kept content / (kept + content), each expected, in words). That half, times
        1 + :data:`SURER` × the share of running text in the expected content, but always below the
        greatest probability.
    """
    if not len(content):
        return 0.5
    weight = np.maximum(words, 1)
    order = (-content).argsort(kind="stable")
    weighed = content * weight
    hits = np.cumsum(weighed[order])
    kept = np.cumsum(weight[order])
    half = float((hits / (kept + hits[-1])).max())  # of the greatest F1
    running = float(weighed[words >= RUNNING].sum()) / max(float(weighed.sum()), _FEWEST)
    return min((1 + SURER * running) * half, float(content[order[0]]) * (1 - _FEWEST))


def smoothed(group: Rows, above: Rows, content: Reals, weight: Reals, penalty: float) -> Reals:
    """Smooth probabilities over the tree of grouping elements.

    Regularised isotonic regression (Chakrabarti, Kumar, Punera 2007, section 4): the templateness of a group
    is at most that of what it holds, and each node that differs from the group around it costs ``penalty``.

    Parameters
    ----------
    group
        Number of the grouping element next around each segment, -1 for none.
    above
        Number of the one around each of these, which is less; -1 for none.
    content
        Probability of each segment being content.
    weight
        What each weighs.
    penalty
        What a section costs; 0 leaves the scores as they are.
    """
    if not penalty or len(group) < 2:
        return content
    # Groups, then segments: what is around comes before what is in it.
    parent, groups = np.concatenate([above, group]), len(above)
    steps = np.zeros(len(parent), np.intp)
    steps[groups:] = np.rint((1 - content) * _STEPS)
    mass = np.zeros(len(parent))
    mass[groups:] = weight
    values = np.flatnonzero(np.bincount(steps)) / _STEPS
    penalties = np.full(len(parent), float(penalty))
    smooth = solve(Task(parent, steps / _STEPS, values, penalties, mass)).scores[groups:]
    # Within a section the order that the forests gave stays, and no section is moved past another.
    found = 1 - smooth
    return np.asarray(found + (content - found) * (_WITHIN / _STEPS))


def settled(
    smooth: Callable[[float], Reals], penalty: float, scored: Reals, alone: Reals, known: Bools
) -> Reals:
    """Smooth, and let what other pages of the site have go by what it looks.

    What looks like content by the page alone (a label that each record has, the head of each table) goes only
    with its section, and what looks like template (the first step of a breadcrumb, beside the page's name) is
    not raised by its section.

    Parameters
    ----------
    smooth
        Smooths the page's scores; takes what a section costs.
    penalty
        What it costs; 0 leaves the scores as they are.
    scored
        Probability of each segment being content, before.
    alone
        The same by the page alone.
    known
        Which segments other pages of the site have.
    """
    smoothed_once = smooth(penalty)
    if not penalty or not known.any():
        return smoothed_once
    content = known & (alone > _LIKELY)
    settled_so = np.where(known & ~content, np.minimum(smoothed_once, scored), smoothed_once)
    if not content.any():
        return settled_so
    return np.where(content, np.maximum(settled_so, smooth(FIRMER * penalty)), settled_so)
