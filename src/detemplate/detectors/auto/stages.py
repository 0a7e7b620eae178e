"""The two stages of method ``auto``: by the page alone, then with the site's other pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.context import fill_site_columns, page_context
from detemplate.detectors.auto.sitekeys import SiteKeys
from detemplate.detectors.auto.surroundings import Surroundings
from detemplate.features.segment import segment_features

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from detemplate.algorithms.reusedtable import ReusedTable
    from detemplate.detectors.auto.model import AutoModel
    from detemplate.detectors.auto.siteshares import SiteShares
    from detemplate.features.segment import SegmentFeatures
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Table = npt.NDArray[np.float32]


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
    def run(cls, page: Page, model: AutoModel, memory: ReusedTable | None = None) -> PageStage:
        """Judge a page by itself; parameters as for :func:`~detemplate.features.segment.segment_features`."""
        features = segment_features(page, model.vocabulary, memory)
        return cls.of(page, features, sigmoid(model.page.sums(features.table)))

    @classmethod
    def of(cls, page: Page, features: SegmentFeatures, content: Reals) -> PageStage:
        """Complete the result from features and page-only content probabilities."""
        around = Surroundings.of(page, features)
        return cls(features, around, content, SiteKeys.of(page, features, around, content))

    def without_table(self) -> PageStage:
        """Give the same without the features' table, which only the forests and explanations read."""
        return PageStage(self.features.without_table(), *self[1:])


class PageOdds(NamedTuple):
    """Result of the second stage as if no other page of the site were known.

    Attributes
    ----------
    table
        What the stage's forest judged by (:func:`~detemplate.detectors.auto.context.page_context`). Its
        columns about the site's other pages are those of the last time that the stage ran with such pages.
    alone
        Log-odds of each segment.
    """

    table: Table
    alone: Reals

    @classmethod
    def of(cls, model: AutoModel, stage: PageStage) -> PageOdds:
        """Run the second stage without other pages."""
        table = page_context(stage.features, stage.around, stage.content)
        return cls(table, model.site.sums(table))

    def sited(self, model: AutoModel, stage: PageStage, shares: SiteShares) -> Reals:
        """Run the second stage with the site's other pages; gives :attr:`alone` where there are none."""
        if not shares.pages:
            return self.alone
        fill_site_columns(self.table, stage.around, stage.content, shares)
        return model.site.sums(self.table)
