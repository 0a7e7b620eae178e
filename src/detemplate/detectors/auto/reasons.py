"""Why method ``auto`` gave a segment its score: the two causes that moved it most, in words.

What the slots say, smoothing and the cut are steps of the method: the effect of a step is the difference
between the log-odds before and after it. The forests judge by the groups of features of the page, and by what
the site's other pages repeat. Their causes say the same thing more than once (a menu is a list of links, at
the top, with short texts, and on all pages): leaving out one of them changes little. So the effect of such a
cause is the mean of two differences: what is lost where it alone is left out, and what is gained where it
alone is there. These are two of the terms of its Shapley value (Lundberg & Lee: A Unified Approach to
Interpreting Model Predictions, NIPS 2017).

A feature group is left out by giving its columns the values of another segment of the page, the
*counterpart*: the page's surest running text for segments that are template, its surest template for those
that are kept. All of these segments change at once, as the forests also judge by what stands around.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.model import AutoModel, model_of
from detemplate.detectors.auto.phrases import Phrases
from detemplate.detectors.auto.site import SiteShares
from detemplate.detectors.auto.stages import (
    FEATURES_AT,
    FEATURES_SEEN,
    PageStage,
    fill_site_columns,
    page_context,
)
from detemplate.detectors.causes import Cause, Reason
from detemplate.detectors.verdict import WrittenReasons
from detemplate.features.segment import FEATURE_GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import numpy.typing as npt

    from detemplate.detectors.auto.rules import Ruled
    from detemplate.detectors.causes import Value
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float32]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.intp]

REPEATED: Final = "repeated"
"""Code of the cause that other pages of the site have the segment, its text, or what is around it."""

SLOT: Final = "slot"
"""Code of the cause that the segment's slot holds template, or content, on other pages."""

AROUND: Final = "around"
"""Code of the cause that smoothing joins the segment with what is around it."""

CUT: Final = "cut"
"""Code of the cause that the page has surer content, or little content."""

GROUPS: Final = {
    "class_names": "the words of classes around it",
    "elements": "the elements around it",
    "main_text": "its distance to running text",
    "box": "what it is grouped with",
    "alike": "the texts like it",
    "near": "the blocks near it",
    "heading": "the headings near it",
    "place": "its place",
    "text": "its text",
}
"""Codes of the causes on the page itself, and their feature groups. What is the same for all segments of a
page (:data:`~detemplate.features.segment.FEATURE_GROUPS` has a group for the page as a whole) parts none of
them from another."""

_COLUMNS: Final = {
    code: [
        slice(run[0], run[-1] + 1)
        for places in [np.flatnonzero([group == about for group in FEATURE_GROUPS])]
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    ]
    for code, about in GROUPS.items()
}
"""Columns of the segment features by cause, as runs of neighbours."""

_ROWS: Final = 1024
"""Segments whose features are changed and judged at once, while the processor's cache holds them."""

_SURE: Final = 50
"""Words from which a longer text is no surer counterpart."""


_STEP: Final = 1 / 30
"""Smoothing rounds probabilities to multiples of 1 / 15: beyond half of that they differ by rounding only."""

_NAMED: Final = 2
"""Causes that a reason names."""

_LEAST: Final = 0.1
"""Minimum effect of a second cause, as a share of the first one's."""

_RULES: Final = (
    ("commented", "comments", 1.0, "in an element that is named for readers' comments"),
    ("fields", "field", -1.0, "in a place that the site fills anew on each page"),
    ("offered", "offer", -1.0, "the page's own product, or its price"),
    ("headings", "heading_stays", -1.0, "the heading of a section that stays"),
    ("titles", "title", -1.0, "the page's title"),
)
"""Rules that keep a segment, or remove it, whatever its probability: their names in
:class:`~detemplate.detectors.auto.rules.Ruled`, their causes' codes and weights, and the words. The first one
that holds counts."""


class Steps(NamedTuple):
    """What the steps of judging a page have made of its segments, as float32: reasons travel with results.

    Attributes
    ----------
    pages
        Number of the site's other pages.
    table
        What these have (:attr:`~detemplate.detectors.auto.site.SiteShares.table`).
    alone, joined, slotted
        Log-odds of content: by the page alone, with the site's other pages, and with its slots.
    smoothed
        Content probability after smoothing.
    content
        Content probability in the end; 1 for what a rule keeps, 0 for what one removes.
    cut
        Content probability above which segments are kept.
    ruled
        Which segments rules keep or remove.
    """

    pages: int
    table: Floats
    alone: Floats
    joined: Floats
    slotted: Floats
    smoothed: Floats
    content: Floats
    cut: float
    ruled: Ruled

    @property
    def odds(self) -> Reals:
        """Log-odds of templateness in the end."""
        return np.asarray(logit(self.cut) - logit(self.content))

    @property
    def shares(self) -> SiteShares:
        """What the site's other pages have."""
        return SiteShares(self.pages, self.table.astype(np.float64))

    @classmethod
    def of(
        cls,
        shares: SiteShares,
        reals: tuple[Reals, Reals, Reals, Reals, Reals],
        cut: float,
        ruled: Ruled,
    ) -> Self:
        """Make the steps of full-precision numbers.

        Parameters
        ----------
        shares
            What the site's other pages have.
        reals
            ``alone`` to ``content``.
        cut
            As above.
        ruled
            As above.
        """
        alone, joined, slotted, smoothed, content = (each.astype(np.float32) for each in reals)
        table = shares.table.astype(np.float32)
        return cls(shares.pages, table, alone, joined, slotted, smoothed, content, cut, ruled)


def logit(content: npt.NDArray[np.floating] | float) -> Reals:
    """Give the log-odds of probabilities, which may be 0 or 1."""
    sure = np.clip(np.asarray(content, np.float64), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(sure / (1 - sure)))


def counterparts(content: Reals, words: npt.NDArray[np.integer]) -> tuple[int, int]:
    """Give the numbers of the page's surest running text, and of its surest template.

    Parameters
    ----------
    content, words
        Page-only content probability, and words, of each segment; there is at least one.
    """
    return int(np.argmax(content * np.minimum(words, _SURE))), int(np.argmin(content))


def stage_odds(  # noqa: PLR0917  # as for effects
    model: AutoModel, stage: PageStage, shares: SiteShares, which: Bools, other: int, present: Collection[str]
) -> Reals:
    """Run both forests on some segments, with some causes only.

    Parameters
    ----------
    model, stage
        As for :func:`effects`.
    shares
        What the site's other pages have.
    which, other
        The segments, and the number of their counterpart.
    present
        Codes of the causes that are there: keys of :data:`GROUPS`, and :data:`REPEATED`.

    Returns
    -------
    array of float64
        Log-odds of content of each segment, before slots and smoothing; 0 for the others.
    """
    features, around, rows = stage.features, stage.around, np.flatnonzero(which)
    absent = [columns for code, runs in _COLUMNS.items() if code not in present for columns in runs]
    content, seen = stage.content.copy(), features.table[:, FEATURES_SEEN]
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        table = features.table[some]
        for columns in absent:
            table[:, columns] = features.table[other, columns]
        content[some], seen[some] = sigmoid(model.page.sums(table)), table[:, FEATURES_SEEN]
    context = page_context(features, around, content)
    context[:, FEATURES_AT] = seen
    if REPEATED in present:
        fill_site_columns(context, around, content, shares)
    odds = np.zeros(len(which))
    odds[rows] = model.site.sums(context[rows])
    return odds


def effects(model: AutoModel, stage: PageStage, steps: Steps, *, template: bool) -> dict[str, Reals]:
    """Compute the effect of each cause on each segment that is template, or on each other one, in log-odds.

    Parameters
    ----------
    model
        The model that judged the page.
    stage
        Result of the page stage.
    steps
        What the steps have made of the segments.
    template
        Which of both.

    Returns
    -------
    dict
        By the causes' codes: one number a segment; above 0 where the cause speaks for template. Those of
        other segments mean nothing.
    """
    found = {
        SLOT: np.asarray(steps.joined - steps.slotted, np.float64),
        AROUND: logit(sigmoid(steps.slotted.astype(np.float64)).clip(_STEP, 1 - _STEP))
        - logit(steps.smoothed.clip(_STEP, 1 - _STEP)),
        CUT: np.full(len(steps.content), logit(steps.cut)),
    }
    causes = {*GROUPS, REPEATED} if steps.pages else {*GROUPS}
    text, menu = counterparts(stage.content, stage.features.words)
    which, other = (steps.odds > 0) == template, text if template else menu
    shares = steps.shares

    def content(present: Collection[str]) -> Reals:
        return stage_odds(model, stage, shares, which, other, present)

    none = content(())
    for code in causes:
        lost = content(causes - {code}) - steps.joined
        gained = none - content({code})
        found[code] = (lost + gained) / 2
    return found


class _Judged(NamedTuple):
    """What explaining the segments of a page needs.

    Attributes
    ----------
    stage, phrases, shares
        Result of the page stage, the writer of words, and what the site's other pages have.
    template
        Which segments are template.
    sides
        For the segments that are template, and for the others, once one is explained: the codes of the
        causes; how much each speaks for this side, segments × causes; and the numbers of the strongest.
    """

    stage: PageStage
    phrases: Phrases
    shares: SiteShares
    template: Bools
    sides: dict[bool, tuple[list[str], Reals, Rows]]


@dataclasses.dataclass(slots=True)
class Reasons:
    """Explains the scores of a page's segments; called with a segment's number.

    The page stage takes a multiple of the room of the page: it is run again when a reason is first asked for.
    Pickled reasons do not have the model either. With another one than the shipped one they are pickled as
    texts.

    Attributes
    ----------
    page
        The page.
    model
        The model that judged it; None: the shipped one, not looked up yet.
    made
        What the steps of judging have made of the segments, or a function that gives it: most results are
        never explained.
    """

    page: Page
    model: AutoModel | None
    made: Steps | Callable[[], Steps]
    _judged: _Judged | None = None

    @property
    def steps(self) -> Steps:
        """What the steps of judging have made of the segments."""
        if not isinstance(self.made, Steps):
            self.made = self.made()
        return self.made

    def __call__(self, segment: int) -> Reason:
        """Explain the score of a segment."""
        causes = self._causes(segment)
        return Reason(", and ".join(text for text, _ in causes), (cause for _, cause in causes))

    def judged(self) -> _Judged:
        """Return what explaining needs; it is computed once a page."""
        if self._judged is None:
            if self.model is None:
                self.model = model_of("")
            stage = PageStage.run(self.page, self.model.vocabulary, self.model.page)
            phrases = Phrases(self.page, stage, self.model)
            self._judged = _Judged(stage, phrases, self.steps.shares, self.steps.odds > 0, {})
        return self._judged

    def effects(self, *, template: bool) -> dict[str, Reals]:
        """Compute the effects of all causes (:func:`~detemplate.detectors.auto.reasons.effects`)."""
        stage = self.judged().stage
        return effects(self.model or model_of(""), stage, self.steps, template=template)

    def _side(self, template: bool) -> tuple[list[str], Reals, Rows]:
        sides = self.judged().sides
        if template not in sides:
            found = self.effects(template=template)
            codes = sorted(found, reverse=True)
            sizes = np.stack([found[code] if template else -found[code] for code in codes], axis=1).clip(0)
            sides[template] = codes, sizes, (-sizes).argsort(axis=1, kind="stable")[:, :_NAMED]
        return sides[template]

    def _causes(self, segment: int) -> list[tuple[str, Cause]]:
        """Give the words for the strongest causes of a segment's score, and the causes."""
        steps, judged = self.steps, self.judged()
        for name, code, weight, text in _RULES:
            if getattr(steps.ruled, name)[segment]:
                return [(text, Cause(code, weight, {"content": round(float(steps.smoothed[segment]), 4)}))]
        if steps.ruled.repeated[segment]:
            text, values = self._repeated(segment, template=True)
            return [(text, Cause(REPEATED, 1.0, values))]
        template = bool(judged.template[segment])
        sign, kind = (1.0, "template") if template else (-1.0, "content")
        codes, *rows = self._side(template)
        sizes, order = (each[segment].tolist() for each in rows)
        if not (every := sum(sizes)):
            none = f"no single sign decides: all of them together are those of {kind}"
            return [(none, Cause("together", sign, {}))]
        causes = []
        for code, size in ((codes[number], sizes[number]) for number in order):
            if size >= _LEAST * sizes[order[0]]:
                text, values = self._words(code, segment, judged.phrases, template=template)
                causes.append((text, Cause(code, sign * size / every, values)))
        return causes

    def _words(
        self, code: str, segment: int, phrases: Phrases, *, template: bool
    ) -> tuple[str, dict[str, Value]]:
        """Write the words for a cause, and give its values."""
        if code in GROUPS:
            return phrases.write(code, segment, template=template)
        if code == CUT:
            told = "the page has surer content" if template else "the page has little that is surer content"
            return told, {"needed": round(self.steps.cut, 4)}
        if code == AROUND:
            text, values = phrases.box(segment, template)
            return f"{text}: this {'goes' if template else 'stays'} as a whole", values
        writer = {REPEATED: self._repeated, SLOT: self._slot}[code]
        return writer(segment, template)

    def _repeated(self, segment: int, template: bool) -> tuple[str, dict[str, Value]]:
        shares = self.judged().shares
        pages, other = shares.pages, f"other {'page' if shares.pages == 1 else 'pages'} of this site"
        same = round(float(shares.segment_pages[segment]))
        values: dict[str, Value] = {"pages": same, "of": pages}
        if not template:
            return f"on {f'only {same:,}' if same else 'none'} of {pages:,} {other}", values
        if same:
            return f"same text on {same:,} of {pages:,} {other}", values
        box = shares.group_shares[segment].max()
        for name, share, text in (
            ("box_pages", box * pages, "new, but what is around it is the same on"),
            ("text_pages", shares.text_share[segment] * pages, "the same text at another place on"),
            ("place_pages", shares.slot_pages[segment], "new, but in a place that is on"),
        ):
            count = round(float(share))
            if count > 0:
                return f"{text} {count:,} of {pages:,} {other}", {**values, name: count}
        return f"in a place that is on none of {pages:,} {other}", {**values, "place_pages": 0}

    def _slot(self, segment: int, template: bool) -> tuple[str, dict[str, Value]]:
        shares = self.judged().shares
        slot, pages = round(float(shares.slot_pages[segment])), shares.pages
        new = max(float(shares.slot_new[segment]), 0.0)
        kind = "template" if template else "content"
        values: dict[str, Value] = {"place_pages": slot, "of": pages, "new": round(new, 4)}
        if slot <= 0:
            return f"in a part of the page where this site has {kind}", values
        fresh = "new on most pages, but " if template and new > 0.5 else ""
        others = "1 other page has" if slot == 1 else f"{slot:,} other pages have"
        return f"{fresh}in a place where {others} {kind}, too", values

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        if self.model is not None and self.model is not model_of(""):
            return WrittenReasons.of(self, len(self.steps.content)).__reduce__()
        return Reasons, (self.page, None, self.steps)
