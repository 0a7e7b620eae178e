"""Why method ``auto`` gave a segment its score, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features.segment import FEATURE_GROUPS

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.model import AutoModel
    from detemplate.detectors.auto.siteshares import SiteShares
    from detemplate.detectors.auto.stages import PageStage

    Reals = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

_GROUPS_NAMED: Final = 2
"""Feature groups that a reason names."""

_FIELD: Final = "; it fills a place that the site keeps for what is new"
"""End of the reason for a segment that is kept as a field."""

_OFFER: Final = "; it is the page's own product's, as its machine-readable data say"
"""End of the reason for a segment that is kept as part of a product's offer."""

_TITLE: Final = "; it is the page's title"
"""End of the reason for a segment that is kept as the page's title."""

_GROUP_NAMES, _GROUP_OF = np.unique(FEATURE_GROUPS, return_inverse=True)
"""The feature groups, and the number of each feature's group."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """Explains the scores of a page's segments; called with a segment's number.

    Attributes
    ----------
    model
        The model that judged the page.
    stage
        Result of the page stage.
    shares
        What the site's other pages had.
    content
        Content probability of each segment in the end.
    cut
        Probability above which segments are kept.
    fields
        Which segments are kept as fields.
    offered
        Which segments are kept as the offer of the page's own product.
    raised
        Which segments are kept by rule: fields, offers, and the title.
    """

    model: AutoModel
    stage: PageStage
    shares: SiteShares
    content: Reals
    cut: float
    fields: Bools
    offered: Bools
    raised: Bools

    def __call__(self, segment: int) -> str:
        """Explain the score of a segment."""
        alone = self.stage.content[segment]
        contributions = self.model.page.contributions(self.stage.features.table[segment])
        by_group = np.bincount(_GROUP_OF, contributions)
        order = np.argsort(by_group if alone <= self.cut else -by_group, kind="stable")[:_GROUPS_NAMED]
        named = " and ".join(_GROUP_NAMES[number] for number in order)
        reason = f"by itself {alone:.2f} content, most for {named}"
        if self.shares.pages:
            count = int(self.shares.segment_pages[segment])
            reason += f"; on {count} of {self.shares.pages} other pages of this site"
        if self.raised[segment]:
            reason += _FIELD if self.fields[segment] else _OFFER if self.offered[segment] else _TITLE
        return f"{self.content[segment]:.2f} content where {self.cut:.2f} is needed: {reason}"
