"""From probabilities to a verdict: smooth over the page, and choose the cut."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.isotonic import smooth_leaves
from detemplate.algorithms.sigmoid import sigmoid

if TYPE_CHECKING:
    import numpy.typing as npt

    Bools = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float32]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]

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

STEPS: Final = 15
"""Smoothing rounds templateness to multiples of 1 / 15."""

SPREAD: Final = 0.49
"""Segments of one section still differ by up to this share of a step; below half, to keep the order."""

REPEATED_PENALTY: Final = 4.0
"""Penalty multiplier for separating repeated segments from surrounding content."""

TINY: Final = 1e-6
"""Minimum distance of a content probability from 0 and 1 in the end."""

_HALF: Final = 0.5
"""The cut of a page without segments; above this page-only probability a segment looks like content."""

_SAMPLED_GROUPS: Final = 256
"""Groups with samples of their own; groups with numbers that are equal modulo this share theirs."""

_ORDERS: Final = np.random.default_rng(0).random((_SAMPLED_GROUPS, SAMPLES)).argsort(axis=1)
"""Each group's order of the thresholds: one permutation of their numbers per row, from a fixed seed."""

_THRESHOLDS: Final = ((_ORDERS + _HALF) / SAMPLES).astype(np.float32)
"""Each group's threshold in each sample: evenly spaced in [0, 1], in a fixed random order."""

_LEAST: Final = 1e-9
"""Keeps odds and quotients finite."""

_LANES: Final = 8
"""Sums over samples run side by side, as many as this."""


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
    weight = np.maximum(words, 1)
    expected = content * weight
    prose = _sum(np.where(words >= RUNNING_WORDS, expected, 0.0)) / max(_sum(expected), _LEAST)
    shifted = _shifted(content, PROSE_SHIFT * prose)
    order = (-content).argsort(kind="stable")
    ranked, weight = content[order], weight[order]
    # Segments above the highest threshold are content in all samples, those up to the lowest in none: only
    # prefixes that end between them are compared.
    lowest, highest = 0.5 / SAMPLES, 1 - 0.5 / SAMPLES
    first = max(int(np.count_nonzero(shifted > highest)) - 1, 0)
    stop = int(np.count_nonzero(shifted > lowest))
    unsure = slice(first, stop)
    kept = weight.cumsum(dtype=np.int32)
    chance = shifted[order[unsure], None].astype(np.float32)
    labels = _THRESHOLDS[group[order[unsure]] % _SAMPLED_GROUPS] < chance
    hits = (labels * weight[unsure, None]).cumsum(axis=0, dtype=np.int32)
    hits += kept[first] - weight[first]
    f1 = _row_sums(hits / (kept[unsure, None] + hits[-1]))
    f1[:-1][ranked[first + 1 : stop] == ranked[first : stop - 1]] = 0  # equal ones are kept together
    last = first + int(f1.argmax())
    lowest_kept = float(ranked[last])
    highest_gone = float(ranked[last + 1]) if last + 1 < len(ranked) else 0.0
    between = (lowest_kept + highest_gone) * 0.5
    return between if between < lowest_kept else highest_gone  # neighbouring floats have nothing in between


def _shifted(content: Reals, shift: float) -> Reals:
    """Lower the log-odds by ``shift``, or by less if nothing would be at least 0.5 otherwise."""
    inner = content.clip(_LEAST, 1 - _LEAST)
    against = (1 - inner) / inner  # odds of template
    least = float(against.min())
    lowered = math.exp(shift)
    return np.asarray(1 / (1 + (against * lowered if least * lowered < 1 else against / least)))


def _row_sums(table: Reals) -> Reals:
    """Sum each row: :data:`_LANES` sums side by side, then of these neighbours in pairs."""
    lanes = table.reshape(len(table), -1, _LANES)
    sums = lanes[:, 0]
    for step in range(1, lanes.shape[1]):
        sums = sums + lanes[:, step]
    while sums.shape[1] > 1:
        sums = sums[:, ::2] + sums[:, 1::2]
    return np.asarray(sums[:, 0])


def _sum(values: Reals) -> float:
    """Add up numbers one after another."""
    return float(values.cumsum()[-1])


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
    scored, repeated = sigmoid(odds), share > 0
    if not penalty or len(group) < 2:
        return scored
    content = smooth_tree(group, above, scored, weight, penalty)
    likely = repeated & (alone > _HALF)
    content = np.where(repeated & ~likely, np.minimum(content, scored), content)
    if np.count_nonzero(likely):
        apart = smooth_tree(group, above, scored, weight, REPEATED_PENALTY * penalty)
        content = np.where(likely, np.maximum(content, apart), content)
    return content


def smooth_tree(group: Rows, above: Rows, content: Reals, weight: Reals, penalty: float) -> Reals:
    """Smooth content probabilities over the tree of grouping elements; parameters as for :func:`smoothed`."""
    if not penalty or len(group) < 2:
        return content
    smoothed = 1 - smooth_leaves(above, group, 1 - content, weight, penalty=penalty, steps=STEPS)
    # Within a section the order that the forests gave stays, and no section is moved past another.
    return np.asarray(smoothed + (content - smoothed) * (SPREAD / STEPS))


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
    final = content.copy()
    final[kept] = 1
    final[removed] = 0
    final = final.clip(TINY, 1 - TINY)
    template = (1 - final) * cut
    return final, (template / (template + final * (1 - cut))).astype(np.float32)
