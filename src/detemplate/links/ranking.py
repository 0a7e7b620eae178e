"""A query's answer: the best authorities and hubs of its base set."""

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
    """A page that good hubs link to."""

    url: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class Hub:
    """A page, or one of its pagelets, that links to good authorities.

    Attributes
    ----------
    pagelet
        The pagelet's serial; None where hubs are pages.
    """

    url: str
    title: str
    pagelet: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a configuration makes of a base set.

    Attributes
    ----------
    authorities, hubs
        Best first; those with a score of 0 are no results. Equal scores: by URL (and pagelet). Of a
        graph in several parts, those of the less dense follow with scores near 0.
    pages, hub_count, edges
        Size of the graph: authorities, hubs, edges between them.
    rounds, converged
        Of the iteration.
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
        The base set; it knows the query.
    configuration
        One of :data:`~detemplate.links.configurations.CONFIGURATIONS`, or its name.
    clever
        How links are chosen and weighted.
    templates
        ``"local"`` or ``"stored"`` (:func:`~detemplate.links.templatepagelets.template_pagelets`).
    top, hubs
        Give so many authorities and hubs at most; None for all.

    Raises
    ------
    UserError
        There is no such configuration, or the crawl has stored no templates.
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
    """Give the places of the greatest scores, best first; equal ones, rounding errors aside, by name."""
    rounded = np.round(scores, 12)
    places = np.flatnonzero(rounded > 0)
    if count is not None and count < len(places):
        least = np.partition(rounded[places], -count)[-count] if count else np.inf
        places = places[rounded[places] >= least]
    best: list[int] = sorted(places.tolist(), key=lambda place: (-rounded[place], name(place)))
    return best[:count]
