"""The site stage's table: the page stage's probabilities in their surroundings, then the site's features.

Segment features are about a segment alone; most columns here are about what stands around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto import surroundings
from detemplate.detectors.auto.siteshares import SHARE_NAMES, UNKNOWN
from detemplate.detectors.auto.surroundings import mean_names, running
from detemplate.features.segment import LEVELS
from detemplate.features.segment import NAMES as SEGMENT_FEATURES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.siteshares import SiteShares
    from detemplate.detectors.auto.surroundings import Surroundings
    from detemplate.features.segment import SegmentFeatures

    Reals = npt.NDArray[np.float64]
    Table = npt.NDArray[np.float32]

OWN: Final = (
    "chars", "in_a", "in_h", "t1lca", "t1in", "dup", "slot_n", "slot_spread", "g0tag", "g1dens",
    "hlev", "depth",
)  # fmt: skip
"""Segment features that the site stage sees again."""

_OWN: Final = np.array([SEGMENT_FEATURES.index(name) for name in OWN], np.intp)
"""Places of :data:`OWN` among the segment features."""

_PAGE: Final = ("content words", "content share", "highest", "unsure", "pure")
"""Columns with one value a page, from the page-only probabilities."""

_SITE: Final = ("repeated", "frequent", "repeated content", "frequent content", "highest share")
"""Columns with one value a page, from the shares of the site's other pages that have each segment."""

NAMES: Final = (
    "content",
    *_PAGE,
    "content before", "words before", "words after", "strong before", "strong after",
    *(f"part level {level}" for level in range(LEVELS)),
    *mean_names("content"),
    *OWN,
    "site pages", *SHARE_NAMES,
    *mean_names("share"),
    *_SITE,
)  # fmt: skip
"""Names of the columns that :func:`context` gives."""

SITE_FROM: Final = NAMES.index("site pages")
"""Columns from here on are about the site's other pages; the first is their number."""

_BEFORE: Final = 1 + len(_PAGE)
_PARTS: Final = NAMES.index("part level 0")
_MEANS: Final = NAMES.index("content level 0")
_OWN_FROM: Final = NAMES.index(OWN[0])
_SHARE_MEANS: Final = SITE_FROM + 1 + len(SHARE_NAMES)
"""Where parts of the table begin: what is before a segment, parts of the content, means of it, segment
features, means of shares."""

_STRONG: Final = 0.7
"""Strong segments have more than this page-only content probability,"""

_STRONG_WORDS: Final = 8
"""and at least this many words."""

_FAR: Final = 999
"""Greatest distance to a strong segment that is told apart, in segments."""

_UNSURE: Final = 0.3
"""A segment is unsure if its probability is less than this away from 0.5."""

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
    if surroundings.KERNEL is not None:
        column, leading = np.ascontiguousarray(content, np.float64), table[:, :_MEANS]
        surroundings.KERNEL.lead(column, around.weight, features.words, around.first, around.last, leading)
    else:
        reference_lead(features, around, content, table)
    around.means(content, table[:, _MEANS:_OWN_FROM])
    table[:, _OWN_FROM:SITE_FROM] = features.table[:, _OWN]


def reference_lead(features: SegmentFeatures, around: Surroundings, content: Reals, table: Table) -> None:
    """Fill the columns before the means of the content, as the kernel does."""
    count = len(content)
    weight = around.weight
    weighed = content * weight
    sums = running(weighed)
    before, total = sums[:-1], float(sums[-1])
    number = np.arange(count)
    strong = np.flatnonzero((content > _STRONG) & (features.words >= _STRONG_WORDS))
    edged = np.concatenate([[-_FAR], strong, [count + _FAR]])
    after = np.searchsorted(strong, number)  # the first strong one that is not before
    table[:, 0] = content
    table[:, 1:_BEFORE] = (
        total,
        total / float(np.cumsum(weight)[-1]),
        float(content.max()),
        float(np.mean(np.abs(content - _HALF) < _UNSURE)),
        float(np.cumsum(np.where(content > _HALF, weighed, 0.0))[-1]) / max(total, 1e-9),
    )
    columns = table[:, _BEFORE:_PARTS]
    columns[:, 0] = before / max(total, 1e-9)
    columns[:, 1] = before
    columns[:, 2] = total - before
    columns[:, 3] = np.minimum(number - edged[after], _FAR)
    columns[:, 4] = np.minimum(edged[after + 1] - number, _FAR)
    table[:, _PARTS:_MEANS] = around.shares(content)


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
