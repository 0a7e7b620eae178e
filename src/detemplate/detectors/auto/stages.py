"""The two stages of method ``auto``: by the page alone, then with the site's other pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.context import context, without_site
from detemplate.detectors.auto.sitekeys import SiteKeys
from detemplate.detectors.auto.siteshares import SiteShares
from detemplate.detectors.auto.surroundings import Surroundings
from detemplate.features.segment import segment_features

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from detemplate.detectors.auto.model import AutoModel
    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]


class PageStage(NamedTuple):
    """Result of the first stage, for a page that has segments.

    Attributes
    ----------
    features
        Features of the segments.
    around
        Surroundings of each segment.
    content
        Page-only content probability of each segment.
    keys
        Keys that other pages of the site may have as well.
    """

    features: SegmentFeatures
    around: Surroundings
    content: Reals
    keys: SiteKeys

    @classmethod
    def run(cls, page: Page, model: AutoModel) -> PageStage:
        """Judge a page by itself."""
        features = segment_features(page, model.vocabulary)
        return cls.of(page, features, sigmoid(model.page.sums(features.table)))

    @classmethod
    def of(cls, page: Page, features: SegmentFeatures, content: Reals) -> PageStage:
        """Complete the result from features and page-only content probabilities."""
        around = Surroundings.of(page, features)
        return cls(features, around, content, SiteKeys.of(page, features, around, content))


class StageOdds(NamedTuple):
    """Log-odds of the site stage.

    Attributes
    ----------
    alone
        Log-odds of each segment as if no other page of the site were known.
    sited
        Log-odds of each segment with the site's other pages; the same object where there are none.
    """

    alone: Reals
    sited: Reals

    @classmethod
    def of(cls, model: AutoModel, stage: PageStage, shares: SiteShares) -> StageOdds:
        """Run the second stage.

        Parameters
        ----------
        model
            The model.
        stage
            Result of the first stage.
        shares
            What the site's other pages have.
        """
        table = context(stage.features, stage.around, stage.content, shares)
        sited = model.site.sums(table)
        return cls(model.site.sums(without_site(table)) if shares.pages else sited, sited)


def alone_odds(model: AutoModel, stage: PageStage) -> Reals:
    """Run the second stage as if no other page of the site were known: log-odds of each segment."""
    return StageOdds.of(model, stage, SiteShares.unknown(0, len(stage.content))).alone
