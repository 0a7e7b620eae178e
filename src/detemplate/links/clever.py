"""Clever in its pure form: HITS over links weighted by the text around them.

Chakrabarti et al. 1998, *Automatic resource compilation by analyzing hyperlink structure and associated
text*: a link's weight is 1 + n, where n counts the query's terms in a window around the link. Kleinberg
1999, section 2: links within a host serve navigation and are dropped.
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
    """What of Clever is applied. The defaults are what the papers describe; nothing else is done.

    Attributes
    ----------
    text_weights
        Weight an edge by 1 + the matches of the query's terms in the windows of its links (anchor text and
        50 characters of its pagelet either side). Otherwise every edge weighs 1: HITS.
    same_host
        Keep links between pages of one host. A link of a page to itself is dropped in any case.
    match_authorities
        With FNM by pagelet, drop authorities that do not match the query, too. By page they always are.
    tolerance
        The iteration stops where the authorities change by no more than this (Euclidean norm).
    max_rounds
        It stops after so many rounds in any case.
    """

    text_weights: bool = True
    same_host: bool = False
    match_authorities: bool = False
    tolerance: float = 1e-9
    max_rounds: int = 1000


def kept_links(base: BaseSet, *, same_host: bool) -> npt.NDArray[np.bool_]:
    """Tell which links count as somebody's judgement of another's page.

    Parameters
    ----------
    base
        The base set.
    same_host
        Whether links within a host do. Hosts are compared as the URLs have them: ``a.example.org`` and
        ``b.example.org`` are two.

    Returns
    -------
    array of bool
        One a link.
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
    """Make the weighted edges between hubs and pages.

    However many links lead from a hub to a page, they are one edge. Its weight is 1 + the matches near
    all of them.

    Parameters
    ----------
    hubs, pages, near
        Of each link: the hub in which it stands, the page it leads to, the matches near it.
    shape
        Number of hubs, number of pages.
    text_weights
        Whether matches count at all.

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
