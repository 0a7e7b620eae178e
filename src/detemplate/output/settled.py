"""A verdict that is settled for readers: what they do not see goes, whatever the method says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from detemplate.detectors.causes import because
from detemplate.output.unseen import unseen_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from detemplate.detectors.causes import Reason
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

_UNSEEN: Final = because("unseen", 1.0, "readers do not see it: the page hides it")


@dataclass(slots=True, frozen=True)
class SettledReasons:
    """The reasons of a method, and those of the segments that were settled.

    Attributes
    ----------
    explain
        Gives the method's reason of a segment's score.
    settled
        Reasons by the numbers of segments.
    """

    explain: Callable[[int], str]
    settled: Mapping[int, Reason]

    def __call__(self, segment: int) -> str:
        """Give the reason of a segment's score."""
        return self.settled.get(segment) or self.explain(segment)


def settled(page: Page, verdict: Verdict) -> Verdict:
    """Return the verdict on a page with all that readers do not see as template.

    Parameters
    ----------
    page, verdict
        The page, and a method's verdict on it, which is not changed.

    Returns
    -------
    Verdict
        Segments that change have the score 1. The verdict itself where none does, and where its threshold is
        1: then nothing is to be removed.
    """
    if verdict.threshold >= 1:
        return verdict
    unseen = unseen_segments(page, verdict.template)
    if not unseen:
        return verdict
    scores, reasons = verdict.scores.copy(), {}
    for inside in unseen:
        for segment in inside:
            if scores[segment] <= verdict.threshold:
                reasons[segment] = _UNSEEN
        scores[inside.start : inside.stop] = 1
    return replace(verdict, scores=scores, explain=SettledReasons(verdict.explain, reasons))
