"""The site stage's table: the page stage's probabilities in their surroundings, then the site's features.

Segment features are about a segment alone; most columns here are about what stands around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.siteshares import SHARE_NAMES, UNKNOWN
from detemplate.detectors.auto.surroundings import LEAD, SUMMARIES, mean_names
from detemplate.features.segment import NAMES as SEGMENT_FEATURES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.siteshares import SiteShares
    from detemplate.detectors.auto.surroundings import Surroundings
    from detemplate.features.segment import SegmentFeatures

    Reals = npt.NDArray[np.float64]
    Table = npt.NDArray[np.float32]

OWN: Final = (
    "chars", "in_a", "in_heading", "target1_steps", "target1_inside", "copies", "slot_count", "slot_spread",
    "group0_tag", "group1_text_per_byte", "heading_tag", "depth",
)  # fmt: skip
"""Segment features that the site stage sees again."""

_OWN: Final = np.array([SEGMENT_FEATURES.index(name) for name in OWN], np.int32)
"""Places of :data:`OWN` among the segment features."""

NAMES: Final = (
    *LEAD,
    *mean_names("content"),
    *OWN,
    "site pages", *SHARE_NAMES,
    *mean_names("share"),
    *SUMMARIES,
)  # fmt: skip
"""Names of the columns that :func:`site_context` gives."""

SITE_FROM: Final = NAMES.index("site pages")
"""Columns from here on are about the site's other pages; the first is their number."""

_SHARE: Final = SHARE_NAMES.index("segment share")
"""Column of the shares whose means are taken."""


def page_context(features: SegmentFeatures, around: Surroundings, content: Reals) -> Table:
    """Give the table that the site stage's forest judges by, as if no other page of the site were known.

    Parameters
    ----------
    features, around
        Features of the page's segments, and their surroundings. The page has segments.
    content
        Page-only content probability of each segment.

    Returns
    -------
    array of float32, segments × :data:`NAMES`
        First what the page alone shows; then 0 pages of the site and :data:`UNKNOWN`.
    """
    table = np.empty((len(content), len(NAMES)), np.float32)
    around.context(features, _OWN, content, UNKNOWN, table)
    return table


def site_context(table: Table, around: Surroundings, content: Reals, shares: SiteShares) -> Table:
    """Give the table with what the site's other pages show.

    Parameters
    ----------
    table
        What :func:`page_context` gave. It does not change.
    around, content
        As for :func:`page_context`.
    shares
        What other pages of the site have.

    Returns
    -------
    array of float32, segments × :data:`NAMES`
        ``table`` itself if there are no other pages.
    """
    if not shares.pages:
        return table
    sited = table.copy()
    fill_site_columns(sited, around, content, shares)
    return sited


def fill_site_columns(table: Table, around: Surroundings, content: Reals, shares: SiteShares) -> None:
    """Fill the columns from :data:`SITE_FROM` on; parameters as for :func:`site_context`."""
    around.site_context(content, shares.pages, shares.table, _SHARE, table)
