"""The default method: features of the page and of its site, one score a segment, smoothed over the page.

The page stage judges each segment by what the page alone says about it. The site stage judges it again, by
the page stage's results around it and by how many of the site's other pages have the segment, its text, the
groups around it and its slot. On the first page of a site only the page counts.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.recurrence import lifetimes
from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.decision import (
    CLIP,
    CUT_LEVEL,
    expected_cut,
    finished,
    labelled_odds,
    pooled_odds,
    smoothed,
)
from detemplate.detectors.auto.model import PAGE, RECORDS, AutoOptions, model_of
from detemplate.detectors.auto.reasons import Reasons, Steps
from detemplate.detectors.auto.rules import UNLIKELY, FieldFeatures, Judged, Ruled, fields, rotating
from detemplate.detectors.auto.site import STATE_TYPES, Answer, Query, Site, SiteShares, SlotTree
from detemplate.detectors.auto.stages import CONTEXT, PageOdds, PageStage
from detemplate.detectors.base import Asked, Detector, Options
from detemplate.detectors.state import StateError
from detemplate.detectors.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]

_SLOT_TEXTS: Final = CONTEXT.index("slot_count")
"""Column of the site stage's table with the number of the page's texts in the segment's slot."""

_LINKED: Final = CONTEXT.index("in_a")
"""Column of the site stage's table with the number of ``a`` elements around the segment."""


class PageResult(NamedTuple):
    """What judging a page needs again.

    ``stage``, ``odds``: results of both stages without other pages.
    ``above``: number of the slot around each of the page's slots, -1 for none; empty if other pages do not
        matter.
    """

    stage: PageStage
    odds: PageOdds
    above: npt.NDArray[np.int32]


class Auto(Detector):
    """Features of the page and of its site, judged in two trained stages.

    ``options``: see :class:`AutoOptions`.

    Notes
    -----
    A page is a copy of another (a mirror, a variant of a product) if both have the same longest segments of
    what looks like content by the page alone, and about as many words of it. Site shares are about *other*
    pages: neither a page that has been learned nor its copies count for itself.

    Merging is addition, in any order. It equals one pass over all pages, unless a key or slot was forgotten
    or dropped that the joined sequence would have kept.

    A segment is template if leaving it out raises the expected F1 of the page's output (see
    :func:`~detemplate.detectors.auto.decision.expected_cut`). So the least templated segments of a page are
    always kept, and a page of which the forests are unsure keeps more. Scores are shifted so that 0.5 is this
    border on every page.
    """

    name: ClassVar[str] = "auto"
    paper: ClassVar[str] = "no paper: what the five papers use, together, and learned from labelled pages"
    summary: ClassVar[str] = (
        "what a page shows and what its site repeats, joined by trees that were learned from labelled pages"
    )
    ordered: ClassVar[bool] = True  # for what is forgotten and dropped
    needs: ClassVar[str] = "nothing"
    options_class: ClassVar[type[Options]] = AutoOptions
    version: ClassVar[int] = 6
    arrays: ClassVar[Mapping[str, str]] = STATE_TYPES
    narrow: ClassVar[bool] = True

    def __init__(self, options: AutoOptions | None = None) -> None:
        super().__init__(options)
        lives = lifetimes(self._options.lifetime, self._options.growth)
        self._site = Site(lives, self._options.max_keys)
        self._blank = 0  # pages without texts

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> AutoOptions:  # noqa: ARG003
        """Complete the options, the same for one pass and two; the model is read."""
        options = AutoOptions(**given)
        model_of(options.model)
        return options

    @property
    def pages(self) -> int:
        """Pages learned so far, copies included."""
        return self._site.pages + self._blank

    @property
    def nbytes(self) -> int:
        """Memory of what was learned of the site, in bytes."""
        return self._site.nbytes

    def ask(self, page: Page) -> Asked:
        """Run both stages by the page alone; ask for its keys and its slots."""
        if not len(page.segments):
            return Asked(None)
        model = model_of(self._options.model)
        stage = PageStage.run(page, model.vocabulary, model.page)
        odds = PageOdds.of(model.site, stage)
        stage = stage.without_table()
        if self._options.evidence == PAGE:
            return Asked(None, PageResult(stage, odds, np.zeros(0, np.int32)))
        tree = SlotTree.of(page.columns.parent, page.columns.segments, stage.features.node_slots)
        query = stage.query(page, tree, odds.alone)
        return Asked(query, PageResult(stage, odds, tree.above))

    def take(self, query: Query | None) -> None:
        """Learn what a page asks."""
        if query is None:
            self._blank += 1
        else:
            self._site.learn(query)

    def answer(self, query: Query | None) -> Answer | None:
        """Return what the site's other pages have of what a page asks."""
        return None if query is None else self._site.answer(query)

    def take_and_answer(self, query: Query | None) -> Answer | None:
        """Answer by the pages before the page, then learn it."""
        found = self.answer(query)
        self.take(query)
        return found

    def judge(self, page: Page, asked: Asked, answer: Answer | None) -> Verdict:
        """Judge a page by itself and by the site's other pages.

        Join page, site and slots, smooth, cut, and apply the rules.
        """
        known: PageResult | None = asked.kept
        if known is None:
            return Verdict(np.zeros(0, np.float32))
        model, stage = model_of(self._options.model), known.stage
        around, words = stage.around, stage.features.words
        linked, slot_texts = known.odds.table[:, _LINKED] > 0, known.odds.table[:, _SLOT_TEXTS]
        alone = joined = sited = known.odds.alone
        shares, filled = SiteShares.unknown(0, len(words)), np.zeros(len(words), np.bool_)
        if answer is not None:
            query: Query = asked.query
            shares = SiteShares.of(query, answer, around.group)
            sited = known.odds.sited(model.site, stage, shares)
            features = FieldFeatures(
                shares, query.own, answer.slot_words, slot_texts, linked, words, stage.content
            )
            filled = fields(features, records=self._options.keep == RECORDS)
            record = bool(filled.any())
            joined = pooled_odds(query, answer, alone, sited, record=record)
            joined[rotating(shares, words, around.group, joined)] = -CLIP
            joined = labelled_odds(known.above, query.own, answer, joined, around.weight, record=record)
            filled &= ~linked | (joined >= UNLIKELY)  # lists of teasers are new on every page, too
        smooth = smoothed(
            sigmoid(joined), around.group[:, 0], around.above, around.weight, self._options.smooth
        )
        cut = expected_cut(smooth, words, around.group[:, CUT_LEVEL])
        judged = Judged(smooth > cut, filled, joined, words, shares, around.group)
        ruled = Ruled.of(page, judged, self._options)
        content, scores = finished(smooth, cut, ruled.kept, ruled.removed)
        steps = partial(Steps.of, shares, (alone, sited, joined, smooth, content), cut, ruled)
        return Verdict(scores, explain=Reasons(page, model, steps))

    def join(self, first: Self, second: Self) -> None:
        """Add up what two have learned."""
        self._blank = first._blank + second._blank
        self._site = first._site.merge(second._site)

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the counts (16 bytes a key) and the slots (88 bytes each at most)."""
        return {"blank": self._blank, **self._site.numbers}, self._site.dump()

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill the site."""
        self._blank = int(header["blank"])
        if self._blank < 0 or not 0 <= int(header["learned"]) + self._blank < 2**31:
            raise StateError("the numbers of pages are inconsistent")
        self._site.load(header, arrays)
