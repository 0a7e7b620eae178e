"""What the second look of method ``auto`` sees: page evidence in its surroundings, and site evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto import surroundings
from detemplate.detectors.auto.sitekeys import BASE, SEGMENT_SHARE, UNKNOWN
from detemplate.detectors.auto.surroundings import mean_names, running
from detemplate.features.segment import LEVELS
from detemplate.features.segment import NAMES as SEGMENT_FEATURES

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.auto.surroundings import Surroundings
    from detemplate.features.segment import SegmentFeatures

    Reals = npt.NDArray[np.float64]
    Table = npt.NDArray[np.float32]

OWN: Final = (
    "chars", "in_a", "in_heading", "target1_steps", "target1_inside", "copies", "slot_count", "slot_spread",
    "group0_tag", "group1_text_per_byte", "heading_tag", "depth",
)  # fmt: skip
"""Columns of the page evidence that the second look sees again."""

_OWN: Final = np.array([SEGMENT_FEATURES.index(name) for name in OWN], np.intp)
_PAGE: Final = ("content words", "content share", "highest", "unsure", "pure")
_SITE: Final = ("repeated", "frequent", "repeated content", "frequent content", "highest share")

NAMES: Final = (
    "content",
    *_PAGE,
    "content before", "words before", "words after", "strong before", "strong after",
    *(f"part level {level}" for level in range(LEVELS)),
    *mean_names("content"),
    *OWN,
    *BASE,
    *mean_names("share"),
    *_SITE,
)  # fmt: skip
"""Names of the columns of :func:`context`."""

SITE_FROM: Final = NAMES.index(BASE[0])
"""Columns from here on are site evidence."""

_BEFORE: Final = 1 + len(_PAGE)
_PARTS: Final = NAMES.index("part level 0")
_MEANS: Final = NAMES.index("content level 0")
_OWN_FROM: Final = NAMES.index(OWN[0])

_STRONG: Final = 0.7
_STRONG_WORDS: Final = 8
_FAR: Final = 999
_UNSURE: Final = 0.3
_HALF: Final = 0.5


def context(features: SegmentFeatures, around: Surroundings, content: Reals, shares: Reals) -> Table:
    """Give the second look's table.

    Parameters
    ----------
    evidence, around
        Of the page, which has segments.
    content
        How much of content each segment looks by itself, in [0, 1].
    shares
        What :meth:`~detemplate.detectors.auto.sitekeys.SiteKeys.shares` gave.

    Returns
    -------
    array of float32, segments × :data:`NAMES`
        With what the page alone shows, in its surroundings, and then what the site's other pages show.
    """
    table = np.empty((len(content), len(NAMES)), np.float32)
    _page_context(features, around, content, table)
    _add_site(table, around, content, shares)
    return table


def without_site(table: Table) -> Table:
    """Give what :func:`context` gives for the same page if no other page of its site is known."""
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
    """Fill the columns before the means: uncompiled."""
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


def _add_site(table: Table, around: Surroundings, content: Reals, shares: Reals) -> None:
    """Fill the columns from :data:`SITE_FROM` on; parameters as for :func:`context`."""
    if not shares[0, 0]:
        _add_no_site(table)
        return
    means = SITE_FROM + len(BASE)
    table[:, SITE_FROM:means] = shares
    weight, share = around.weight, shares[:, SEGMENT_SHARE]
    weighed = weight * content
    repeated, frequent = share > 0, share >= _HALF
    around.means(share, table[:, means : -len(_SITE)])
    table[:, -len(_SITE) :] = (
        float(weight[repeated].sum() / weight.sum()),
        float(weight[frequent].sum() / weight.sum()),
        float(weighed[repeated].sum() / max(weighed.sum(), 1e-9)),
        float(weighed[frequent].sum() / max(weighed.sum(), 1e-9)),
        float(share.max()),
    )
