"""All settings measured on one page: it is classified once, and judged with one setting after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.isotonic import FEWEST_VALUES, MOST_CELLS, isotonic_smooth
from detemplate.detectors.pagelevel.detector import spared
from detemplate.detectors.pagelevel.options import BASIC, MERGE, SMOOTH, PageLevelOptions
from detemplate.detectors.pagelevel.tree import merged, penalties, visible_tree
from detemplate.features.node import node_features
from lab.labelled.metrics import site_scores, text_scores
from lab.labelled.segmentlabels import content_text, label_segments
from lab.pagelevel.counts import TemplateCounts
from lab.pagelevel.segmentation import adjusted_rand, labelled_sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.algorithms.isotonic import Smoothed
    from detemplate.detectors.pagelevel.model import PageModel
    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page
    from lab.labelled.catalogue import Kind
    from lab.labelled.pages import LabelledPage

    Bools = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.int32]

EVERYTHING: Final = "everything"
"""Variant that calls the whole page template: a baseline."""
DEFAULTS: Final = PageLevelOptions()
"""The detector's options."""
FACTORS: Final = tuple(2.0**power for power in range(-6, 7))
"""Factors that the default penalty is multiplied by."""
FORMS: Final = ("nodes", "parent", "area*nodes", "area*parent", "nodes*parent")
"""Other forms of the penalty."""
FORM_FACTORS: Final = tuple(4.0**power for power in range(-2, 3))
"""Factors that the other forms are multiplied by."""
DELTAS: Final = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7)
"""Values of δ for ``basic+merge``: adjacent segments whose scores differ by less are merged."""
HALF: Final = 0.5
"""The detector's threshold."""
THRESHOLDS: Final = (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9)
"""Other thresholds: scores above which a segment is template."""
MIN_ALIGNED: Final = 0.5
"""Least share of the gold's words that a page must show; the labels of other pages mean nothing."""


class Setting(NamedTuple):
    """One way to judge a page.

    Attributes
    ----------
    variant
        ``smooth``, ``basic``, ``basic+merge`` or :data:`EVERYTHING`.
    penalty, factor
        For ``smooth``: form of the penalty, and the factor that the default penalty is multiplied by.
    delta
        For ``basic+merge``: δ.
    threshold
        Score above which a segment is template.
    """

    variant: str
    penalty: str = DEFAULTS.penalty
    factor: float = 1.0
    delta: float = 0.0
    threshold: float = HALF


def all_settings(*, quick: bool = False) -> list[Setting]:
    """List all settings: variants, values of δ, factors, forms of the penalty, thresholds."""
    factors, forms = (FACTORS[::3], FORM_FACTORS[::2]) if quick else (FACTORS, FORM_FACTORS)
    return [
        Setting(EVERYTHING),
        Setting(BASIC),
        *(Setting(MERGE, delta=delta) for delta in (DELTAS[1::3] if quick else DELTAS)),
        *(Setting(SMOOTH, factor=factor) for factor in factors),
        *(Setting(SMOOTH, form, factor) for form, factor in product(FORMS, forms)),
        *(Setting(variant, threshold=value) for variant, value in product((BASIC, SMOOTH), THRESHOLDS)),
    ]


class Judgement(NamedTuple):
    """What a setting says about a page.

    Attributes
    ----------
    segments
        Whether each segment is template.
    bare
        Whether each of some links without words is template.
    sections
        For each segment the row that its section starts with; -1 for none.
    """

    segments: Bools
    bare: Bools
    sections: Rows


class ClassifiedPage:
    """A page whose visible nodes have scores. It is judged with one setting after the other.

    Parameters
    ----------
    page, layout, model
        As for :class:`~detemplate.detectors.pagelevel.detector.PageLevel`; judgements equal its verdicts.
    """

    def __init__(self, page: Page, layout: Layout, model: PageModel) -> None:
        self._page, self._layout = page, layout
        self._tree = visible_tree(page, layout, DEFAULTS.min_area)
        self._scores = model.scores(node_features(page, layout)[self._tree.rows], self._tree.area)
        self._leaves = self._tree.near[page.segments]
        self._penalties: dict[str, npt.NDArray[np.float64]] = {}
        self._smoothed_by_default: Smoothed | None = None

    def judge(self, setting: Setting, links: Rows) -> Judgement:
        """Judge the segments; and links without words, by the lowest visible node around them.

        Merging changes segments only: a link without words keeps the score of its node.
        """
        tree, leaves = self._tree, self._leaves
        if setting.variant == EVERYTHING:
            whole = np.zeros(len(leaves), np.int32)
            return Judgement(np.ones(len(leaves), np.bool_), np.ones(len(links), np.bool_), whole)
        if setting.variant == MERGE:
            scores = np.append(self._scores, 0.0)
            segment_scores, firsts = merged(leaves, scores[leaves], setting.delta)
            sections = np.where(leaves >= 0, self._page.segments[firsts], -1).astype(np.int32)
            bare = scores[tree.near[links]] > setting.threshold
            return Judgement(_template(segment_scores, setting.threshold), bare, sections)
        nodes, starts = self._scores, np.arange(len(self._scores), dtype=np.int32)
        if setting.variant == SMOOTH:
            nodes, starts = self._smooth(setting)
        # Row -1 of both stands for segments without a visible node around them.
        scores, sections = np.append(nodes, 0.0), np.append(tree.rows[starts], np.int32(-1))
        return Judgement(
            _template(scores[leaves], setting.threshold),
            scores[tree.near[links]] > setting.threshold,
            sections[leaves],
        )

    def _smooth(self, setting: Setting) -> Smoothed:
        """Smooth the nodes' scores. The result with the default penalty is kept: all thresholds need it."""
        by_default = setting._replace(threshold=HALF) == Setting(SMOOTH)
        if by_default and self._smoothed_by_default is not None:
            return self._smoothed_by_default
        nodes = len(self._scores)
        smoothed = isotonic_smooth(
            self._tree.parent,
            self._scores,
            DEFAULTS.factor * setting.factor * self._penalty(setting.penalty),
            self._tree.hidden + 1,
            max_values=min(DEFAULTS.max_values, max(MOST_CELLS // max(nodes, 1), FEWEST_VALUES)),
        )
        if by_default:
            self._smoothed_by_default = smoothed
        return smoothed

    def _penalty(self, form: str) -> npt.NDArray[np.float64]:
        if form not in self._penalties:
            self._penalties[form] = penalties(form, self._page, self._layout, self._tree)
        return self._penalties[form]


def _template(scores: npt.NDArray[np.float64], threshold: float) -> Bools:
    """Tell which segments are template. At the detector's threshold some may be spared, as in its verdict."""
    rounded = scores.astype(np.float32)
    return np.asarray((spared(rounded)[0] if threshold == HALF else rounded) > threshold)


@dataclass(slots=True)
class PageOutcome:
    """Results of a page; arrays have one entry a setting.

    Attributes
    ----------
    counts
        Settings × 3 × 3, see :meth:`~lab.pagelevel.counts.TemplateCounts.count`.
    rand
        Adjusted Rand index of the sections; NaN where the page has fewer than two labelled segments.
    sections
        Number of sections that have labelled segments.
    labelled_sections
        Number of sections that the labels make.
    """

    counts: npt.NDArray[np.int64]
    rand: npt.NDArray[np.float64]
    sections: npt.NDArray[np.int64]
    labelled_sections: int


@dataclass(slots=True)
class GroupOutcome:
    """Results of a set, or of all sites of a part; lists have one entry a page.

    Attributes
    ----------
    name
        Name of the set, ``sites/train`` or ``sites/test``.
    pages, sites, ids
        Results of the pages, their sites, their identifiers.
    oracle
        F1 of the content segments as an extractor's output.
    skipped
        Numbers of pages left out, by reason.
    rendered
        Number of pages with a browser layout.
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
    settings: Sequence[Setting],
) -> tuple[PageOutcome, float] | str:
    """Measure all settings on a page.

    Parameters
    ----------
    page, layout
        The page and its layout.
    labelled
        The page's record, with its gold.
    kind
        Kind of the gold: ``text`` or ``site``.
    model
        The classifiers.
    settings
        The settings.

    Returns
    -------
    tuple of PageOutcome and float, or str
        The results, and F1 of the content segments as an extractor's output; or why the page is left out.
    """
    gold = labelled.gold
    if gold is None or not gold.text.strip():
        return "no content in the gold"
    labels = label_segments(page, gold)
    if labels.aligned < MIN_ALIGNED:
        return "content not on the page"
    template_counts, from_labels = TemplateCounts(page, labels), labelled_sections(page, labels.label)
    known = from_labels >= 0
    classified = ClassifiedPage(page, layout, model)
    counts, rand, sections = [], [], []
    for setting in settings:
        judged = classified.judge(setting, template_counts.bare)
        counts.append(template_counts.count(judged.segments, judged.bare))
        rand.append(adjusted_rand(from_labels[known], judged.sections[known]) if known.sum() > 1 else np.nan)
        sections.append(len(np.unique(judged.sections[known])))
    text = content_text(page, labels)
    oracle = (
        site_scores(text, gold.text, gold.outside).f1
        if kind == "site"
        else text_scores(text, gold.text, gold.comments).f1
    )
    by_labels = len(np.unique(from_labels[known]))
    return PageOutcome(np.array(counts), np.array(rand), np.array(sections), by_labels), oracle
