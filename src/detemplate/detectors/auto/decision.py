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

TOGETHER: Final = 2
"""Level of the groups that are content together: of those around a segment, the nearest is 0."""

DRAWS: Final = 32
"""Cases of what is content that are drawn, where it is unsure."""

SURER: Final = 0.75
"""Log-odds of content count this much less where all content is running text: what is unsure beside an
article is mostly no part of it (captions, the author, comments, teasers), what is unsure in a list mostly
is."""

RUNNING: Final = 20
"""Words that a segment of running text has at least."""

FIRMER: Final = 4.0
"""A section costs so many times more where it would part what other pages have from content around it."""

_LIKELY: Final = 0.5
_HALF: Final = 0.5
_GROUPS: Final = 256  # groups with cases of their own
# Each group's numbers in the cases: evenly from 0 to 1, in an order drawn once and for all.
_ORDERS: Final = np.random.default_rng(0).random((_GROUPS, DRAWS)).argsort(axis=1)
_DRAWN: Final = ((_ORDERS + _HALF) / DRAWS).astype(np.float32)
_LEAST, _MOST = _HALF / DRAWS, 1 - _HALF / DRAWS
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


def expected_cut(content: Reals, words: npt.NDArray[np.integer], group: Rows) -> float:
    """Give the probability of content above which segments are best kept.

    Of all sets that hold what is likelier than the rest, it keeps the one with the greatest expected F1
    (2 · kept content / (kept + content), in words). What stands in one group (a list, the comments, related
    articles) mostly is content or is not, all of it. So each of :data:`DRAWS` cases has a number from 0 to 1
    for each group, and what is likelier is content in that case. Something always is.

    Parameters
    ----------
    content
        Probability of each segment being content.
    words
        Words of each.
    group
        Number of the group of each, -1 for none: see :data:`TOGETHER`. int32.

    Returns
    -------
    float
        Between the probabilities of what is kept and of what is not; below the greatest.
    """
    if not len(content):
        return 0.5
    order = (-content).argsort(kind="stable")
    likely, words = content[order], words[order]
    weight = np.maximum(words, 1).astype(np.int32)
    weighed = likely * weight
    running = float(weighed[words >= RUNNING].sum()) / max(float(weighed.sum()), _FEWEST)
    within = likely.clip(_FEWEST, 1 - _FEWEST)
    odds = np.log(within / (1 - within)) - SURER * running
    chance = 1 / (1 + np.exp(min(float(odds[0]), 0.0) - odds))  # something is content
    # What is content in all cases is kept, all but the last at once; what is in none is not.
    first = max(int(np.count_nonzero(chance > _MOST)) - 1, 0)
    behind = int(np.count_nonzero(chance > _LEAST))
    unsure = slice(first, behind)
    kept = weight.cumsum(dtype=np.int32)
    drawn = _DRAWN[group[order[unsure]] % _GROUPS] < chance[unsure, None].astype(np.float32)
    hits = (drawn * weight[unsure, None]).cumsum(axis=0, dtype=np.int32)
    hits += kept[first] - weight[first]
    f1 = (hits / (kept[unsure, None] + hits[-1])).sum(axis=1)
    f1[:-1][likely[first + 1 : behind] == likely[first : behind - 1]] = 0  # what is as likely goes along
    last = first + int(f1.argmax())
    least, most = float(likely[last]), float(likely[last + 1]) if last + 1 < len(likely) else 0.0
    between = (least + most) * _HALF
    return between if between < least else most  # neighbours among floats have nothing in between


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
