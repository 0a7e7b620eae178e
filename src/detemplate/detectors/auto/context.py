"""What the second look of method ``auto`` sees: page evidence in its surroundings, and site evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.sitekeys import BASE, SEGMENT_SHARE, UNKNOWN
from detemplate.detectors.auto.surroundings import LEAD, mean_names
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
_SITE: Final = ("repeated", "frequent", "repeated content", "frequent content", "highest share")

NAMES: Final = (
    *LEAD,
    *mean_names("content"),
    *OWN,
    *BASE,
    *mean_names("share"),
    *_SITE,
)  # fmt: skip
"""Names of the columns of :func:`context`."""

SITE_FROM: Final = NAMES.index(BASE[0])
"""Columns from here on are site evidence."""

_MEANS: Final = NAMES.index("content level 0")
_OWN_FROM: Final = NAMES.index(OWN[0])

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
    around.lead(content, features.words, table[:, :_MEANS])
    around.means(content, table[:, _MEANS:_OWN_FROM])
    table[:, _OWN_FROM:SITE_FROM] = features.table[:, _OWN]


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
