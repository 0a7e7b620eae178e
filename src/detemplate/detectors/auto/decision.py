"""From log-odds to a verdict: join them with the site's slots, smooth over the page, and choose the cut."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.isotonic import smooth_leaves
from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.site import ODDS, PAGES, RUNNING_WORDS, SCALE, WEIGHT, WORDS, label_slots

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.site import Answer, Query

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

STEPS: Final = 15
"""Smoothing rounds templateness to multiples of 1 / 15."""

SPREAD: Final = 0.49
"""Segments of one section still differ by up to this share of a step; below half, to keep the order."""

CLIP: Final = 6.0
"""Mean log-odds of slots count up to this, and down to minus this."""

SLOT_PAGES: Final = 2
"""Number of other pages with a slot whose mean weighs as much as the segment's own log-odds."""

TREE_PAGES: Final = 4
"""Minimum number of pages, the page included, for labels of slots."""

THRESHOLD: Final = 0.35
"""Content probability from which a slot gains by being content, where no page has running text."""

PROSE_THRESHOLD: Final = 0.3
"""Times the mean share of running text, this is added to the threshold: beside articles, less is content."""

SWITCH: Final = 0.03
"""Cost of a slot with another label than the slot around it, as a share of a page's content."""

LABEL_ODDS: Final = 2.0
"""Log-odds that a label as content adds to the segments of a slot, and one as template takes off, if very
many other pages are known; with ``n`` of them, ``n / (n + LABEL_PAGES)`` of it."""

LABEL_PAGES: Final = 10
"""Number of other pages with which a label weighs half."""

TINY: Final = 1e-6
"""Minimum distance of a content probability from 0 and 1 in the end."""

_HALF: Final = 0.5
"""The cut of a page without segments."""

_SAMPLED_GROUPS: Final = 256
"""Groups with samples of their own; groups with numbers that are equal modulo this share theirs."""

_ORDERS: Final = np.random.default_rng(0).random((_SAMPLED_GROUPS, SAMPLES)).argsort(axis=1)
"""Each group's order of the thresholds: one permutation of their numbers per row, from a fixed seed."""

_THRESHOLDS: Final = ((_ORDERS + _HALF) / SAMPLES).astype(np.float32)
"""Each group's threshold in each sample: evenly spaced in [0, 1], in a fixed random order."""

_LEAST: Final = 1e-9
"""Keeps odds and quotients finite."""


def pooled_odds(query: Query, answer: Answer, alone: Reals, sited: Reals, *, record: bool) -> Reals:
    """Return the log-odds of each segment, joined with those of its slot on other pages, and with repetition.

    They move towards the mean of the slot, and repetition lowers them. The absence of repetition raises them
    on a record only, because teasers are new on every page, too.

    ``query``, ``answer``: what the page asked its site, and what this answered.
    ``alone``, ``sited``: log-odds of each segment by the site stage without the site's other pages, and with
        them.
    ``record``: whether the page is a record, which has fields
        (:func:`~detemplate.detectors.auto.rules.fields`): there, what is new is content.
    """
    own, rest = query.own, answer.total - query.sums
    known = rest[:, WEIGHT] > 0
    mean = np.divide(rest[:, ODDS], rest[:, WEIGHT], out=np.zeros(len(rest)), where=known).clip(-CLIP, CLIP)
    others = np.where(known, rest[:, PAGES], 0)
    joined = alone + (others / (others + SLOT_PAGES))[own] * (mean[own] - alone)
    change = sited - alone
    joined += change if record else np.minimum(change, 0.0)
    return np.asarray(joined)


def labelled_odds(
    above: Rows, own: Rows, answer: Answer, odds: Reals, weight: Reals, *, record: bool
) -> Reals:
    """Return the log-odds of each segment, raised where its slot is labelled as content, else lowered.

    Slots are labelled for the greatest gain over the tree of the page's slots: a slot gains by being content
    as many words as the site's pages have in it, times the content probability of this page's segments above
    a threshold. Slots inside it that other pages have, but not this one, count with their own probabilities.
    Neighbouring slots mostly have the same label.

    ``above``: number of the slot around each of the page's slots, lower than its own; -1 for none.
    ``own``: number of the slot of each segment.
    ``answer``: what the page's site answered.
    ``odds``, ``weight``: log-odds of each segment (:func:`pooled_odds`), and its weight.
    ``record``: whether the page is a record: there, labels as template do not count.
    """
    if answer.pages < TREE_PAGES:
        return odds
    content = content_slots(above, own, answer, odds, weight)[own]
    label = LABEL_ODDS * answer.others / (answer.others + LABEL_PAGES)
    return np.asarray(odds + np.where(content, label, 0.0 if record else -label))


def content_slots(above: Rows, own: Rows, answer: Answer, odds: Reals, weight: Reals) -> Bools:
    """Tell which of a page's slots the site keeps for content; parameters as for :func:`labelled_odds`."""
    share = answer.total[:, WORDS:] / (SCALE * answer.pages)  # words, content, both inside
    missing = share[:, 2:] - share[:, :2]
    inner = above >= 0
    np.subtract.at(missing, above[inner], share[inner, 2:])
    missing[np.abs(missing) < 1 / SCALE] = 0
    threshold = THRESHOLD + PROSE_THRESHOLD * answer.prose
    sums = np.bincount(own, weight, len(share))
    likely = np.bincount(own, weight * sigmoid(odds), len(share)) / np.maximum(sums, _LEAST)
    gain = np.where(sums > 0, share[:, 0] * (likely - threshold), share[:, 1] - threshold * share[:, 0])
    return label_slots(above, gain, missing[:, 1] - threshold * missing[:, 0], SWITCH)


def expected_cut(content: Reals, words: npt.NDArray[np.integer], group: Rows) -> float:
    """Give the probability of content above which segments are best kept.

    Among prefixes of the segments ranked by probability, it keeps the one with the greatest expected F1
    (2 · kept content / (kept + content), in words). The segments of one group (a list, the comments, related
    articles) are mostly all content or all template. So labels are sampled by group: in each of
    :data:`SAMPLES` samples a group has one threshold, and its segments with higher probabilities are content.
    The probabilities are shifted so that something is content on every page.

    ``content``: content probability of each segment.
    ``words``: words of each segment.
    ``group``: number of each segment's group at level :data:`CUT_LEVEL`, -1 for none. int32.
    Returns: between the lowest probability that is kept and the highest that is not; below the greatest.
    """
    if not len(content):
        return _HALF
    weight = np.maximum(words, 1)
    expected = content * weight
    prose = expected[words >= RUNNING_WORDS].sum() / max(expected.sum(), _LEAST)
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
    f1 = (hits / (kept[unsure, None] + hits[-1])).sum(axis=1)
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


def smoothed(content: Reals, group: Rows, above: Rows, weight: Reals, penalty: float) -> Reals:
    """Smooth content probabilities over the tree of grouping elements.

    Regularised isotonic regression (Chakrabarti, Kumar, Punera 2007, section 4): the templateness of a group
    is at most that of what it holds, and each node that differs from the group around it costs ``penalty``.

    ``content``: content probability of each segment.
    ``group``: number of the nearest grouping element around each segment, -1 for none.
    ``above``: number of the grouping element around each of these, lower than its own; -1 for none.
    ``weight``: weight of each segment's error.
    ``penalty``: penalty for each section; 0 leaves the probabilities as they are.
    Returns: content probability of each segment.
    """
    if not penalty or len(group) < 2:
        return content
    smooth = 1 - smooth_leaves(above, group, 1 - content, weight, penalty=penalty, steps=STEPS)
    # Within a section the order that the forests gave stays, and no section is moved past another.
    return np.asarray(smooth + (content - smooth) * (SPREAD / STEPS))


def finished(content: Reals, cut: float, kept: Bools, removed: Bools) -> tuple[Reals, Floats]:
    """Give what rules keep and remove its probability; give scores.

    ``content``: content probability of each segment.
    ``cut``: content probability above which segments are kept.
    ``kept``, ``removed``: which segments rules keep, and remove.
    Returns: content probabilities, within (0, 1); and templateness, shifted so that 0.5 is the cut.
    """
    final = content.copy()
    final[kept] = 1
    final[removed] = 0
    final = final.clip(TINY, 1 - TINY)
    template = (1 - final) * cut
    return final, (template / (template + final * (1 - cut))).astype(np.float32)
