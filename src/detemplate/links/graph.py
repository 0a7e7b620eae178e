"""The graph that is ranked: hubs (pages or pagelets), and the pages that they link to.

Bar-Yossef & Rajagopalan 2002, section 4, case 1: the vertices are the non-template pagelets and the pages; an
edge leads from a pagelet to each page that it links to.
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
    """A bipartite graph of hubs and authorities.

    Attributes
    ----------
    weights
        Weights of the edges, hubs × authorities; a SciPy sparse array.
    hubs
        Number, in the base set, of the page or pagelet of each row.
    authorities
        Number, in the base set, of the page of each column.
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
        The kind of hubs, and what is dropped.
    clever
        The choice and weights of links; by default those of the papers.
    templates
        ``"local"`` or ``"stored"`` (:func:`~detemplate.links.templatepagelets.template_pagelets`).

    Returns
    -------
    Graph
        Hubs and authorities without edges included. Links outside of pagelets count by page only.

    Raises
    ------
    UserError
        ``templates`` is unknown, or the crawl has no stored templates.
    MissingExtra
        SciPy is not installed.
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
