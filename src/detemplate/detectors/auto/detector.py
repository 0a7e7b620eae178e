"""The default method: features of the page and of its site, one score a segment, smoothed over the page.

The page stage judges each segment by what the page alone says about it. The site stage judges it again, by
the page stage's results around it and by how many of the site's other pages have the segment, its text, the
groups around it and its slot. On the first page of a site only the page counts.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from detemplate.algorithms.lifetime import lifetimes
from detemplate.algorithms.reusedtable import ReusedTable
from detemplate.detectors.auto.context import NAMES
from detemplate.detectors.auto.decision import CUT_LEVEL, expected_cut, finished, smoothed
from detemplate.detectors.auto.effects import Steps
from detemplate.detectors.auto.exchange import Answer, PageResult, Query
from detemplate.detectors.auto.fields import (
    FieldFeatures,
    fields,
    is_record,
    likely_fields,
    of_articles,
    records,
)
from detemplate.detectors.auto.model import model_of
from detemplate.detectors.auto.options import PAGE, RECORDS, AutoOptions
from detemplate.detectors.auto.reasons import Reasons
from detemplate.detectors.auto.rules import Judged, Ruled
from detemplate.detectors.auto.sitepages import AWAY_TYPES, PAGE_TYPES, SitePages
from detemplate.detectors.auto.siteshares import SiteShares
from detemplate.detectors.auto.siteslots import PageSlots, SlotEvidence
from detemplate.detectors.auto.slotodds import SegmentOdds, joined_odds
from detemplate.detectors.auto.stages import PageOdds, PageStage
from detemplate.detectors.base import Asked, Options, SplitDetector
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack
from detemplate.detectors.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy.typing as npt

    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Floats = npt.NDArray[np.float32]
    Bools = npt.NDArray[np.bool_]

_VERSION: Final = 4

_SLOT_TEXTS: Final = NAMES.index("slot_count")
"""Column of the site stage's table with the number of the page's texts in the segment's slot."""

_COPIES: Final = NAMES.index("copies")
"""Column of the site stage's table with the number of the page's segments that have the segment's text."""

_LINKED: Final = NAMES.index("in_a")
"""Column of the site stage's table with the number of ``a`` elements around the segment."""

_FEATURES: Final = ReusedTable()
"""Memory for the features of a page, which are not needed any more when it has asked."""


class Auto(SplitDetector):
    """Features of the page and of its site, judged in two trained stages.

    Parameters
    ----------
    options
        See :class:`AutoOptions`.

    Notes
    -----
    A page is a copy (a mirror, a variant of a product) if one of the
    :data:`~detemplate.detectors.auto.sitecounts.WINDOW` pages before it has the same longest segments of what
    looks like content by the page alone, and about as many words of it. The keys of a copy are not counted:
    else what it repeats would look like template. Site shares are about *other* pages: a page that has been
    learnt does not count for itself.

    Merging equals one pass over both sequences of pages, unless the table of keys or slots forgot or dropped
    one that it would have kept in the joined sequence.

    A segment is template if leaving it out raises the expected F1 of the page's output (see
    :func:`~detemplate.detectors.auto.decision.expected_cut`). So the least templated segments of a page are
    always kept, and a page of which the forests are unsure keeps more. Scores are shifted so that 0.5 is this
    border on every page.
    """

    name: ClassVar[str] = "auto"
    paper: ClassVar[str] = "no paper: what the five papers use, together, and learned from labelled pages"
    summary: ClassVar[str] = (
        "what a page shows and what its site repeats, joined by trees that were learnt from labelled pages"
    )
    ordered: ClassVar[bool] = True
    needs: ClassVar[str] = "nothing"
    options_class: ClassVar[type[Options]] = AutoOptions

    def __init__(self, options: AutoOptions | None = None) -> None:
        self._options = options or AutoOptions()
        lives = lifetimes(self._options.lifetime, self._options.growth)
        self._site = SitePages(lives, self._options.max_keys)
        self._pages = 0

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> AutoOptions:  # noqa: ARG003
        """Complete the options, the same for one pass and two; the model is read."""
        options = AutoOptions(**given)
        model_of(options.model)
        return options

    @property
    def pages(self) -> int:
        """Pages learnt so far, copies included."""
        return self._pages

    @property
    def nbytes(self) -> int:
        """Memory of what was learnt of the site, in bytes."""
        return self._site.nbytes

    def ask(self, page: Page) -> Asked:
        """Run both stages by the page alone; ask for its keys and its slots."""
        if not len(page.segments):
            return Asked(None)
        model = model_of(self._options.model)
        stage = PageStage.run(page, model, _FEATURES)
        odds = PageOdds.of(model, stage)
        stage = stage.without_table()
        if self._options.evidence == PAGE:
            return Asked(None, PageResult(stage, odds, None))
        slots = PageSlots.of(page, stage, odds.alone)
        return Asked(Query(stage.keys, slots.bare()), PageResult(stage, odds, slots))

    def take(self, query: Query | None) -> None:
        """Count the page's keys, unless it is a copy, and add to its slots."""
        self._pages += 1
        if query is not None:
            self._site.learn(query)

    def answer(self, query: Query | None) -> Answer | None:
        """Tell how many pages have the page's keys, and what they have in its slots."""
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
        if answer is None or known.slots is None:
            shares, slots = SiteShares.unknown(0, len(stage.content)), None
        else:
            shares = stage.keys.shares(
                stage.around.group, answer.counts, answer.pages, counted=answer.counted
            )
            slots = SlotEvidence.of(known.slots, answer.slots)
        around, words = stage.around, stage.features.words
        linked, slot_texts = known.odds.table[:, _LINKED] > 0, known.odds.table[:, _SLOT_TEXTS]
        articles = slots is not None and of_articles(slots.long, slots.prose)
        filled = self._fields(stage, shares, linked, slot_texts, articles=articles)
        alone, sited = known.odds.alone, known.odds.sited(model, stage, shares)
        joined, record = sited, False
        if slots is not None:
            some = bool(np.count_nonzero(filled))  # on most pages none
            record = some and is_record(filled, linked, articles=articles)
            segments = SegmentOdds(
                alone, sited, around.weight, shares.segment_share, linked, known.odds.table[:, _COPIES]
            )
            joined = joined_odds(slots, segments, shares.pages, articles=articles, record=record)
            if some:
                filled &= likely_fields(joined, linked, slot_texts, articles=articles)
        smooth = smoothed(
            joined, stage.content, shares.segment_share, around.group[:, 0], around.above, around.weight,
            self._options.smooth,
        )  # fmt: skip
        cut = expected_cut(smooth, words, around.group[:, CUT_LEVEL])
        doubtful = slots is not None and not articles and not record
        judged = Judged(smooth > cut, filled, joined, linked, words, shares, doubtful)
        ruled = Ruled.of(page, judged, self._options)
        content, scores = finished(smooth, cut, ruled.kept, ruled.removed)
        steps = partial(Steps.of, shares, (alone, sited, joined, smooth, content), cut, ruled)
        return Verdict(scores, explain=Reasons(page, model, steps))

    def _fields(
        self, stage: PageStage, shares: SiteShares, linked: Bools, slot_texts: Floats, *, articles: bool
    ) -> Bools:
        """Tell which segments are fields, as the option ``keep`` has it."""
        features = FieldFeatures(
            slot_share=shares.slot_share,
            slot_new=shares.slot_new,
            segment_share=shares.segment_share,
            slot_texts=slot_texts,
            linked=linked,
            words=stage.features.words,
            page_content=stage.content,
        )
        rule = records if self._options.keep == RECORDS else fields
        return rule(features, shares.pages, articles=articles)

    def merge(self, other: Self) -> Self:
        """Give a detector that has learnt this one's pages and then the other's."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        joined._pages = self._pages + other._pages
        joined._site = self._site.merge(other._site)
        return joined

    def to_bytes(self) -> bytes:
        """Save the counts (16 bytes a key), the slots (72 bytes each), the first pages and the options."""
        header = {"options": self._options.as_dict(), "pages": self.pages, **self._site.numbers}
        return pack(self.name, _VERSION, header, self._site.dump())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` saved."""
        header, arrays = unpack(data, cls.name, _VERSION, PAGE_TYPES)
        try:
            restored = cls(cls.options(header["options"], streaming=False))
            pages = int(header["pages"])
            if not header["learnt"] <= pages < 2**31:
                raise StateError("the numbers of pages are inconsistent")
            restored._site.load(header, arrays)
            restored._pages = pages
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored

    def put_away(self) -> tuple[bytes, bytes]:
        """Give the counts and the slots, and apart from them the first pages since the last time."""
        numbers, columns, first = self._site.put_away()
        header = {"options": self._options.as_dict(), "pages": self.pages, **numbers}
        return pack(self.name, _VERSION, header, columns, narrow=True), first

    @classmethod
    def taken_back(cls, data: bytes, parts: Callable[[], Iterable[bytes]]) -> Self:
        """Restore what :meth:`put_away` gave; the first pages are read when they are asked for."""
        header, columns = unpack(data, cls.name, _VERSION, AWAY_TYPES)
        found = cls(AutoOptions(**header["options"]))
        found._site.take_back(header, columns, parts)
        found._pages = header["pages"]
        return found
