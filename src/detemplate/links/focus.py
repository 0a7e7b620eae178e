"""Focused crawling: links in template pagelets get a lower priority, and what good hubs link to a higher one.

Bar-Yossef & Rajagopalan 2002, section 4, case 2: links in template pagelets "can be assigned a reduced
priority for crawling".

FOCUS (Chakrabarti, van den Berg, Dom 1999) has a crawler, a classifier and a distiller, which now and then
runs Clever over the pages fetched so far. Bar-Yossef & Rajagopalan, section 2.2, let its hubs be pagelets,
and leave out the links of template pagelets. HyperClass, the classifier of FOCUS, is not here: it labels
pages by those that they link to, too; here a text is judged by its own words.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.hits import Edges, hits
from detemplate.page.pagelets import LINKS, pagelet_of, pagelets
from detemplate.page.urls import page_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.links import Links
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


MOST_LINKS: Final = 1_000_000
"""Links that a distiller remembers; beyond, it forgets the half that was found first."""

MOST_RAISED: Final = 1_000
"""Pages that one run raises."""

LEAST: Final = 0.01
"""Least score of a page that is raised; the best page has 1."""

TEMPLATE: Final = 0.5
"""Share of template in a pagelet above which its links are left out."""

_GROWTH: Final = 1.1  # factor by which the number of pages must have grown since the distiller ran last
_FIRST: Final = 10  # pages after which it runs first

_TOLERANCE: Final = 1e-6
_MAX_ROUNDS: Final = 100


class Raised(NamedTuple):
    """A page that is not fetched.

    ``url``: its URL.
    ``priority``: its priority.
    ``depth``: depth at which the first link to it was found.
    """

    url: str
    priority: float
    depth: int


class Distiller:
    """Clever over the links of a crawl.

    A link's weight is its relevance, which takes the place of the matches of a query. Links between pages of
    one host count: the crawl may be of one host.
    """

    def __init__(self, most_links: int = MOST_LINKS) -> None:
        self._most = most_links
        self._pages = self._hubs = 0
        self._next = _FIRST
        self._fetched: set[int] = set()
        self._targets: dict[int, Raised] = {}
        self._edges = (array("q"), array("q"), array("d"))  # numbers of hubs, keys of pages, weights

    @property
    def due(self) -> bool:
        """Whether enough pages were added since the last run."""
        return self._pages >= self._next

    def add(
        self,
        url: str,
        links: Links,
        *,
        pagelets: npt.NDArray[np.integer],
        relevance: npt.NDArray[np.float64],
        template: npt.NDArray[np.float64],
        priorities: npt.NDArray[np.float64],
        depth: int = 0,
    ) -> None:
        """Add a page that was fetched. Its links are left out where over half of the pagelet is template.

        ``url``, ``links``: the page, and its links (:func:`~detemplate.page.links.page_links`).
        ``pagelets``: serial of the pagelet that holds each link, -1 for none; all 0: the page is one hub.
        ``relevance``, ``template``, ``priorities``: relevance of each link, share of template in its pagelet,
            and its priority, all about in [0, 1].
        ``depth``: depth of the pages that it links to.
        """
        own = page_key(url)
        self._pages += 1
        self._fetched.add(own)
        self._targets.pop(own, None)
        kept = (template <= TEMPLATE) & (relevance > 0) & (links.keys != own)
        hubs, weights = self._edges[0], self._edges[2]
        hubs.extend((self._hubs + 1 + np.asarray(pagelets, np.int64)[kept]).tolist())
        self._edges[1].extend(links.keys[kept].tolist())
        weights.extend(relevance[kept].tolist())
        self._hubs += 2 + int(pagelets.max(initial=-1))
        for number in np.flatnonzero(kept).tolist():
            key, priority = int(links.keys[number]), float(priorities[number])
            known = self._targets.get(key)
            if known is None and key not in self._fetched:
                self._targets[key] = Raised(links.urls[number], priority, depth)
            elif known is not None and known.priority < priority:
                self._targets[key] = known._replace(priority=priority)
        if len(hubs) > self._most:
            self._forget()

    def distil(self) -> list[Raised]:
        """Rank the pages that hubs link to; return the best ones that are not fetched, best first.

        To the priority of a page's best link comes its score as an authority, which is 1 for the best.
        """
        self._next = max(self._pages + 1, int(_GROWTH * self._pages))
        if not len(self._edges[0]):
            return []
        hubs = np.frombuffer(self._edges[0], np.int64)
        _, hub = np.unique(hubs, return_inverse=True)
        keys, authority = np.unique(np.frombuffer(self._edges[1], np.int64), return_inverse=True)
        pairs, edge = np.unique(hub * len(keys) + authority, return_inverse=True)
        weights = np.zeros(len(pairs))
        np.maximum.at(weights, edge, np.frombuffer(self._edges[2], np.float64))
        shape = (int(hub.max()) + 1, len(keys))
        edges = Edges(pairs // len(keys), pairs % len(keys), weights, shape)
        scores = hits(edges, tolerance=_TOLERANCE, max_rounds=_MAX_ROUNDS).authorities
        shares = scores / max(float(scores.max()), np.finfo(float).tiny)
        raised = [
            Raised(target.url, target.priority + share, target.depth)
            for key, share in zip(keys.tolist(), shares.tolist(), strict=True)
            if share >= LEAST and (target := self._targets.get(key)) is not None
        ]
        return sorted(raised, key=lambda page: (-page.priority, page.url))[:MOST_RAISED]

    def _forget(self) -> None:
        """Forget the half of the links that was found first, and the pages that no other link leads to."""
        for column in self._edges:
            del column[: self._most // 2]
        left = {*self._edges[1]}
        self._targets = {key: target for key, target in self._targets.items() if key in left}
