"""From probabilities to a verdict: smooth over the page, and choose the cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto import decision_reference
from detemplate.detectors.auto.cut import Sampling, best_cut
from detemplate.kernels import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float32]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]

KERNEL: Final[Any] = compiled("detemplate.detectors.auto._decision")
"""The kernel; None where it was not compiled."""

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

_HALF: Final = 0.5
"""The cut of a page without segments."""

_SAMPLED_GROUPS: Final = 256
"""Groups with samples of their own; groups with numbers that are equal modulo this share theirs."""

_ORDERS: Final = np.random.default_rng(0).random((_SAMPLED_GROUPS, SAMPLES)).argsort(axis=1)
"""Each group's order of the thresholds: one permutation of their numbers per row, from a fixed seed."""

_THRESHOLDS: Final = ((_ORDERS + _HALF) / SAMPLES).astype(np.float32)
"""Each group's threshold in each sample: evenly spaced in [0, 1], in a fixed random order."""

_SAMPLING: Final = Sampling(_THRESHOLDS, PROSE_SHIFT, RUNNING_WORDS)
"""How labels are sampled."""


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


def smoothed(  # noqa: PLR0917  # columns of a page
    odds: Reals, alone: Reals, share: Reals, group: Rows, above: Rows, weight: Reals, penalty: float
) -> Reals:
    """Smooth probabilities over the tree of grouping elements; judge repeated segments by themselves.

    Regularised isotonic regression (Chakrabarti, Kumar, Punera 2007, section 4): the templateness of a group
    is at most that of what it holds, and each node that differs from the group around it costs ``penalty``.

    A repeated segment that looks like content by the page alone (a label that each record has, the head of
    each table) is separated from content around it only at a higher penalty. One that looks like template
    (the first step of a breadcrumb, beside the page's name) is not raised by its section.

    Parameters
    ----------
    odds
        Log-odds of content of each segment.
    alone
        Page-only content probability of each segment.
    share
        Share of the site's other pages that have each segment, -1 if there are none.
    group
        Number of the nearest grouping element around each segment, -1 for none.
    above
        Number of the grouping element around each of these, lower than its own; -1 for none.
    weight
        Weight of each segment's error.
    penalty
        Penalty for each section; 0 leaves the probabilities as they are.

    Returns
    -------
    array of float64
        Content probability of each segment.
    """
    if not penalty or len(group) < 2:
        return sigmoid(odds)
    kernel = decision_reference if KERNEL is None else KERNEL
    content = np.empty(len(odds))
    kernel.smoothed(odds, alone, share, group, above, weight, penalty, content)
    return content


def finished(content: Reals, cut: float, kept: Bools, removed: Bools) -> tuple[Reals, Floats]:
    """Give what rules keep and remove its probability; give scores.

    Parameters
    ----------
    content
        Content probability of each segment.
    cut
        Content probability above which segments are kept.
    kept, removed
        Which segments rules keep, and remove.

    Returns
    -------
    tuple of array of float64 and array of float32
        Content probabilities, within (0, 1); and templateness, shifted so that 0.5 is the cut.
    """
    kernel = decision_reference if KERNEL is None else KERNEL
    final, scores = content.copy(), np.empty(len(content), np.float32)
    kernel.finished(final, cut, kept.view(np.uint8), removed.view(np.uint8), scores)
    return final, scores
