"""All settings measured on one page: it is classified once, and judged with one setting after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.isotonic import FEWEST_VALUES, MOST_CELLS, isotonic_smooth
from detemplate.algorithms.wordscores import text_scores
from detemplate.detectors.pagelevel import BASIC, MERGE, SMOOTH, PageLevelOptions, merged, penalties, spared
from detemplate.errors import PageError
from detemplate.features.node import node_features
from detemplate.layout.layout import estimated_layout
from detemplate.layout.store import LayoutStore
from detemplate.layout.visible import visible_tree
from detemplate.page.page import Page
from lab.labelled.metrics import site_scores
from lab.labelled.segmentlabels import content_text, label_segments
from lab.pagelevel.counts import TemplateCounts
from lab.pagelevel.segmentation import adjusted_rand, labelled_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from detemplate.algorithms.isotonic import Smoothed
    from detemplate.detectors.pagemodel import PageModel
    from detemplate.layout.layout import Layout
    from lab.labelled.catalogue import Kind
    from lab.labelled.pages import LabelledPage, LabelledSet

    Bools = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.int32]

DEFAULTS: Final = PageLevelOptions()
HALF: Final = 0.5  # the detector's threshold
EVERYTHING: Final = "everything"  # variant that calls the whole page template: a baseline
FACTORS: Final = tuple(2.0**power for power in range(-6, 7))  # of the default penalty
FORMS: Final = ("nodes", "parent", "area*nodes", "area*parent", "nodes*parent")
FORM_FACTORS: Final = tuple(4.0**power for power in range(-2, 3))
DELTAS: Final = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7)
THRESHOLDS: Final = (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9)  # thresholds beside the detector's
SITE_PAGES: Final = 20  # evenly spaced, so that all sites weigh about the same
QUICK_SITE_PAGES: Final = 2
QUICK_STEP: Final = 15  # a quick run measures every so many pages of a text set
MIN_ALIGNED: Final = 0.5  # share of the gold's words that a measured page shows


class Setting(NamedTuple):
    """One way to judge a page: variant, form and factor of the penalty, δ of ``basic+merge``, threshold."""

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
    """What a setting says about a page."""

    segments: Bools  # whether each segment is template
    bare: Bools  # whether each of some links without words is template
    sections: Rows  # for each segment the row that its section starts with; -1 for none


class ClassifiedPage:
    """A page whose visible nodes have scores; its judgements equal the detector's verdicts."""

    def __init__(self, page: Page, layout: Layout, model: PageModel) -> None:
        self._page, self._layout = page, layout
        self._tree = visible_tree(page, layout, DEFAULTS.min_area)
        self._scores = model.scores(node_features(page, layout)[self._tree.rows], self._tree.area)
        self._leaves = self._tree.near[page.segments]
        self._penalties: dict[str, npt.NDArray[np.float64]] = {}
        self._smoothed_by_default: Smoothed | None = None

    def judge(self, setting: Setting, links: Rows) -> Judgement:
        """Judge the segments, and links without words by the lowest visible node around them."""
        tree, leaves = self._tree, self._leaves
        if setting.variant == EVERYTHING:
            whole = np.zeros(len(leaves), np.int32)
            return Judgement(np.ones(len(leaves), np.bool_), np.ones(len(links), np.bool_), whole)
        nodes, starts = self._scores, np.arange(len(self._scores), dtype=np.int32)
        if setting.variant == SMOOTH:
            nodes, starts = self._smooth(setting)
        # Row -1 stands for segments without a visible node around them.
        scores, rows = np.append(nodes, 0.0), np.append(tree.rows[starts], np.int32(-1))
        segment_scores, sections = scores[leaves], rows[leaves]
        if setting.variant == MERGE:  # segments only: a link without words keeps the score of its node
            segment_scores, firsts = merged(leaves, segment_scores, setting.delta)
            sections = np.where(leaves >= 0, self._page.segments[firsts], -1).astype(np.int32)
        bare = scores[tree.near[links]] > setting.threshold
        return Judgement(_template(segment_scores, setting.threshold), bare, sections)

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


class PageOutcome(NamedTuple):
    """Results of a page; arrays have one entry a setting."""

    counts: npt.NDArray[np.int64]  # settings × 3 × 3, see `count`
    rand: npt.NDArray[np.float64]  # NaN where the page has fewer than two labelled segments
    sections: npt.NDArray[np.int64]  # number of sections that have labelled segments
    labelled_sections: int
    oracle: float  # F1 of the content segments as an extractor's output


@dataclass(slots=True)
class GroupOutcome:
    """Results of a set, or of all sites of a part; `pages` and `sites` have one entry a page."""

    name: str
    pages: list[PageOutcome] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)  # numbers of pages left out, by reason
    rendered: int = 0

    def add(self, result: PageOutcome | str, site: str, *, rendered: bool) -> None:
        """Add the results of a page, or count it as left out."""
        if isinstance(result, str):
            self.skipped[result] = self.skipped.get(result, 0) + 1
            return
        self.pages.append(result)
        self.sites.append(site)
        self.rendered += rendered


@dataclass(frozen=True, slots=True)
class Measurer:
    """Measures pages with all settings; it is sent to each process once."""

    model: PageModel
    settings: Sequence[Setting]
    layouts: str = ""  # file of browser layouts; empty: layouts are estimated

    def measure(self, record: LabelledPage, kind: Kind) -> PageOutcome | str:
        """Measure all settings on a page; return why it is left out otherwise."""
        try:
            page = Page(record.url, record.html, site=record.site)
        except PageError as error:
            return error.reason
        layout = open_layouts(self.layouts).layout(page) if self.layouts else estimated_layout(page)
        if layout is None:
            return "no layout"
        gold = record.gold
        if gold is None or not gold.text.strip():
            return "no content in the gold"
        labels = label_segments(page, gold)
        if labels.aligned < MIN_ALIGNED:
            return "content not on the page"
        template_counts, from_labels = TemplateCounts(page, labels), labelled_sections(page, labels.label)
        known = from_labels >= 0
        classified = ClassifiedPage(page, layout, self.model)
        counts, rand, sections = [], [], []
        for setting in self.settings:
            judged = classified.judge(setting, template_counts.bare)
            counts.append(template_counts.count(judged.segments, judged.bare))
            several = known.sum() > 1
            rand.append(adjusted_rand(from_labels[known], judged.sections[known]) if several else np.nan)
            sections.append(len(np.unique(judged.sections[known])))
        text = content_text(page, labels)
        site = kind == "site"
        scores = (
            site_scores(text, gold.text, gold.outside)
            if site
            else text_scores(text, gold.text, gold.comments)
        )
        by_labels = len(np.unique(from_labels[known]))
        return PageOutcome(np.array(counts), np.array(rand), np.array(sections), by_labels, scores.f1)


@lru_cache(maxsize=1)
def open_layouts(path: str) -> LayoutStore:
    """Open a file of browser layouts, once in each process."""
    return LayoutStore.open(path)


def measure_page(measurer: Measurer, job: tuple[LabelledSet, LabelledPage]) -> PageOutcome | str:
    """Measure a page of a set: a job of the experiment."""
    labelled, record = job
    return measurer.measure(record, labelled.kind)


def sample(labelled: LabelledSet, *, quick: bool = False) -> Iterator[LabelledPage]:
    """Yield the pages with gold that are measured: all of a text set; some of a site, evenly spaced."""
    with_gold = (page for page in labelled.pages() if page.gold is not None)
    if labelled.kind == "site":
        pages = list(with_gold)
        count = min(len(pages), QUICK_SITE_PAGES if quick else SITE_PAGES)
        for number in np.linspace(0, len(pages) - 1, count).round().astype(int).tolist() if pages else []:
            yield pages[number]
        return
    yield from islice(with_gold, 0, None, QUICK_STEP if quick else 1)


def sample_size(labelled: LabelledSet, *, quick: bool) -> int:
    """Count the pages that `sample` yields."""
    pages = labelled.count_gold()
    if labelled.kind == "site":
        return min(pages, QUICK_SITE_PAGES if quick else SITE_PAGES)
    return -(-pages // QUICK_STEP) if quick else pages
