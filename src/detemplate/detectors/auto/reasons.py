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
from detemplate.detectors.auto.site import SHARE_NAMES, SiteShares
from detemplate.detectors.auto.stages import PageStage, fill_site_columns, page_context
from detemplate.detectors.causes import Reason
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

_TEXT_SHARE: Final = SHARE_NAMES.index("text share")

_MOST: Final = 1024
"""Segments of a page from which on some stand for others: 20 runs of the forests take a while."""

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
    ("stated", "stated", -1.0, "what the page's own data say: its product, recipe or answered questions"),
    ("headings", "heading_stays", -1.0, "the heading of a section that stays"),
    ("titles", "title", -1.0, "the page's title"),
    ("repeated", REPEATED, 1.0, ""),
)
"""Rules that keep a segment, or remove it, whatever its probability: their names in
:class:`~detemplate.detectors.auto.rules.Ruled`, their causes' codes and weights, and the words, if these are
always the same. The first one that holds counts."""


class Steps(NamedTuple):
    """What the steps of judging a page have made of its segments, as float32: reasons travel with results.

    ``pages``: number of the site's other pages.
    ``table``: what these have (:attr:`~detemplate.detectors.auto.site.SiteShares.table`).
    ``alone``, ``joined``, ``slotted``: log-odds of content: by the page alone, with the site's other pages,
        and with its slots.
    ``smoothed``: content probability after smoothing.
    ``content``: content probability in the end; 1 for what a rule keeps, 0 for what one removes.
    ``cut``: content probability above which segments are kept.
    ``ruled``: which segments rules keep or remove.
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

        ``shares``: what the site's other pages have.
        ``reals``: ``alone`` to ``content``.
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

    ``content``, ``words``: page-only content probability, and words, of each segment; there is at least one.
    """
    return int(np.argmax(content * np.minimum(words, _SURE))), int(np.argmin(content))


def sample(slot: npt.NDArray[np.integer], side: Bools, most: int) -> tuple[Rows, Rows]:
    """Choose segments that stand for all: every n-th one of those of one slot on one side.

    ``slot``, ``side``: slot of each segment, and whether it is on the side that is explained.
    ``most``: number of segments from which on some stand for others; twice as many are chosen at most.
    Returns: their numbers, ascending.
    Returns: for each segment, the place among the chosen of the one that stands for it.
    """
    count = len(slot)
    if count <= most:
        return np.arange(count), np.arange(count)
    order, step = np.lexsort((slot, side)), -(-count // most)
    crossed = np.append(True, np.diff(side[order]))
    new = np.append(True, np.diff(slot[order]) != 0) | crossed
    within = np.arange(count) - np.maximum.accumulate(np.where(new, np.arange(count), 0))
    first = new | (within % step == 0)
    if first.sum() > 2 * most:  # nearly each has a slot of its own
        first = crossed | (np.arange(count) % step == 0)
    chosen, of = order[first], np.empty(count, np.intp)
    of[order] = first.cumsum() - 1
    return np.sort(chosen), chosen.argsort().argsort()[of]


def stage_odds(  # noqa: PLR0917  # as for effects
    model: AutoModel, stage: PageStage, shares: SiteShares, which: Bools, other: int, present: Collection[str]
) -> Reals:
    """Run both forests on some segments, with some causes only.

    ``model``, ``stage``: as for :func:`effects`.
    ``shares``: what the site's other pages have.
    ``which``, ``other``: the segments, and the number of their counterpart.
    ``present``: codes of the causes that are there: keys of :data:`GROUPS`, and :data:`REPEATED`.
    Returns: log-odds of content of each segment, before slots and smoothing; 0 for the others.
    """
    table, content = stage.features.table.copy(), stage.content.copy()
    some = table[which]
    for code, columns in _COLUMNS.items():
        if code not in present:
            for run in columns:
                some[:, run] = table[other, run]
    table[which], content[which] = some, sigmoid(model.page.sums(some))
    context = page_context(stage.features._replace(table=table), stage.around, content)
    if REPEATED in present:
        fill_site_columns(context, stage.around, content, shares)
    odds = np.zeros(len(which))
    odds[which] = model.site.sums(context[which])
    return odds


def effects(model: AutoModel, stage: PageStage, steps: Steps, *, template: bool) -> dict[str, Reals]:
    """Compute the effect of each cause on each segment that is template, or on each other one, in log-odds.

    On a page of many segments, those that :func:`sample` chooses are judged, and stand for the others.

    ``model``: the model that judged the page.
    ``stage``: result of the page stage.
    ``steps``: what the steps have made of the segments.
    ``template``: which of both.
    Returns: by the causes' codes: one number a segment; above 0 where the cause speaks for template. Those of
        other segments mean nothing.
    """
    found = {
        SLOT: np.asarray(steps.joined - steps.slotted, np.float64),
        AROUND: logit(sigmoid(steps.slotted.astype(np.float64)).clip(_STEP, 1 - _STEP))
        - logit(steps.smoothed.clip(_STEP, 1 - _STEP)),
        CUT: np.full(len(steps.content), logit(steps.cut)),
    }
    causes = {*GROUPS, REPEATED} if steps.pages else {*GROUPS}
    side = (steps.odds > 0) == template
    chosen, place = sample(stage.around.slot, side, _MOST)
    stage, which, shares = stage.of_some(chosen, place), side[chosen], steps.shares
    shares = SiteShares(shares.pages, shares.table[chosen])
    text, menu = counterparts(stage.content, stage.features.words)

    def content(present: Collection[str]) -> Reals:
        return stage_odds(model, stage, shares, which, text if template else menu, present)

    none, whole = content(()), content(causes)
    for code in causes:
        lost = content(causes - {code}) - whole
        gained = none - content({code})
        found[code] = (lost + gained)[place] / 2
    return found


class _Side(NamedTuple):
    """What moved the segments most to their side, one entry a segment; those of the other side mean nothing.

    ``codes``, ``weights``: codes of the strongest causes, and their shares in all that speaks for the side.
    ``named``: how many of them a reason names; 0 where none speaks for it.
    """

    codes: list[list[str]]
    weights: list[list[float]]
    named: list[int]

    @classmethod
    def of(cls, effects: dict[str, Reals], sign: float) -> Self:
        codes = np.array(sorted(effects, reverse=True))
        sizes = np.stack([sign * effects[code] for code in codes], axis=1).clip(0)
        order = (-sizes).argsort(axis=1, kind="stable")[:, :_NAMED]
        top, every = np.take_along_axis(sizes, order, axis=1), sizes.sum(axis=1)
        named = np.where(every > 0, (top >= _LEAST * top[:, :1]).sum(axis=1), 0)
        weights = sign * top / np.where(every > 0, every, 1)[:, None]
        return cls(codes[order].tolist(), weights.tolist(), named.tolist())


class _Judged(NamedTuple):
    """What explaining the segments of a page needs.

    ``stage``, ``phrases``, ``shares``: result of the page stage, the writer of words, and what the site's
        other pages have.
    ``template``, ``rules``: of each segment, whether it is template, and the number of the rule that says so,
        or -1.
    ``sides``: the causes of segments that are template, and of the others, once one is explained.
    """

    stage: PageStage
    phrases: Phrases
    shares: SiteShares
    template: list[bool]
    rules: list[int]
    sides: dict[bool, _Side]


@dataclasses.dataclass(slots=True)
class Reasons:
    """Explains the scores of a page's segments; called with a segment's number.

    The page stage takes a multiple of the room of the page: it is run again when a reason is first asked for.
    Pickled reasons do not have the model either. With another one than the shipped one they are pickled as
    texts.

    ``page``: the page.
    ``model``: the model that judged it; None: the shipped one, not looked up yet.
    ``made``: what the steps of judging have made of the segments, or a function that gives it: most results
        are never explained.
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
        texts, causes = self._causes(segment)
        return Reason(", and ".join(texts), causes)

    def pages_with_text(self) -> tuple[Reals, int]:
        """Return how many other pages of the site have each segment's text, and how many there are."""
        pages, table = self.steps.pages, self.steps.table
        return table[:, _TEXT_SHARE].astype(np.float64) * pages, pages

    def judged(self) -> _Judged:
        """Return what explaining needs; it is computed once a page."""
        if self._judged is None:
            if self.model is None:
                self.model = model_of("")
            stage = PageStage.run(self.page, self.model.vocabulary, self.model.page)
            phrases, steps = Phrases(self.page, stage, self.model), self.steps
            rules = np.full(len(steps.content), -1)
            for number in reversed(range(len(_RULES))):
                rules[getattr(steps.ruled, _RULES[number][0])] = number
            template = (steps.odds > 0).tolist()
            self._judged = _Judged(stage, phrases, steps.shares, template, rules.tolist(), {})
        return self._judged

    def effects(self, *, template: bool) -> dict[str, Reals]:
        """Compute the effects of all causes (:func:`~detemplate.detectors.auto.reasons.effects`)."""
        stage = self.judged().stage
        return effects(self.model or model_of(""), stage, self.steps, template=template)

    def _causes(self, segment: int) -> tuple[list[str], list[tuple[str, float, dict[str, Value]]]]:
        """Give the words for the strongest causes of a segment's score, and the causes."""
        judged = self.judged()
        if (rule := judged.rules[segment]) >= 0:
            _, code, weight, text = _RULES[rule]
            values: dict[str, Value] = {"content": round(float(self.steps.smoothed[segment]), 4)}
            if code == REPEATED:
                text, values = self._repeated(segment, template=True)
            return [text], [(code, weight, values)]
        template = judged.template[segment]
        sign = 1.0 if template else -1.0
        if template not in judged.sides:
            judged.sides[template] = _Side.of(self.effects(template=template), sign)
        side = judged.sides[template]
        codes, weights = side.codes[segment], side.weights[segment]
        texts, causes = [], []
        for number in range(side.named[segment]):
            text, values = self._words(codes[number], segment, judged.phrases, template)
            texts.append(text)
            causes.append((codes[number], weights[number], values))
        if not causes:
            kind = "template" if template else "content"
            none = f"no single sign decides: all of them together are those of {kind}"
            return [none], [("together", sign, {})]
        return texts, causes

    def _words(
        self, code: str, segment: int, phrases: Phrases, template: bool
    ) -> tuple[str, dict[str, Value]]:
        """Write the words for a cause, and give its values."""
        if code == REPEATED:
            return self._repeated(segment, template)
        if code == SLOT:
            return self._slot(segment, template)
        if code == CUT:
            told = "the page has surer content" if template else "the page has little that is surer content"
            return told, {"needed": round(self.steps.cut, 4)}
        if code == AROUND:
            text, values = phrases.box(segment, template)
            return f"{text}: this {'goes' if template else 'stays'} as a whole", values
        return phrases.write(code, segment, template=template)

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
