"""Focused crawling: links out of template pagelets come later.

Bar-Yossef & Rajagopalan 2002, section 4, case 2: they "can be assigned a reduced priority for crawling".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page.links import page_links
from detemplate.page.pagelets import LINKS, pagelet_of, pagelets

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.links import Links
    from detemplate.page.page import Page

PENALTY: Final = 1.0


def priorities(
    scores: npt.ArrayLike, base: npt.ArrayLike = 0.0, *, penalty: float = PENALTY
) -> npt.NDArray[np.float64]:
    """Lower the priorities of links by how much of a template they stand in.

    ``base - penalty * score``: a difference and not a factor, because crawlers know priorities of 0
    and below (Scrapy's default is 0), which no factor would lower.

    Parameters
    ----------
    scores
        Template score of each link's pagelet, in [0, 1] (:func:`template_scores`).
    base
        Priority of each link, or one for all; greater is sooner.
    penalty
        By how much a link that stands in nothing but template is lowered; 0 or more.

    Returns
    -------
    array of float64
        The priority of each link.

    Raises
    ------
    ValueError
        A score or the penalty is out of range.
    """
    given = np.asarray(scores, np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        raise ValueError("template scores must be in [0, 1]")
    if not 0 <= penalty < np.inf:
        raise ValueError(f"a penalty of {penalty} is out of range: it must be 0 or more")
    return np.asarray(base, np.float64) - penalty * given


def template_scores(
    page: Page, verdict: Verdict, rows: npt.NDArray[np.integer], *, k: int = LINKS
) -> npt.NDArray[np.float64]:
    """Give the share of template characters in the pagelet that each link stands in.

    Parameters
    ----------
    page, verdict
        A page and any method's verdict on it.
    rows
        Rows of the links (:func:`detemplate.page.links.link_rows`).
    k
        Links from which on an element is opened (:func:`detemplate.page.pagelets.pagelets`).

    Returns
    -------
    array of float64
        One a link, in [0, 1]. 0 where the pagelet has no visible text, and for links in no pagelet: of
        these nothing is known.
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
    return np.append(share, 0.0)[serial]


def link_priorities(
    page: Page,
    verdict: Verdict,
    base: npt.ArrayLike = 0.0,
    *,
    penalty: float = PENALTY,
    k: int = LINKS,
) -> tuple[Links, npt.NDArray[np.float64]]:
    """Give a page's links to pages, and the priority of each.

    Parameters
    ----------
    page, verdict, k
        As in :func:`template_scores`.
    base, penalty
        As in :func:`priorities`.
    """
    links = page_links(page)
    return links, priorities(template_scores(page, verdict, links.rows, k=k), base, penalty=penalty)
