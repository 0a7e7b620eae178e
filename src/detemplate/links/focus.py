"""Focused crawling: links in template pagelets get a lower priority.

Bar-Yossef & Rajagopalan 2002, section 4, case 2: they "can be assigned a reduced priority for crawling".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.pagelets import LINKS, pagelet_of, pagelets

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

PENALTY: Final = 1.0
"""Default penalty of a link whose pagelet is all template."""


def priorities(
    scores: npt.ArrayLike, base: npt.ArrayLike = 0.0, *, penalty: float = PENALTY
) -> npt.NDArray[np.float64]:
    """Lower the priorities of links by the template scores of their pagelets.

    The priority is ``base - penalty * score``. It is a difference, not a product, because crawlers have
    priorities of 0 and below (Scrapy's default is 0), which no factor would lower.

    ``scores``: template score of each link's pagelet, in [0, 1] (:func:`template_scores`).
    ``base``: priority of each link, or of all links; a crawler follows greater priorities first.
    ``penalty``: what a link with score 1 loses; 0 or more.
    Returns: the priority of each link.
    Raises ValueError: a score or the penalty is out of range.
    """
    shares = np.asarray(scores, np.float64)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError("template scores must be in [0, 1]")
    if not 0 <= penalty < np.inf:
        raise ValueError(f"a penalty of {penalty} is out of range: it must be 0 or more")
    return np.asarray(base, np.float64) - penalty * shares


def template_scores(
    page: Page, verdict: Verdict, rows: npt.NDArray[np.integer], *, k: int = LINKS
) -> npt.NDArray[np.float64]:
    """Return the share of template characters in the pagelet of each link.

    ``page``, ``verdict``: a page, and any method's verdict on it.
    ``rows``: rows of the links (:func:`detemplate.page.links.link_rows`).
    ``k``: number of links from which an element is opened (:func:`detemplate.page.pagelets.pagelets`).
    Returns: one per link, in [0, 1]. For a pagelet without visible text, whose links are images: 1 if the
        verdict says that it is template (:attr:`~detemplate.detectors.verdict.Verdict.textless`), else 0. 0
        for a link in no pagelet.
    """
    regions = pagelets(page, k)
    serial = pagelet_of(page, regions, rows)
    chars = page.segment_chars.astype(np.int64)
    total = np.concatenate([[0], np.cumsum(chars)])
    template = np.concatenate([[0], np.cumsum(chars * verdict.template)])
    first = page.segments.searchsorted(regions)
    last = page.segments.searchsorted(page.columns.end[regions])
    length = total[last] - total[first]
    share = (template[last] - template[first]) / np.maximum(length, 1)
    if verdict.textless is not None:
        share = np.where(length > 0, share, np.isin(regions, verdict.textless))
    return np.append(share, 0.0)[serial]
