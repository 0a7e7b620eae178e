"""Rank the pages of a crawl for a query: the graph of clean links, HITS and Clever on it, six configurations.

- HITS: Kleinberg 1999.
- Clever: Chakrabarti et al. 1998, *Automatic resource compilation by analyzing hyperlink structure and
  associated text*. A link's weight is 1 + n, where n is the number of the query's terms in a window around
  the link. Links within a host serve navigation and are dropped.
- The graph, the template pagelets of a base set, the configurations: Bar-Yossef & Rajagopalan 2002, sections
  4 (case 1), 3.2 (figure 4) and 5. The vertices are the non-template pagelets and the pages; an edge leads
  from a pagelet to each page that it links to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.hits import Edges, hits
from detemplate.errors import UserError

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.links.baseset import BaseSet


@dataclass(frozen=True, slots=True)
class Clever:
    """Settings of Clever; the defaults are those of the papers.

    ``text_weights``: whether an edge weighs 1 + the matches of the query's terms in the windows of its links
        (anchor text and 50 characters of the pagelet on either side). Otherwise each edge weighs 1, as in
        HITS.
    ``same_host``: whether to keep links between pages of one host. A page's links to itself are always
        dropped.
    ``match_authorities``: whether FNM by pagelet also drops authorities that do not match the query. FNM by
        page always does.
    ``tolerance``: the iteration stops when the authorities change by at most this much (Euclidean norm).
    ``max_rounds``: the iteration stops after this many rounds at the latest.
    """

    text_weights: bool = True
    same_host: bool = False
    match_authorities: bool = False
    tolerance: float = 1e-9
    max_rounds: int = 1000


def _kept_links(base: BaseSet, *, same_host: bool) -> npt.NDArray[np.bool_]:
    """Return which links count: those to other hosts, or to other pages."""
    if same_host:
        return np.asarray(base.sources != base.destinations)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(base.hosts))}
    hosts = np.array([numbers[name] for name in base.hosts], np.int64)
    return np.asarray(hosts[base.sources] != hosts[base.destinations])


def _edges(
    hubs: npt.NDArray[np.int64],
    pages: npt.NDArray[np.int64],
    near: npt.NDArray[np.int64],
    shape: tuple[int, int],
    *,
    text_weights: bool,
) -> Edges:
    """Return the edges: weight 1 each, or 1 + the matches near all links from the hub to the page."""
    pairs, edge = np.unique(hubs * shape[1] + pages, return_inverse=True)
    weights = np.ones(len(pairs))
    if text_weights:
        weights += np.bincount(edge, near, len(pairs))
    width = max(1, shape[1])
    return Edges(pairs // width, pairs % width, weights, shape)


@dataclass(frozen=True, slots=True)
class Configuration:
    """The hubs of a graph, and what is dropped before the ranking.

    ``by_pagelet``: whether hubs are pagelets (section 4, case 1) or pages.
    ``filter_templates``: FT: whether template pagelets are dropped; only with ``by_pagelet``.
    ``filter_non_matching``: FNM: whether vertices that do not match the query are dropped. By page, these are
        pages, which are both hubs and authorities. By pagelet, these are pagelets, which are hubs; pages
        stay, unless ``match_authorities`` of :class:`~detemplate.links.ranking.Clever` is set.
    """

    by_pagelet: bool
    filter_templates: bool
    filter_non_matching: bool


CONFIGURATIONS: Final = {
    "page-vanilla": Configuration(False, False, False),
    "page-fnm": Configuration(False, False, True),
    "pagelet-vanilla": Configuration(True, False, False),
    "pagelet-fnm": Configuration(True, False, True),
    "pagelet-ft": Configuration(True, True, False),
    "pagelet-ft-fnm": Configuration(True, True, True),
}
"""The configurations by name, in the paper's order."""

BEST: Final = "pagelet-ft-fnm"
"""Name of the most precise configuration in the paper."""


def configuration_of(name: str) -> Configuration:
    """Return the configuration of a name; raises :class:`~detemplate.errors.UserError` if there is none."""
    if name not in CONFIGURATIONS:
        raise UserError(f"there is no configuration {name!r}: take one of {', '.join(CONFIGURATIONS)}")
    return CONFIGURATIONS[name]


WAYS: Final = ("local", "stored")
"""Ways to know template pagelets: the local algorithm on the base set, or the crawl's stored table."""


def check_way(templates: str, has_stored: bool, ways: tuple[str, ...] = WAYS) -> None:
    """Raise :class:`~detemplate.errors.UserError` if a way to know template pagelets is not available."""
    if templates not in ways:
        raise UserError(f"templates cannot be {templates!r}: take one of {', '.join(ways)}")
    if templates == "stored" and not has_stored:
        raise UserError(
            "the crawl has no table 'template_pagelets': make it with 'detemplate graph templates --save'"
        )


def template_pagelets(base: BaseSet, templates: str = "local") -> npt.NDArray[np.bool_]:
    """Return which pagelets of a base set are template.

    ``base``: the base set.
    ``templates``: ``"local"``: the local algorithm, which the paper uses on base sets (section 5). A shingle
        on two or more pages, duplicates counted once, makes its pagelets template. ``"stored"``: the pagelets
        in the crawl's table ``template_pagelets``.
    Returns: one per pagelet. Pagelets of duplicate pages are template by their shingles, too.
    Raises UserError: ``templates`` is unknown, or the crawl has no stored templates.
    """
    check_way(templates, base.has_templates)
    if templates == "stored":
        return base.stored
    # Counting page shingles instead of pages counts duplicates once.
    _, contents = np.unique(base.shingles, return_inverse=True)
    _, groups = np.unique(base.pagelet_shingles, return_inverse=True)
    width = len(base.shingles) + 1
    has_shingle = base.has_shingle
    pairs = np.unique(groups[has_shingle] * width + contents[base.owners[has_shingle]])
    pages = np.bincount(pairs // width, minlength=len(groups))
    return np.asarray(has_shingle & (pages[groups] >= 2), np.bool_)


def template_share(base: BaseSet, templates: str = "local") -> float:
    """Return the share of a base set's crawled pages that have a template pagelet (the paper's table 2)."""
    holders = np.unique(base.owners[template_pagelets(base, templates)])
    crawled = int(np.count_nonzero(base.crawled))
    return len(holders) / crawled if crawled else 0.0


@dataclass(frozen=True, slots=True)
class Graph:
    """A bipartite graph of hubs and authorities.

    ``edges``: the edges; their hubs and authorities are numbered in this graph.
    ``hubs``: number, in the base set, of the page or pagelet of each row.
    ``authorities``: number, in the base set, of the page of each column.
    """

    edges: Edges
    hubs: npt.NDArray[np.int64]
    authorities: npt.NDArray[np.int64]


def build(
    base: BaseSet, configuration: Configuration, clever: Clever | None = None, *, templates: str = "local"
) -> Graph:
    """Build the graph of a configuration.

    ``base``: the base set.
    ``configuration``: the kind of hubs, and what is dropped.
    ``clever``: the choice and weights of links; by default those of the papers.
    ``templates``: ``"local"`` or ``"stored"`` (:func:`~detemplate.links.ranking.template_pagelets`).
    Returns: hubs and authorities without edges included. Links outside of pagelets count by page only.
    Raises UserError: ``templates`` is unknown, or the crawl has no stored templates.
    """
    clever = clever or Clever()
    sources = base.pagelets if configuration.by_pagelet else base.sources
    hubs = np.ones(len(base.owners) if configuration.by_pagelet else len(base), np.bool_)
    authorities = np.ones(len(base), np.bool_)
    if configuration.filter_templates:
        hubs &= ~template_pagelets(base, templates)
    if configuration.filter_non_matching:
        hubs &= base.pagelet_matches if configuration.by_pagelet else base.matches
        if clever.match_authorities or not configuration.by_pagelet:
            authorities &= base.matches
    links = np.flatnonzero(_kept_links(base, same_host=clever.same_host) & (sources >= 0))
    links = links[hubs[sources[links]] & authorities[base.destinations[links]]]
    rows, columns = np.cumsum(hubs) - 1, np.cumsum(authorities) - 1
    edges = _edges(
        rows[sources[links]],
        columns[base.destinations[links]],
        base.near[links],
        (int(np.count_nonzero(hubs)), int(np.count_nonzero(authorities))),
        text_weights=clever.text_weights,
    )
    return Graph(edges, np.flatnonzero(hubs), np.flatnonzero(authorities))


@dataclass(frozen=True, slots=True)
class Authority:
    """A page that good hubs link to.

    ``url``, ``title``: URL and title of the page.
    ``score``: authority score, in [0, 1].
    """

    url: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class Hub:
    """A page, or one of its pagelets, that links to good authorities.

    ``url``, ``title``: URL and title of the page.
    ``pagelet``: serial of the pagelet; None if hubs are pages.
    ``score``: hub score, in [0, 1].
    """

    url: str
    title: str
    pagelet: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranking of a base set by a configuration.

    ``authorities``, ``hubs``: best first; those with score 0 are left out. Equal scores are in the order of
        URLs (and pagelets). In a graph of several components, those of the less dense ones follow with scores
        near 0.
    ``pages``, ``edges``: number of authorities and of edges of the graph.
    ``rounds``, ``converged``: number of iterations, and whether they converged.
    """

    authorities: list[Authority]
    hubs: list[Hub]
    pages: int
    edges: int
    rounds: int
    converged: bool


def rank(
    base: BaseSet,
    configuration: str = BEST,
    clever: Clever | None = None,
    *,
    templates: str = "local",
    top: int | None = 50,
    hubs: int | None = 50,
) -> Ranking:
    """Rank a base set.

    ``base``: the base set, which holds the query.
    ``configuration``: a name from :data:`~detemplate.links.ranking.CONFIGURATIONS`.
    ``clever``: the choice and weights of links; by default those of the papers.
    ``templates``: ``"local"`` or ``"stored"`` (:func:`~detemplate.links.ranking.template_pagelets`).
    ``top``, ``hubs``: maximum number of authorities and of hubs; None for all.
    Returns: the best authorities and hubs.
    Raises UserError: the configuration or ``templates`` is unknown, or the crawl has no stored templates.
    """
    clever = clever or Clever()
    chosen = configuration_of(configuration)
    graph = build(base, chosen, clever, templates=templates)
    scores = hits(graph.edges, tolerance=clever.tolerance, max_rounds=clever.max_rounds)
    owners = base.owners[graph.hubs] if chosen.by_pagelet else graph.hubs
    serials = base.serials[graph.hubs] if chosen.by_pagelet else None

    pages = graph.authorities.tolist()
    return Ranking(
        authorities=[
            Authority(base.urls[pages[place]], base.titles[pages[place]], float(scores.authorities[place]))
            for place in _best(scores.authorities, [base.urls[page] for page in pages], top)
        ],
        hubs=[
            Hub(
                base.urls[owners[place]],
                base.titles[owners[place]],
                None if serials is None else int(serials[place]),
                float(scores.hubs[place]),
            )
            for place in _best(scores.hubs, [base.urls[page] for page in owners.tolist()], hubs)
        ],
        pages=len(pages),
        edges=len(graph.edges),
        rounds=scores.rounds,
        converged=scores.converged,
    )


def _best(scores: npt.NDArray[np.float64], urls: list[str], count: int | None) -> list[int]:
    """Return the places of the greatest scores, best first; scores equal up to rounding are by URL."""
    rounded = np.round(scores, 12).tolist()
    places = [place for place, score in enumerate(rounded) if score > 0]
    return sorted(places, key=lambda place: (-rounded[place], urls[place]))[:count]
