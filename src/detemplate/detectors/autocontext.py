"""What the second look of method ``auto`` sees: page evidence in its surroundings, and site evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.sitekeys import BASE, SEGMENT_SHARE, UNKNOWN
from detemplate.detectors.surroundings import mean_names
from detemplate.page.evidence import LEVELS
from detemplate.page.evidence import NAMES as EVIDENCE

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.surroundings import Surroundings
    from detemplate.page.evidence import Evidence

    Reals = npt.NDArray[np.float64]

OWN: Final = (
    "chars", "in_a", "in_h", "t1lca", "t1in", "dup", "slot_n", "slot_spread", "g0tag", "g1dens",
    "hlev", "depth",
)  # fmt: skip
"""Columns of the page evidence that the second look sees again."""

_OWN: Final = [EVIDENCE.index(name) for name in OWN]
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

_STRONG: Final = 0.7
_STRONG_WORDS: Final = 8
_FAR: Final = 999
_UNSURE: Final = 0.3
_HALF: Final = 0.5


def page_context(evidence: Evidence, around: Surroundings, content: Reals) -> Reals:
    """Give the columns before :data:`SITE_FROM`: what the page alone shows, in its surroundings.

    Parameters
    ----------
    evidence, around
        Of the page, which has segments.
    content
        How much of content each segment looks by itself, in [0, 1].
    """
    count = len(content)
    weight = around.weight
    weighed = content * weight
    total = float(weighed.sum())
    before = np.cumsum(weighed) - weighed
    whole = (
        total,
        total / float(weight.sum()),
        float(content.max()),
        float(np.mean(np.abs(content - _HALF) < _UNSURE)),
        float(weighed[content > _HALF].sum()) / max(total, 1e-9),
    )
    number = np.arange(count)
    strong = np.flatnonzero((content > _STRONG) & (evidence.words >= _STRONG_WORDS))
    edged = np.concatenate([[-_FAR], strong, [count + _FAR]])
    after = np.searchsorted(strong, number)  # the first strong one that is not before
    columns = [
        content[:, None],
        np.broadcast_to(whole, (count, len(whole))),
        (before / max(total, 1e-9))[:, None],
        before[:, None],
        (total - before)[:, None],
        np.minimum(number - edged[after], _FAR)[:, None],
        np.minimum(edged[after + 1] - number, _FAR)[:, None],
        around.shares(content),
        around.means(content),
        evidence.table[:, _OWN],
    ]
    return np.hstack(columns)


def site_context(around: Surroundings, content: Reals, shares: Reals) -> Reals:
    """Give the columns from :data:`SITE_FROM` on: what the site's other pages show.

    Parameters
    ----------
    around, content
        As for :func:`page_context`.
    shares
        What :meth:`~detemplate.detectors.sitekeys.SiteKeys.shares` gave.
    """
    count = len(content)
    if not shares[0, 0]:
        unknown = np.full((count, len(mean_names("")) + len(_SITE)), UNKNOWN)
        return np.hstack([shares, unknown])
    weight, share = around.weight, shares[:, SEGMENT_SHARE]
    weighed = weight * content
    repeated, frequent = share > 0, share >= _HALF
    whole = (
        float(weight[repeated].sum() / weight.sum()),
        float(weight[frequent].sum() / weight.sum()),
        float(weighed[repeated].sum() / max(weighed.sum(), 1e-9)),
        float(weighed[frequent].sum() / max(weighed.sum(), 1e-9)),
        float(share.max()),
    )
    return np.hstack([shares, around.means(share), np.broadcast_to(whole, (count, len(whole)))])
