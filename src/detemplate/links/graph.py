"""The graph that is ranked: hubs, which are pages or pagelets, and the pages they link to.

Bar-Yossef & Rajagopalan 2002, section 4, case 1: a vertex for each non-template pagelet and one for each
page; an edge where the pagelet links to the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.links.clever import Clever, edges, kept_links
from detemplate.links.templatepagelets import template_pagelets

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.links.baseset import BaseSet
    from detemplate.links.configurations import Configuration


@dataclass(frozen=True, slots=True)
class Graph:
    """A bipartite graph.

    Attributes
    ----------
    weights
        Hubs × authorities; a SciPy sparse array.
    hubs
        What each row is: the number of a page or of a pagelet of the base set.
    authorities
        What each column is: the number of a page.
    """

    weights: Any
    hubs: npt.NDArray[np.int64]
    authorities: npt.NDArray[np.int64]


def build(
    base: BaseSet, configuration: Configuration, clever: Clever | None = None, *, templates: str = "local"
) -> Graph:
    """Build the graph of a configuration.

    Parameters
    ----------
    base
        The base set.
    configuration
        What hubs are and what is dropped.
    clever
        How links are chosen and weighted.
    templates
        Where template pagelets are known from (:func:`~detemplate.links.templatepagelets.template_pagelets`).

    Returns
    -------
    Graph
        Hubs and authorities without edges are in it, too. Links that stand in no pagelet count by page
        only.

    Raises
    ------
    UserError, MissingExtra
        As :func:`~detemplate.links.templatepagelets.template_pagelets` and :func:`~detemplate.links.clever.edges`.
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
    links = np.flatnonzero(kept_links(base, same_host=clever.same_host) & (sources >= 0))
    links = links[hubs[sources[links]] & authorities[base.destinations[links]]]
    rows, columns = np.cumsum(hubs) - 1, np.cumsum(authorities) - 1
    weights = edges(
        rows[sources[links]],
        columns[base.destinations[links]],
        base.near[links],
        (int(np.count_nonzero(hubs)), int(np.count_nonzero(authorities))),
        text_weights=clever.text_weights,
    )
    return Graph(weights, np.flatnonzero(hubs), np.flatnonzero(authorities))
