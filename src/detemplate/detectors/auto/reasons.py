"""Why method ``auto`` gave a segment its score, in words."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.model import AutoModel, model_of
from detemplate.detectors.auto.stages import PageStage
from detemplate.detectors.verdict import WrittenReasons
from detemplate.features.segment import FEATURE_GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

_GROUPS_NAMED: Final = 2
"""Feature groups that a reason names."""

_FIELD: Final = "; it fills a place that the site keeps for what is new"
"""End of the reason for a segment that is kept as a field."""

_OFFER: Final = "; it shows the page's own product, or its price"
"""End of the reason for a segment that is kept as part of a product's offer."""

_HEADING: Final = "; its section stays"
"""End of the reason for a segment that is kept as the heading of a section."""

_TITLE: Final = "; it is the page's title"
"""End of the reason for a segment that is kept as the page's title."""

_GROUP_NAMES, _GROUP_OF = np.unique(FEATURE_GROUPS, return_inverse=True)
"""The feature groups, and the number of each feature's group."""


@dataclasses.dataclass(slots=True)
class Reasons:
    """Explains the scores of a page's segments; called with a segment's number.

    Pickled reasons have neither the model nor the page stage, which take a hundred times the room of the
    page: the stage is run again when a reason is first asked for. With another model than the shipped one
    they are pickled as texts.

    Attributes
    ----------
    page
        The page.
    model
        The model that judged it; None: the shipped one, not looked up yet.
    stage
        Result of the page stage; None: not run yet.
    pages
        Number of the site's other pages.
    segment_pages
        Number of these with each segment.
    content
        Content probability of each segment in the end.
    cut
        Probability above which segments are kept.
    fields
        Which segments are kept as fields.
    offered
        Which segments are kept as the offer of the page's own product.
    raised
        Which segments are kept by rule: fields, offers, headings of sections, and the title.
    headings
        Which segments are kept as headings of sections.
    """

    page: Page
    model: AutoModel | None
    stage: PageStage | None
    pages: int
    segment_pages: Reals
    content: Reals
    cut: float
    fields: Bools
    offered: Bools
    raised: Bools
    headings: Bools

    def __call__(self, segment: int) -> str:
        """Explain the score of a segment."""
        if self.model is None:
            self.model = model_of("")
        if self.stage is None:
            self.stage = PageStage.run(self.page, self.model)
        alone = self.stage.content[segment]
        contributions = self.model.page.contributions(self.stage.features.table[segment])
        by_group = np.bincount(_GROUP_OF, contributions)
        order = np.argsort(by_group if alone <= self.cut else -by_group, kind="stable")[:_GROUPS_NAMED]
        named = " and ".join(_GROUP_NAMES[number] for number in order)
        reason = f"by itself {alone:.2f} content, most for {named}"
        if self.pages:
            count = int(self.segment_pages[segment])
            reason += f"; on {count} of {self.pages} other pages of this site"
        if self.raised[segment]:
            causes = ((self.fields, _FIELD), (self.offered, _OFFER), (self.headings, _HEADING))
            reason += next((why for which, why in causes if which[segment]), _TITLE)
        return f"{self.content[segment]:.2f} content where {self.cut:.2f} is needed: {reason}"

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        if self.model is not None and self.model is not model_of(""):
            return WrittenReasons, (WrittenReasons.of(self, len(self.content)).texts,)
        given = (getattr(self, field.name) for field in dataclasses.fields(self))
        return Reasons, tuple(None if isinstance(value, AutoModel | PageStage) else value for value in given)
