"""The distiller of a focused crawl: what good hubs link to is fetched first.

FOCUS (Chakrabarti, van den Berg, Dom 1999) has a crawler, a classifier and a distiller, which now and then
runs Clever over the pages fetched so far. Bar-Yossef & Rajagopalan 2002, sections 2.2 and 4 (case 2), let its
hubs be pagelets, and leave out the links of template pagelets. HyperClass, the classifier of FOCUS, is not
here: it labels pages by those that they link to, too; here a text is judged by its own words.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.hits import Edges, hits
from detemplate.page.urls import page_key

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.links import Links

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
