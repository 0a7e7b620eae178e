"""How much each cause moved the scores of a page's segments.

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

from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.site import SiteShares
from detemplate.detectors.auto.stages import FEATURES_AT, FEATURES_SEEN, fill_site_columns, page_context
from detemplate.features.segment import FEATURE_GROUPS

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from detemplate.detectors.auto.model import AutoModel
    from detemplate.detectors.auto.rules import Ruled
    from detemplate.detectors.auto.stages import PageStage

    Reals = npt.NDArray[np.float64]
    Floats = npt.NDArray[np.float32]
    Bools = npt.NDArray[np.bool_]

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
