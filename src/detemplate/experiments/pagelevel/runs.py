"""Page-level templateness on labelled pages: classified once, smoothed with many penalties."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.isotonic import FEWEST_VALUES, MOST_CELLS, isotonic_smooth
from detemplate.detectors.pagelevel.detector import BASIC, MERGE, SMOOTH, PageLevelOptions, spared
from detemplate.detectors.pagelevel.tree import merged, penalties, visible_tree
from detemplate.experiments.pagelevel.counts import TemplateCounts
from detemplate.experiments.pagelevel.segmentation import adjusted_rand, labelled_sections
from detemplate.features.node import node_features
from detemplate.labelled.metrics import site_scores, text_scores
from detemplate.labelled.segmentlabels import content_text, label_segments

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.algorithms.isotonic import Smoothed
    from detemplate.detectors.pagelevel.model import PageModel
    from detemplate.labelled.datasets import Kind, LabelledPage
    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.int32]

EVERYTHING: Final = "everything"
"""What calls the whole page template: a floor to compare with."""
DEFAULTS: Final = PageLevelOptions()
FACTORS: Final = tuple(2.0**power for power in range(-6, 7))
FORM_FACTORS: Final = tuple(4.0**power for power in range(-2, 3))
FORMS: Final = ("nodes", "parent", "area*nodes", "area*parent", "nodes*parent")
DELTAS: Final = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7)
HALF: Final = 0.5
THRESHOLDS: Final = (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9)
"""Scores above which a segment is template, beside the detector's 0.5."""
FOUND: Final = 0.5
"""Pages that show less of the gold's words are left out: their labels mean nothing."""


class Setting(NamedTuple):
    """One way to judge a page.

    Attributes
    ----------
    variant
        ``smooth``, ``basic``, ``basic+merge`` or :data:`EVERYTHING`.
    penalty, factor
        For ``smooth``: the form of the penalty, and what the default penalty is multiplied with.
    delta
        For ``basic+merge``.
    threshold
        What scores above is template.
    """

    variant: str
    penalty: str = DEFAULTS.penalty
    factor: float = 1.0
    delta: float = 0.0
    threshold: float = HALF


def settings(*, quick: bool = False) -> list[Setting]:
    """List what is measured: the variants, all δ, factors and thresholds, and the forms of the penalty."""
    factors, forms = (FACTORS[::3], FORM_FACTORS[::2]) if quick else (FACTORS, FORM_FACTORS)
    return [
        Setting(EVERYTHING),
        Setting(BASIC),
        *(Setting(MERGE, delta=delta) for delta in (DELTAS[1::3] if quick else DELTAS)),
        *(Setting(SMOOTH, factor=factor) for factor in factors),
        *(Setting(SMOOTH, form, factor) for form, factor in product(FORMS, forms)),
        *(Setting(variant, threshold=value) for variant, value in product((BASIC, SMOOTH), THRESHOLDS)),
    ]


class Judged(NamedTuple):
    """What a setting says of a page.

    Attributes
    ----------
    segments
        Whether each segment is template.
    bare
        Whether each of some links without words is.
    sections
        What each segment's section starts with: a row of the page, or -1.
    """

    segments: Bools
    bare: Bools
    sections: Rows


class Classified:
    """A page whose visible nodes have their scores, to be judged with one setting after the other.

    Parameters
    ----------
    page, layout, model
        As for :class:`~detemplate.detectors.pagelevel.detector.PageLevel`, whose verdicts these are.
    """

    def __init__(self, page: Page, layout: Layout, model: PageModel) -> None:
        self._page, self._layout = page, layout
        self._tree = visible_tree(page, layout, DEFAULTS.min_area)
        self._own = model.scores(node_features(page, layout)[self._tree.rows], self._tree.area)
        self._leaves = self._tree.near[page.segments]
        self._forms: dict[str, npt.NDArray[np.float64]] = {}
        self._usual: Smoothed | None = None

    def judge(self, setting: Setting, links: Rows) -> Judged:
        """Judge the segments, and some links without words by the lowest visible node around them.

        Merging is for text: a link without words keeps its node's own score.
        """
        tree, own, leaves = self._tree, self._own, self._leaves
        if setting.variant == EVERYTHING:
            whole = np.zeros(len(leaves), np.int32)
            return Judged(np.ones(len(leaves), np.bool_), np.ones(len(links), np.bool_), whole)
        if setting.variant == MERGE:
            scores, firsts = merged(leaves, np.append(own, 0.0)[leaves], setting.delta)
            sections = np.where(leaves >= 0, self._page.segments[firsts], -1).astype(np.int32)
            bare = np.append(own, 0.0)[tree.near[links]] > setting.threshold
            return Judged(_template(scores, setting.threshold), bare, sections)
        nodes, starts = own, np.arange(len(own), dtype=np.int32)
        if setting.variant == SMOOTH:
            nodes, starts = self._smooth(setting)
        scores, sections = np.append(nodes, 0.0), np.append(tree.rows[starts], np.int32(-1))
        return Judged(
            _template(scores[leaves], setting.threshold),
            scores[tree.near[links]] > setting.threshold,
            sections[leaves],
        )

    def _smooth(self, setting: Setting) -> Smoothed:
        usual = setting._replace(threshold=HALF) == Setting(SMOOTH)
        if usual and self._usual is not None:
            return self._usual
        found = isotonic_smooth(
            self._tree.parent,
            self._own,
            DEFAULTS.factor * setting.factor * self._penalty(setting.penalty),
            self._tree.hidden + 1,
            max_values=min(DEFAULTS.max_values, max(MOST_CELLS // max(len(self._own), 1), FEWEST_VALUES)),
        )
        if usual:
            self._usual = found
        return found

    def _penalty(self, form: str) -> npt.NDArray[np.float64]:
        if form not in self._forms:
            self._forms[form] = penalties(form, self._page, self._layout, self._tree)
        return self._forms[form]


def _template(scores: npt.NDArray[np.float64], threshold: float) -> Bools:
    """Decide about segments, at the usual threshold as the detector's verdict does."""
    given = scores.astype(np.float32)
    return np.asarray((spared(given)[0] if threshold == HALF else given) > threshold)


@dataclass(slots=True)
class PageOutcome:
    """What was measured on a page, one row a setting.

    Attributes
    ----------
    counts
        Settings × 3 × 3, see :meth:`~detemplate.experiments.pagelevel.counts.TemplateCounts.count`.
    rand
        Adjusted Rand index of the sections; NaN where the page has fewer than two labelled segments.
    sections
        Number of sections among the labelled segments.
    labelled_sections
        The same for the labels.
    """

    counts: npt.NDArray[np.int64]
    rand: npt.NDArray[np.float64]
    sections: npt.NDArray[np.int64]
    labelled_sections: int


@dataclass(slots=True)
class GroupOutcome:
    """What was measured on a set, or on the sites of a part; lists have an entry a page.

    Attributes
    ----------
    name
        The set's, ``sites/train`` or ``sites/test``.
    pages, sites, ids
        The pages, their sites, their names.
    oracle
        F1 of the segments labelled content as an extractor's output, of pages that count.
    skipped
        Pages left out, by reason.
    rendered
        Pages whose layout a browser gave.
    """

    name: str
    pages: list[PageOutcome] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    oracle: list[float] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    rendered: int = 0

    def skip(self, reason: str) -> None:
        """Count a page that is left out."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


def measure_page(
    page: Page,
    layout: Layout,
    labelled: LabelledPage,
    *,
    kind: Kind,
    model: PageModel,
    chosen: Sequence[Setting],
) -> tuple[PageOutcome, float] | str:
    """Measure all settings on a page.

    Parameters
    ----------
    page, layout
        The page, and where its nodes are.
    labelled
        The page with its gold.
    kind
        What its gold is: ``text`` or ``site``.
    model
        The classifiers.
    chosen
        The settings.

    Returns
    -------
    tuple of PageOutcome and float, or str
        The outcome and the F1 of the labels themselves; or the reason why the page does not count.
    """
    gold = labelled.gold
    if gold is None or not gold.text.strip():
        return "no content in the gold"
    labels = label_segments(page, gold)
    if labels.aligned < FOUND:
        return "content not on the page"
    truth, manual = TemplateCounts(page, labels), labelled_sections(page, labels.label)
    known = manual >= 0
    classified = Classified(page, layout, model)
    counts, rand, sections = [], [], []
    for setting in chosen:
        judged = classified.judge(setting, truth.bare)
        counts.append(truth.count(judged.segments, judged.bare))
        rand.append(adjusted_rand(manual[known], judged.sections[known]) if known.sum() > 1 else np.nan)
        sections.append(len(np.unique(judged.sections[known])))
    text = content_text(page, labels)
    oracle = (
        site_scores(text, gold.text, gold.outside).f1
        if kind == "site"
        else text_scores(text, gold.text, gold.comments).f1
    )
    outcome = PageOutcome(np.array(counts), np.array(rand), np.array(sections), len(np.unique(manual[known])))
    return outcome, oracle
