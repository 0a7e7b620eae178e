"""Rank a base set: its best authorities and hubs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from detemplate.links.clever import Clever
from detemplate.links.configurations import BEST, Configuration, configuration_of
from detemplate.links.graph import build
from detemplate.links.hits import hits

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from detemplate.links.baseset import BaseSet


@dataclass(frozen=True, slots=True)
class Authority:
    """A page that good hubs link to.

    Attributes
    ----------
    url, title
        URL and title of the page.
    score
        Authority score, in [0, 1].
    """

    url: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class Hub:
    """A page, or one of its pagelets, that links to good authorities.

    Attributes
    ----------
    url, title
        URL and title of the page.
    pagelet
        Serial of the pagelet; None if hubs are pages.
    score
        Hub score, in [0, 1].
    """

    url: str
    title: str
    pagelet: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranking of a base set by a configuration.

    Attributes
    ----------
    authorities, hubs
        Best first; those with score 0 are left out. Equal scores are in the order of URLs (and pagelets).
        In a graph of several components, those of the less dense ones follow with scores near 0.
    pages, hub_count, edges
        Number of authorities, of hubs, and of edges of the graph.
    rounds, converged
        Number of iterations, and whether they converged.
    """

    authorities: list[Authority]
    hubs: list[Hub]
    pages: int
    hub_count: int
    edges: int
    rounds: int
    converged: bool


def rank(
    base: BaseSet,
    configuration: str | Configuration = BEST,
    clever: Clever | None = None,
    *,
    templates: str = "local",
    top: int | None = 50,
    hubs: int | None = 50,
) -> Ranking:
    """Rank a base set.

    Parameters
    ----------
    base
        The base set, which holds the query.
    configuration
        One of :data:`~detemplate.links.configurations.CONFIGURATIONS`, or its name.
    clever
        The choice and weights of links; by default those of the papers.
    templates
        ``"local"`` or ``"stored"`` (:func:`~detemplate.links.templatepagelets.template_pagelets`).
    top, hubs
        Maximum number of authorities and of hubs; None for all.

    Returns
    -------
    Ranking
        The best authorities and hubs.

    Raises
    ------
    UserError
        The configuration or ``templates`` is unknown, or the crawl has no stored templates.
    MissingExtra
        SciPy is not installed.
    """
    clever = clever or Clever()
    chosen = configuration_of(configuration) if isinstance(configuration, str) else configuration
    graph = build(base, chosen, clever, templates=templates)
    scores = hits(graph.weights, tolerance=clever.tolerance, max_rounds=clever.max_rounds)
    owners = base.owners[graph.hubs] if chosen.by_pagelet else graph.hubs
    serials = base.serials[graph.hubs] if chosen.by_pagelet else None

    def url(place: int) -> tuple[str, int]:
        return base.urls[graph.authorities[place]], int(graph.authorities[place])

    def hub(place: int) -> tuple[str, int]:
        return base.urls[owners[place]], int(graph.hubs[place])

    return Ranking(
        authorities=[
            Authority(base.urls[page], base.titles[page], float(scores.authorities[place]))
            for place in _best(scores.authorities, url, top)
            for page in [graph.authorities[place]]
        ],
        hubs=[
            Hub(
                base.urls[owners[place]],
                base.titles[owners[place]],
                None if serials is None else int(serials[place]),
                float(scores.hubs[place]),
            )
            for place in _best(scores.hubs, hub, hubs)
        ],
        pages=len(graph.authorities),
        hub_count=len(graph.hubs),
        edges=int(graph.weights.nnz),
        rounds=scores.rounds,
        converged=scores.converged,
    )


def _best(
    scores: npt.NDArray[np.float64], name: Callable[[int], tuple[str, int]], count: int | None
) -> list[int]:
    """Return the places of the greatest scores, best first; scores equal up to rounding are by name."""
    rounded = np.round(scores, 12)
    places = np.flatnonzero(rounded > 0)
    if count is not None and count < len(places):
        least = np.partition(rounded[places], -count)[-count] if count else np.inf
        places = places[rounded[places] >= least]
    best: list[int] = sorted(places.tolist(), key=lambda place: (-rounded[place], name(place)))
    return best[:count]
