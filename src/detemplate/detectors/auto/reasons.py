"""Why method ``auto`` gave a segment its score: the two causes that moved it most, in words."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.auto.effects import AROUND, CUT, GROUPS, REPEATED, SLOT, Steps, effects
from detemplate.detectors.auto.model import AutoModel, model_of
from detemplate.detectors.auto.phrases import Phrases
from detemplate.detectors.auto.stages import PageStage
from detemplate.detectors.causes import Cause, Reason
from detemplate.detectors.verdict import WrittenReasons

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from detemplate.detectors.auto.site import SiteShares
    from detemplate.detectors.causes import Value
    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]
    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.intp]

_NAMED: Final = 2
"""Causes that a reason names."""

_LEAST: Final = 0.1
"""Minimum effect of a second cause, as a share of the first one's."""

_RULES: Final = (
    ("commented", "comments", 1.0, "in an element that is named for readers' comments"),
    ("fields", "field", -1.0, "in a place that the site fills anew on each page"),
    ("offered", "offer", -1.0, "the page's own product, or its price"),
    ("headings", "heading_stays", -1.0, "the heading of a section that stays"),
    ("notes", "note", -1.0, "a note to which a text refers that stays"),
    ("titles", "title", -1.0, "the page's title"),
    ("again", "title_again", 1.0, "the page's title, which it shows once more before the text"),
)
"""Rules that keep a segment, or remove it, whatever its probability: their names in
:class:`~detemplate.detectors.auto.rules.Ruled`, their causes' codes and weights, and the words. The first one
that holds counts."""


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
        """Compute the effects of all causes (:func:`~detemplate.detectors.auto.effects.effects`)."""
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
