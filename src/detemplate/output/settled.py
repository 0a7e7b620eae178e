"""A verdict settled for readers: lines and tables stay whole; unseen texts, labels of adverts, shells go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from detemplate.detectors.causes import because
from detemplate.output.adverts import advert_labels
from detemplate.output.cells import line_pieces, torn_cells
from detemplate.output.shells import early_titles, shells
from detemplate.output.unseen import unseen_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from detemplate.detectors.causes import Reason
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

# Reasons of texts that go only with their line, or their row or column.
_LINE: Final = because("line", -1.0, "it stands within a line of text that stays")
_CELL: Final = because("cell", -1.0, "it is a cell of a table whose row and column stay")

_UNSEEN: Final = because("unseen", 1.0, "readers do not see it: the page hides it")
_ADVERT: Final = because("advert", 1.0, "it is the label of an advertisement")
_TWICE: Final = because("twice", 1.0, "it is the page's title, which stands in a heading behind it")
_SHELL: Final = because("shell", 1.0, "nothing is left of what it introduces, and other pages have it, too")


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
    """Return the verdict on a page with whole lines and tables, without unseen texts, labels and shells.

    ``page``, ``verdict``: the page, and a method's verdict on it, which is not changed.
    Returns: what is kept for its line or its row has the score of the kept text beside it, what goes the
        score 1. The verdict itself where nothing changes, and where its threshold is 1: then nothing is to be
        removed.
    """
    if verdict.threshold >= 1:
        return verdict
    template = verdict.template
    kept = [(inside, _LINE) for inside in line_pieces(page, template)]
    kept += [(inside, _CELL) for inside in torn_cells(page, template)]
    for inside, _ in kept:
        template[inside.start : inside.stop] = False
    gone = [(inside, _UNSEEN) for inside in unseen_segments(page, template)]
    gone += [(inside, _ADVERT) for inside in advert_labels(page, template)]
    for inside, _ in gone:
        template[inside.start : inside.stop] = True
    own = page.title_segments if template.any() else []
    gone += [(inside, _TWICE) for inside in early_titles(page, template, own)]
    gone += [(inside, _SHELL) for inside in shells(page, verdict, template, own)]
    if not gone and not kept:
        return verdict
    scores, stays = verdict.scores.copy(), (~verdict.template).nonzero()[0]
    reasons: dict[int, Reason] = {}
    for inside, reason in kept:
        reasons |= dict.fromkeys(inside, reason)
        place = int(stays.searchsorted(inside.start))
        beside = verdict.scores[stays[max(place - 1, 0) : place + 1]]
        scores[inside.start : inside.stop] = beside.min()
    for inside, reason in gone:
        for segment in inside:
            if scores[segment] <= verdict.threshold:
                reasons[segment] = reason
        scores[inside.start : inside.stop] = 1
    return replace(verdict, scores=scores, explain=SettledReasons(verdict.explain, reasons))
