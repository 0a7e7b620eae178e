"""From probabilities to a verdict: smooth over the page, and choose the cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.isotonic import smooth_leaves
from detemplate.detectors.auto.cut import Sampling, best_cut

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Bools = npt.NDArray[np.bool_]

CUT_LEVEL: Final = 2
"""Level of the groups whose segments are content together; level 0 is the nearest group."""

SAMPLES: Final = 32
"""Number of Monte Carlo label samples."""

PROSE_SHIFT: Final = 0.75
"""Log-odds are lowered by this times the share of running text in the expected content.

Beside an article, unsure segments are mostly template (captions, the author, comments, teasers). In a list
they are mostly content.
"""

RUNNING_WORDS: Final = 20
"""Minimum words of a segment of running text."""

REPEATED_PENALTY: Final = 4.0
"""Penalty multiplier for separating repeated segments from surrounding content."""

_HALF: Final = 0.5
"""Above this page-only probability a segment looks like content."""

_SAMPLED_GROUPS: Final = 256
"""Groups with samples of their own; groups with numbers that are equal modulo this share theirs."""

_ORDERS: Final = np.random.default_rng(0).random((_SAMPLED_GROUPS, SAMPLES)).argsort(axis=1)
"""Each group's order of the thresholds: one permutation of their numbers per row, from a fixed seed."""

_THRESHOLDS: Final = ((_ORDERS + _HALF) / SAMPLES).astype(np.float32)
"""Each group's threshold in each sample: evenly spaced in [0, 1], in a fixed random order."""

_SAMPLING: Final = Sampling(_THRESHOLDS, PROSE_SHIFT, RUNNING_WORDS)
"""How labels are sampled."""

_STEPS: Final = 15
"""Smoothing rounds templateness to multiples of 1 / 15."""

_SPREAD: Final = 0.49
"""Segments of one section still differ by up to this share of a step; below half, to keep the order."""


def expected_cut(content: Reals, words: npt.NDArray[np.integer], group: Rows) -> float:
    """Give the probability of content above which segments are best kept.

    Among prefixes of the segments ranked by probability, it keeps the one with the greatest expected F1
    (2 · kept content / (kept + content), in words). The segments of one group (a list, the comments, related
    articles) are mostly all content or all template. So labels are sampled by group: in each of
    :data:`SAMPLES` samples a group has one threshold, and its segments with higher probabilities are content.
    The probabilities are shifted so that something is content on every page.

    Parameters
    ----------
    content
        Content probability of each segment.
    words
        Words of each segment.
    group
        Number of each segment's group at level :data:`CUT_LEVEL`, -1 for none. int32.

    Returns
    -------
    float
        Between the lowest probability that is kept and the highest that is not; below the greatest.
    """
    if not len(content):
        return _HALF
    return best_cut(content, words, group, _SAMPLING)


def smooth_tree(group: Rows, above: Rows, content: Reals, weight: Reals, penalty: float) -> Reals:
    """Smooth probabilities over the tree of grouping elements.

    Regularised isotonic regression (Chakrabarti, Kumar, Punera 2007, section 4): the templateness of a group
    is at most that of what it holds, and each node that differs from the group around it costs ``penalty``.

    Parameters
    ----------
    group
        Number of the nearest grouping element around each segment, -1 for none.
    above
        Number of the grouping element around each of these, lower than its own; -1 for none.
    content
        Content probability of each segment.
    weight
        Weight of each segment's error.
    penalty
        Penalty for each section; 0 leaves the probabilities as they are.
    """
    if not penalty or len(group) < 2:
        return content
    smoothed = 1 - smooth_leaves(above, group, 1 - content, weight, penalty=penalty, steps=_STEPS)
    # Within a section the order that the forests gave stays, and no section is moved past another.
    return np.asarray(smoothed + (content - smoothed) * (_SPREAD / _STEPS))


def smooth_by_repetition(
    smooth: Callable[[float], Reals], penalty: float, scored: Reals, alone: Reals, repeated: Bools
) -> Reals:
    """Smooth; judge repeated segments by their page-only probability.

    A repeated segment that looks like content by the page alone (a label that each record has, the head of
    each table) is separated from content around it only at a higher penalty. One that looks like template
    (the first step of a breadcrumb, beside the page's name) is not raised by its section.

    Parameters
    ----------
    smooth
        Smooths the page's probabilities with the penalty that it is given.
    penalty
        Penalty for each section; 0 leaves the probabilities as they are.
    scored
        Content probability of each segment, not smoothed.
    alone
        Page-only content probability of each segment.
    repeated
        Which segments other pages of the site have.
    """
    smoothed = smooth(penalty)
    if not penalty or not np.count_nonzero(repeated):  # quicker than any()
        return smoothed
    content = repeated & (alone > _HALF)
    lowered = np.where(repeated & ~content, np.minimum(smoothed, scored), smoothed)
    if not np.count_nonzero(content):
        return lowered
    return np.where(content, np.maximum(lowered, smooth(REPEATED_PENALTY * penalty)), lowered)
