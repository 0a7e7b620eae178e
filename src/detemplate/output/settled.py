"""A verdict that is settled for readers: lines stay whole; what they do not see and labels of adverts go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from detemplate.detectors.causes import because
from detemplate.output.adverts import advert_labels
from detemplate.output.lines import line_pieces
from detemplate.output.unseen import unseen_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from detemplate.detectors.causes import Reason
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

# Reason of a text that goes only with its line.
_LINE: Final = because("line", -1.0, "it stands within a line of text that stays")

_UNSEEN: Final = because("unseen", 1.0, "readers do not see it: the page hides it")
_ADVERT: Final = because("advert", 1.0, "it is the label of an advertisement")


@dataclass(slots=True, frozen=True)
class SettledReasons:
    """The reasons of a method, and those of the segments that were settled.

    ``explain``: gives the method's reason of a segment's score.
    ``settled``: reasons by the numbers of segments.
    """

    explain: Callable[[int], str]
    settled: Mapping[int, Reason]

    def __call__(self, segment: int) -> str:
        """Give the reason of a segment's score."""
        return self.settled.get(segment) or self.explain(segment)


def settled(page: Page, verdict: Verdict) -> Verdict:
    """Return the verdict on a page with whole lines; unseen texts and labels of advertisements are template.

    ``page``, ``verdict``: the page, and a method's verdict on it, which is not changed.
    Returns: what is kept for its line has the score of the text beside it, what goes the score 1. The verdict
        itself where nothing changes, and where its threshold is 1: then nothing is to be removed.
    """
    if verdict.threshold >= 1:
        return verdict
    template = verdict.template
    lines = line_pieces(page, template)
    for inside in lines:
        template[inside.start : inside.stop] = False
    gone = [(inside, _UNSEEN) for inside in unseen_segments(page, template)]
    gone += [(inside, _ADVERT) for inside in advert_labels(page, template)]
    if not gone and not lines:
        return verdict
    scores = verdict.scores.copy()
    reasons: dict[int, Reason] = {}
    for inside in lines:
        reasons |= dict.fromkeys(inside, _LINE)
        scores[inside.start : inside.stop] = min(scores[inside.start - 1], scores[inside.stop])
    for inside, reason in gone:
        for segment in inside:
            if scores[segment] <= verdict.threshold:
                reasons[segment] = reason
        scores[inside.start : inside.stop] = 1
    return replace(verdict, scores=scores, explain=SettledReasons(verdict.explain, reasons))
