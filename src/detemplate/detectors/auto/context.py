"""The site stage's table: the page stage's probabilities in their surroundings, then the site's features.

Segment features are about a segment alone; most columns here are about what stands around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.siteshares import SHARE_NAMES, UNKNOWN
from detemplate.detectors.auto.surroundings import LEAD, mean_names
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

_OWN: Final = np.array([SEGMENT_FEATURES.index(name) for name in OWN], np.intp)
"""Places of :data:`OWN` among the segment features."""

_SITE: Final = ("repeated", "frequent", "repeated content", "frequent content", "highest share")
"""Columns with one value a page, from the shares of the site's other pages that have each segment."""

NAMES: Final = (
    *LEAD,
    *mean_names("content"),
    *OWN,
    "site pages", *SHARE_NAMES,
    *mean_names("share"),
    *_SITE,
)  # fmt: skip
"""Names of the columns that :func:`context` gives."""

SITE_FROM: Final = NAMES.index("site pages")
"""Columns from here on are about the site's other pages; the first is their number."""

_MEANS: Final = NAMES.index("content level 0")
"""First column of the means of page-only content probabilities."""

_OWN_FROM: Final = NAMES.index(OWN[0])
"""First column of the segment features."""

_SHARE_MEANS: Final = SITE_FROM + 1 + len(SHARE_NAMES)
"""First column of the means of shares."""

_HALF: Final = 0.5
"""Above this probability a segment is content; from this share on it is frequent."""

_TINY: Final = 1e-9
"""Keeps quotients finite where nothing looks like content."""


def context(features: SegmentFeatures, around: Surroundings, content: Reals, shares: SiteShares) -> Table:
    """Give the table that the site stage's forest judges by.

    Parameters
    ----------
    features, around
        Features of the page's segments, and their surroundings. The page has segments.
    content
        Page-only content probability of each segment.
    shares
        What other pages of the site have.

    Returns
    -------
    array of float32, segments × :data:`NAMES`
        First what the page alone shows, then what the site's other pages show.
    """
    table = np.empty((len(content), len(NAMES)), np.float32)
    _page_context(features, around, content, table)
    _add_site(table, around, content, shares)
    return table


def without_site(table: Table) -> Table:
    """Give the same table as if no other page of the site were known."""
    alone = table.copy()
    _add_no_site(alone)
    return alone


def _add_no_site(table: Table) -> None:
    """Fill the columns from :data:`SITE_FROM` on as if no other page of the site were known."""
    table[:, SITE_FROM] = 0
    table[:, SITE_FROM + 1 :] = UNKNOWN


def _page_context(features: SegmentFeatures, around: Surroundings, content: Reals, table: Table) -> None:
    """Fill the columns before :data:`SITE_FROM`."""
    around.lead(content, features.words, table[:, :_MEANS])
    around.means(content, table[:, _MEANS:_OWN_FROM])
    table[:, _OWN_FROM:SITE_FROM] = features.table[:, _OWN]


def _add_site(table: Table, around: Surroundings, content: Reals, shares: SiteShares) -> None:
    """Fill the columns from :data:`SITE_FROM` on; parameters as for :func:`context`."""
    if not shares.pages:
        _add_no_site(table)
        return
    table[:, SITE_FROM] = shares.pages
    table[:, SITE_FROM + 1 : _SHARE_MEANS] = shares.table
    weight, share = around.weight, shares.segment_share
    weighed = weight * content
    repeated, frequent = share > 0, share >= _HALF
    around.means(share, table[:, _SHARE_MEANS : -len(_SITE)])
    table[:, -len(_SITE) :] = (
        float(weight[repeated].sum() / weight.sum()),
        float(weight[frequent].sum() / weight.sum()),
        float(weighed[repeated].sum() / max(weighed.sum(), _TINY)),
        float(weighed[frequent].sum() / max(weighed.sum(), _TINY)),
        float(share.max()),
    )
