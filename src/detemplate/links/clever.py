"""Clever: HITS over links that are weighted by the text around them.

Chakrabarti et al. 1998, *Automatic resource compilation by analyzing hyperlink structure and associated
text*: a link's weight is 1 + n, where n is the number of the query's terms in a window around the link.
Kleinberg 1999, section 2: links within a host serve navigation and are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.links.baseset import BaseSet


@dataclass(frozen=True, slots=True)
class Clever:
    """Settings of Clever; the defaults are those of the papers.

    Attributes
    ----------
    text_weights
        Whether an edge weighs 1 + the matches of the query's terms in the windows of its links (anchor text
        and 50 characters of the pagelet on either side). Otherwise each edge weighs 1, as in HITS.
    same_host
        Whether to keep links between pages of one host. A page's links to itself are always dropped.
    match_authorities
        Whether FNM by pagelet also drops authorities that do not match the query. FNM by page always does.
    tolerance
        The iteration stops when the authorities change by at most this much (Euclidean norm).
    max_rounds
        The iteration stops after this many rounds at the latest.
    """

    text_weights: bool = True
    same_host: bool = False
    match_authorities: bool = False
    tolerance: float = 1e-9
    max_rounds: int = 1000


def kept_links(base: BaseSet, *, same_host: bool) -> npt.NDArray[np.bool_]:
    """Return which links count: those to other hosts, or to other pages.

    Parameters
    ----------
    base
        The base set.
    same_host
        Whether links within a host count, too. Hosts are compared as a whole: ``a.example.org`` and
        ``b.example.org`` differ.

    Returns
    -------
    array of bool
        One per link.
    """
    if same_host:
        return np.asarray(base.sources != base.destinations)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(base.hosts))}
    hosts = np.array([numbers[name] for name in base.hosts], np.int64)
    return np.asarray(hosts[base.sources] != hosts[base.destinations])


def edges(
    hubs: npt.NDArray[np.int64],
    pages: npt.NDArray[np.int64],
    near: npt.NDArray[np.int64],
    shape: tuple[int, int],
    *,
    text_weights: bool,
) -> Any:  # noqa: ANN401  # SciPy has no types
    """Return the weighted edges between hubs and pages.

    All links from a hub to a page are one edge. Its weight is 1 + the matches near all of them.

    Parameters
    ----------
    hubs, pages, near
        Of each link: the number of the hub that holds it, the number of the page that it leads to, and the
        number of matches near it.
    shape
        Number of hubs, number of pages.
    text_weights
        Whether matches count; otherwise each edge weighs 1.

    Returns
    -------
    scipy.sparse.csr_array
        Hubs × pages, float64.

    Raises
    ------
    MissingExtra
        SciPy is not installed.
    """
    try:
        from scipy import sparse  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("ranking", "tables") from None
    pairs, edge = np.unique(hubs * shape[1] + pages, return_inverse=True)
    weights = np.ones(len(pairs))
    if text_weights:
        weights += np.bincount(edge, near, len(pairs))
    width = max(1, shape[1])
    return sparse.csr_array((weights, (pairs // width, pairs % width)), shape=shape)
